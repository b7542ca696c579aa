package listening

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/bridge"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/webrtc"
)

// attendee is one browser that listens in. Its fields but the channels belong to the goroutine of run.
type attendee struct {
	*Audience
	id       uuid.UUID
	command  string // id of its requests to barge in
	logger   *slog.Logger
	ctx      context.Context
	leave    context.CancelFunc
	modes    chan string // what it may do from now on, the latest
	verdicts chan error  // whether the assistant has fallen silent for it; one is owed at a time
	words    chan words  // that were recognised

	own       *webrtc.Leg
	tap       *bridge.Tap
	mode      string
	asked     bool             // to barge in, and no verdict has come
	speaks    *bridge.Pipe     // to the caller; nil: it does not
	dictation *voice.Dictation // of what it says; nil: that goes nowhere
}

// words are what a listener said, in the mode in which that was.
type words struct {
	mode, text string
	at         time.Time
}

// wordsAhead may wait for a listener who does something else.
const wordsAhead = 16

// pageMode tells the page of a listener what it does.
type pageMode struct {
	Type string `json:"type"` // mode
	Mode string `json:"mode"`
	Why  string `json:"why,omitempty"` // it is not the one that was asked for
}

// want has the listener be in a mode. It does not block.
func (l *attendee) want(mode string) {
	for {
		select {
		case l.modes <- mode:
			return
		default:
		}
		select {
		case <-l.modes:
		default:
		}
	}
}

// run answers the browser, and returns when it is gone.
func (l *attendee) run(offer string) {
	if !l.answer(offer) {
		return
	}
	defer l.goodbye()
	select {
	case <-l.own.Connected():
	case <-l.own.Done():
		return
	case <-l.ctx.Done():
		return
	}
	ctx, cancel := context.WithTimeout(l.ctx, limit)
	defer cancel()
	err := db.InTx(ctx, l.host.Pool, func(tx pgx.Tx) error {
		_, err := calls.JoinListener(ctx, tx, l.call.Row, l.host.ProcessID, l.id)
		return err
	})
	if err != nil {
		l.logger.WarnContext(ctx, "listener not taken", "error", err)
		return
	}
	l.logger.InfoContext(ctx, "somebody listens in")
	l.tap = l.monitor.Add(l.call.Session.Leg.Band(), l.own)
	defer l.monitor.Remove(l.tap)
	defer l.stepBack()
	l.follow()
}

// answer returns whether the browser has an answer.
func (l *attendee) answer(offer string) bool {
	ctx, cancel := context.WithTimeout(l.ctx, limit)
	defer cancel()
	err := errNoWeb
	answer := ""
	if web := l.host.Web; web != nil {
		l.own, answer, err = web.Answer(ctx, offer)
	}
	if err != nil {
		why := err.Error()
		err := db.InTx(ctx, l.host.Pool, func(tx pgx.Tx) error { return calls.RefuseListener(ctx, tx, l.id, why) })
		if err != nil {
			l.logger.WarnContext(ctx, "listener not refused", "error", err)
		}
		return false
	}
	if err := calls.AnswerListener(ctx, l.host.Pool, l.host.ProcessID, l.id, answer); err != nil {
		l.logger.WarnContext(ctx, "listener not answered", "error", err)
		l.hangUp(ctx)
		return false
	}
	return true
}

// goodbye hangs up, and records that unless the call's end does.
func (l *attendee) goodbye() {
	l.hangUp(l.ctx)
	if l.Audience.ctx.Err() == nil {
		l.forget(l.id)
	}
}

func (l *attendee) hangUp(ctx context.Context) {
	if err := l.own.Hangup(ctx); err != nil {
		l.logger.WarnContext(ctx, "hang up on a listener", "error", err)
	}
}

// follow does what the listener may, until it leaves.
func (l *attendee) follow() {
	for incoming := l.own.Incoming(); ; {
		select {
		case in, alive := <-incoming:
			if !alive {
				return
			}
			l.hear(in)
		case mode := <-l.modes:
			l.change(mode)
		case err := <-l.verdicts:
			l.judged(err)
		case said := <-l.words:
			l.heed(said)
		case <-l.ctx.Done():
			return
		}
	}
}

// hear takes what the browser sends. Of one who only listens nothing goes anywhere.
func (l *attendee) hear(in audio.Incoming) {
	switch {
	case in.Typed() != "":
		if l.mode != callstate.ListenerListens {
			l.whisper(in.Typed())
		}
	case l.dictation == nil:
		if in.Frame != nil {
			audio.GiveFrame(in.Frame)
		}
	case in.Frame != nil && l.speaks != nil:
		l.dictation.Hear(audio.Incoming{Frame: audio.CopyFrame(in.Frame)})
		l.speaks.Pass(in)
	default:
		l.dictation.Hear(in)
	}
}

// change has the listener be in a mode.
func (l *attendee) change(mode string) {
	if mode == l.mode {
		return
	}
	l.silence()
	switch l.mode = mode; mode {
	case callstate.ListenerBarges: // the page is told when the assistant is silent
		if !l.asked {
			l.asked = l.tell(turn.BargeIn{ID: l.command})
		}
		return
	case callstate.ListenerWhispers:
		if !l.dictate() {
			return
		}
	}
	l.own.Tell(pageMode{Type: "mode", Mode: mode})
}

// judged takes what has become of a request to barge in.
func (l *attendee) judged(refusal error) {
	l.asked = false
	switch {
	case l.mode != callstate.ListenerBarges: // it was changed meanwhile
		if refusal == nil {
			l.tell(turn.StepBack{BargeIn: l.command})
		}
	case refusal != nil:
		l.refuse(refusal.Error())
	case !l.dictate():
		l.tell(turn.StepBack{BargeIn: l.command})
	default:
		l.tap.FarOnly(true)
		l.speaks = bridge.NewPipe(l.own.Band(), l.call.Session.Operator)
		l.own.Tell(pageMode{Type: "mode", Mode: l.mode})
	}
}

// refuse has the listener listen alone, and says why.
func (l *attendee) refuse(why string) {
	l.mode = callstate.ListenerListens
	ctx, cancel := context.WithTimeout(l.ctx, limit)
	defer cancel()
	err := db.InTx(ctx, l.host.Pool, func(tx pgx.Tx) error {
		_, err := calls.SetListenerMode(ctx, tx, l.call.Row.AccountID, l.call.Row.ID, l.id, l.mode)
		return err
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		l.logger.WarnContext(ctx, "mode of a listener not recorded", "error", err)
	}
	l.own.Tell(pageMode{Type: "mode", Mode: l.mode, Why: why})
}

// stepBack is silence for good. The assistant may fall silent after the listener has left who asked it to: it would stay so.
func (l *attendee) stepBack() {
	l.silence()
	if l.asked {
		l.tell(turn.StepBack{BargeIn: l.command})
	}
}

// silence ends what the listener may say, and gives the caller back to the assistant.
func (l *attendee) silence() {
	if l.speaks != nil {
		l.speaks = nil
		l.tap.FarOnly(false)
		l.tell(turn.StepBack{BargeIn: l.command})
	}
	if l.dictation != nil {
		l.dictation.Close()
		l.dictation = nil
	}
}

// dictate has what the listener says from now on be written down, and reports whether that is so.
func (l *attendee) dictate() bool {
	mode := l.mode
	made, err := voice.NewDictation(served.Report(l.ctx, l.call.Used), l.call.Session, l.own, func(text string, at time.Time) {
		select {
		case l.words <- words{mode, text, at}:
		default:
			l.logger.WarnContext(l.ctx, "words of a listener left out")
		}
	})
	if err != nil {
		l.logger.WarnContext(l.ctx, "a listener's words are not recognised", "error", err)
		l.refuse("nobody here understands what you say")
		return false
	}
	l.dictation = made
	return true
}

// heed has words go where they are meant to.
func (l *attendee) heed(said words) {
	if said.mode == callstate.ListenerWhispers {
		l.whisper(said.text)
		return
	}
	l.tell(turn.Operator{Text: said.text, At: said.at.Sub(l.answered)})
}

// whispered is what the model reads.
const whispered = "Instruction of a colleague who listens in, and whom the caller does not hear. Follow it from your next reply on, and do not mention it:\n"

func (l *attendee) whisper(text string) {
	l.tell(turn.AddMessage{Role: "system", Content: whispered + text})
}
