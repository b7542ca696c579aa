package events

import (
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/jsonb"
)

// ReachedBudget is a threshold of a month's budget that was reached.
type ReachedBudget struct {
	Month    string    `json:"month" example:"2026-11" doc:"In timeZone."`
	TimeZone string    `json:"timeZone" example:"Europe/Amsterdam"`
	Percent  int32     `json:"percent" enum:"80,100" doc:"The threshold. From 100 on, calls are refused that you make, and those that come in go on."`
	Amount   jsonb.USD `json:"amount" doc:"The budget in US dollars."`
	Spent    jsonb.USD `json:"spent" doc:"What the month's calls cost until then, in US dollars."`
}

type budgetReached struct {
	Type      string        `json:"type" doc:"What happened."`
	Timestamp int64         `json:"timestamp" doc:"When it happened: Unix time in milliseconds."`
	Budget    ReachedBudget `json:"budget"`
}

// BudgetReached returns the event that an account has reached a threshold of its budget.
func BudgetReached(accountID uuid.UUID, budget ReachedBudget) Event {
	body := budgetReached{Type: callstate.EventBudgetReached, Timestamp: time.Now().UnixMilli(), Budget: budget}
	return Event{eventType: callstate.EventBudgetReached, accountID: accountID, body: body}
}
