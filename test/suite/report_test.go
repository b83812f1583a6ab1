package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReport(t *testing.T) {
	t.Parallel()
	const passing = `{"Action":"start","Package":"a"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"pass","Package":"a","Test":"TestOne","Elapsed":0.1}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.2s\n"}
{"Action":"pass","Package":"a","Elapsed":0.2}
`
	for name, c := range map[string]struct {
		events  string
		failed  bool
		says    string
		without string
	}{
		"passing": {passing, false, "ok  \ta\t0.2s|1 tests passed, 0 failed, 0 skipped in 1 packages", "=== RUN"},
		"nothing": {"", true, "0 tests passed", "ok"},
		"failing": {`{"Action":"output","Package":"a","Test":"TestOne","Output":"=== CONT  TestOne\n"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"    one_test.go:3: wrong\n"}
{"Action":"fail","Package":"a","Test":"TestOne","Elapsed":0.1}
{"Action":"output","Package":"a","Output":"FAIL\ta\t0.2s\n"}
{"Action":"fail","Package":"a","Elapsed":0.2}
`, true, "one_test.go:3: wrong|FAIL\ta|failed: a TestOne", "==="},
		"skipping": {`{"Action":"output","Package":"a","Test":"TestOne","Output":"    one_test.go:3: no engine\n"}
{"Action":"skip","Package":"a","Test":"TestOne","Elapsed":0}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.2s\n"}
{"Action":"pass","Package":"a","Elapsed":0.2}
`, false, "skipped: a TestOne|no engine|1 skipped", "failed:"},
		"a package without tests is no skipped test": {`{"Action":"output","Package":"b","Output":"?   \tb\t[no test files]\n"}
{"Action":"skip","Package":"b","Elapsed":0}
`, false, "0 skipped in 1 packages", "skipped:"},
		"a test that never ended": {`{"Action":"output","Package":"a","Test":"TestOne","Output":"panic: out of time\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t1s\n"}
{"Action":"fail","Package":"a","Elapsed":1}
`, true, "panic: out of time|failed: 1 packages", "ok"},
		"a package that does not build": {`{"ImportPath":"a","Action":"build-output","Output":"a.go:1: no such thing\n"}
{"ImportPath":"a","Action":"build-fail"}
{"Action":"output","Package":"a","Output":"FAIL\ta [build failed]\n"}
{"Action":"fail","Package":"a","Elapsed":0,"FailedBuild":"a"}
`, true, "no such thing|[build failed]", "ok"},
		"words of go itself": {"go: no such flag\n" + passing, false, "go: no such flag|ok  \ta", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			r := newReport(&out)
			if err := r.read(strings.NewReader(c.events)); err != nil {
				t.Fatal(err)
			}
			r.summarise(time.Minute)
			if r.failed() != c.failed {
				t.Errorf("failed = %v", r.failed())
			}
			for part := range strings.SplitSeq(c.says, "|") {
				if !strings.Contains(out.String(), part) {
					t.Errorf("does not say %q:\n%s", part, out.String())
				}
			}
			rest := strings.ReplaceAll(out.String(), "0 failed", "")
			if strings.Contains(rest, c.without) {
				t.Errorf("says %q:\n%s", c.without, out.String())
			}
		})
	}
}
