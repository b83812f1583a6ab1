// Package delegate is the toolkit with which an agent hands work to subagents
// (spec/runtime.md 6.6, spec/agentcli.md 7). Every agent with a delegate_to has it.
// It is a thin face of the turns that subagents are; a refusal to start one is an
// answer with an explanation, because the agent is to choose again.
//
// What an agent is not offered is in neither the schema nor the description: authored
// subagents without itself among delegate_to, the background without background_jobs,
// minimal where it could not succeed (M11). The functions are made for each agent,
// so that hiding changes nobody else's.
package delegate
