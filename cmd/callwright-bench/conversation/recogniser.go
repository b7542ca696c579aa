package conversation

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice/audio"
)

const (
	heardPart    = 2                      // a word is recognised when one part of so many of its sound was written
	heardLevel   = -75.0                  // dBFS of what is written: less was taken out of it
	faintLevel   = -52.0                  // dBFS of the voice of others: less is not understood
	wordTick     = 20 * time.Millisecond  // how often it looks for words that are complete
	wordPhase    = 7 * time.Millisecond   // behind a frame: what happens at one time happens in any order
	echoWordTime = 300 * time.Millisecond // of written echo in which it understands one word of the assistant
)

// punctuation is what a recogniser writes behind words.
type punctuation uint8

const (
	asSpoken     punctuation = iota // marks as the truth has them, at the end of an utterance only when it is final
	stopsAtPause                    // a full stop wherever the speaker pauses
	none                            // no marks and no capitals
)

func (p punctuation) String() string {
	return [...]string{"marks as spoken", "stops at pauses", "no marks"}[p]
}

// recogniser is an stt.Provider that gives out the words of the room, each when it was spoken, if its sound was written to
// it. It adds no time of its own.
type recogniser struct{ *room }

// Name implements stt.Provider.
func (recogniser) Name() string { return "scripted" }

// Open implements stt.Provider.
func (r recogniser) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	if err := r.vendors.refuseStream(r.room); err != nil {
		return nil, err
	}
	s := &transcript{room: r.room, ends: make(chan struct{}, 64), judged: r.wordCount()}
	s.Emitter = stt.NewEmitter(ctx, s.run)
	return s, nil
}

func (r *room) wordCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.words)
}

// transcript is one stream.
type transcript struct {
	*stt.Emitter
	room *room
	ends chan struct{}

	mu      sync.Mutex
	written []stretch
	judged  int // words of the room, up to here
	text    []spoken
	given   string // the interim text given out last
	echoed  time.Duration
}

// stretch is a time of which the sound was written.
type stretch struct{ from, to time.Duration }

// Write implements stt.Stream.
func (s *transcript) Write(pcm []int16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.room.now()
	from := to - audio.Duration(len(pcm))
	for at := 0; at < len(pcm); at += audio.FrameLen {
		frame := pcm[at:min(at+audio.FrameLen, len(pcm))]
		if audio.Level(frame) > heardLevel {
			begin := from + audio.Duration(at)
			s.written = append(s.written, stretch{begin, begin + audio.Duration(len(frame))})
		}
	}
	s.hearEcho(pcm)
	return s.Over()
}

// hearEcho understands the assistant's own words where nothing else was to be heard.
func (s *transcript) hearEcho(pcm []int16) {
	if s.room.echo == 0 || audio.Level(pcm) < faintLevel || s.room.anybodySpoke(s.room.now()-700*time.Millisecond) {
		return
	}
	if s.echoed += audio.Duration(len(pcm)); s.echoed >= echoWordTime {
		s.echoed = 0
		if words := strings.Fields(strings.Join(s.room.aloud(s.room.saying()), " ")); len(words) > 0 {
			s.text = append(s.text, spoken{word: word{text: words[len(s.text)%len(words)]}, other: true})
		}
	}
}

// EndOfSpeech implements stt.Stream.
func (s *transcript) EndOfSpeech() { s.ends <- struct{}{} }

func (s *transcript) run(ctx context.Context, emit func(stt.Event) bool) error {
	if !pause(ctx, (wordPhase-s.room.now()%wordTick+wordTick)%wordTick) {
		return nil
	}
	ticker := time.NewTicker(wordTick)
	defer ticker.Stop()
	var waiting []recognised
	for {
		select {
		case <-s.ends:
			if !s.room.vendors.finalises(ctx, s.room) {
				continue
			}
			waiting = s.room.recognise(waiting, stt.Event{Text: s.final(), Final: true})
		case <-ticker.C:
			text, changed := s.interim()
			if changed && s.room.vendors.recognises(s.room) {
				waiting = s.room.recognise(waiting, stt.Event{Text: text})
			}
		case <-ctx.Done():
			return nil
		}
		for len(waiting) > 0 && waiting[0].due <= s.room.now() {
			if !emit(waiting[0].event) {
				return nil
			}
			waiting = waiting[1:]
		}
	}
}

// recognised is what will be given out.
type recognised struct {
	event stt.Event
	due   time.Duration
}

// How late real vendors give out words.
const (
	leastLate = 150 * time.Millisecond
	mostLate  = 400 * time.Millisecond
)

// recognise adds an event behind those that wait, none of which it overtakes.
func (r *room) recognise(waiting []recognised, e stt.Event) []recognised {
	r.mu.Lock()
	defer r.mu.Unlock()
	due := r.now()
	if r.lateness != nil {
		due += leastLate + time.Duration(r.lateness.Int64N(int64(mostLate-leastLate)))
	}
	if len(waiting) > 0 {
		due = max(due, waiting[len(waiting)-1].due)
	}
	return append(waiting, recognised{e, due})
}

// interim returns the words so far, and whether they are more than before. The last one has no mark yet.
func (s *transcript) interim() (text string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen(false)
	text = strings.TrimSpace(strings.TrimRight(s.write(), ".,?!") + " " + s.underWay())
	changed = text != s.given
	s.given = text
	return text, changed && text != ""
}

// final returns the words since the last call, as they will stay.
func (s *transcript) final() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen(true)
	text := s.write()
	if s.room.punctuation == stopsAtPause && text != "" {
		text = strings.TrimRight(text, ",.?!") + mark(text)
	}
	s.text, s.given = nil, ""
	return text
}

// mark returns what a recogniser that believes a pause to be an end writes behind a text.
func mark(text string) string {
	if strings.HasSuffix(text, "?") {
		return "?"
	}
	return "."
}

func (s *transcript) write() string {
	var words []string
	for _, w := range s.text {
		words = append(words, w.text)
	}
	text := strings.Join(words, " ")
	if s.room.punctuation == none {
		text = strings.ToLower(strings.NewReplacer(".", "", ",", "", "?", "", "!", "").Replace(text))
	}
	if s.room.rough {
		text = inDigits(text)
	}
	return text
}

// listen adds the words that are over and of which enough was written. What others said is understood only while the caller
// was silent. At an end of speech a word counts that was only begun: when words end is known roughly.
func (s *transcript) listen(ended bool) {
	now := s.room.now()
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	words := s.room.words
	for s.judged < len(words) {
		w := words[s.judged]
		switch {
		case w.to > now && (!ended || w.from >= now || !s.wrote(w.word)):
			return
		case w.other && (s.room.backgroundLevel < faintLevel || covered(w, words)):
		case s.wrote(w.word):
			s.text = append(s.text, w)
		case now-w.to < time.Second && !followed(w, words, now): // its sound may yet come, from before the detection
			return
		}
		s.judged++
	}
}

// followed reports whether another word has been spoken completely since.
func followed(w spoken, words []spoken, now time.Duration) bool {
	return slices.ContainsFunc(words, func(next spoken) bool { return next.from >= w.to && next.to+200*time.Millisecond <= now })
}

// covered reports whether the caller spoke during somebody else's word.
func covered(w spoken, words []spoken) bool {
	return slices.ContainsFunc(words, func(own spoken) bool { return !own.other && own.from < w.to && w.from < own.to })
}

// wrote reports whether enough of a word's sound was written.
func (s *transcript) wrote(w word) bool {
	var heard time.Duration
	for _, part := range s.written {
		heard += max(min(part.to, w.to)-max(part.from, w.from), 0)
	}
	return heard*heardPart >= w.to-w.from
}

// anybodySpoke reports whether a word was spoken in the room since a time.
func (r *room) anybodySpoke(since time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.words, func(w spoken) bool { return w.to > since && w.from <= r.now() })
}

// saying returns what the assistant says.
func (r *room) saying() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.prompts > 0 {
		return r.reply
	}
	return r.first
}
