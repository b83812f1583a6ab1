// Command suite runs go test and tells what it saw: a line a package as it ends,
// everything a failed test wrote, and at the end how many tests ran, which
// failed, which were skipped and why, and which packages took longest.
//
//	suite [go test's flags and packages]
//
// With CI=true in the environment a skipped test fails the suite: what is not
// tested there is tested nowhere.
//
// Exit status: 0 when every test passed; 1 otherwise.
package main
