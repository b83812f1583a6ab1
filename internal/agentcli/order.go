package agentcli

import "time"

// list reads one page of what an operation lists.
func list(operation string) func(*client, order) (document, *failure) {
	return func(c *client, o order) (document, *failure) {
		return c.post(fields(operation, "cursor", o.cursor, "limit", o.limit), 0, patience)
	}
}

func search(c *client, o order) (document, *failure) {
	return c.post(fields("tools.search", "query", o.query, "toolkit", o.within, "limit", o.limit), 0, patience)
}

func describe(c *client, o order) (document, *failure) {
	return c.post(fields("tools.describe", "toolkit", o.toolkit, "function", o.function), 0, longPatience)
}

func read(c *client, o order) (document, *failure) {
	return c.post(fields("context.read", "name", o.name, "offset", o.offset, "limit", o.limit), 0, patience)
}

func get(c *client, o order) (document, *failure) { return c.get(o.callID, 0, patience) }

func await(c *client, o order) (document, *failure) {
	begun := time.Now()
	d, f := c.get(o.callID, o.timeout, patience)
	if f != nil {
		return d, f
	}
	return c.follow(d, begun, begun.Add(o.timeout)), nil
}

// call submits a call once and follows its receipt.
func call(c *client, o order) (document, *failure) {
	args, f := arguments(o.given, c.stdin)
	if f != nil {
		return document{}, f
	}
	if o.dryRun {
		d, f := c.post(fields("tools.check", "toolkit", o.toolkit, "function", o.function, "arguments", args), 0, longPatience)
		if f != nil && f.exit == ExitInvalid && f.code == "" {
			// A server of this project names what it refuses; one that does not may never have heard of the operation.
			f.hint = "this server may be older than mindroom-agent and not know --dry-run; nothing was called"
		}
		return d, f
	}
	begun := time.Now()
	d, f := receipt(o.callID)(c.post(fields("tools.call", "call_id", o.callID, "toolkit", o.toolkit, "function", o.function, "arguments", args), o.timeout, patience))
	if f != nil {
		if f.exit == ExitUnknown && f.hint == "" {
			f.hint = "check this call with 'mindroom-agent calls get " + o.callID + "' before you call again: a fresh id may repeat its effect"
		}
		return d, f
	}
	return c.follow(d, begun, begun.Add(o.timeout)), nil
}

// fields are the members of a request: names and values, those that were not given left out.
func fields(operation string, pairs ...any) map[string]any {
	m := map[string]any{"operation": operation}
	for i := 0; i < len(pairs); i += 2 {
		name, value := pairs[i].(string), pairs[i+1]
		if text, optional := value.(*string); optional {
			if text == nil {
				continue
			}
			value = *text
		}
		m[name] = value
	}
	return m
}
