package main

import "os"

func main() { os.Exit(execute(os.Args[1:], newUI(os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))) }
