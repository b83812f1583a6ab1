// Package local runs the processes of runs on this machine, under the primary's
// own account, one supervisor each. It isolates nothing but the process tree:
// it is the unsafe mode of S56.
//
// A local run does not outlive its primary: what a later primary finds is ended
// and proven dead through the supervisor's own folder (S72).
package local
