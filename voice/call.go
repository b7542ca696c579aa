package voice

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

// call is a running session: the state of the goroutine that owns it.
type call struct {
	*Session
	ctx     context.Context // ends when the call is over
	log     *slog.Logger
	running *sync.WaitGroup
	begun   time.Time
	rules   *rules
	state   turnState

	ear        *ear
	beep       beepDetector
	guard      guard
	backdrop   *backdrop // nil: none
	mind       *mind
	mouth      *mouth
	happenings chan happening
	left       chan struct{} // closed when nobody reads them any more

	history   []llm.Message
	working   bool    // tools are at work
	postponed *string // words of the caller to think about when they are done; nil: none

	busy    bool          // something to say is being made or played
	replied bool          // the model has given a sentence of this turn
	soundAt time.Duration // when the assistant's turn began to be heard; 0: not yet
	pick    func(n int) int
	outcome Outcome
}

// happening is what others have done for the call, or ask of it, for the goroutine that owns it to take. All come on one
// channel: that goroutine waits 50 times a second, and each channel to wait for costs it as much as the smaller things it
// does then.
type happening interface{ happen(c *call) }

func (t thought) happen(c *call)       { c.thoughtOf(t) }
func (s sound) happen(c *call)         { c.soundMade(s) }
func (o opening) happen(c *call)       { c.recogniserOpened(o) }
func (end transferEnd) happen(c *call) { c.transferEnded(end) }
func (draining) happen(c *call)        { c.feed(draining{}) }

type transferEnd struct {
	id, target string
	err        error
}

func (s *Session) start(ctx context.Context) (*call, error) {
	c := &call{
		Session: s, ctx: ctx, log: s.Logger, running: &sync.WaitGroup{}, begun: time.Now(), rules: newRules(s.Script),
		happenings: make(chan happening), left: make(chan struct{}),
	}
	var err error
	if c.ear, err = newEar(s, c.running, c.happenings); err != nil {
		return nil, err
	}
	if c.pick = s.Pick; c.pick == nil {
		c.pick = rand.IntN
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.mind = &mind{provider: s.LLM, tools: withAbilities(s.Script.Abilities, s.Tools), model: s.Script.Model,
		moment: c.rules.fixed.moment, out: c.happenings, left: c.left, running: c.running}
	c.mouth = &mouth{leg: s.Leg, provider: s.TTS, request: s.Script.speech(""), out: c.happenings, running: c.running}
	if background := s.Script.Background; len(background.Sound) > 0 {
		c.backdrop = newBackdrop(s.Leg, background)
		c.mouth.leg = c.backdrop
	}
	if s.Script.SystemPrompt != "" {
		c.history = []llm.Message{{Role: llm.RoleSystem, Content: s.Script.SystemPrompt}}
	}
	return c, nil
}

// tell hands on what happened.
func (c *call) tell(h happening) {
	select {
	case c.happenings <- h:
	case <-c.left:
	}
}

func (c *call) now() time.Duration { return time.Since(c.begun) }

// loop holds the conversation until the reducer says that it is over.
func (c *call) loop() {
	c.ear.open(c.ctx, 0)
	c.feed(answered{})
	timer := time.NewTimer(0)
	defer timer.Stop()
	incoming, commands := c.Leg.Incoming(), c.Commands
	for c.catchUp(); c.state.phase != over; c.catchUp() {
		timer.Reset(c.untilNext())
		select {
		case in, ok := <-incoming:
			if !ok {
				c.lineGone()
				continue
			}
			c.receive(in)
		case e, ok := <-c.ear.events:
			c.recognised(e, ok)
		case h := <-c.happenings:
			h.happen(c)
		case cmd, ok := <-commands:
			if !ok {
				commands = nil
				continue
			}
			c.feed(asked{cmd})
		case <-timer.C:
		}
	}
}

// catchUp does what has become due: the playout, missing frames, the reducer's moments.
func (c *call) catchUp() {
	if c.state.phase == over {
		return
	}
	if c.backdrop != nil {
		c.backdrop.advance()
	}
	c.deafWhen(c.ear.silence(c.now(), c.feed))
	if c.mouth.advance(c.ctx) {
		c.sentenceBegun()
	}
	if c.busy && !c.thinks() && !c.mouth.busy() && !c.mouth.held {
		c.allSpoken()
	}
	for c.state.phase != over {
		due, ok := c.state.next()
		if !ok || due > c.now() {
			return
		}
		c.feed(tick{})
	}
}

// untilNext is how long nothing becomes due.
func (c *call) untilNext() time.Duration {
	wait := time.Hour
	if due, ok := c.state.next(); ok {
		wait = min(wait, due-c.now())
	}
	if due, ok := c.ear.next(); ok {
		wait = min(wait, due-c.now())
	}
	if until, ok := c.mouth.next(); ok {
		wait = min(wait, until)
	}
	if c.backdrop != nil {
		wait = min(wait, c.backdrop.next())
	}
	return max(wait, 0)
}

// receive takes one thing that the far end sent.
func (c *call) receive(in audio.Incoming) {
	switch {
	case in.Frame != nil:
		if c.state.wantsBeep() && c.beep.hear(in.Frame) {
			c.feed(beeped{})
		}
		c.listen(in.Frame)
		audio.GiveFrame(in.Frame)
	case in.Digit != 0:
		c.note(Note{Kind: DigitPressed, Role: RoleUser, Text: string(rune(in.Digit))})
		c.feed(pressed{in.Digit})
	case in.Caption != "":
		c.ear.read(in.Caption)
	}
}

// listen gives the ear a frame without our own voice in it.
func (c *call) listen(frame []int16) {
	var played [audio.FrameLen]int16
	c.mouth.follow(played[:])
	c.guard.hear(frame, played[:], c.ear.vad.Open(), c.now(), c.hear)
}

func (c *call) hear(frame []int16, at time.Duration) { c.deafWhen(c.ear.hear(frame, at, c.feed)) }

func (c *call) recognised(e stt.Event, ok bool) {
	if !ok {
		c.deafWhen(c.ear.lost())
		return
	}
	if e.Text != "" {
		c.ear.captioned = false
	}
	c.feed(heard{e.Text, e.Final})
}

func (c *call) recogniserOpened(o opening) {
	if o.err == nil {
		o.err = c.ear.opened(o.stream)
	}
	c.deafWhen(o.err)
}

// deafWhen replaces a recogniser that failed.
func (c *call) deafWhen(err error) {
	if err == nil {
		return
	}
	if c.ear.stream != nil {
		if cause := c.ear.lost(); !errors.Is(cause, errRecogniserEnded) {
			err = cause
		}
	}
	c.failed("transcriber", err)
	c.feed(deaf{})
	if c.state.phase < closing {
		c.ear.reopen(c.ctx, c.state.deafs)
	}
}

// failed puts a failure of a provider on record; it becomes the outcome's error if the
// call ends for it.
func (c *call) failed(family string, err error) {
	c.outcome.Err = err
	c.log.WarnContext(c.ctx, "provider failed", "family", family, "error", err)
	c.note(Note{Kind: ProviderFailed, Text: family, Err: err})
}

func (c *call) note(n Note) {
	n.At = c.now()
	c.Ledger.Note(n)
}

// lineGone ends the call after the words that were under way: a transcript or the answer to
// a transfer may arrive just behind the hang-up.
func (c *call) lineGone() {
	c.mouth.lineGone()
	c.lastWords()
	var reason Reason
	err := c.Leg.Err()
	switch {
	case errors.Is(err, media.ErrRemoteHangup):
		reason, err = CustomerEndedCall, nil
	case errors.Is(err, media.ErrMediaTimeout):
		reason = CustomerAudioNotReceived
	case err == nil || errors.Is(err, media.ErrClosed): // our own end of the carrier was closed
		reason, err = WorkerShutdown, nil
	default:
		reason = CarrierDroppedCall
	}
	if err != nil {
		c.outcome.Err = err
	}
	c.feed(gone{reason})
}

// lastWordsLimit is for the recogniser, after the line is gone.
const lastWordsLimit = 1500 * time.Millisecond

func (c *call) lastWords() {
	c.mind.stop()
	c.postponed = nil
	c.guard.release(c.hear, true)
	if c.state.talks || c.ear.vad.Open() { // also behind a noise that was given up
		c.ear.pause()
		c.feed(speechEnded{c.now()})
	}
	limit := time.After(lastWordsLimit)
	for c.state.phase == transferring || c.ear.events != nil && (c.state.owed > 0 || c.ear.captioned) {
		select {
		case e, ok := <-c.ear.events:
			if !ok {
				return
			}
			c.recognised(e, ok)
		case h := <-c.happenings:
			switch h := h.(type) {
			case transferEnd:
				c.transferEnded(h)
			case thought:
				c.keep(h)
			}
		case <-limit:
			return
		}
	}
}

// keep puts on record what tools did for a reply that was given up.
func (c *call) keep(t thought) {
	if t.messages != nil {
		c.toolsRan(t, false)
	}
}

// hangUp ends the line, waits until it is over and closes the books.
func (c *call) hangUp() {
	ctx, cancel := context.WithTimeout(c.ctx, hangUpLimit)
	defer cancel()
	if err := c.Leg.Hangup(ctx); err != nil {
		c.log.WarnContext(ctx, "hang up", "error", err)
	}
	select {
	case <-c.Leg.Done(): // also when both sides hung up at once: nothing is recorded any more
	case <-ctx.Done():
	}
	if err := c.ear.close(); err != nil {
		c.log.WarnContext(ctx, "leave", "error", err)
	}
	c.outcome.Duration = c.now()
	c.log.InfoContext(ctx, "call ended", "reason", c.outcome.Reason, "fault", c.outcome.Fault,
		"duration", c.outcome.Duration, "turns", c.outcome.Turns, "error", c.outcome.Err)
}

// leave waits for what the call had running, but not for a provider that ignores the end. What tools were doing is still
// put on record.
func (c *call) leave() {
	defer close(c.left)
	c.postponed = nil
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	limit := time.After(leaveLimit)
	for {
		select {
		case h := <-c.happenings:
			if t, ok := h.(thought); ok {
				c.keep(t)
			}
		case <-done:
			return
		case <-limit:
			c.log.Warn("a provider keeps running after the call")
			return
		}
	}
}
