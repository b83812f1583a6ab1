package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/config"
	"mindroom/internal/runtime"
)

// answers is what a first configuration depends on.
type answers struct{ provider, model, homeserver, owner string }

// usualModels are suggestions for providers that many people have.
var usualModels = map[string]string{"anthropic": "claude-sonnet-5", "openai": "gpt-5-mini", "ollama": "qwen3", "scripted": "demo"}

// question is one answer to find: given by a flag, asked for, or suggested.
type question struct {
	flag, ask string
	answer    *string
	suggested func() string
	check     func(string) error
}

func (a *answers) questions(env config.Env) []question {
	return []question{
		{"provider", "provider of the model", &a.provider, func() string { return "anthropic" }, checkProvider},
		{"model", "its name for the model", &a.model, func() string { return usualModels[a.provider] }, checkFilled},
		{"homeserver", "address of the homeserver", &a.homeserver, func() string { return suggestedHomeserver(env) }, checkHomeserver},
		{"owner", "your Matrix id, such as @you:example.org", &a.owner, func() string { return "" }, checkOwner},
	}
}

// complete finds every answer. It asks only when ask says that a person is there.
func (a *answers) complete(u *ui, env config.Env, ask bool) error {
	in := bufio.NewReader(u.in)
	for _, q := range a.questions(env) {
		switch {
		case *q.answer != "":
			if err := q.check(*q.answer); err != nil {
				return usagef("--%s: %w", q.flag, err)
			}
		case ask:
			if err := q.put(u, in); err != nil {
				return err
			}
		default:
			if *q.answer = q.suggested(); *q.answer == "" {
				return usagef("config init wants --%s: %s", q.flag, q.ask)
			}
			if err := q.check(*q.answer); err != nil {
				return usagef("--%s: %w", q.flag, err)
			}
		}
	}
	return nil
}

// put asks until the answer can be right.
func (q question) put(u *ui, in *bufio.Reader) error {
	suggested := q.suggested()
	for {
		fmt.Fprint(u.err, q.ask)
		if suggested != "" {
			fmt.Fprintf(u.err, " [%s]", tty.Plain(suggested))
		}
		fmt.Fprint(u.err, ": ")
		line, err := in.ReadString('\n')
		if err != nil && !(errors.Is(err, io.EOF) && line != "") {
			fmt.Fprintln(u.err)
			return usagef("the input ended before --%s was answered; nothing was written", q.flag)
		}
		if *q.answer = strings.TrimSpace(line); *q.answer == "" {
			*q.answer = suggested
		}
		wrong := q.check(*q.answer)
		if wrong == nil {
			return nil
		}
		fmt.Fprintln(u.err, "  "+wrong.Error())
	}
}

func checkProvider(name string) error {
	known := slices.Sorted(maps.Keys(runtime.Providers()))
	if !slices.Contains(known, name) {
		return fmt.Errorf("%q is no provider of this build: use %s", name, strings.Join(known, ", "))
	}
	return nil
}

func checkFilled(text string) error {
	if text == "" {
		return errors.New("a model needs a name; the provider's documentation lists them")
	}
	return nil
}

func checkHomeserver(address string) error {
	_, err := config.LoadRuntime(config.EnvOf(map[string]string{"MATRIX_HOMESERVER": address}), "config.yaml")
	var wrong *config.VariableError
	switch {
	case address == "":
		return errors.New("an address is needed, such as https://matrix.example.org")
	case errors.As(err, &wrong):
		return fmt.Errorf("%q: it %s", address, wrong.Message)
	}
	return err
}

func checkOwner(id string) error {
	if !config.IsUserID(id) {
		return fmt.Errorf("%q is not a Matrix id such as @you:example.org", id)
	}
	return nil
}

func suggestedHomeserver(env config.Env) string {
	if set := env.Get("MATRIX_HOMESERVER"); set != "" {
		return set
	}
	return "http://localhost:8008"
}
