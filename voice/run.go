package voice

import (
	"context"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/turn"
)

// Run holds the call and returns when it is over, exactly once and never later than a few seconds after the leg is. When
// ctx ends it says goodbye and hangs up.
func (s *Session) Run(ctx context.Context) Outcome {
	live, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the call outlives ctx by a goodbye
	defer cancel()
	c, err := s.start(live)
	if err != nil {
		return s.abandon(live, err)
	}
	if s.Record != nil {
		s.Leg.Record(s.Record)
	}
	defer context.AfterFunc(ctx, func() { c.send(shuttingDown{}) })()
	c.loop()
	c.hangUp()
	cancel()
	c.leave()
	return c.outcome
}

// abandon ends a call that cannot begin.
func (s *Session) abandon(ctx context.Context, err error) Outcome {
	ctx, cancel := context.WithTimeout(ctx, hangUpLimit)
	defer cancel()
	if hanging := s.Leg.Hangup(ctx); hanging != nil && s.Logger != nil {
		s.Logger.Warn("hang up", "error", hanging)
	}
	return Outcome{Reason: turn.PlatformError, Fault: turn.PlatformError.Fault(), Err: err}
}

// loop holds the conversation until the rules say that it is over.
func (c *call) loop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = time.NewTimer(0)
	defer c.timer.Stop()
	c.transcriber.open(c.ctx, 0)
	c.dispatch(turn.Answered{})
	incoming, commands := c.incoming, c.Commands
	if c.Loops != nil {
		incoming = nil
		c.Loops.attach(c)
	}
	for c.catchUp(); !c.state.Over(); c.catchUp() {
		if c.deaf != nil {
			c.replaceTranscriber()
			continue
		}
		if !c.await(incoming, commands) {
			commands = nil
		}
	}
	c.left = true
}

// await handles the next thing that happens. Meanwhile the loops own the call. It returns false when there will be no commands
// any more.
func (c *call) await(incoming <-chan audio.Incoming, commands <-chan turn.Command) bool {
	wait := c.untilNext()
	c.armed = c.now() + wait
	c.timer.Reset(wait)
	results := c.transcriber.results
	c.mu.Unlock()
	select {
	case in, ok := <-incoming:
		c.mu.Lock()
		if !ok {
			c.disconnected()
			break
		}
		c.receive(in)
	case e, ok := <-results:
		c.mu.Lock()
		c.transcribed(e, ok)
	case e := <-c.events:
		c.mu.Lock()
		c.handle(e)
	case command, ok := <-commands:
		c.mu.Lock()
		if !ok {
			return false
		}
		c.dispatch(turn.CommandReceived{Command: command})
	case <-c.stirred:
		c.mu.Lock()
		if c.gone {
			c.disconnected()
		}
	case <-c.timer.C:
		c.mu.Lock()
	}
	return true
}

// catchUp does what has become due: the playout, missing frames, the deadlines of the rules.
func (c *call) catchUp() {
	if c.state.Over() {
		return
	}
	if sound := c.undertone(); sound != nil {
		sound.advance()
	}
	c.transcriptionFailed(c.transcriber.fillGaps(c.now(), c.dispatch))
	if c.speaker.advance(c.ctx) {
		c.sentenceBegun()
	}
	if c.state.AssistantBusy() && !c.speaker.busy() && !c.speaker.paused() {
		c.allPlayed()
	}
	if c.state.AssistantBusy() && c.speaker.owesSound() {
		c.fallQuiet()
	}
	for !c.state.Over() {
		due, ok := c.state.NextDeadline()
		if !ok || due > c.now() {
			return
		}
		c.dispatch(turn.Tick{})
	}
}

// untilNext returns how long nothing becomes due.
func (c *call) untilNext() time.Duration {
	wait := time.Hour
	if due, ok := c.state.NextDeadline(); ok {
		wait = min(wait, due-c.now())
	}
	if due, ok := c.transcriber.next(); ok {
		wait = min(wait, due-c.now())
	}
	if until, ok := c.speaker.next(); ok {
		wait = min(wait, until)
	}
	if sound := c.undertone(); sound != nil {
		wait = min(wait, sound.next())
	}
	return max(wait, 0)
}
