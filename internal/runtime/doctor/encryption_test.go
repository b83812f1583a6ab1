package doctor

import (
	"strings"
	"testing"

	"mindroom/internal/matrix"
)

func TestJudgeKeys(t *testing.T) {
	t.Parallel()
	good := matrix.Keeping{Account: "router", Recovery: true}
	for _, c := range []struct {
		name  string
		kept  []matrix.Keeping
		want  []Status
		found string
	}{
		{"none yet", nil, []Status{OK}, "0 accounts"},
		{"all there", []matrix.Keeping{good}, []Status{OK}, "1 accounts"},
		{"lost", []matrix.Keeping{good, {Account: "news", Missing: true}}, []Status{Warn}, "lost of news"},
		{"open to others", []matrix.Keeping{{Account: "news", Path: "/k/news.db", Exposed: true, Recovery: true}}, []Status{Warn}, "/k/news.db"},
		{"not signed", []matrix.Keeping{{Account: "news"}}, []Status{Warn}, "no recovery key is kept of news"},
		{"several", []matrix.Keeping{{Account: "a", Missing: true}, {Account: "b"}}, []Status{Warn, Warn}, "lost of a"},
	} {
		got := judgeKeys(c.kept)
		if len(got) != len(c.want) || got[0].Status != c.want[0] || !strings.Contains(got[0].Found, c.found) {
			t.Errorf("%s: %+v", c.name, got)
		}
		for _, f := range got {
			if (f.Fix == "") != (f.Status == OK) {
				t.Errorf("%s: %+v has the wrong advice", c.name, f)
			}
		}
	}
}
