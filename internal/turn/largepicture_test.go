package turn

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	imagepng "image/png"
	"strings"
	"testing"

	"mindroom/internal/media/scale"
	"mindroom/internal/model"
)

// A picture that no provider would take is shown smaller than it is, in the turn
// that answers it and in the next; one that is none is named with the reason, and
// neither ends the turn.
func TestALargePictureIsShownSmaller(t *testing.T) {
	t.Parallel()
	drawn := image.NewGray(image.Rect(0, 0, 2500, 500))
	drawn.SetGray(1, 1, color.Gray{Y: 200})
	var b bytes.Buffer
	must(t, imagepng.Encode(&b, drawn))
	box := &mailbox{files: map[string]string{
		"mxc://x/large":  b.String() + strings.Repeat("\x00", scale.MaxShown),
		"mxc://x/broken": png + strings.Repeat("x", scale.MaxShown),
	}}
	u := seeing(t, box, model.Sight{Pictures: true})
	u.model.plays(says("Dark."), says("Still."))
	u.ends(u.shows("$root", "$large", "mxc://x/large", nil), Answered)
	u.ends(u.shows("$root", "$broken", "mxc://x/broken", nil), Answered)
	for i, req := range u.model.asked() {
		shown, text := pictures(t, req)
		if len(shown) != i+1 || !strings.Contains(text, "$large.png") {
			t.Fatalf("question %d shows %d pictures with %s", i, len(shown), text)
		}
		if small, err := jpeg.DecodeConfig(strings.NewReader(shown[0])); err != nil || small.Width != 2000 || small.Height != 400 {
			t.Errorf("question %d shows %d × %d, %v", i, small.Width, small.Height, err)
		}
		if i == 1 && !strings.Contains(shown[1], "it is too large") {
			t.Errorf("the broken one is shown as %.100q", shown[1])
		}
	}
}
