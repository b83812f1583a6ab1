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
	if n == nil {
		return MemoryNone
	}
	if n.kind == kindScalar {
		return d.memoryBackend(n, MemoryNone)
	}
	s := d.section(n, "memory")
	backend := d.memoryBackend(s.get("backend"), MemoryNone)
	s.unheeded("team_reads_member_memory", "file", "search", "embedder", "llm", "auto_flush")
	s.done()
	return backend
}

func (d *decoder) memoryBackend(n *node, otherwise MemoryBackend) MemoryBackend {
	if n == nil {
		return otherwise
	}
	switch name := d.choice(n, string(otherwise), "file", "none", "mem0"); name {
	case "mem0":
		d.warn(n.pos, n.path, "mem0 is not supported yet: memory is kept in files, as memory_backend: file does")
		return MemoryFile
	default:
		return MemoryBackend(name)
	}
}
