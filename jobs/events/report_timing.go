package events

import (
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// The timing of turns as the API shows it, in the spelling of reports. Flat structs differ from those of package jsonb in their
// tags alone.

type reportTiming struct {
	SpeechEndedMS   int               `json:"speechEndedMs" doc:"When the caller fell silent."`
	LastWordsMS     int               `json:"lastWordsMs" doc:"When the transcriber gave the caller's last words."`
	TurnEndedMS     int               `json:"turnEndedMs" doc:"When the caller's turn counted as over."`
	FirstTokenMS    *int              `json:"firstTokenMs,omitempty" doc:"When the model's first token came: before turnEndedMs where the reply was begun ahead, after firstSoundMs where the caller was asked for patience. Missing: none came."`
	FirstSoundMS    int               `json:"firstSoundMs" doc:"When the assistant began to be heard."`
	Endpointing     reportEndpointing `json:"endpointing"`
	Guesses         []reportGuess     `json:"guesses,omitempty" nullable:"false" doc:"Replies that were begun before the turn was over."`
	WastedTokens    int               `json:"wastedTokens" doc:"Tokens of the guesses that were thrown away, of the prompt and of the reply."`
	TokensEstimated bool              `json:"tokensEstimated,omitempty" doc:"The model did not tell its tokens: some of the wasted ones are estimated."`
}

type reportEndpointing struct {
	Rule      string   `json:"rule" enum:"evidence,wait-function,wait-seconds,custom-rule,punctuation,number,no-punctuation,server,menu,keypad,backoff" doc:"What decided how long the assistant waited: the words and the melody (evidence, or wait-function over them), waitSeconds, one of customEndpointingRules, transcriptionEndpointingPlan (punctuation, number, no-punctuation), your server (custom-endpointing-model), a machine's menu, an entry on the keypad, or the silence kept after an interruption (backoff)."`
	WaitMS    int      `json:"waitMs" doc:"How long it wanted the caller to be silent; behind the words by custom-rule, punctuation, number, no-punctuation and menu."`
	Continues *float64 `json:"continues,omitempty" doc:"The probability, by words and melody, that the caller would go on; missing where neither was asked."`
}

type reportGuess struct {
	AtMS             int    `json:"atMs" doc:"When it was begun."`
	Words            string `json:"words" doc:"The words of the caller that it was to answer."`
	Used             bool   `json:"used" doc:"It is the reply that was heard; else it was thrown away unheard."`
	PromptTokens     int    `json:"promptTokens" doc:"Of a guess that was thrown away."`
	CompletionTokens int    `json:"completionTokens" doc:"Of a guess that was thrown away."`
	Estimated        bool   `json:"estimated,omitempty" doc:"The model did not tell its tokens: they are estimated from the length of the text."`
}

type reportLatency struct {
	Turns   int                 `json:"turns" doc:"Answers that were heard."`
	P50MS   int                 `json:"p50Ms"`
	P95MS   int                 `json:"p95Ms"`
	Stages  reportLatencyStages `json:"stages"`
	Guesses reportGuesses       `json:"guesses"`
}

type reportLatencyStages struct {
	Transcriber reportQuantiles `json:"transcriber" doc:"From the end of speech to the last words."`
	Endpointing reportQuantiles `json:"endpointing" doc:"From there until the caller's turn counted as over."`
	Model       reportQuantiles `json:"model" doc:"From there to the first token; 0 where the reply was begun ahead."`
	Voice       reportQuantiles `json:"voice" doc:"From there to the first sound."`
}

type reportQuantiles struct {
	P50MS int `json:"p50Ms"`
	P95MS int `json:"p95Ms"`
}

type reportGuesses struct {
	Made            int  `json:"made"`
	Used            int  `json:"used"`
	WastedTokens    int  `json:"wastedTokens" doc:"Of those that were thrown away."`
	TokensEstimated bool `json:"tokensEstimated,omitempty" doc:"The model did not tell its tokens: some of the wasted ones are estimated."`
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
	TurnLatencies             []turnLatency `json:"turnLatencies" nullable:"false" doc:"Of the answers to the caller, in their order."`
	ModelLatencyAverage       float64       `json:"modelLatencyAverage"`
	VoiceLatencyAverage       float64       `json:"voiceLatencyAverage"`
	TranscriberLatencyAverage float64       `json:"transcriberLatencyAverage"`
	EndpointingLatencyAverage float64       `json:"endpointingLatencyAverage"`
	TurnLatencyAverage        float64       `json:"turnLatencyAverage"`
	NumAssistantInterrupted   int           `json:"numAssistantInterrupted" doc:"How often the caller cut the assistant off."`
}

type turnLatency struct {
	Model       int `json:"modelLatency" doc:"To its first token, in milliseconds."`
	Voice       int `json:"voiceLatency" doc:"From there to the first sound."`
	Transcriber int `json:"transcriberLatency" doc:"From the end of speech to its last words."`
	Endpointing int `json:"endpointingLatency" doc:"From there until the turn counted as over."`
	Turn        int `json:"turnLatency" doc:"The sum: from the end of speech to the first sound."`
}

func newPerformanceMetrics(turns []*dbsqlc.CallTurn) performanceMetrics {
	metrics, sum := performanceMetrics{TurnLatencies: []turnLatency{}}, turnLatency{}
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
		sum.Model += s.Model
		sum.Voice += s.Voice
		sum.Transcriber += s.Transcriber
		sum.Endpointing += s.Endpointing
		sum.Turn += s.Turn
	}
	if n := float64(len(metrics.TurnLatencies)); n > 0 {
		metrics.ModelLatencyAverage, metrics.VoiceLatencyAverage = float64(sum.Model)/n, float64(sum.Voice)/n
		metrics.TranscriberLatencyAverage, metrics.EndpointingLatencyAverage = float64(sum.Transcriber)/n, float64(sum.Endpointing)/n
		metrics.TurnLatencyAverage = float64(sum.Turn) / n
	}
	return metrics
}
