package assistant

import (
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice/turn"
)

// TransferPlan returns how a caller is put through, with the texts filled; nil: by a blind transfer.
func TransferPlan(plan *jsonb.TransferPlan, fill func(string) string) *turn.TransferPlan {
	if plan == nil {
		return nil
	}
	return &turn.TransferPlan{
		Mode: turn.TransferMode(plan.Mode), Via: via(plan.Verb), Message: fill(plan.Message), RingFor: plan.RingFor,
		WaitFor:   plan.WaitFor,
		HoldSound: plan.HoldAudio, SummaryPrompt: fill(plan.SummaryPrompt), SummaryTimeout: plan.SummaryTimeout,
		Greeting: fill(plan.Greeting), Instructions: fill(plan.Instructions), TalkFor: plan.TalkFor,
		Fallback: fill(plan.Fallback), EndFallback: plan.EndFallback,
	}
}

// via is what a verb of the field asks for.
func via(verb string) string {
	switch verb {
	case "refer":
		return turn.ViaRefer
	case "dial":
		return turn.ViaBridge
	}
	return ""
}

// ForwardPlan is TransferPlan for a caller whom a server sends elsewhere.
func ForwardPlan(call *dbsqlc.Call, plan *jsonb.TransferPlan, now time.Time) *turn.TransferPlan {
	return TransferPlan(plan, filler(templateValues(call, now)))
}

// CommandPlan is TransferPlan for the object of a command, which was checked when that was given. Its texts are final.
func CommandPlan(object jsonb.Object) *turn.TransferPlan {
	plan := jsonb.ReadTransferPlan("transfer_plan", object, ignore)
	return TransferPlan(plan, func(text string) string { return text })
}
