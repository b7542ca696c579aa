package conversation

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

// vendors is how the vendors of a call fail. The zero value is vendors that work.
type vendors string

// The failures. They begin with the first question of the caller.
const (
	modelHangs    vendors = "the model says nothing"
	modelSlow     vendors = "the model takes 9 s to its first word"
	modelStalls   vendors = "the model stops within its answer"
	modelBreaks   vendors = "the model's answer is cut off"
	hearingHangs  vendors = "the recogniser understands nothing"
	hearingFails  vendors = "the recogniser refuses"
	voiceHangs    vendors = "the voice makes no sound"
	voiceCutsWord vendors = "the voice breaks off within a sentence"
)

var allFailures = []vendors{
	modelHangs, modelSlow, modelStalls, modelBreaks, hearingHangs, hearingFails, voiceHangs, voiceCutsWord,
}

var errVendor = fault.New(fault.Unavailable, "scripted", "scripted failure")

func (v vendors) refuseStream(*room) error {
	if v == hearingFails {
		return errVendor
	}
	return nil
}

// recognises reports whether interim words come.
func (v vendors) recognises(*room) bool { return v != hearingHangs }

// finalises reports whether words become final.
func (v vendors) finalises(context.Context, *room) bool { return v != hearingHangs }

// model is an llm.Provider that says what the room has prepared.
type model struct{ *room }

// Name implements llm.Provider.
func (model) Name() string { return "scripted" }

// Stream implements llm.Provider.
func (m model) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	m.mu.Lock()
	text := m.reply
	m.prompts++
	m.mu.Unlock()
	return func(yield func(llm.Delta, error) bool) {
		fields := strings.SplitAfter(text, " ")
		wait := m.modelDelay
		switch m.vendors {
		case modelHangs:
			wait = time.Hour
		case modelSlow:
			wait = 9 * time.Second
		}
		for i, field := range fields {
			if i == len(fields)/2 {
				switch m.vendors {
				case modelStalls:
					wait = time.Hour
				case modelBreaks:
					yield(llm.Delta{}, errVendor)
					return
				}
			}
			if !pause(ctx, wait) {
				yield(llm.Delta{}, ctx.Err())
				return
			}
			wait = 0
			if !yield(llm.Delta{Text: field}, nil) {
				return
			}
		}
		yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}

// pause reports whether ctx lasted that long.
func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// synthesiser is a tts.Provider that has made all it says before.
type synthesiser struct{ *room }

// Name implements tts.Provider.
func (synthesiser) Name() string { return "scripted" }

// Speak implements tts.Provider.
func (v synthesiser) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		v.mu.Lock()
		failing := v.prompts > 0
		v.mu.Unlock()
		if failing && v.vendors == voiceHangs && !pause(ctx, time.Hour) {
			yield(nil, ctx.Err())
			return
		}
		if !pause(ctx, v.voiceDelay) {
			yield(nil, ctx.Err())
			return
		}
		pcm := v.sound(req.Text)
		const chunk = audio.Rate / 5
		for at := 0; at < len(pcm); at += chunk {
			if failing && v.vendors == voiceCutsWord && at > 2*chunk {
				yield(nil, errVendor)
				return
			}
			if !yield(pcm[at:min(at+chunk, len(pcm))], nil) {
				return
			}
		}
	}
}

// builtInVoice stands in for the synthesiser, as Flite does at the end of every chain of voices.
type builtInVoice struct{ *room }

// Name implements tts.Provider.
func (builtInVoice) Name() string { return "built-in" }

// Speak implements tts.Provider.
func (v builtInVoice) Speak(_ context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) { yield(v.sound(req.Text), nil) }
}

// sound returns what was made of a sentence before.
func (r *room) sound(text string) []int16 {
	if pcm, ok := r.voices[text]; ok {
		return pcm
	}
	return r.fillerVoice[:min(len(r.fillerVoice), audio.Samples(wordTime)*len(strings.Fields(text)))]
}

// wordTime is how long the assistant takes for a word of a sentence that was not made before.
const wordTime = 350 * time.Millisecond
