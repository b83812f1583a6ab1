package turncli

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"mindroom/internal/tool"
)

// maxDescriptor is the largest descriptor that is told whole, in bytes; a larger
// one is read in pages (C12).
const maxDescriptor = 32 << 10

// descriptor is what describe tells of a function.
type descriptor struct {
	Toolkit      string          `json:"toolkit"`
	Function     string          `json:"function"`
	Description  string          `json:"description"`
	Input        json.RawMessage `json:"input_schema"`
	Instructions []string        `json:"instructions"`
}

// pointer stands for a descriptor that is read in pages.
type pointer struct {
	Toolkit  string   `json:"toolkit"`
	Function string   `json:"function"`
	Context  location `json:"context"`
}

type location struct {
	Name      string `json:"name"`
	Length    int    `json:"length"`
	Operation string `json:"operation"`
}

// describe tells a function's schema. It is an operation of a window like a call,
// so that what a command asked for is answered before its call ends (C19, C20).
func (o *Owner) describe(id string, op operation) (any, *refusal) {
	w, refused := o.enter(id)
	if refused != nil {
		return nil, refused
	}
	answer, refused := o.descriptor(w, op.name)
	if !o.leave(w) {
		return nil, errAuthority
	}
	return answer, refused
}

// enter admits an operation that is no call.
func (o *Owner) enter(id string) (*window, *refusal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.phase == dead || o.expired() {
		return nil, errAuthority
	}
	w, refused := o.admits(id)
	if refused != nil {
		return nil, refused
	}
	w.active++
	o.unfinished++
	return w, nil
}

// leave ends such an operation. It reports whether the grant still stands.
func (o *Owner) leave(w *window) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	alive := o.phase != dead
	w.active--
	o.unfinished--
	o.shut(w)
	o.wake()
	return alive
}

func (o *Owner) descriptor(w *window, n tool.Name) (any, *refusal) {
	if fault := o.offered(n); fault != nil {
		return nil, ofFault(fault)
	}
	room := o.reg.Room
	snap := room.Config.Current()
	if room.Authority.May(w.base, o.who, snap) != tool.Yes {
		return nil, ofFault(tool.Faultf(tool.FaultUnauthorised, "the requester may not use this agent here at the moment"))
	}
	now, err := room.Registry.Surface(snap, o.who.Agent)
	if err != nil || now.Lookup(n) == nil {
		return nil, ofFault(tool.Faultf(tool.FaultNotAvailable, "the agent does not have %s any more", n))
	}
	f := now.Lookup(n)
	d := descriptor{Toolkit: n.Toolkit, Function: n.Function, Description: f.Description, Input: f.Schema, Instructions: []string{}}
	if encoded(d) <= maxDescriptor {
		return d, nil
	}
	raw, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return nil, errInternal
	}
	doc := o.work.keep(n, string(raw))
	return pointer{Toolkit: n.Toolkit, Function: n.Function,
		Context: location{Name: doc.Name, Length: utf8.RuneCountInString(doc.Text), Operation: opRead}}, nil
}

// keep makes a document of a descriptor; a function's keeps its name.
func (work *offer) keep(n tool.Name, text string) Document {
	work.mu.Lock()
	defer work.mu.Unlock()
	i, known := work.named[n]
	if !known {
		i = len(work.schemas)
		work.named[n] = i
		work.schemas = append(work.schemas, Document{Name: fmt.Sprintf("tool-schema-%d", i+1)})
	}
	work.schemas[i].Text = text
	return work.schemas[i]
}
