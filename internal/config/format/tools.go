package format

// ToolEntry is the long form of a tool entry.
func ToolEntry() *Object { return toolEntry }

var toolEntry = &Object{
	Name: "tools[]",
	Doc:  "A toolkit in the long form.",
	Keys: append([]Key{
		{Name: "name", Shape: filled, Required: true, Doc: "The toolkit."},
		{Name: "overrides", Shape: mapping(Plain, free), Doc: "Its settings."},
	}, ToolDeferral()...),
}

// ToolFilters are the keys that every toolkit has among its settings.
func ToolFilters() []Key {
	return []Key{
		{Name: "include_tools", Shape: set(Filled), Doc: "Only these functions; absent: all."},
		{Name: "exclude_tools", Shape: set(Filled), Doc: "Never these functions."},
	}
}

// ToolDeferral are the keys of a tool that is not loaded at once; in the short form they stand among the settings.
func ToolDeferral() []Key {
	return []Key{
		{Name: "defer", Shape: boolean, Default: false, Doc: "Loaded only when the agent asks for it."},
		{Name: "initial", Shape: boolean, Default: false, Doc: "With defer: loaded at the start of a session."},
	}
}
