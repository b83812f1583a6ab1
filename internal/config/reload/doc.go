// Package reload takes up changes of a configuration's files while the process runs.
//
// What is on disk is judged as at a start. What has a fault is refused and the old configuration stays in force; where it is wrong
// is in the log and in Standing, and no room hears of it. What is sound is published, and every participant of the Holder may still
// refuse it.
//
//	on disk            | becomes                                   | told
//	as in force        | nothing                                   | when a fault ends by it, or somebody asked
//	another text       | judged once                               | in force, or refused with every fault
//	missing            | looked at again a moment later, as an     | as a fault when it is still missing
//	                   | editor may be replacing it                |
//	another .env       | nothing: variables are those of the start | which of them a restart takes up, by name
package reload
