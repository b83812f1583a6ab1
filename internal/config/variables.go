package config

import (
	"errors"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mindroom/internal/secret"
)

var (
	namespaceForm  = regexp.MustCompile(`^[a-z0-9]{4,32}$`)
	serverNameForm = regexp.MustCompile(`^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?$`)
)

// variables reads typed variables and collects what is wrong. A variable set to nothing counts as not set, as shells and
// compose files produce it; the one exception is APIKey.
type variables struct {
	env  Env
	errs []error
}

func (v *variables) fail(name, message string) {
	v.errs = append(v.errs, &VariableError{Name: name, Origin: v.env.origin(name), Message: message})
}

func (v *variables) get(name string) string { return strings.TrimSpace(v.env.Get(name)) }

func (v *variables) matching(name string, form *regexp.Regexp, message string) string {
	text := v.get(name)
	if text != "" && !form.MatchString(text) {
		v.fail(name, message)
		return ""
	}
	return text
}

// choice ignores case, because these are typed by hand into shells.
func (v *variables) choice(name, otherwise string, allowed ...string) string {
	text := v.get(name)
	if text == "" {
		return otherwise
	}
	i := slices.IndexFunc(allowed, func(a string) bool { return strings.EqualFold(a, text) })
	if i < 0 {
		v.fail(name, "must be "+oneOf(allowed))
		return otherwise
	}
	return allowed[i]
}

func (v *variables) boolean(name string, otherwise bool) bool {
	switch strings.ToLower(v.get(name)) {
	case "":
		return otherwise
	case "1", "true", "yes", "on":
		return true
	case "0", "false", "no", "off":
		return false
	}
	v.fail(name, "must be true or false (also 1, yes, on; 0, no, off)")
	return otherwise
}

func (v *variables) port(name string, otherwise int) int {
	text := v.get(name)
	if text == "" {
		return otherwise
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 {
		v.fail(name, "must be a port from 1 to 65535")
		return otherwise
	}
	return port
}

// longest is what a time.Duration holds, with room for adding it to an instant.
const longest = 100 * 365 * day

// seconds reads a finite number of seconds; zero only where it has a meaning.
func (v *variables) seconds(name string, otherwise time.Duration, zero bool) time.Duration {
	text := v.get(name)
	if text == "" {
		return otherwise
	}
	least := "greater than 0"
	if zero {
		least = "0 or greater"
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		v.fail(name, "must be a finite number of seconds, "+least)
	case f < 0 || f == 0 && !zero:
		v.fail(name, "must be "+least)
	case f > longest.Seconds():
		v.fail(name, "must be at most "+strconv.FormatFloat(longest.Seconds(), 'f', -1, 64)+" seconds")
	case f > 0 && f < 1e-3:
		v.fail(name, "must be at least 0.001 seconds")
	default:
		return time.Duration(f * float64(time.Second))
	}
	return otherwise
}

// origin reads scheme://host[:port]; one slash at its end is taken off.
func (v *variables) origin(name string) string {
	base := v.baseURL(name)
	if u, err := url.Parse(base); base != "" && (err != nil || u.Path != "") {
		v.fail(name, "must be an address such as https://mindroom.example.org, without a path")
		return ""
	}
	return base
}

// baseURL reads an http address to which paths are appended, so that neither query nor fragment may stand in it. Whether it is
// reachable from a worker only the worker's backend can judge.
func (v *variables) baseURL(name string) string {
	text := v.get(name)
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		v.fail(name, "must be an address that begins with http:// or https:// and a host")
	case u.User != nil:
		v.fail(name, "must not contain a user name or password")
	case u.RawQuery != "" || u.ForceQuery:
		v.fail(name, "must not contain a query (?...), because paths are appended to it")
	case strings.Contains(text, "#"):
		v.fail(name, "must not contain a fragment (#...), because paths are appended to it")
	case !validPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		v.fail(name, "must have a port from 1 to 65535, or none")
	default:
		return strings.TrimRight(text, "/")
	}
	return ""
}

func validPort(text string) bool {
	if text == "" {
		return true
	}
	port, err := strconv.Atoi(text)
	return err == nil && port >= 1 && port <= 65535
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func (v *variables) secret(name string) secret.Value {
	s, _ := v.secretGiven(name)
	return s
}

func (v *variables) secretGiven(name string) (s secret.Value, given bool) {
	text, given, err := v.env.secretText(name)
	if err != nil {
		var variable *VariableError
		if errors.As(err, &variable) {
			v.errs = append(v.errs, variable)
		}
		return secret.Value{}, false
	}
	return secret.New(text), given
}
