package events

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// The roles of a report's messages: what the field calls them.
const (
	roleBot            = "bot"
	roleUser           = "user"
	roleToolCalls      = "tool_calls"
	roleToolCallResult = "tool_call_result"
)

type reportMessage struct {
	Role             string         `json:"role" enum:"bot,user,system,tool_calls,tool_call_result" doc:"bot is the assistant."`
	Message          string         `json:"message" doc:"What was said; empty of tools."`
	Time             int64          `json:"time" doc:"Unix time in milliseconds."`
	SecondsFromStart float64        `json:"secondsFromStart" doc:"Seconds from the answer."`
	Interrupted      bool           `json:"interrupted,omitempty" doc:"The assistant was cut off after this text."`
	Timing           *reportTiming  `json:"timing,omitempty" doc:"Of the assistant's answers to the caller: when and why they came."`
	ToolCalls        []toolCallItem `json:"toolCalls,omitempty" nullable:"false" doc:"Of tool_calls: what the assistant called."`
	ToolCallID       string         `json:"toolCallId,omitempty" doc:"Of tool_call_result: the id of the call."`
	Name             string         `json:"name,omitempty" doc:"Of tool_call_result: the tool."`
	Result           string         `json:"result,omitempty" doc:"Of tool_call_result: what it returned, or why it failed."`
}

// openAIMessage is a message as OpenAI's chat completions write it.
type openAIMessage struct {
	Role       string           `json:"role" enum:"assistant,user,system,tool"`
	Content    string           `json:"content"`
	ToolCalls  []openAIToolCall `json:"tool_calls,omitempty" nullable:"false"`
	ToolCallID string           `json:"tool_call_id,omitempty"`
}

type openAIToolCall struct {
	ID       string           `json:"id"`
	Type     string           `json:"type" enum:"function"`
	Function toolCallFunction `json:"function"`
}

// reportEntry is a message in both forms.
type reportEntry struct {
	reportMessage
	openAI openAIMessage
}

// messages returns what was said and what tools did, in the order in which it began.
func (r *Report) messages() (all []reportMessage, openAI []openAIMessage) {
	entries := make([]reportEntry, 0, len(r.Turns)+2*len(r.ToolCalls))
	for _, turn := range r.Turns {
		entries = append(entries, turnEntry(turn))
	}
	for _, used := range r.ToolCalls {
		entries = append(entries, toolEntries(used)...)
	}
	slices.SortStableFunc(entries, func(a, b reportEntry) int { return cmp.Compare(a.SecondsFromStart, b.SecondsFromStart) })
	all, openAI = make([]reportMessage, len(entries)), make([]openAIMessage, len(entries))
	for i, entry := range entries {
		if r.Call.StartedAt != nil {
			entry.Time = r.Call.StartedAt.Add(time.Duration(entry.SecondsFromStart * float64(time.Second))).UnixMilli()
		}
		all[i], openAI[i] = entry.reportMessage, entry.openAI
	}
	return all, openAI
}

func turnEntry(turn *dbsqlc.CallTurn) reportEntry {
	role := turn.Role
	if role == "assistant" {
		role = roleBot
	}
	return reportEntry{
		reportMessage{
			Role: role, Message: turn.Text, SecondsFromStart: turn.SecondsFromStart, Interrupted: turn.Interrupted,
			Timing: newReportTiming(turn.Timing),
		},
		openAIMessage{Role: turn.Role, Content: turn.Text},
	}
}

// toolEntries are the call of a tool and its result.
func toolEntries(used *dbsqlc.CallToolCall) []reportEntry {
	item := newToolCallItem(used.ToolCallID, used.Name, used.Arguments)
	result := cmp.Or(db.TextOf(used.Result), db.TextOf(used.Error))
	return []reportEntry{
		{
			reportMessage{Role: roleToolCalls, SecondsFromStart: used.SecondsFromStart, ToolCalls: []toolCallItem{item}},
			openAIMessage{Role: "assistant", ToolCalls: []openAIToolCall{{item.ID, item.Type, item.Function}}},
		},
		{
			reportMessage{
				Role: roleToolCallResult, SecondsFromStart: used.SecondsFromStart + float64(used.DurationMS)/1000,
				ToolCallID: used.ToolCallID, Name: used.Name, Result: result,
			},
			openAIMessage{Role: "tool", Content: result, ToolCallID: used.ToolCallID},
		},
	}
}

// transcript returns the conversation as text. AI and User are the field's names for who speaks.
func (r *Report) transcript() string {
	var text strings.Builder
	for _, turn := range r.Turns {
		speaker := "User"
		switch {
		case turn.Speaker != nil:
			speaker = "Operator"
		case turn.Role == "assistant":
			speaker = "AI"
		}
		fmt.Fprintf(&text, "%s: %s\n", speaker, turn.Text)
	}
	return text.String()
}
