package mcp

import (
	"context"
	"strings"

	"mindroom/internal/excerpt"
	"mindroom/internal/secret"
	"mindroom/internal/supervise"
)

// A server's standard error goes to the log up to maxLine bytes of a line and
// maxLines lines of one connection: a chatty one must not fill the disk.
const (
	maxLine  = 1 << 10
	maxLines = 500
)

// overhear logs what the server writes to its standard error until it is dead or
// ctx ends.
func (s *server) overhear(ctx context.Context, proc *supervise.Process) {
	var rest string
	lines := 0
	say := func(line string) bool {
		if line = strings.TrimSpace(line); line == "" {
			return true
		}
		if lines++; lines > maxLines {
			s.log.Warn("an MCP server writes much; the rest is not logged", "lines", maxLines)
			return false
		}
		s.log.Info("an MCP server says", "line", excerpt.Head(secret.Default.Redact(strings.ToValidUTF8(line, "�")), maxLine))
		return true
	}
	for offset := int64(0); ; {
		c, err := proc.ReadFrom(ctx, offset)
		if err != nil {
			return
		}
		offset = c.Next()
		rest += string(c.Data)
		for {
			line, after, whole := strings.Cut(rest, "\n")
			if !whole && len(rest) < 4*maxLine && !c.Done {
				break
			}
			if !say(line) {
				return
			}
			if rest = after; rest == "" {
				break
			}
		}
		if c.Done {
			return
		}
	}
}
