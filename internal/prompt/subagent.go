package prompt

import "fmt"

// reporting tells a subagent who reads it, in place of how messages of a chat look.
func reporting(caller string) string {
	return fmt.Sprintf("You work as a subagent of the agent %s. What you are asked comes from that agent, and your last answer goes back to it as the result: "+
		"nobody else reads it, and nobody answers questions meanwhile. Finish the task with what you have, and say plainly what you did, what you found and "+
		"what is left open.", caller)
}
