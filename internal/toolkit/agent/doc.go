// Package agent is the reserved toolkit of what an agent has without being given it
// (spec/agentcli.md 3.7): the function that reads its skills (M14). No configuration
// names it; an agent has it while it has a skill, or could write one (config,
// EffectiveTools), and a response offers it only while there is one.
//
// A skill is read in pages that every door passes whole.
package agent
