// Command gen writes the parts of the reference that the code itself knows: the
// help of every command, toolkits with their settings and functions, kinds of
// errors, states and reasons of runs. A part stands between two marks,
//
//	<!-- gen:faults -->
//	<!-- /gen -->
//
// and everything outside them is written by hand.
//
//	go run ./docs/gen          # from the top of the repository: write
//	go run ./docs/gen -check   # say what is not up to date and exit 1
//
// Where a kind needs advice that no declaration holds, the advice stands here in
// a table, and a kind without advice, or advice without a kind, is an error.
package main
