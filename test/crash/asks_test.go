package crash

import (
	"mindroom/internal/approval"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/person"
)

// playAsk has the primary die around a question; whoever is to decide after the
// next start does so there.
func (c *cell) playAsk() {
	c.t.Helper()
	c.begin()
	c.heard()
	c.arm()
	c.say("read " + c.site.url + "/read/page")
	switch c.row.At {
	case "":
		c.card()
		c.kill()
	case step.TurnParked:
		c.killed()
	default:
		c.approve()
		c.killed()
	}
}

// card waits for the one card in the room.
func (c *cell) card() (card person.Event) {
	c.t.Helper()
	c.must(c.until("a card", func() (bool, error) {
		all, err := c.cards()
		if len(all) == 1 {
			card = all[0]
		}
		return len(all) == 1, err
	}))
	return card
}

// cards are the cards in the room, each as it is shown now.
func (c *cell) cards() ([]person.Event, error) {
	all, err := c.person.Timeline(c.within(), c.room, 500)
	if err != nil {
		return nil, err
	}
	var cards []person.Event
	for _, e := range all {
		if e.Type != approval.EventType {
			continue
		}
		edited, isMap := e.Content["m.new_content"].(map[string]any)
		if e.Replaces() == "" {
			cards = append(cards, e)
			continue
		}
		for i, card := range cards {
			if isMap && card.ID == e.Replaces() {
				cards[i].Content = edited
			}
		}
	}
	return cards, nil
}

// approve reacts to the card as a person does.
func (c *cell) approve() {
	c.t.Helper()
	_, err := c.person.React(c.within(), c.room, c.card().ID, "✅")
	c.must(err)
}

// cardsAsTold holds that every question is over and is shown as such, as soon as
// the homeserver shows what it has taken.
func (c *cell) cardsAsTold() {
	c.t.Helper()
	want := 0
	if c.row.Play.asks() {
		want = 1
	}
	var statuses []any
	err := c.until("every question is shown as it ended", func() (bool, error) {
		cards, err := c.cards()
		statuses = nil
		over := true
		for _, card := range cards {
			statuses = append(statuses, card.Content["status"])
			over = over && card.Content["status"] != string(approval.Pending)
		}
		return over && len(cards) >= want, err
	})
	if err != nil || len(statuses) != want {
		c.t.Errorf("the cards are %v, want %d that are over: %v", statuses, want, err)
	}
}
