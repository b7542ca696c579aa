package assistant

import (
	"context"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/questions"
	"github.com/callwright/callwright/traces"
	"github.com/callwright/callwright/voice"
)

// endpointer has the customer's server say for how long the caller may go on. It implements voice.Endpointer.
type endpointer struct {
	maker  *Tools
	call   *dbsqlc.Call
	server *jsonb.ToolServer // nil: where the call's events go
}

// Endpointer returns who judges the turns of a call; nil: nobody but the rules.
func (m *Tools) Endpointer(call *dbsqlc.Call) voice.Endpointer {
	server, wanted := jsonb.EndpointingServer(call.AssistantConfig.StartSpeakingPlan, ignore)
	if !wanted {
		return nil
	}
	return &endpointer{m, call, server}
}

// judgement is what the server says.
type judgement struct {
	wait time.Duration
	err  error
}

// Wait implements voice.Endpointer. The server's answer is logged even when the call is over before it comes.
func (e *endpointer) Wait(ctx context.Context, said []voice.Turn) (time.Duration, error) {
	asked := questions.TurnQuestion{
		AccountID: e.call.AccountID, CallID: e.call.ID, ProcessID: e.maker.ProcessID, Server: e.server,
		Turns: make([]*dbsqlc.CallTurn, len(said)),
	}
	for i, turn := range said {
		asked.Turns[i] = &dbsqlc.CallTurn{
			Role: turn.Role, Text: turn.Text, SecondsFromStart: turn.At.Seconds(), Interrupted: turn.Interrupted,
		}
	}
	judged := make(chan judgement, 1)
	asking := traces.Below(e.maker.Live, ctx)
	e.maker.Asking.Go(func() {
		wait, err := questions.TurnWait(asking, e.maker.Sender, asked)
		judged <- judgement{wait, err}
	})
	select {
	case answer := <-judged:
		return answer.wait, answer.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
