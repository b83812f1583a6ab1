package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"mindroom/cmd/mindroom/tty"
)

// maxSecret bounds a password's file, in bytes: a wrong path should not be
// read into memory.
const maxSecret = 4 << 10

// password is the first line of file, else MINDROOM_CHAT_PASSWORD, else what a
// person types without seeing it. It is never an argument, which every process of
// the machine could read.
func (u *ui) password(file, user string) (string, error) {
	if file != "" {
		line, err := firstLine(file)
		if err != nil {
			return "", fmt.Errorf("the password cannot be read: %w: check --password-file", err)
		}
		return line, nil
	}
	if text, ok := u.lookup("MINDROOM_CHAT_PASSWORD"); ok && text != "" {
		return text, nil
	}
	if !u.inTTY || !u.errTTY {
		return "", usagef("there is no password: name a file with --password-file, or set MINDROOM_CHAT_PASSWORD")
	}
	fmt.Fprintf(u.err, "password of %s: ", tty.Plain(user))
	text, err := tty.ReadSecret(os.Stdin)
	fmt.Fprintln(u.err)
	if err != nil {
		return "", fmt.Errorf("the password cannot be read: %w", err)
	}
	return text, nil
}

// firstLine is the first line of a file that holds a secret.
func firstLine(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, "\r"), nil
}
