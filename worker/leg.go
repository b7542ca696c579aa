package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/spending"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip"
)

// leg is an answered call as the worker uses it, whatever carries it.
type leg interface {
	voice.Leg
	Stats() media.Stats
}

// dialogOf returns what another process needs to end the call should this one die, or nil for a leg that has no SIP dialog:
// its far end then notices by itself.
func dialogOf(l leg) any {
	if signalled, ok := l.(interface{ Dialog() sip.Dialog }); ok {
		return signalled.Dialog()
	}
	return nil
}

// admittedLeg is the leg of a call, which is transferred only where its account may call: whoever asks for it, the model, a command or
// a server.
type admittedLeg struct {
	leg
	phone *Phone
	call  *dbsqlc.Call
}

// Transfer implements voice.Leg.
func (l *admittedLeg) Transfer(ctx context.Context, target string) error {
	err := calls.AdmitTransfer(ctx, l.phone.pool, l.call, target)
	if err == nil {
		return l.leg.Transfer(ctx, target)
	}
	if refusal, is := errors.AsType[*spending.Refusal](err); is {
		if err := spending.AddRefusals(ctx, l.phone.pool, refusal); err != nil {
			l.phone.logger.WarnContext(ctx, "refused transfer not counted", "call_id", l.call.ID, "error", err)
		}
	}
	return fmt.Errorf("transfer call: %w", err)
}
