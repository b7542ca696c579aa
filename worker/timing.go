package worker

import (
	"time"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
)

// latency sums up the answers of a call that has ended here.
func latency(outcome voice.Outcome) *jsonb.Latency {
	var timings []*jsonb.TurnTiming
	for _, timing := range outcome.Timings {
		timings = append(timings, timingOf(&timing))
	}
	return jsonb.SumLatency(timings, guessesOf(outcome.Guesses))
}

// latencyOf sums up the answers that a process which is gone has written.
func latencyOf(turns []*dbsqlc.CallTurn) *jsonb.Latency {
	var timings []*jsonb.TurnTiming
	var guesses []jsonb.TurnGuess
	for _, turn := range turns {
		if turn.Timing != nil {
			timings, guesses = append(timings, turn.Timing), append(guesses, turn.Timing.Guesses...)
		}
	}
	return jsonb.SumLatency(timings, guesses)
}

// timingOf returns a timing as it is stored; nil: there is none.
func timingOf(timing *voice.Timing) *jsonb.TurnTiming {
	if timing == nil {
		return nil
	}
	stored := &jsonb.TurnTiming{
		SpeechEndedMS: milliseconds(timing.SpeechEnded), LastWordsMS: milliseconds(timing.LastWords),
		TurnEndedMS:  milliseconds(timing.At),
		FirstSoundMS: milliseconds(timing.FirstSound),
		Endpointing:  jsonb.TurnEndpointing{Rule: string(timing.Rule), WaitMS: milliseconds(timing.Wait)},
	}
	if timing.FirstToken != 0 {
		stored.FirstTokenMS = new(milliseconds(timing.FirstToken))
	}
	if timing.Rule == turn.EndByEvidence || timing.Rule == turn.EndByWaitFunction {
		stored.Endpointing.Continues = new(timing.Continues)
	}
	stored.SetGuesses(guessesOf(timing.Guesses))
	return stored
}

func guessesOf(guesses []voice.Guess) []jsonb.TurnGuess {
	stored := make([]jsonb.TurnGuess, 0, len(guesses))
	for _, guess := range guesses {
		stored = append(stored, jsonb.TurnGuess{
			AtMS: milliseconds(guess.At), Words: db.Storable(guess.Words), Used: guess.Used,
			PromptTokens: guess.PromptTokens, CompletionTokens: guess.CompletionTokens, Estimated: guess.Estimated,
		})
	}
	return stored
}

func milliseconds(d time.Duration) int { return int(d.Milliseconds()) }
