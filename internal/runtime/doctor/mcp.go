package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/toolkit/mcp"
)

// servers starts or reaches every enabled MCP server, all side by side, and ends it
// again. One that is down costs agents its functions and nothing else: a warning.
func (p *patient) servers(ctx context.Context) []Finding {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.cfg.MCPServers)) {
		if p.cfg.MCPServers[name].Enabled {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	group := lifecycle.New(context.WithoutCancel(ctx))
	all := mcp.New(mcp.Options{Run: group, Environ: os.Environ(), Getenv: p.env.Get, Log: slog.New(slog.DiscardHandler)})
	found := make([]Finding, len(names))
	var probes sync.WaitGroup
	for i, name := range names {
		probes.Go(func() {
			n, err := all.Probe(ctx, p.cfg.MCPServers[name])
			found[i] = Finding{"MCP server " + name, OK, fmt.Sprintf("answers, with %d functions", n), ""}
			if err != nil {
				found[i] = Finding{"MCP server " + name, Warn, err.Error(), "agents go without its tools until it answers: mend mcp_servers." + name + ", or set enabled: false"}
			}
		})
	}
	probes.Wait()
	ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := group.Stop(ended); err != nil {
		found = append(found, Finding{"MCP servers", Warn, err.Error(), "look for processes that were left behind"})
	}
	return found
}
