package crash

import "mindroom/internal/lifecycle/step"

// playBash has the primary die around a call that a command of minimal mode made
// and that waits for a person; where nobody could decide before, the person does
// after the next start.
func (c *cell) playBash() {
	c.t.Helper()
	c.begin()
	c.heard()
	root, err := c.person.Send(c.within(), c.room, "hello")
	c.must(err)
	c.asked = []string{root}
	c.answered(saidHeard)
	c.tells(root, "!mode watcher minimal")
	c.answered("**minimal** mode")
	c.arm()
	words := map[Play]string{Wait: "wait for ", Leave: "leave "}
	c.tells(root, words[c.row.Play]+c.site.url+"/read/page")
	switch c.row.At {
	case "":
		c.card()
		c.kill()
	case step.HeldAsked, step.TurnPaused:
		c.killed()
	default:
		if c.row.Play == Leave {
			c.must(c.until("the turn waits", func() (bool, error) {
				n, err := c.number(`SELECT count(*) FROM turns WHERE state = 'parked'`)
				return n == 1, err
			}))
		}
		c.approve()
		c.killed()
	}
}

// tells says something in a thread; it is what the next answer is about.
func (c *cell) tells(root, text string) {
	c.t.Helper()
	event, err := c.person.SendThread(c.within(), c.room, root, text)
	c.must(err)
	c.asked = []string{event}
}
