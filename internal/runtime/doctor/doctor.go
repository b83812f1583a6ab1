package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/control"
	"mindroom/internal/runtime"
)

// Status is what a check came to.
type Status string

// The statuses. A warning leaves everything usable; a failure does not.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Finding is one line of the report.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	// Found says what was seen.
	Found string `json:"found"`
	// Fix says what to do; empty when nothing is to be done.
	Fix string `json:"fix"`
}

// Options say what is examined. ConfigPath is required.
type Options struct {
	ConfigPath string
	// Lookup is the environment, with the command's own arguments over it.
	Lookup func(string) (string, bool)
	// APIPort is the port the API would listen on; 0 is the configured one.
	APIPort int
	// Patience bounds each check; 0 means 20 seconds.
	Patience time.Duration
}

// patient is what is examined.
type patient struct {
	o   Options
	env config.Env
	set config.Runtime
	cfg *config.Config
	// running is true when a primary of this installation answers.
	running bool
}

// Examine makes every check and reports each as it is done. It reports false
// when one failed. A check whose ground is missing is left out: without a
// configuration nothing else can be told.
func Examine(ctx context.Context, o Options, report func(Finding)) bool {
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	p := &patient{o: o}
	good := true
	say := func(f Finding) {
		good = good && f.Status != Fail
		report(f)
	}
	if err := p.read(); err != nil {
		say(Finding{"configuration", Fail, err.Error(), "mindroom config validate names every fault with its place"})
		return false
	}
	say(Finding{Check: "configuration", Status: OK, Found: fmt.Sprintf("%s: %d agents, %d models", p.cfg.Source.Path, len(p.cfg.Agents), len(p.cfg.Models))})
	for _, check := range []func(context.Context) []Finding{
		p.primary, p.storage, p.homeserver, p.registration, p.models, p.python, p.containment, p.agentCLI, p.rules, p.scripts, p.minimal, p.port, p.runs,
		p.skills, p.servers, p.encryption,
	} {
		bounded, cancel := context.WithTimeout(ctx, o.Patience)
		for _, f := range check(bounded) {
			say(f)
		}
		cancel()
		if ctx.Err() != nil {
			return false
		}
	}
	return good
}

// read reads what everything else depends on.
func (p *patient) read() error {
	path, err := filepath.Abs(p.o.ConfigPath)
	if err != nil {
		return err
	}
	if p.env, err = config.ReadEnv(filepath.Dir(path), p.o.Lookup); err != nil {
		return err
	}
	if p.set, err = config.LoadRuntime(p.env, path); err != nil {
		return err
	}
	catalog, err := runtime.Catalog()
	if err != nil {
		return err
	}
	p.cfg, _, err = config.Load(path, catalog, p.env)
	var faults config.Errors
	if errors.As(err, &faults) {
		return fmt.Errorf("%s has %d faults, the first: %w", path, len(faults), faults[0])
	}
	return err
}

// primary looks whether this installation runs already.
func (p *patient) primary(ctx context.Context) []Finding {
	client := control.NewClient(p.set.ControlPath)
	defer client.Close()
	runs, err := client.List(ctx, false, 0)
	if err != nil {
		return []Finding{{"runtime", OK, "not running", ""}}
	}
	p.running = true
	found := []Finding{{"runtime", OK, fmt.Sprintf("running, with %d scripts", len(runs)), ""}}
	found = append(found, blocked(runs)...)
	standing, err := client.Configuration(ctx)
	if err != nil {
		return append(found, Finding{"configuration in force", Warn, err.Error(), "the runtime may be of another version: restart it"})
	}
	return append(found, inForce(standing)...)
}
