package voice

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/echo"
	"github.com/callwright/callwright/voice/tones"
	"github.com/callwright/callwright/voice/turn"
)

// call is a running session. It is owned by whoever holds mu: its own goroutine, or the loop that hears its frames.
type call struct {
	*Session
	mu       sync.Mutex
	incoming <-chan audio.Incoming // of the leg
	waiting  atomic.Int32          // what came and no loop has handled yet
	stirred  chan struct{}         // of capacity 1: its goroutine has something to do that no channel says
	timer    *time.Timer           // that wakes its goroutine
	armed    time.Duration         // when that is
	gone     bool                  // the leg is over
	left     bool                  // the loops have no business with it any more
	deaf     error                 // of a transcriber that is to be replaced; nil: it is not

	ctx     context.Context // ends when the call is over
	log     *slog.Logger
	running *sync.WaitGroup
	begun   time.Time
	rules   *turn.Rules
	state   turn.State // who is speaking

	transcriber *transcriber
	responder   *responder
	speaker     *speaker
	background  *backgroundLeg // nil: none
	echo        echo.Suppressor
	wideband    *wideband // nil: the leg is narrow
	beep        tones.Beep
	faxTone     tones.Fax
	events      chan event
	unread      chan struct{} // closed when nobody reads events any more

	history      []llm.Message
	said         []Turn    // the last ones, for the Endpointer
	unjudged     bool      // by the Endpointer, when it was asked last
	fax          bool      // one answered
	met          bool      // the caller has said something
	guessing     *guessing // nil: nothing is guessed
	toolsRunning bool
	fellQuiet    bool // the rules know that all that was made was played
	postponed    bool // a reply is to be made when the tools are done

	ringing context.CancelFunc // gives up the transfer that is waited for; nil: none is
	away    *away              // where the caller is who is not with the assistant; nil: it is

	timing      *Timing // of the turn that is being heard; nil: it answers nobody, or nothing is heard
	guessesTold int     // how many guesses of the outcome stand in its timings

	pick    func(n int) int
	outcome Outcome
}

// start returns the call that the session is, with nothing running yet.
func (s *Session) start(ctx context.Context) (*call, error) {
	plan := s.Script.Plan
	if s.Endpointer == nil && plan.StartSpeaking.Endpointing == turn.ByServer {
		plan.StartSpeaking.Endpointing = turn.ByEvidence
	}
	c := &call{
		Session: s, ctx: ctx, log: s.Logger, running: &sync.WaitGroup{}, begun: time.Now(), rules: turn.NewRules(plan),
		events: make(chan event), unread: make(chan struct{}), incoming: s.Leg.Incoming(), stirred: make(chan struct{}, 1),
	}
	var err error
	if c.transcriber, err = newTranscriber(s, c.running, c.events); err != nil {
		return nil, err
	}
	if c.pick = s.Pick; c.pick == nil {
		c.pick = rand.IntN
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.responder = &responder{
		provider: s.LLM, tools: withAbilities(s.Script.Abilities, s.Tools), model: s.Script.Model,
		events: c.events, unread: c.unread, running: c.running,
	}
	c.speaker = &speaker{
		playback: playback{leg: s.Leg, band: s.Leg.Band()}, provider: s.TTS, request: s.Script.speech("", s.Leg.Band()),
		reader: s.Script.reader(),
		state:  &c.state, events: c.events, running: c.running,
	}
	if s.Leg.Band() == audio.Wide {
		c.wideband = newWideband()
	}
	if background := s.Script.Background; len(background.Sound) > 0 {
		c.background = newBackgroundLeg(s.Leg, background)
		c.speaker.leg = c.background
	}
	if s.Script.SystemPrompt != "" {
		c.history = []llm.Message{{Role: llm.RoleSystem, Content: s.Script.SystemPrompt}}
	}
	return c, nil
}

func (c *call) now() time.Duration { return time.Since(c.begun) }

// send passes an event to the goroutine that owns the call. It is for others.
func (c *call) send(e event) {
	select {
	case c.events <- e:
	case <-c.unread:
	}
}

func (c *call) note(n Note) {
	n.At = c.now()
	c.Journal.Note(n)
}

// failed puts a failure of a provider on record; it becomes the outcome's error if the call ends for it.
func (c *call) failed(family string, err error) {
	c.outcome.Err = err
	c.log.WarnContext(c.ctx, "provider failed", "family", family, "error", err)
	c.note(Note{Kind: ProviderFailed, Text: family, Err: err})
}

// responding reports whether a reply is being made.
func (c *call) responding() bool { return c.responder.busy() || c.postponed }
