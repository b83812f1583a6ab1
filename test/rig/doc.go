// Package rig is a runtime without Matrix and models, for benchmarks and for
// tests that need real scripts: a real store, the real room with rules,
// authority and audit, the real gateway and turn CLI behind the real listener, real
// supervisors and real Python. What it leaves out is said where it is left out.
//
//  1. A rig owns one folder; two rigs never share one at the same time.
//  2. Close ends every process and goroutine that the rig started.
//  3. A rig without processes differs from one with them in the backend alone:
//     its runs have rows, folders and capabilities, and nobody behind them.
package rig
