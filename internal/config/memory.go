package config

// MemoryBackend says where an agent keeps what it should remember.
type MemoryBackend string

// The memory backends this version has.
const (
	MemoryNone MemoryBackend = "none"
	MemoryFile MemoryBackend = "file" // in the workspace, which it brings with it
)

// memory reads the root key, of which only the backend has an effect yet. Without it there is no memory: the format's own
// default, mem0, needs services this version does not have, and a start must not warn about what nobody wrote.
func (d *decoder) memory(root *section) MemoryBackend {
	n := root.get("memory")
	if n != nil && n.kind == kindScalar {
		return d.memoryBackend(n, MemoryNone)
	}
	s := root.sub("memory")
	return d.memoryBackend(s.get("backend"), MemoryBackend(s.text("backend")))
}

func (d *decoder) memoryBackend(n *node, otherwise MemoryBackend) MemoryBackend {
	switch {
	case n == nil:
		return otherwise
	case n.text == "mem0":
		d.warn(n.pos, n.path, "mem0 is not supported yet: memory is kept in files, as memory_backend: file does")
		return MemoryFile
	}
	return MemoryBackend(n.text)
}
