package events

import (
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// The timing of turns as the API shows it, in the spelling of reports. Flat structs differ from those of package jsonb in their
// tags alone.

type reportTiming struct {
	SpeechEndedMS   int               `json:"speechEndedMs"`
	LastWordsMS     int               `json:"lastWordsMs"`
	TurnEndedMS     int               `json:"turnEndedMs"`
	FirstTokenMS    *int              `json:"firstTokenMs,omitempty"`
	FirstSoundMS    int               `json:"firstSoundMs"`
	Endpointing     reportEndpointing `json:"endpointing"`
	Guesses         []reportGuess     `json:"guesses,omitempty"`
	WastedTokens    int               `json:"wastedTokens"`
	TokensEstimated bool              `json:"tokensEstimated,omitempty"`
}

type reportEndpointing struct {
	Rule      string   `json:"rule"`
	WaitMS    int      `json:"waitMs"`
	Continues *float64 `json:"continues,omitempty"`
}

type reportGuess struct {
	AtMS             int    `json:"atMs"`
	Words            string `json:"words"`
	Used             bool   `json:"used"`
	PromptTokens     int    `json:"promptTokens"`
	CompletionTokens int    `json:"completionTokens"`
	Estimated        bool   `json:"estimated,omitempty"`
}

type reportLatency struct {
	Turns   int                 `json:"turns"`
	P50MS   int                 `json:"p50Ms"`
	P95MS   int                 `json:"p95Ms"`
	Stages  reportLatencyStages `json:"stages"`
	Guesses reportGuesses       `json:"guesses"`
}

type reportLatencyStages struct {
	Transcriber reportQuantiles `json:"transcriber"`
	Endpointing reportQuantiles `json:"endpointing"`
	Model       reportQuantiles `json:"model"`
	Voice       reportQuantiles `json:"voice"`
}

type reportQuantiles struct {
	P50MS int `json:"p50Ms"`
	P95MS int `json:"p95Ms"`
}

type reportGuesses struct {
	Made            int  `json:"made"`
	Used            int  `json:"used"`
	WastedTokens    int  `json:"wastedTokens"`
	TokensEstimated bool `json:"tokensEstimated,omitempty"`
}

func newReportTiming(timing *jsonb.TurnTiming) *reportTiming {
	if timing == nil {
		return nil
	}
	shown := &reportTiming{
		SpeechEndedMS: timing.SpeechEndedMS, LastWordsMS: timing.LastWordsMS, TurnEndedMS: timing.TurnEndedMS,
		FirstTokenMS: timing.FirstTokenMS, FirstSoundMS: timing.FirstSoundMS, Endpointing: reportEndpointing(timing.Endpointing),
		WastedTokens: timing.WastedTokens, TokensEstimated: timing.TokensEstimated,
	}
	for _, guess := range timing.Guesses {
		shown.Guesses = append(shown.Guesses, reportGuess(guess))
	}
	return shown
}

func newReportLatency(latency *jsonb.Latency) *reportLatency {
	if latency == nil {
		return nil
	}
	return &reportLatency{
		Turns: latency.Turns, P50MS: latency.P50MS, P95MS: latency.P95MS, Guesses: reportGuesses(latency.Guesses),
		Stages: reportLatencyStages{
			Transcriber: reportQuantiles(latency.Stages.Transcriber), Endpointing: reportQuantiles(latency.Stages.Endpointing),
			Model: reportQuantiles(latency.Stages.Model), Voice: reportQuantiles(latency.Stages.Voice),
		},
	}
}

// performanceMetrics are the same times, in milliseconds, as servers of this field read them.
type performanceMetrics struct {
	TurnLatencies []turnLatency `json:"turnLatencies"`
	turnLatencyAverages
	NumAssistantInterrupted int `json:"numAssistantInterrupted"`
}

type turnLatency struct {
	Model       int `json:"modelLatency"`
	Voice       int `json:"voiceLatency"`
	Transcriber int `json:"transcriberLatency"`
	Endpointing int `json:"endpointingLatency"`
	Turn        int `json:"turnLatency"`
}

type turnLatencyAverages struct {
	Model       float64 `json:"modelLatencyAverage"`
	Voice       float64 `json:"voiceLatencyAverage"`
	Transcriber float64 `json:"transcriberLatencyAverage"`
	Endpointing float64 `json:"endpointingLatencyAverage"`
	Turn        float64 `json:"turnLatencyAverage"`
}

func newPerformanceMetrics(turns []*dbsqlc.CallTurn) performanceMetrics {
	metrics, sum := performanceMetrics{TurnLatencies: []turnLatency{}}, turnLatencyAverages{}
	for _, turn := range turns {
		if turn.Interrupted {
			metrics.NumAssistantInterrupted++
		}
		if turn.Timing == nil {
			continue
		}
		s := turn.Timing.Stages()
		metrics.TurnLatencies = append(metrics.TurnLatencies, turnLatency{
			Model: s.Model, Voice: s.Voice, Transcriber: s.Transcriber, Endpointing: s.Endpointing, Turn: s.Turn,
		})
		sum.Model += float64(s.Model)
		sum.Voice += float64(s.Voice)
		sum.Transcriber += float64(s.Transcriber)
		sum.Endpointing += float64(s.Endpointing)
		sum.Turn += float64(s.Turn)
	}
	if n := float64(len(metrics.TurnLatencies)); n > 0 {
		metrics.turnLatencyAverages = turnLatencyAverages{
			Model: sum.Model / n, Voice: sum.Voice / n, Transcriber: sum.Transcriber / n, Endpointing: sum.Endpointing / n, Turn: sum.Turn / n,
		}
	}
	return metrics
}
