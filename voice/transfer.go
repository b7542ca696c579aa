package voice

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/bridge"
	"github.com/callwright/callwright/voice/turn"
)

// transferLimit is how long the far end may take to accept a transfer.
const transferLimit = 30 * time.Second

// Transferrer puts the callers of sessions through to others.
type Transferrer interface {
	// Transfer returns when somebody has taken the caller: a colleague who was rung, for the session to join with the caller and to
	// hang up at the end, or nil where the far end has taken the caller there itself. It ends soon after ctx does, when the caller
	// has left, and no colleague comes with an error.
	Transfer(ctx context.Context, wanted *Transfer) (*Colleague, error)
}

// Transfer is what a Transferrer is asked for.
type Transfer struct {
	Target       string             // E.164 or SIP URI
	Plan         *turn.TransferPlan // nil: a blind transfer
	Conversation []llm.Message      // what was said so far

	// Hold has the caller hear a sound, 8 kHz and looped, in place of the assistant, from when somebody else is rung.
	Hold func(sound []int16)
}

// Colleague is somebody who was rung for a caller and has answered.
type Colleague struct {
	Leg   Leg
	Limit time.Duration // of the talk with the caller; 0: unlimited
}

// errCallerLeft ends a transfer whose caller has hung up.
var errCallerLeft = errors.New("the caller has left")

// refer is the Transferrer of a session that has none: it asks the far end.
type refer struct{ leg Leg }

// Transfer implements Transferrer.
func (r refer) Transfer(ctx context.Context, wanted *Transfer) (*Colleague, error) {
	ctx, cancel := context.WithTimeout(ctx, transferLimit)
	defer cancel()
	return nil, r.leg.Transfer(ctx, wanted.Target)
}

// away is where a caller is who is not with the assistant: on hold, or with a colleague.
type away struct {
	hold      *backgroundLeg // what the caller hears; nil: the colleague
	colleague Leg            // nil: the caller is on hold
	pipe      *bridge.Pipe   // to the colleague
	stop      func()         // of the sound from the colleague
}

// receive takes what the caller sends. On hold nobody hears it.
func (a *away) receive(in audio.Incoming) {
	switch {
	case a.pipe != nil:
		a.pipe.Pass(in)
	case in.Frame != nil:
		audio.GiveFrame(in.Frame)
	}
}

// transfer has the caller put through.
func (c *call) transfer(a turn.StartTransfer) {
	c.note(Note{Kind: TransferStarted, Text: a.Target, Command: a.ID})
	transfers := c.Transfers
	if transfers == nil {
		transfers = refer{c.Leg}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.ringing = cancel
	wanted := &Transfer{
		Target: a.Target, Plan: a.Plan, Conversation: slices.Clone(c.history), Hold: func(sound []int16) { c.send(onHold{sound}) },
	}
	c.running.Go(func() {
		defer cancel()
		colleague, err := transfers.Transfer(ctx, wanted)
		select {
		case c.events <- transferEnded{a.ID, a.Target, colleague, err}:
		case <-c.unread:
			c.dismiss(colleague)
		}
	})
}

// hold has the caller hear a sound in place of the assistant, who does not listen meanwhile.
func (c *call) hold(sound []int16) {
	if !c.state.Transferring() || len(sound) == 0 {
		return
	}
	c.fallDeaf()
	c.Leg.Flush()
	c.away = &away{hold: newBackgroundLeg(c.Leg, Background{Sound: sound})}
}

// undertone returns what the caller hears where nobody speaks; nil: nothing.
func (c *call) undertone() *backgroundLeg {
	if c.away != nil {
		return c.away.hold
	}
	if c.state.Attended() {
		return nil
	}
	return c.background
}

// fallDeaf ends what the caller is saying: it will hear no more.
func (c *call) fallDeaf() {
	c.echo.Flush(c.transcribe)
	if c.transcriber.vad.Open() {
		c.transcriber.endOfSpeech()
		c.transcriber.vad.Shut()
		c.dispatch(turn.SpeechEnded{End: c.now()})
	}
}

// endWait gives up a transfer that nobody waits for any more.
func (c *call) endWait() {
	if c.state.Transferring() || c.state.Joined() {
		return
	}
	if c.ringing != nil {
		c.ringing()
		c.ringing = nil
	}
	if c.away != nil && c.away.hold != nil {
		c.away = nil
		c.Leg.Flush()
	}
}

// transferred handles the outcome of a transfer. A colleague whom nobody waits for any more is hung up.
func (c *call) transferred(e transferEnded) {
	if e.colleague != nil && (c.speaker.disconnected || !c.state.Transferring()) {
		c.dismiss(e.colleague)
		e.colleague, e.err = nil, errCallerLeft
	}
	c.ringing = nil
	c.note(Note{Kind: TransferFinished, Text: e.target, Command: e.id, Err: e.err})
	c.commandDone(e.id, e.err)
	if c.speaker.disconnected && c.away != nil { // it failed because the caller has left
		return
	}
	ended := turn.TransferEnded{Failed: e.err != nil}
	var untaken *Untaken
	switch {
	case errors.As(e.err, &untaken):
		ended.Why = untaken.Why
	case e.colleague != nil:
		ended.Joined, ended.Limit = true, e.colleague.Limit
	}
	c.dispatch(ended)
	if c.state.Joined() {
		c.join(e.colleague.Leg)
	}
}

// Untaken is the error of a transfer for which somebody was rung who did not take the caller.
type Untaken struct {
	Why string // such as "the line is busy"
	Err error  // behind it; nil: none
}

// Error implements error.
func (u *Untaken) Error() string {
	if u.Err != nil {
		return u.Why + ": " + u.Err.Error()
	}
	return u.Why
}

// Unwrap returns the error behind it.
func (u *Untaken) Unwrap() error { return u.Err }

// join has the caller and a colleague talk to each other, unheard by the assistant.
func (c *call) join(colleague Leg) {
	c.fallDeaf()
	c.Leg.Flush()
	c.background, c.speaker.leg = nil, c.Leg
	c.away = &away{colleague: colleague, pipe: bridge.NewPipe(c.Leg.Band(), colleague)}
	c.away.stop = bridge.Drain(colleague, c.Leg)
	if stream := c.transcriber.giveUp(); stream != nil {
		c.running.Go(func() {
			if err := stream.Close(); err != nil {
				c.log.WarnContext(c.ctx, "close the recogniser", "error", err)
			}
		})
	}
	c.running.Go(func() {
		select {
		case <-colleague.Done():
			c.send(colleagueLeft{})
		case <-c.ctx.Done():
		}
	})
}

// part takes the colleague from the caller and hangs up.
func (c *call) part() {
	if c.away == nil || c.away.colleague == nil {
		return
	}
	c.away.stop()
	c.dismiss(&Colleague{Leg: c.away.colleague})
}

// dismiss hangs up on a colleague, if there is one. The call goes on meanwhile.
func (c *call) dismiss(colleague *Colleague) {
	if colleague == nil {
		return
	}
	c.running.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), hangUpLimit)
		defer cancel()
		if err := colleague.Leg.Hangup(ctx); err != nil {
			c.log.WarnContext(ctx, "hang up on the colleague", "error", err)
		}
	})
}
