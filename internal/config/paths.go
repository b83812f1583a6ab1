package config

import (
	"path"
	"path/filepath"
	"strings"
)

// relativePath refuses a path that could leave the folder it is meant for.
func (d *decoder) relativePath(n *node, p string) bool {
	clean := path.Clean(p)
	switch {
	case p == "":
		d.fail(n, "must not be empty")
	case strings.Contains(p, "$"):
		d.fail(n, "must be a plain path; no variable is replaced in it")
	case path.IsAbs(p) || strings.ContainsAny(p, "\\\x00"):
		d.fail(n, "must be a relative path with forward slashes")
	case clean == "." || clean == ".." || strings.HasPrefix(clean, "../"):
		d.fail(n, "must stay below its folder; .. may not lead out of it")
	default:
		return true
	}
	return false
}

// filePath makes a path of the file absolute: it may begin with one of two variables, and is otherwise relative to the file.
func (d *decoder) filePath(n *node, p string) string {
	p = strings.ReplaceAll(p, "${MINDROOM_CONFIG_PATH}", d.dir)
	if strings.Contains(p, "${MINDROOM_STORAGE_PATH}") {
		p = strings.ReplaceAll(p, "${MINDROOM_STORAGE_PATH}", storagePath(d.env, d.dir))
	}
	if strings.Contains(p, "$") {
		d.fail(n, "only ${MINDROOM_CONFIG_PATH} and ${MINDROOM_STORAGE_PATH} may stand in a path")
		return ""
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(d.dir, p)
	}
	return filepath.Clean(p)
}
