// Package skill finds and reads the skills of agents: folders NAME/ with a SKILL.md,
// which has a name and a description in YAML between two lines of three dashes and
// Markdown instructions after them, and with whatever other files these speak of (the
// open SKILL.md format; M14). The operator's lie in skills/ beside the configuration
// file, and an agent has those that it is given by name; its own lie in skills/ of its
// workspace, and it has them all.
//
// Invariants:
//
//  1. Nothing outside a skill's own folder is opened, whatever links lie in it, and a
//     folder that is a link is no skill.
//  2. What is read is bounded: MaxSkills skills of an agent, MaxFile of a SKILL.md,
//     MaxText of another file, MaxDescription of a description, MaxFiles names.
//  3. A skill that cannot be used costs itself alone, and is left out with a reason.
//  4. A name that the configuration gives is the operator's: the workspace never fills
//     or takes its place, whether the operator's skill can be used or not.
//  5. Everything is read anew each time: an edit counts at the next look.
package skill
