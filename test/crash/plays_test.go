package crash

import (
	"fmt"
	"syscall"
	"time"

	"mindroom/internal/lifecycle/step"
)

// play plays the row up to the death and over the next start. When it returns a
// primary runs that is not told to die.
func (c *cell) play() {
	c.t.Helper()
	switch c.row.Play {
	case Launch:
		c.playLaunch()
	case Ask:
		c.playAsk()
	case Wait, Leave:
		c.playBash()
	case Choose:
		c.playChoose()
	case Call, Two, Hold, Exit, OperatorCancel, Shutdown:
		c.playScript()
	case AgentCancel:
		c.begin()
		c.arm()
		c.say("start and cancel")
		c.killed()
	case Restart, Prune:
		c.playAgain()
	case Say, Read, Delegate, Command:
		c.playMessage()
	default:
		c.t.Fatalf("nobody knows how to play %q", c.row.Play)
	}
	if c.row.Dies == Supervisor {
		return
	}
	c.start()
	if c.row.Play == Ask && (c.row.At == "" || c.row.At == step.TurnParked) {
		c.approve()
	}
	if c.row.Play.bashes() && (c.row.At == "" || c.row.At == step.HeldAsked || c.row.At == step.TurnPaused) {
		c.approve()
	}
	if c.row.Play == Choose && c.row.At != step.ChoiceTaken {
		c.choose()
	}
}

// begin starts a primary that dies at the row's step once that is armed.
func (c *cell) begin() {
	c.t.Helper()
	c.start(c.dying()...)
	c.enter()
}

func (c *cell) playLaunch() {
	c.t.Helper()
	c.begin()
	c.arm()
	c.say("start")
	switch {
	case c.row.At == "":
		c.up()
		c.answered(saidStarted)
		c.killFromOutside()
	case c.row.Dies == Supervisor:
		c.answered(c.row.Answer)
		c.kills++
	default:
		c.killed()
		if c.row.Dies == Both {
			c.kills++
		}
	}
}

// killFromOutside kills whom the row names, the supervisor first.
func (c *cell) killFromOutside() {
	c.t.Helper()
	if c.row.Dies != Primary {
		found := c.supervisors()
		if len(found) != 1 {
			c.t.Fatalf("%d supervisors, not one", len(found))
		}
		c.must(syscall.Kill(found[0].pid, syscall.SIGKILL))
		c.kills++
	}
	if c.row.Dies != Supervisor {
		c.kill()
	}
}

// playScript lets a script run, and has it die in what follows.
func (c *cell) playScript() {
	c.t.Helper()
	c.begin()
	c.say("start")
	c.up()
	c.answered(saidStarted)
	c.arm()
	switch c.row.Play {
	case Call:
		c.site.pass("/wait/call")
		if c.row.At == "" {
			c.must(c.site.arrives(c.within(), "/read/a"))
			c.kill()
			return
		}
	case Two:
		c.playTwo()
		if c.row.At == "" {
			return
		}
	case Hold:
		c.site.pass("/wait/call")
		if c.row.At == "" {
			c.card()
			c.kill()
			return
		}
		c.approve()
	case Exit:
		c.site.pass("/wait/exit")
	case OperatorCancel:
		c.cancel()
	case Shutdown:
		c.must(c.now.Cmd.Process.Signal(syscall.SIGTERM))
	}
	if c.row.Dies == Supervisor {
		c.kills++
		return
	}
	c.killed()
	if c.row.Dies == Both {
		c.kills++
	}
}

// playTwo makes two calls; the first is held until the second is accepted.
func (c *cell) playTwo() {
	c.t.Helper()
	c.site.pass("/wait/call")
	c.must(c.site.arrives(c.within(), "/read/a"))
	c.site.pass("/wait/second")
	if c.row.At != "" && c.dead() {
		return
	}
	c.must(c.until("the second call is accepted", func() (bool, error) {
		n, err := c.number(`SELECT count(*) FROM script_calls`)
		return n == 2, err
	}))
	c.site.pass("/read/a")
	if c.row.At == "" {
		c.must(c.site.arrives(c.within(), "/mark/told-a"))
		c.must(c.site.arrives(c.within(), "/mark/told-b"))
		c.kill()
	}
}

// dead waits for a death at a step that comes before the first call is let go.
func (c *cell) dead() bool {
	if c.row.Calls[0].Hits == 1 && c.row.Calls[0].State == "completed" {
		return false
	}
	<-c.now.Ended
	return true
}

// playAgain lets a script run or end, kills, and has the next start die.
func (c *cell) playAgain() {
	c.t.Helper()
	c.start()
	c.enter()
	c.say("start")
	c.up()
	c.answered(saidStarted)
	var env []string
	if c.row.Play == Prune {
		c.site.pass("/wait/exit")
		c.must(c.until("the run has ended", func() (bool, error) {
			n, err := c.number(`SELECT count(*) FROM script_runs WHERE nonterminal = 0`)
			return n == 1, err
		}))
		env = append(env, "MINDROOM_SCRIPT_RETENTION_SECONDS=1")
		c.must(c.until("it was kept long enough", func() (bool, error) {
			n, err := c.number(fmt.Sprintf(`SELECT count(*) FROM script_runs WHERE finished_at < '%s'`, stamp(time.Now().Add(-1100*time.Millisecond))))
			return n == 1, err
		}))
	}
	c.kill()
	c.arm()
	c.launch(append(c.dying(), env...)...)
	c.killed()
}

func (c *cell) playMessage() {
	c.t.Helper()
	c.begin()
	c.heard()
	c.arm()
	switch c.row.Play {
	case Read:
		c.say("read " + c.site.url + "/read/page")
	case Delegate:
		c.say("delegate " + c.site.url + "/read/page")
	case Command:
		c.say("!thread_mode thread")
	default:
		c.say("hello")
	}
	if c.row.At == "" {
		c.must(c.site.arrives(c.within(), "/read/page"))
		c.kill()
		return
	}
	c.killed()
}
