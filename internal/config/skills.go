package config

import (
	"path/filepath"
	"slices"
)

// OwnToolkit is the toolkit of what an agent has without being given it, as the function that reads its skills. No file names it
// (spec/agentcli.md 3.7).
const OwnToolkit = "agent"

// SkillsFolder is the folder beside the configuration file that holds the operator's skills.
const SkillsFolder = "skills"

// MaxSkillName is the most characters of a skill's name.
const MaxSkillName = 64

// IsSkillName tells whether text is written as the name of a skill, which is also that of its folder.
func IsSkillName(text string) bool { return len(text) <= MaxSkillName && skillName.MatchString(text) }

// Skill is one that the file gives an agent. Whether there is a skill of that name is not asked here: package skill reads them.
type Skill struct {
	Name string
	Pos  Pos
}

// SkillsDir is where the operator's skills lie: beside the configuration file itself, wherever what it includes may be.
func (c *Config) SkillsDir() string { return filepath.Join(filepath.Dir(c.Source.Path), SkillsFolder) }

// AuthorsSkills tells whether the agent's workspace can hold skills of its own: it has one that it may write.
func (a *Agent) AuthorsSkills() bool { return authorsSkills(a, a.effective) }

// writers are the functions by which an agent writes what it wants into its workspace, by toolkit.
var writers = map[string]string{"file": "save_file", "shell": "run_shell_command"}

func authorsSkills(a *Agent, tools []ToolEntry) bool {
	return a.HasWorkspace() && slices.ContainsFunc(tools, func(t ToolEntry) bool {
		function, ok := writers[t.Name]
		return ok && !slices.Contains(t.Exclude, function) && (t.Include == nil || slices.Contains(t.Include, function))
	})
}

// skills reads the key of that name.
func skills(s *section) []Skill {
	n := s.get("skills")
	if n == nil {
		return nil
	}
	var all []Skill
	for _, item := range n.items {
		all = append(all, Skill{item.text, item.pos})
	}
	return all
}
