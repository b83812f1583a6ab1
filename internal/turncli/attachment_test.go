package turncli

import (
	"testing"

	"mindroom/internal/media"
	"mindroom/internal/store"
)

// The files of a result are found in its conversation, and there alone, by the id
// that the receipt says, wherever the tool had kept them (C12).
func TestAttachmentsOfAReceipt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(nil), "toolu_1")
	id := func(n int, args string) string {
		a := c.call(n, "kit.picture", args)
		files, _ := a.body["attachments"].([]any)
		if len(files) != 1 {
			t.Fatalf("the receipt is %s", a.raw)
		}
		s, _ := files[0].(map[string]any)["attachment_id"].(string)
		return s
	}
	for name, id := range map[string]string{"kept where it is shown": id(1, `{"text":"a"}`), "kept elsewhere": id(2, `{"text":"b","list":["x"]}`)} {
		must(t, h.db.Read(t.Context(), func(q *store.Reader) error {
			a, found, err := media.Visible(q, "!ops:x", "$root", id)
			if err != nil || !found || a.Owner.Requester != "@anna:x" || a.Ref.MIME != "image/png" {
				t.Errorf("%s: %+v, %v, %v", name, a, found, err)
			}
			for _, elsewhere := range [][2]string{{"!other:x", "$root"}, {"!ops:x", "$other"}} {
				if _, found, err := media.Visible(q, elsewhere[0], elsewhere[1], id); err != nil || found {
					t.Errorf("%s: seen in %v: %v, %v", name, elsewhere, found, err)
				}
			}
			return nil
		}))
	}
	h.Media = nil
	if a := c.call(3, "kit.picture", `{"text":"c"}`); a.text("status") != "completed" || a.raw == "" {
		t.Errorf("without a store of files: %s", a.raw)
	}
}
