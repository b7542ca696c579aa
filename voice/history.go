package voice

import (
	"slices"

	"github.com/callwright/callwright/providers/llm"
)

// mostHistory is how much of a conversation is put before the model, in bytes: hours of talk. A model has a limit, a call
// may last for half a day, and what tools answer is long.
const mostHistory = 200_000

// recent returns the conversation without its beginning where it has become too long: then half of it goes, so that servers
// which keep what they have read need not read it anew every time. The instructions stay.
func recent(history []llm.Message) []llm.Message {
	size := 0
	for _, message := range history {
		size += weight(message)
	}
	if size <= mostHistory {
		return history
	}
	first := 0
	if history[0].Role == llm.RoleSystem {
		first = 1
	}
	from := first
	for ; from < len(history)-1 && size > mostHistory/2; from++ {
		size -= weight(history[from])
	}
	for from < len(history) && history[from].Role == llm.RoleTool { // no server takes a result without its call
		from++
	}
	return slices.Concat(history[:first], history[from:])
}

func weight(message llm.Message) int {
	size := len(message.Content)
	for _, call := range message.ToolCalls {
		size += len(call.Arguments)
	}
	return size
}
