package conversation

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fallback"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/turn/evidence"
	"github.com/callwright/callwright/voice/voicetest"
)

// setting is what a call is like.
type setting struct {
	language   string
	assistant  speaker
	first      string // message; empty: the assistant waits
	outbound   bool   // who answers has to be found out
	replies    []string
	background clip    // looped, with its words, at its level
	noise      float64 // dBFS of the line

	backgroundLevel float64 // dBFS
	echo            float64 // dB; 0: none
	echoDelay       time.Duration
	echoJitter      time.Duration
	punctuation     punctuation
	vendors         vendors
	modelDelay      time.Duration      // to its first word
	voiceDelay      time.Duration      // to its first sound
	thinksAfter     bool               // the model is asked only when the turn is over
	waits           bool               // for the longest pause
	lateness        *rand.Rand         // of what is recognised; nil: it comes at once
	rough           bool               // it is written as roughly as real recognisers do
	voices          map[string][]int16 // what the assistant says, by sentence, as it is read aloud
	fillerVoice     []int16            // what it says beside
}

// room is the far end of a running call: a telephone in a room, and what is known of what happens there.
type room struct {
	setting
	leg     *voicetest.Leg
	journal *voicetest.Journal
	begun   time.Time

	mu       sync.Mutex
	words    []spoken // by anybody near the telephone
	reply    string   // what the model says to the next question
	prompts  int      // how often the model was asked
	bgAt     int      // of the background, its next sample
	bgWords  int
	bgLoops  time.Duration
	jitterAt int
	line     noiseLine
	pauses   pauses
}

// spoken is a word that was spoken in the room.
type spoken struct {
	word
	other bool // somebody else than the caller did
	last  bool // of a stretch of speech
	ends  bool // of what the caller had to say
}

func (r *room) now() time.Duration { return time.Since(r.begun) }

// hold runs a call in which the far end does what the scene says.
func hold(ctx context.Context, s scene) []Check {
	r := &room{setting: s.setting, leg: voicetest.NewLeg(), journal: &voicetest.Journal{}, begun: time.Now(), pauses: pauses{}}
	r.leg.NoCaptions = true
	r.line.level = s.setting.noise
	if s.setting.echo != 0 {
		r.leg.EchoGain, r.leg.EchoDelay = audio.Gain(s.setting.echo), s.setting.echoDelay
	}
	script := voice.DefaultScript()
	script.SystemPrompt = "You answer for a practice."
	script.Language = s.setting.language
	script.FirstMessage, script.FirstMessageInterruptions = s.setting.first, true
	if s.setting.first == "" {
		script.FirstMessageMode = turn.AssistantWaitsForUser
	}
	if s.setting.outbound {
		script.DetectVoicemail, script.VoicemailMessage = true, "Please call us back. Thank you."
	}
	script.StartSpeaking.ThinkAhead = !s.setting.thinksAfter
	if s.setting.waits {
		script.StartSpeaking.WaitFunction = func(float64) time.Duration { return evidence.LongestWait }
	}
	session := &voice.Session{
		Leg: r.leg, Journal: r.journal, LLM: model{r}, STT: recogniser{r}, Script: script,
		TTS:  fallback.TTS(slog.New(slog.DiscardHandler), synthesiser{r}, builtInVoice{r}),
		Pick: func(int) int { return 0 }, Pauses: r.paused,
	}
	done := make(chan voice.Outcome, 1)
	go func() { done <- session.Run(ctx) }()
	checks := s.act(r)
	r.leg.RemoteHangup()
	outcome := <-done
	for _, guess := range outcome.Guesses {
		checks = append(checks, Check{Kind: "guess", Bad: !guess.Used, Note: fmt.Sprintf("%s: %q", r.language, guess.Words)})
	}
	checks = append(checks, r.observed()...)
	for i := range checks {
		if checks[i].Bad {
			checks[i].Note += "\n    " + strings.Join(r.journal.Transcript(), "\n    ")
		}
	}
	return checks
}

// over reports whether the assistant hung up.
func (r *room) over() bool {
	select {
	case <-r.leg.Done():
		return true
	default:
		return false
	}
}

// talk sends what the caller says, in the sound of the room. It returns when it begins and ends. The last part is the one that
// ends what the caller has to say.
func (r *room) talk(c clip, ends bool) (from, to time.Duration) {
	from = r.now()
	r.mu.Lock()
	for i, w := range c.words {
		last := i == len(c.words)-1
		r.words = append(r.words, spoken{word: word{w.text, from + w.from, from + w.to}, last: last, ends: last && ends})
	}
	r.mu.Unlock()
	to = from + c.length()
	for pcm := c.pcm; len(pcm) > 0; {
		frame := make([]int16, audio.FrameLen)
		pcm = pcm[copy(frame, pcm):]
		r.send(frame)
	}
	return from, to
}

// pass lets time pass.
func (r *room) pass(d time.Duration) {
	for until := r.now() + d; r.now() < until && !r.over(); {
		r.send(make([]int16, audio.FrameLen))
	}
}

// send sends a frame with the sounds of the room in it, coded as telephones do.
func (r *room) send(frame []int16) {
	r.addBackground(frame)
	r.line.add(frame)
	var code [audio.FrameLen]byte
	audio.Mu.Decode(frame[:0], audio.Mu.Encode(code[:0], frame))
	if r.echo != 0 && r.echoJitter > 0 {
		r.moveEcho()
	}
	r.leg.Sound(frame)
}

// moveEcho changes the delay of the echo each two seconds, as a telephone whose receive buffer adapts.
func (r *room) moveEcho() {
	if step := int(r.now() / (2 * time.Second)); step != r.jitterAt {
		r.jitterAt = step
		shift := r.echoJitter.Seconds() * []float64{0, 1, -1, 0, 1, 0, -1}[step%7]
		r.leg.EchoDelay = max(r.echoDelay+time.Duration(shift*float64(time.Second)), audio.FrameDuration)
	}
}

// addBackground adds the next frame of the background and keeps the record of its words.
func (r *room) addBackground(frame []int16) {
	background := r.background.pcm
	if len(background) == 0 {
		return
	}
	for i := range frame {
		frame[i] = audio.Clamp(float64(frame[i]) + float64(background[r.bgAt]))
		if r.bgAt++; r.bgAt == len(background) {
			r.bgAt, r.bgWords = 0, 0
			r.bgLoops += r.background.length()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := audio.Duration(r.bgAt); r.bgWords < len(r.background.words) && r.background.words[r.bgWords].from <= at; r.bgWords++ {
		w := r.background.words[r.bgWords]
		r.words = append(r.words, spoken{word: word{w.text, w.from + r.bgLoops, w.to + r.bgLoops}, other: true})
	}
}

// prepare sets what the model says next.
func (r *room) prepare(reply string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reply = reply
}

// speaking reports whether the assistant is heard.
func (r *room) speaking() bool { return r.leg.Queued() > 0 }

// firstSound returns when the assistant was heard first since a time, or false.
func (r *room) firstSound(since time.Duration) (time.Duration, bool) {
	for _, span := range r.leg.Played() {
		if span.To > since {
			return max(span.From, since), true
		}
	}
	return 0, false
}

// awaitSound waits until the assistant is heard that began after since.
func (r *room) awaitSound(since, limit time.Duration) (time.Duration, bool) {
	for until := r.now() + limit; r.now() < until && !r.over(); {
		if at, ok := r.firstSound(since); ok && at <= r.now() {
			return at, true
		}
		r.send(make([]int16, audio.FrameLen))
	}
	return r.firstSound(since)
}

// awaitQuiet waits until the assistant has been silent for a while.
func (r *room) awaitQuiet(silence, limit time.Duration) {
	quiet := time.Duration(0)
	for until := r.now() + limit; r.now() < until && quiet < silence && !r.over(); {
		r.send(make([]int16, audio.FrameLen))
		if quiet += audio.FrameDuration; r.speaking() {
			quiet = 0
		}
	}
}

// gaps returns the longest silence of the assistant between two times.
func (r *room) longestGap(from, to time.Duration) (longest time.Duration) {
	at := from
	for _, span := range r.leg.Played() {
		if span.To <= from || span.From >= to {
			continue
		}
		longest = max(longest, span.From-at)
		at = span.To
	}
	return max(longest, to-at)
}
