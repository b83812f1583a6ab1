package message

import "maps"

// fallbackRunes bounds the outer text of an edit. Clients that know edits
// never show it, and repeating a long text twice would halve what fits.
const fallbackRunes = 2000

// Wrap makes the edit that replaces the message target by fresh, a complete
// content as Text builds it. A relation in fresh is left out, because an edit
// cannot move a message. An edit in progress speaks to nobody, so that nobody
// is called once for every edit; a final one speaks to whom fresh does. The
// result is at most 1 KiB over fresh or over MaxContent, whichever is more.
func Wrap(target string, fresh Content, progress bool) Content {
	fresh = maps.Clone(fresh)
	delete(fresh, "m.relates_to")
	outer := maps.Clone(fresh)
	// These are long, and whoever reads them reads the new content.
	for _, key := range []string{KeyToolTrace, KeyRun, KeyCut, KeyInteractive} {
		delete(outer, key)
	}
	body, _ := fresh["body"].(string)
	html, _ := fresh["formatted_body"].(string)
	if r := []rune(body); len(r) > fallbackRunes {
		body, html = string(r[:fallbackRunes])+"…", ""
	}
	setText(outer, body, html)
	relate(outer, target, fresh, progress)
	if outer.Size() > MaxContent {
		r := []rune(body)
		outer = Content{"msgtype": fresh["msgtype"]}
		setText(outer, string(r[:min(len(r), 60)])+"…", "")
		relate(outer, target, fresh, true)
	}
	return outer
}

func relate(outer Content, target string, fresh Content, silent bool) {
	outer["m.new_content"] = fresh
	outer["m.relates_to"] = map[string]any{"rel_type": "m.replace", "event_id": target}
	if silent || outer["m.mentions"] == nil {
		outer["m.mentions"] = map[string]any{}
	}
}

// setText sets the outer text of an edit, marked as clients without edits show
// it.
func setText(c Content, body, html string) {
	c["body"] = "* " + body
	if html == "" {
		delete(c, "format")
		delete(c, "formatted_body")
		return
	}
	c["formatted_body"] = "* " + html
}

// InThread returns c in the thread that root started: a reply stays a genuine
// reply within the thread, a relation to a thread stays as it is, anything
// else falls back to a reply to the root. An empty root leaves c as it is.
func InThread(c Content, root string) Content {
	rel, _ := c["m.relates_to"].(map[string]any)
	if root == "" || rel["rel_type"] != nil {
		return c
	}
	target := root
	if reply, ok := rel["m.in_reply_to"].(map[string]any); ok {
		if t, ok := reply["event_id"].(string); ok && t != "" {
			target = t
		}
	}
	c = maps.Clone(c)
	c["m.relates_to"] = threadRelation(root, target, target == root)
	return c
}

func threadRelation(root, target string, fallingBack bool) map[string]any {
	return map[string]any{
		"rel_type": "m.thread", "event_id": root, "is_falling_back": fallingBack,
		"m.in_reply_to": map[string]any{"event_id": target},
	}
}

// Reaction is the content of a reaction; ReactTo gives it its target.
func Reaction(key string) Content {
	return Content{"m.relates_to": map[string]any{"rel_type": "m.annotation", "key": key}}
}

// ReactTo returns the reaction c with its target.
func ReactTo(c Content, target string) Content {
	rel, _ := c["m.relates_to"].(map[string]any)
	c = maps.Clone(c)
	c["m.relates_to"] = map[string]any{"rel_type": "m.annotation", "event_id": target, "key": rel["key"]}
	return c
}
