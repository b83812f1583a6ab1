package message

import (
	"maps"
	"slices"
)

// Text builds an m.room.message from Markdown. The result is at most
// MaxContent bytes (sentence 2 of doc.go).
func Text(body string, opts ...Option) Content {
	p := settings(opts)
	return fit(body, func(s string, cut *cut) Content { return p.build(s, cut) })
}

// Edit builds the content that replaces the message target by new text, with
// the options the original would be built with. target may be empty when the
// event id is not known yet: the outbox fills the relation when it sends.
// Relations among the options are kept out of it, because an edit cannot move
// a message.
func Edit(target, body string, opts ...Option) Content {
	p := settings(opts)
	p.relation = nil
	return fit(body, func(s string, cut *cut) Content {
		return replacing(target, p.build(s, cut))
	})
}

// fallbackRunes bounds the outer text of an edit. Clients that know edits
// never show it, and repeating a long text twice would halve what fits.
const fallbackRunes = 2000

// replacing wraps a complete content as an edit.
func replacing(target string, fresh Content) Content {
	outer := Content{}
	maps.Copy(outer, fresh)
	body, _ := fresh["body"].(string)
	if r := []rune(body); len(r) > fallbackRunes {
		body = string(r[:fallbackRunes]) + "…"
		delete(outer, "format")
		delete(outer, "formatted_body")
	} else if html, ok := fresh["formatted_body"].(string); ok {
		outer["formatted_body"] = "* " + html
	}
	outer["body"] = "* " + body
	outer["m.new_content"] = fresh
	// An edit speaks to nobody a second time.
	outer["m.mentions"] = map[string]any{}
	return Replace(outer, target)
}

// Replace sets the relation that makes c an edit of target and returns c. An
// empty target leaves c without the relation.
func Replace(c Content, target string) Content {
	if target != "" {
		c["m.relates_to"] = map[string]any{"rel_type": "m.replace", "event_id": target}
	}
	return c
}

// Reaction is the content of an m.reaction on target.
func Reaction(target, key string) Content {
	return Content{"m.relates_to": map[string]any{"rel_type": "m.annotation", "event_id": target, "key": key}}
}

// Option changes how Text and Edit build.
type Option func(*plan)

type plan struct {
	msgtype  string
	relation map[string]any
	mentions []string
	names    func(string) (string, bool)
	extra    Content
}

func settings(opts []Option) *plan {
	p := &plan{msgtype: "m.text", extra: Content{}}
	for _, o := range opts {
		o(p)
	}
	return p
}

// Notice makes it an m.notice, which clients show without notifying: text in
// progress and system lines.
func Notice() Option { return func(p *plan) { p.msgtype = "m.notice" } }

// Thread puts the message into the thread that root started. latest is the
// thread's newest event, which clients without threads see as the event
// replied to; empty means root.
func Thread(root, latest string) Option {
	if latest == "" {
		latest = root
	}
	return relation(root, latest, true)
}

// ThreadReply puts the message into root's thread as a genuine reply to
// target. With an empty root it is a plain reply outside any thread.
func ThreadReply(root, target string) Option { return relation(root, target, false) }

func relation(root, target string, fallingBack bool) Option {
	return func(p *plan) {
		p.relation = map[string]any{"m.in_reply_to": map[string]any{"event_id": target}}
		if root != "" {
			p.relation["rel_type"] = "m.thread"
			p.relation["event_id"] = root
			p.relation["is_falling_back"] = fallingBack
		}
	}
}

// Mention marks the message as speaking to these full user ids.
func Mention(users ...string) Option {
	return func(p *plan) { p.mentions = append(p.mentions, users...) }
}

// Names links "@name" outside code to the account that resolve knows under
// that name and marks the message as speaking to it. resolve gets the name
// without "@" and returns a full user id.
func Names(resolve func(name string) (user string, ok bool)) Option {
	return func(p *plan) { p.names = resolve }
}

// With sets a metadata key (the Key constants).
func With(key string, value any) Option { return func(p *plan) { p.extra[key] = value } }

// Requester is the pair of keys that lets one of our accounts speak for a
// person.
func Requester(user string, source Source) Option {
	return func(p *plan) {
		p.extra[KeyOriginalSender] = user
		p.extra[KeySourceKind] = string(source)
	}
}

// build makes the content of one text, cut already when cut is not nil.
func (p *plan) build(body string, cut *cut) Content {
	html, named := render(body, p.names)
	if cut != nil {
		body += cut.plain(body)
		html += cut.html()
	}
	c := Content{"msgtype": p.msgtype, "body": body}
	maps.Copy(c, p.extra)
	if html != "" {
		c["format"], c["formatted_body"] = "org.matrix.custom.html", html
	}
	users := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(p.mentions), named...))))
	mentions := map[string]any{}
	if len(users) > 0 {
		mentions["user_ids"] = users
	}
	c["m.mentions"] = mentions
	if p.relation != nil {
		c["m.relates_to"] = p.relation
	}
	if cut != nil {
		c[KeyCut] = map[string]any{"shown_bytes": cut.shown, "total_bytes": cut.total}
	}
	return c
}
