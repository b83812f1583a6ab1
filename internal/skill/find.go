package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"mindroom/internal/config"
)

// MaxSkills is how many skills an agent has at most; the operator's come first.
const MaxSkills = 64

// Places are where an agent's skills lie.
type Places struct {
	// Operator is the folder of the operator's skills.
	Operator string
	// Given are those of them that the agent has, in the order of the configuration.
	Given []string
	// Workspace is the agent's folder; empty when it keeps no skills there.
	Workspace string
}

// Of is where the skills of an agent lie under a configuration. workspace is its folder
// for the requester, empty when it has none; it counts where the agent may write it.
// An unknown agent has no skills.
func Of(c *config.Config, agent, workspace string) Places {
	a := c.Agents[agent]
	if a == nil {
		return Places{}
	}
	p := Places{Operator: c.SkillsDir()}
	for _, s := range a.Skills {
		p.Given = append(p.Given, s.Name)
	}
	if a.AuthorsSkills() {
		p.Workspace = workspace
	}
	return p
}

// Found are the skills of an agent at one time.
type Found struct {
	// Skills are the operator's in the order in which they are given, then the agent's own
	// by their names.
	Skills []Skill
	// Left are those that cannot be used.
	Left []Left
}

// Left is a skill that is left out.
type Left struct {
	// Name is that of its folder; empty when the folder of all of them is meant.
	Name string
	// Own: it is of the agent's workspace.
	Own bool
	// Why says to a person what is wrong and what mends it.
	Why string
}

// Error names the skill and says why.
func (l Left) Error() string {
	where := "the operator's skill"
	if l.Own {
		where = "the workspace's skill"
	}
	if l.Name == "" {
		return where + "s: " + l.Why
	}
	return fmt.Sprintf("%s %s: %s", where, l.Name, l.Why)
}

// Find looks for the skills. It makes nothing.
func (p Places) Find() Found {
	var f Found
	p.given(&f)
	p.own(&f)
	return f
}

// given finds the operator's.
func (p Places) given(f *Found) {
	if len(p.Given) == 0 {
		return
	}
	root, err := shelf(p.Operator, false)
	if err == nil {
		defer func() { _ = root.Close() }() // only a directory handle
	}
	for _, name := range p.Given {
		if err != nil {
			f.leave(Left{name, false, missing(err)})
			continue
		}
		s, fault := load(root, name, false)
		if errors.Is(fault, errNone) {
			fault = fmt.Errorf("%s%s", absent, meant(root, name))
		}
		f.take(s, name, false, fault)
	}
}

// absent is said of a name without a folder.
const absent = "there is no such folder in " + config.SkillsFolder + "/ beside the configuration file"

// missing says why the operator's folder cannot be opened.
func missing(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no folder " + config.SkillsFolder + "/ beside the configuration file"
	}
	return "the folder " + config.SkillsFolder + "/ beside the configuration file cannot be opened: " + bare(err).Error()
}

// meant is the nearest name that there is, as the end of a sentence.
func meant(root *os.Root, name string) string {
	names, _ := entries(root)
	if near := config.Nearest(name, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// own finds those of the workspace.
func (p Places) own(f *Found) {
	if p.Workspace == "" {
		return
	}
	root, err := shelf(p.Workspace, true)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		f.leave(Left{"", true, bare(err).Error()})
		return
	}
	defer func() { _ = root.Close() }() // only a directory handle
	names, all := entries(root)
	for _, name := range names {
		if slices.Contains(p.Given, name) {
			f.leave(Left{name, true, "the configuration gives the agent a skill of this name, and that one counts: rename the folder"})
			continue
		}
		var s Skill
		fault := fmt.Errorf("an agent has at most %d skills: remove some", MaxSkills)
		if len(f.Skills) < MaxSkills {
			if s, fault = load(root, name, true); errors.Is(fault, errNone) {
				fault = errName // it is there, and was not looked for
			}
		}
		f.take(s, name, true, fault)
	}
	if !all {
		f.leave(Left{"", true, fmt.Sprintf("more lies in %s/ than the %d entries that are looked at", config.SkillsFolder, maxVisited)})
	}
}

// take adds a skill, or says why not.
func (f *Found) take(s Skill, name string, own bool, fault error) {
	switch {
	case fault != nil:
		f.leave(Left{name, own, fault.Error()})
	case len(f.Skills) == MaxSkills:
		f.leave(Left{name, own, fmt.Sprintf("an agent has at most %d skills: give it fewer", MaxSkills)})
	default:
		f.Skills = append(f.Skills, s)
	}
}

func (f *Found) leave(l Left) { f.Left = append(f.Left, l) }

// entries are the names in a folder that could be skills, sorted: files and what is
// hidden are none. all is false when there is more than is looked at.
func entries(root *os.Root) (names []string, all bool) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, true
	}
	defer func() { _ = dir.Close() }() // nothing was written
	found, err := dir.ReadDir(maxVisited + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, true
	}
	for _, e := range found[:min(len(found), maxVisited)] {
		if !e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, len(found) <= maxVisited
}
