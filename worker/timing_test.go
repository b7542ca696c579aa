package worker

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
)

// heardAfter returns the timing of an answer that was heard so many milliseconds behind the caller's speech, all of them the
// model's.
func heardAfter(ms int) voice.Timing {
	const ended = 2 * time.Second
	return voice.Timing{
		EndOfTurn: turn.EndOfTurn{SpeechEnded: ended, LastWords: ended, At: ended, Rule: turn.EndByEvidence,
			Wait: 300 * time.Millisecond, Continues: 0.1},
		FirstSound: ended + time.Duration(ms)*time.Millisecond,
	}
}

func TestTimingAsItIsStored(t *testing.T) {
	t.Parallel()

	timing := heardAfter(900)
	timing.LastWords += 100 * time.Millisecond
	timing.At += 300 * time.Millisecond
	timing.FirstToken = timing.SpeechEnded + 700*time.Millisecond
	timing.Guesses = []voice.Guess{
		{At: 2160 * time.Millisecond, Words: "I want\x00 to",
			Tokens: voice.Tokens{PromptTokens: 100, CompletionTokens: 7, Estimated: true}},
		{At: 2400 * time.Millisecond, Words: "I want to book.", Used: true},
	}
	want := &jsonb.TurnTiming{
		SpeechEndedMS: 2000, LastWordsMS: 2100, TurnEndedMS: 2300, FirstTokenMS: new(2700), FirstSoundMS: 2900,
		Endpointing: jsonb.TurnEndpointing{Rule: "evidence", WaitMS: 300, Continues: new(0.1)},
		Guesses: []jsonb.TurnGuess{
			{AtMS: 2160, Words: "I want\uFFFD to", PromptTokens: 100, CompletionTokens: 7, Estimated: true},
			{AtMS: 2400, Words: "I want to book.", Used: true},
		},
		WastedTokens: 107, TokensEstimated: true,
	}
	require.Equal(t, want, timingOf(&timing))
	require.Equal(t, jsonb.TurnStages{Transcriber: 100, Endpointing: 200, Model: 400, Voice: 200, Turn: 900}, want.Stages())
	require.Nil(t, timingOf(nil))

	lost := latencyOf([]*dbsqlc.CallTurn{{Role: "assistant"}, {Role: "assistant", Timing: want}, {Role: "user"}})
	outcome := voice.Outcome{Timings: []voice.Timing{timing}, Guesses: timing.Guesses}
	require.Equal(t, latency(outcome), lost, "of a call whose process died as of one that ended")
	require.Equal(t, jsonb.LatencyGuesses{Made: 2, Used: 1, WastedTokens: 107, TokensEstimated: true}, lost.Guesses)
	require.Equal(t, 400, lost.Stages.Model.P95MS)
	require.Nil(t, latencyOf(nil))
}

// Of a call whose process died, what it has written tells how long its caller waited.
func TestALostCallIsExplained(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 10, 0)
	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET status = 'in-progress', invited_at = now(), started_at = now() WHERE id = $1",
		call.ID)
	require.NoError(t, err)
	timing := heardAfter(900)
	timing.Guesses = []voice.Guess{{At: time.Second, Words: "I want", Tokens: voice.Tokens{PromptTokens: 100, CompletionTokens: 7}}}
	for range 2 { // the second time it is there
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx,
			&calls.Turn{Call: call, Role: voice.RoleUser, Text: "I want a cat.", SecondsFromStart: 1},
			&calls.Turn{Call: call, Position: 1, Role: voice.RoleAssistant, Text: "Of course.", SecondsFromStart: 3,
				Timing: timingOf(&timing)}))
	}
	lost, err := (&supervisor{jobs: f.Inserter}).endLostCalls(t.Context(), f.Tx, "process", func(uuid.UUID) bool { return true })
	require.NoError(t, err)
	require.Len(t, lost, 1)
	require.Equal(t, "worker-lost", *lost[0].EndedReason)
	require.Equal(t, latency(voice.Outcome{Timings: []voice.Timing{timing}, Guesses: timing.Guesses}), lost[0].Latency)
	require.Equal(t, 107, lost[0].Latency.Guesses.WastedTokens)

	turns, err := calls.ListTurns(t.Context(), f.Tx, []uuid.UUID{call.ID})
	require.NoError(t, err)
	require.NoError(t, f.Reporter().Report(t.Context(), f.Tx, f.Inserter, lost, turns))
	report := dbfactory.Message[map[string]json.RawMessage](t, f.Tx, "call_id = $1 AND type = 'end-of-call-report'", call.ID)["artifact"]
	var artifact struct {
		Messages []struct{ Timing json.RawMessage }
		Latency  struct {
			P50MS  int `json:"p50Ms"`
			Stages struct {
				Model struct {
					P95MS int `json:"p95Ms"`
				}
			}
		}
		PerformanceMetrics json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(report), &artifact))
	require.Empty(t, artifact.Messages[0].Timing)
	require.JSONEq(t, `{
		"speechEndedMs": 2000, "lastWordsMs": 2000, "turnEndedMs": 2000, "firstSoundMs": 2900, "wastedTokens": 107,
		"endpointing": {"rule": "evidence", "waitMs": 300, "continues": 0.1},
		"guesses": [{"atMs": 1000, "words": "I want", "used": false, "promptTokens": 100, "completionTokens": 7}]
	}`, string(artifact.Messages[1].Timing))
	require.Equal(t, 900, artifact.Latency.P50MS)
	require.Equal(t, 900, artifact.Latency.Stages.Model.P95MS)
	require.JSONEq(t, `{
		"turnLatencies": [{"modelLatency": 900, "voiceLatency": 0, "transcriberLatency": 0, "endpointingLatency": 0, "turnLatency": 900}],
		"modelLatencyAverage": 900, "voiceLatencyAverage": 0, "transcriberLatencyAverage": 0, "endpointingLatencyAverage": 0, "turnLatencyAverage": 900,
		"numAssistantInterrupted": 0
	}`, string(artifact.PerformanceMetrics))
}

func TestStages(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		timing jsonb.TurnTiming
		want   jsonb.TurnStages
	}{
		"begun ahead": {
			jsonb.TurnTiming{SpeechEndedMS: 1000, LastWordsMS: 1100, TurnEndedMS: 1500, FirstTokenMS: new(1300), FirstSoundMS: 1520},
			jsonb.TurnStages{Transcriber: 100, Endpointing: 400, Voice: 20, Turn: 520},
		},
		"patience was asked for": {
			jsonb.TurnTiming{SpeechEndedMS: 1000, LastWordsMS: 900, TurnEndedMS: 1300, FirstTokenMS: new(7000), FirstSoundMS: 3900},
			jsonb.TurnStages{Endpointing: 300, Model: 2600, Turn: 2900},
		},
		"no model": {
			jsonb.TurnTiming{SpeechEndedMS: 1000, LastWordsMS: 1000, TurnEndedMS: 1000, FirstSoundMS: 1600},
			jsonb.TurnStages{Model: 600, Turn: 600},
		},
	} {
		require.Equal(t, c.want, c.timing.Stages(), name)
	}
}
