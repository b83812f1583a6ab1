package message

import (
	"maps"
	"slices"
)

// Text builds an m.room.message from Markdown, or the new content of an edit,
// which Wrap makes into an edit. The result is at most MaxContent bytes
// (sentence 2 of doc.go).
func Text(body string, opts ...Option) Content {
	p := settings(opts)
	return fit(body, p.attached, p.build)
}

// Option changes how Text and Edit build.
type Option func(*plan)

type plan struct {
	msgtype  string
	relation map[string]any
	mentions []string
	names    func(string) (string, bool)
	attached string
	tail     string
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

// ThreadReply puts the message into root's thread as a genuine reply to
// target. With an empty root it is a plain reply outside any thread.
func ThreadReply(root, target string) Option {
	return func(p *plan) {
		if root == "" {
			p.relation = map[string]any{"m.in_reply_to": map[string]any{"event_id": target}}
			return
		}
		p.relation = threadRelation(root, target, false)
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

// Attached says, where the text has to be cut, that the whole is in a file of
// that name, which the caller sends beside it.
func Attached(name string) Option { return func(p *plan) { p.attached = name } }

// Tail ends the message with more Markdown, which stays whole where the body has
// to be cut: what people are asked to do must not be lost at the end of a long
// text. It is the caller's to keep it far below MaxContent.
func Tail(text string) Option { return func(p *plan) { p.tail = Storable(text) } }

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

// below puts a paragraph under a text.
func below(text, tail string) string {
	if text == "" || tail == "" {
		return text + tail
	}
	return text + "\n\n" + tail
}

// build makes the content of one text, cut already when cut is not nil.
func (p *plan) build(body string, cut *cut) Content {
	if cut == nil {
		body = below(body, p.tail)
	}
	html, named := render(body, p.names)
	if cut != nil {
		if html == "" && body != "" {
			html = "<p>" + body + "</p>" // it has no markup of its own, which render leaves out
		}
		tail, more := render(p.tail, p.names)
		if tail == "" && p.tail != "" {
			tail = "<p>" + p.tail + "</p>"
		}
		named = append(named, more...)
		body = below(body+cut.plain(body), p.tail)
		html += cut.html() + tail
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
		told := map[string]any{"shown_bytes": cut.shown, "total_bytes": cut.total}
		if cut.attached != "" {
			told["attachment"] = cut.attached
		}
		c[KeyCut] = told
	}
	return c
}
