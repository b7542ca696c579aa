package voice

import (
	"context"
	"errors"
	"time"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/turn"
)

const (
	hangUpLimit    = 2 * time.Second         // for the far end to confirm
	leaveLimit     = 2 * time.Second         // for providers to notice that the call is over
	lastWordsLimit = 1500 * time.Millisecond // for the transcriber, after the leg is over
)

// disconnected ends the call after the words that were under way: a transcript or the answer to a transfer may arrive just
// behind the hang-up.
func (c *call) disconnected() {
	c.speaker.disconnect()
	if c.away != nil && c.ringing != nil { // nobody is to be rung for a caller who has left
		c.ringing()
	}
	c.lastWords()
	var reason turn.Reason
	err := c.Leg.Err()
	switch {
	case errors.Is(err, media.ErrRemoteHangup):
		reason, err = turn.CustomerEndedCall, nil
	case errors.Is(err, media.ErrMediaTimeout):
		reason = turn.CustomerAudioNotReceived
	case errors.Is(err, media.ErrDisconnected):
		reason = turn.CustomerConnectionLost
	case err == nil || errors.Is(err, media.ErrClosed): // our own end of the call was closed
		reason, err = turn.WorkerShutdown, nil
	default:
		reason = turn.CarrierDroppedCall
	}
	if err != nil {
		c.outcome.Err = err
	}
	c.dispatch(turn.Disconnected{Reason: reason})
}

// lastWords handles what was under way when the leg ended.
func (c *call) lastWords() {
	c.dropGuess()
	c.responder.stop()
	c.postponed = false
	c.echo.Flush(c.transcribe)
	if c.state.CallerTalks() || c.transcriber.vad.Open() { // also behind a noise that was given up
		c.transcriber.endOfSpeech()
		c.dispatch(turn.SpeechEnded{End: c.now()})
	}
	limit := time.After(lastWordsLimit)
	for c.ringing != nil || c.transcriber.results != nil && (c.state.AwaitsTranscript() || c.transcriber.captioned) {
		select {
		case e, ok := <-c.transcriber.results:
			if !ok {
				return
			}
			c.transcribed(e, ok)
		case e := <-c.events:
			switch e := e.(type) {
			case transferEnded:
				c.transferred(e)
			case replyPart:
				c.keepToolResults(e)
			}
		case <-limit:
			return
		}
	}
}

// keepToolResults puts on record what tools did for a reply that was given up.
func (c *call) keepToolResults(part replyPart) {
	if part.messages != nil {
		c.toolsRan(part, false)
	}
}

// hangUp ends the leg, waits until it is over and completes the outcome.
func (c *call) hangUp() {
	c.part()
	ctx, cancel := context.WithTimeout(c.ctx, hangUpLimit)
	defer cancel()
	if err := c.Leg.Hangup(ctx); err != nil {
		c.log.WarnContext(ctx, "hang up", "error", err)
	}
	select {
	case <-c.Leg.Done(): // also when both sides hung up at once: nothing is recorded any more
	case <-ctx.Done():
	}
	if stream := c.transcriber.giveUp(); stream != nil {
		if err := stream.Close(); err != nil {
			c.log.WarnContext(ctx, "close the recogniser", "error", err)
		}
	}
	c.outcome.Duration = c.now()
	c.log.InfoContext(ctx, "call ended", "reason", c.outcome.Reason, "fault", c.outcome.Fault,
		"duration", c.outcome.Duration, "turns", c.outcome.Turns, "error", c.outcome.Err)
}

// leave waits for what the call had running, but not for a provider that ignores the end. What tools were doing is still put
// on record.
func (c *call) leave() {
	defer close(c.unread)
	c.postponed = false
	done := make(chan struct{})
	go func() { // ends with the last of what runs; what ignores the end is logged below
		c.running.Wait()
		close(done)
	}()
	limit := time.After(leaveLimit)
	for {
		select {
		case e := <-c.events:
			switch e := e.(type) {
			case replyPart:
				c.keepToolResults(e)
			case transferEnded:
				c.dismiss(e.colleague)
			}
		case <-done:
			return
		case <-limit:
			c.log.Warn("a provider keeps running after the call")
			return
		}
	}
}
