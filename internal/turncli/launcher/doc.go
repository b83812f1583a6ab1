// Package launcher finds the program mindroom-agent and lays it where the primary's own shells find it first (C21).
//
// The program lies beside mindroom and is of the same build. Shells do not get the folder where it lies on their PATH, because that
// has MindRoom's other programs in it as well; they get <storage>/agent_cli_bin, of which this package holds:
//
//  1. It is a folder of MindRoom's own account that nobody else may enter, and no link to one.
//  2. It holds mindroom-agent and nothing else: a copy, for the account alone, of the program that was found.
//  3. The copy is replaced by a rename, so that a shell finds the old program or the new one and never half of one.
//  4. A program of another build is never laid.
//
// Whoever runs as MindRoom's account can change the folder between two looks; it can change everything else of MindRoom too.
package launcher
