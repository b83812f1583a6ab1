package turncli

// found is the answer to a search. Toolkits are named where nothing was found.
type found struct {
	Items    []any    `json:"items"`
	Toolkits []string `json:"toolkits,omitempty"`
}

// maxFound bounds the answer to a search, in bytes: what does not fit is the least
// of it.
const maxFound = 16 << 10

// search ranks what the response offers by a query of words.
func (o *Owner) search(op operation) found {
	offered := o.catalogue()
	index := o.reg.indexes.of(o.work.Surface, o.reg.Room.Registry.Purpose)
	answer := found{Items: []any{}}
	size := listRoom
	for _, f := range index.rank(op.query, offered, op.toolkit) {
		it := itemOf(f)
		n := encoded(it) + 1
		if len(answer.Items) == op.limit || size+n > maxFound && len(answer.Items) > 0 {
			break
		}
		answer.Items = append(answer.Items, it)
		size += n
	}
	if len(answer.Items) > 0 {
		return answer
	}
	last := ""
	for _, f := range offered {
		if f.Name.Toolkit != last && len(answer.Toolkits) < maxNames {
			last = f.Name.Toolkit
			answer.Toolkits = append(answer.Toolkits, last)
		}
	}
	return answer
}
