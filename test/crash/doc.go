// Package crash is the crash matrix: for every step at which a process may die
// (internal/lifecycle/step) what is killed, and what must hold afterwards. Its
// tests play each row with the built binaries, a real homeserver and real
// Python, kill with SIGKILL, start again, and judge.
//
// After every row, whatever it was:
//
//  1. No process is left: not the program's, not what it started, not the
//     supervisor's (S28, S29, S71).
//  2. No capability file is left, and no folder of a run (S77).
//  3. No receipt is lost: a call whose body ran, or of which the script heard,
//     has a row, and every row is terminal (S70, S76).
//  4. Nothing is replayed: no body runs twice (S70).
//  5. Every message has exactly one visible answer, and it is finished.
//  6. Run, calls and answer are as the row says (S30, S72, S74, S76).
//  7. Every question is over, and its card or its message says so (S19).
//  8. The conversation is told once that its run failed or was interrupted.
//  9. The runtime goes on: the next message is answered.
package crash
