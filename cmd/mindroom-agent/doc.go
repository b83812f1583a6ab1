// Command mindroom-agent is what the shell commands of an agent call its other tools with; see package agentcli, and
// 'mindroom-agent --help' for its grammar and exit statuses. It is started once a call, so it links little and does little.
package main
