package main

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
)

// What the scripted providers take for their own work. It is taken off what a turn lasts.
const (
	hearingTime  = 60 * time.Millisecond
	thinkingTime = 80 * time.Millisecond
	voicingTime  = 40 * time.Millisecond
)

// turnKey names one pause of one recogniser: the words that it makes of the pause carry it through the model to the
// voice, so that the moments of a turn find each other.
type turnKey struct{ stream, pause int64 }

// turnTimes are the moments of a turn.
type turnTimes struct {
	number    string    // who was called
	paused    time.Time // the end of speech was detected
	interrupt time.Time // words that interrupt were given out
	voiced    time.Time // the first sound of the answer was given out
}

// scripted is a recogniser, a model and a voice that note when they were asked.
type scripted struct {
	speech     []int16 // what the voice says, whatever it is to say
	interrupts bool    // the recogniser gives out an interruption phrase as soon as it hears speech
	streams    atomic.Int64
	mu         sync.Mutex
	turns      map[turnKey]*turnTimes
}

func newScripted(speech []int16, interrupts bool) *scripted {
	return &scripted{speech: speech, interrupts: interrupts, turns: map[turnKey]*turnTimes{}}
}

func (s *scripted) note(key turnKey, set func(*turnTimes)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns[key] == nil {
		s.turns[key] = &turnTimes{}
	}
	set(s.turns[key])
}

// forget drops what was noted.
func (s *scripted) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.turns)
}

var keyInText = regexp.MustCompile(`marked (\d+)-(\d+)`)

func (k turnKey) words() string { return fmt.Sprintf("marked %d-%d", k.stream, k.pause) }

// lastKey finds the last turn that a text is about.
func lastKey(text string) (key turnKey, ok bool) {
	found := keyInText.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return key, false
	}
	last := found[len(found)-1]
	key.stream, _ = strconv.ParseInt(last[1], 10, 64) // digits, by the expression
	key.pause, _ = strconv.ParseInt(last[2], 10, 64)
	return key, true
}

// Name implements the three providers.
func (s *scripted) Name() string { return "scripted" }

// transcriber implements stt.Provider.
type transcriber struct{ *scripted }

type transcript struct {
	*stt.Emitter
	of     *scripted
	key    turnKey
	spoke  bool // since the last pause
	events chan stt.Event
}

// Open implements stt.Provider.
func (t transcriber) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	s := &transcript{of: t.scripted, key: turnKey{stream: t.streams.Add(1)}, events: make(chan stt.Event, 64)}
	s.Emitter = stt.NewEmitter(ctx, func(ctx context.Context, emit func(stt.Event) bool) error {
		for {
			select {
			case event := <-s.events:
				if event.Final {
					time.Sleep(hearingTime)
				}
				if !emit(event) {
					return nil
				}
			case <-ctx.Done():
				return nil
			}
		}
	})
	return s, nil
}

// Write implements stt.Stream.
func (s *transcript) Write([]int16) error {
	if s.of.interrupts && !s.spoke {
		s.of.note(s.key, func(t *turnTimes) { t.interrupt = time.Now() })
		s.events <- stt.Event{Text: "Stop, " + s.key.words()}
	}
	s.spoke = true
	return nil
}

// EndOfSpeech implements stt.Stream.
func (s *transcript) EndOfSpeech() {
	s.of.note(s.key, func(t *turnTimes) { t.paused = time.Now() })
	s.events <- stt.Event{Text: "This is " + s.key.words() + ".", Final: true}
	s.key.pause++
	s.spoke = false
}

// responder implements llm.Provider.
type responder struct{ *scripted }

// Stream implements llm.Provider.
func (r responder) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		key, ok := lastKey(req.Messages[len(req.Messages)-1].Content)
		if ok {
			number := strings.TrimPrefix(req.Messages[0].Content, "number ")
			r.note(key, func(t *turnTimes) { t.number = number })
		}
		select {
		case <-time.After(thinkingTime):
		case <-ctx.Done():
			yield(llm.Delta{}, ctx.Err())
			return
		}
		if yield(llm.Delta{Text: "That was " + key.words() + "."}, nil) {
			yield(llm.Delta{Finish: llm.FinishStop}, nil)
		}
	}
}

// speaker implements tts.Provider.
type speaker struct{ *scripted }

// Speak implements tts.Provider.
func (s speaker) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		select {
		case <-time.After(voicingTime):
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
		if key, ok := lastKey(req.Text); ok {
			s.note(key, func(t *turnTimes) { t.voiced = time.Now() })
		}
		const chunk = 1600 // 200 ms
		for rest := s.speech; len(rest) > 0; rest = rest[min(chunk, len(rest)):] {
			if !yield(rest[:min(chunk, len(rest))], nil) {
				return
			}
		}
	}
}
