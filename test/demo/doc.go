// Command demo plays the story of the README in a terminal: a person asks an
// agent to watch a page, the agent leaves a script behind, the script wakes the
// agent. With -check it plays it without a person and tells by its exit status
// whether every step was seen in the homeserver's own timeline.
package main
