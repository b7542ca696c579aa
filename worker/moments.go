package worker

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/voice"
)

// momentOf is what customers are told of a note, if anything. turns is how many came before it.
func momentOf(note voice.Note, turns int) (moment events.Live, told bool) {
	moment = events.Live{ID: uuid.Must(uuid.NewV7()), At: note.At, Role: note.Role, Turn: turns, Target: note.Text}
	switch note.Kind {
	case voice.SpeechStarted:
		moment.Type, moment.Status = callstate.EventSpeechUpdate, "started"
	case voice.SpeechStopped:
		moment.Type, moment.Status = callstate.EventSpeechUpdate, "stopped"
	case voice.UserInterrupted:
		moment.Type = callstate.EventUserInterrupted
	case voice.AssistantDelayed:
		moment.Type = callstate.EventHang
	case voice.TransferStarted:
		moment.Type, moment.Status = callstate.EventTransferUpdate, "started"
	case voice.TransferFinished:
		moment.Type, moment.Status = callstate.EventTransferUpdate, "completed"
		if note.Err != nil {
			moment.Status, moment.Error = "failed", note.Err.Error()
		}
	default:
		return events.Live{}, false
	}
	return moment, true
}

// wants reports whether anybody asked for the moment. A call has far more moments than turns, so the answer is read once
// per call; when it cannot be read the moment is written, which asks again.
func (l *ledger) wants(ctx context.Context, moment *events.Live) bool {
	if l.subscribed == nil {
		types, err := events.SubscribedTypes(ctx, l.phone.pool, l.call)
		if err != nil {
			return true
		}
		l.subscribed = types
	}
	return slices.Contains(l.subscribed, moment.Type)
}
