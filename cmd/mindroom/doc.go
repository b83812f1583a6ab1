// Command mindroom is what a person types: it starts the runtime, judges a
// configuration, shows and ends background scripts, and chats in a terminal. It
// decides nothing itself; each command turns flags into one call of a package
// below internal/ and prints what comes back. One file holds one command; ui.go
// holds the rules of what is printed, exit.go those of how a command ends.
package main
