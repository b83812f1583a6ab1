// Command mindroom-supervise owns one process tree: one background script, or one shell command. It is started by mindroom, which finds it beside itself, and
// speaks to it over an inherited socket; see package guard. It is of no use by hand.
//
// Exit status: 0 when the tree is dead and told as such, 2 when nothing was started because it was not started by a mindroom of the same build.
package main
