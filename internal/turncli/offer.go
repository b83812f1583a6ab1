package turncli

import (
	"strings"
	"sync"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// offer is what a response lets its commands find and call.
type offer struct {
	Opening

	mu sync.Mutex
	// schemas are the documents of schemas that were too large to be told, in the
	// order of their making.
	schemas []Document
	named   map[tool.Name]int
}

func newOffer(open Opening) *offer {
	work := &offer{Opening: open, named: map[tool.Name]int{}}
	work.Documents = nil
	for _, d := range open.Documents {
		// Pages are counted in characters; what is none of UTF-8 has none.
		work.Documents = append(work.Documents, Document{Name: d.Name, Text: strings.ToValidUTF8(d.Text, "\uFFFD")})
	}
	return work
}

// offered is nil when a function may be called through mindroom-agent; otherwise it
// says why not, in words that help. What the agent has lost since is the room's to
// say.
func (o *Owner) offered(n tool.Name) *tool.Fault {
	work := o.work
	f := work.Surface.Lookup(n)
	if f == nil || work.Offers != nil && !work.Offers(n) {
		return o.unknown(n)
	}
	return o.withheld(f, o.reg.Room.Config.Current())
}

// withheld is why a function of the agent is not among those of its commands.
func (o *Owner) withheld(f *tool.Function, snap *config.Snapshot) *tool.Fault {
	switch {
	case o.work.Native && f.Native:
		return tool.Faultf(tool.FaultNotAvailable, "%s cannot be called from a shell command; call %s directly, as a tool of your own", f.Name, f.Name.Function)
	case o.work.Holds == nil && o.reg.Room.Policy.Might(snap, f):
		return tool.Faultf(tool.FaultNotAvailable, "%s may need a person's approval, which cannot be waited for inside a shell command here; call %s directly, as a tool of your own", f.Name, f.Name.Function)
	}
	return nil
}

// catalogue is what is offered and live now, in the agent's order.
func (o *Owner) catalogue() []*tool.Function {
	snap := o.reg.Room.Config.Current()
	now, err := o.reg.Room.Registry.Surface(snap, o.who.Agent)
	if err != nil {
		return nil // the agent is no longer configured
	}
	var all []*tool.Function
	for _, f := range o.work.Surface.Functions() {
		if o.work.Offers != nil && !o.work.Offers(f.Name) || now.Lookup(f.Name) == nil {
			continue
		}
		if o.withheld(f, snap) == nil {
			all = append(all, f)
		}
	}
	return all
}

// maxNames bounds how many names a fault lists.
const maxNames = 40

// unknown says what there is in place of what there is not.
func (o *Owner) unknown(n tool.Name) *tool.Fault {
	var inKit, kits []string
	for _, f := range o.catalogue() {
		if f.Name.Toolkit == n.Toolkit {
			inKit = append(inKit, f.Name.Function)
		}
		if len(kits) == 0 || kits[len(kits)-1] != f.Name.Toolkit {
			kits = append(kits, f.Name.Toolkit)
		}
	}
	if len(inKit) > 0 {
		return tool.Faultf(tool.FaultUnknown, "toolkit %q has no function %q; it has %s", n.Toolkit, short(n.Function), listed(inKit))
	}
	return tool.Faultf(tool.FaultUnknown, "there is no toolkit %q; there are %s. Search with: mindroom-agent tools search WORDS", short(n.Toolkit), listed(kits))
}

func short(s string) string {
	if r := []rune(s); len(r) > 64 {
		return string(r[:64]) + "…"
	}
	return s
}

func listed(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > maxNames:
		return strings.Join(names[:maxNames], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
