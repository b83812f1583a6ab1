package turncli

import (
	"errors"
	"strconv"

	"mindroom/internal/canonical"
	"mindroom/internal/tool"
)

// listRoom is what an answer may hold besides its items, in bytes.
const listRoom = 256

// item is a function as lists and searches show it: no schema (C04).
type item struct {
	Toolkit     string `json:"toolkit"`
	Function    string `json:"function,omitempty"`
	Description string `json:"description"`
	// Signature names the arguments with their types: optional ones end in ?.
	Signature string `json:"signature,omitempty"`
	// Unavailable: the toolkit could not be built, so it has no functions now.
	Unavailable bool `json:"unavailable,omitempty"`
}

func itemOf(f *tool.Function) item {
	return item{Toolkit: f.Name.Toolkit, Function: f.Name.Function, Description: firstParagraph(f.Description), Signature: signature(f)}
}

// list is a page of what the response offers, in the agent's order; toolkits that
// could not be built come last.
func (o *Owner) list(op operation) (any, *refusal) {
	functions := o.catalogue()
	var broken []string
	for _, problem := range o.work.Surface.Problems {
		var failed *tool.BuildError
		if errors.As(problem, &failed) {
			broken = append(broken, failed.Toolkit)
		}
	}
	return paged(op, len(functions)+len(broken), func(i int) any {
		if i < len(functions) {
			return itemOf(functions[i])
		}
		return item{Toolkit: broken[i-len(functions)], Unavailable: true,
			Description: "Its settings cannot be used, so none of its functions can be called; mindroom doctor tells an operator why."}
	})
}

// paged takes items from a cursor on until the limit or the envelope is full.
func paged(op operation, total int, at func(int) any) (any, *refusal) {
	from := 0
	if op.cursor != "" {
		n, err := strconv.Atoi(op.cursor)
		if err != nil || n < 0 || n > total || strconv.Itoa(n) != op.cursor {
			return nil, badCursor()
		}
		from = n
	}
	p, size := page{Items: []any{}}, listRoom
	for i := from; i < total; i++ {
		it := at(i)
		n := encoded(it) + 1
		if len(p.Items) == op.limit || size+n > maxBody && len(p.Items) > 0 {
			next := strconv.Itoa(i)
			p.Next = &next
			break
		}
		p.Items = append(p.Items, it)
		size += n
	}
	return p, nil
}

// encoded is how long a value is on the wire; a value that cannot be written
// counts as more than any answer holds.
func encoded(v any) int {
	doc, err := canonical.FromValue(v)
	if err != nil {
		return maxBody
	}
	return len(doc.Canonical())
}
