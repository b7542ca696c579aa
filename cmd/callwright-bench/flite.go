package main

import (
	"context"
	"errors"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/voice/audio"
)

// spokenSentences are what an assistant says in a call.
var spokenSentences = []string{
	"Good morning, this is Linden Dental, how can I help you?", "Yes.", "On Saturday we are open from nine to one.",
	"Your appointment is on Thursday the fifth of March at a quarter past ten.", "Could you spell your last name for me, please?",
	"That will be 1,250 dollars and 40 cents.", "One moment, please.", "You can reach us at 020 123 4567, or by mail.",
	"I am sorry, I did not catch that. Could you say it again?", "Thank you for calling. Goodbye.",
}

// fliteRealtimeFactor is how many seconds of speech the built-in voice of an assistant makes with one second of processor
// time, once it is compiled.
func fliteRealtimeFactor(ctx context.Context, b *bench) error {
	voice := flite.New(flite.Config{Voice: flite.Kal})
	if _, err := speakAll(ctx, voice); err != nil {
		return err
	}
	before, err := cpuTime()
	if err != nil {
		return err
	}
	var spoken time.Duration
	for end := time.Now().Add(time.Duration(b.seconds) * time.Second); time.Now().Before(end); {
		length, err := speakAll(ctx, voice)
		if err != nil {
			return err
		}
		spoken += length
	}
	after, err := cpuTime()
	if err != nil {
		return err
	}
	if after <= before {
		return errors.New("no processor time was spent")
	}
	report("flite_realtime_factor", spoken.Seconds()/(after-before).Seconds(), "s/s")
	return nil
}

// speakAll returns how long all sentences last.
func speakAll(ctx context.Context, voice tts.Provider) (length time.Duration, err error) {
	for _, text := range spokenSentences {
		for chunk, err := range voice.Speak(ctx, tts.Request{Text: text}) {
			if err != nil {
				return 0, err
			}
			length += audio.Duration(len(chunk))
		}
	}
	return length, nil
}
