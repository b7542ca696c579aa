package worker

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/voice"
)

// liveEventOf is what customers are told of a note, if anything. turns is how many came before it.
func liveEventOf(note voice.Note, turns int) (event events.Live, told bool) {
	event = events.Live{ID: uuid.Must(uuid.NewV7()), At: note.At, Role: note.Role, Turn: turns, Target: note.Text}
	switch note.Kind {
	case voice.SpeechStarted:
		event.Type, event.Status = callstate.EventSpeechUpdate, "started"
	case voice.SpeechStopped:
		event.Type, event.Status = callstate.EventSpeechUpdate, "stopped"
	case voice.UserInterrupted:
		event.Type = callstate.EventUserInterrupted
	case voice.AssistantDelayed:
		event.Type = callstate.EventHang
	case voice.TransferStarted:
		event.Type, event.Status = callstate.EventTransferUpdate, "started"
	case voice.TransferFinished:
		event.Type, event.Status = callstate.EventTransferUpdate, "completed"
		if note.Err != nil {
			event.Status, event.Error = "failed", note.Err.Error()
		}
	default:
		return events.Live{}, false
	}
	return event, true
}

// wants reports whether anybody asked for a type of event that is written only then. The answer is read once per call, which has
// many of them; when it cannot be read the event is written, which asks again.
func (l *journal) wants(ctx context.Context, eventType string) bool {
	if l.subscribed == nil {
		types, err := events.SubscribedTypes(ctx, l.phone.pool, l.call)
		if err != nil {
			return true
		}
		l.subscribed = types
	}
	return slices.Contains(l.subscribed, eventType)
}
