package crash

import (
	"net/http"
	"strings"
	"testing"

	"mindroom/test/faultproxy"
)

// behind is a cell whose runtime reaches the homeserver through a proxy that
// fails when it is told to; the person reaches it without.
func behind(t *testing.T, row Row) (*cell, *faultproxy.Proxy) {
	t.Helper()
	c := newCell(t, row)
	proxy, err := faultproxy.Start(strings.TrimPrefix(c.env[0], "MATRIX_HOMESERVER="))
	c.must(err)
	t.Cleanup(proxy.Close)
	// The last of two values counts.
	c.env = append(c.env, "MATRIX_HOMESERVER="+proxy.URL)
	return c, proxy
}

// A start while the homeserver is down ends what the last primary left at once,
// and answers when the homeserver is there again.
func TestHomeserverDownAtStart(t *testing.T) {
	if testing.Short() {
		t.Log("short: nothing is started")
		return
	}
	t.Parallel()
	c, proxy := behind(t, Row{Play: Launch, Dies: Primary, State: interrupted, Reason: restart, Answer: saidStarted})
	c.start()
	c.enter()
	c.say("start")
	c.up()
	c.answered(saidStarted)
	c.kill()
	down := proxy.Arm(faultproxy.Fault{DropRequest: true})
	c.launch()
	c.must(down.WaitHits(c.within(), 1))
	c.must(c.until("the run is terminal", func() (bool, error) {
		n, err := c.number(`SELECT count(*) FROM script_runs WHERE nonterminal = 1`)
		return n == 0, err
	}))
	c.nothingLeft()
	c.say("hello")
	select {
	case <-c.now.Ready:
		t.Error("it says that it is ready, without a homeserver")
	default:
	}
	down.Disarm()
	if ready, err := c.now.AwaitReady(c.within()); err != nil || !ready {
		t.Fatalf("it never got ready: %v", err)
	}
	c.answered(saidHeard)
	c.asked, c.row.Answer = c.asked[:1], saidStarted
	c.judge()
}

// A homeserver that stores what it is sent and answers with a fault, or not at
// all, shows one message.
func TestStoredAndNotTold(t *testing.T) {
	if testing.Short() {
		t.Log("short: nothing is started")
		return
	}
	for name, dies := range map[string]bool{"the runtime lives": false, "the runtime dies": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, proxy := behind(t, Row{Play: Say, Dies: Primary, Answer: saidHeard})
			c.start()
			c.enter()
			c.heard()
			lost := proxy.Arm(faultproxy.Fault{DropReply: true, Times: 3, Match: func(r *http.Request) bool {
				return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/send/")
			}})
			c.say("hello")
			c.must(lost.WaitHits(c.within(), 1))
			if dies {
				c.kill()
				c.start()
			}
			c.judge()
		})
	}
}
