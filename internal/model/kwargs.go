package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Kwargs reads `extra_kwargs:` strictly: a value of the wrong type and a key nobody asked for are errors, because a
// misspelt setting that does nothing is worse than a refusal. Ask for every key the provider knows, then call Err.
type Kwargs struct {
	values map[string]any
	asked  []string
	errs   []error
}

// ReadKwargs begins to read; nil values mean none.
func ReadKwargs(values map[string]any) *Kwargs { return &Kwargs{values: values} }

// String is a text value, empty when absent.
func (k *Kwargs) String(key string) string {
	v, ok := k.ask(key)
	if !ok {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		k.wrong(key, "text")
	}
	return s
}

// Float is a number, nil when absent.
func (k *Kwargs) Float(key string) *float64 {
	v, ok := k.ask(key)
	if !ok {
		return nil
	}
	f, ok := number(v)
	if !ok {
		k.wrong(key, "a number")
		return nil
	}
	return &f
}

// Int is a whole number of at least 1, 0 when absent.
func (k *Kwargs) Int(key string) int {
	v, ok := k.ask(key)
	if !ok {
		return 0
	}
	f, ok := number(v)
	if !ok || f < 1 || f != math.Trunc(f) || f > math.MaxInt32 {
		k.wrong(key, "a whole number of at least 1")
		return 0
	}
	return int(f)
}

// Seconds is a duration given in seconds and greater than 0; fallback when absent.
func (k *Kwargs) Seconds(key string, fallback time.Duration) time.Duration {
	v, ok := k.ask(key)
	if !ok {
		return fallback
	}
	f, ok := number(v)
	if !ok || f <= 0 || f > math.MaxInt32 {
		k.wrong(key, "a number of seconds greater than 0")
		return fallback
	}
	return time.Duration(f * float64(time.Second))
}

// Object is a mapping as JSON, nil when absent.
func (k *Kwargs) Object(key string) map[string]json.RawMessage {
	v, ok := k.ask(key)
	if !ok {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		k.wrong(key, "a mapping")
		return nil
	}
	object := make(map[string]json.RawMessage, len(m))
	for name, value := range m {
		raw, err := json.Marshal(value)
		if err != nil {
			k.wrong(key+"."+name, "a value that JSON can hold")
			continue
		}
		object[name] = raw
	}
	return object
}

// Err says what was wrong, nil when nothing was.
func (k *Kwargs) Err() error {
	errs := slices.Clone(k.errs)
	for _, key := range slices.Sorted(maps.Keys(k.values)) {
		if !slices.Contains(k.asked, key) {
			slices.Sort(k.asked)
			errs = append(errs, fmt.Errorf("extra_kwargs.%s is not known here: known are %s", key, strings.Join(k.asked, ", ")))
		}
	}
	return errors.Join(errs...)
}

func (k *Kwargs) ask(key string) (any, bool) {
	k.asked = append(k.asked, key)
	v, ok := k.values[key]
	return v, ok && v != nil
}

func (k *Kwargs) wrong(key, want string) {
	// The value is left out: it may be a key.
	k.errs = append(k.errs, fmt.Errorf("extra_kwargs.%s must be %s", key, want))
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}
