package jsonb

import "slices"

// TurnTiming explains how a turn of the assistant came to answer the caller. Times are in milliseconds since the call was
// answered.
type TurnTiming struct {
	SpeechEndedMS   int             `json:"speech_ended_ms" doc:"When the caller fell silent."`
	LastWordsMS     int             `json:"last_words_ms" doc:"When the transcriber gave the caller's last words."`
	TurnEndedMS     int             `json:"turn_ended_ms" doc:"When the caller's turn counted as over."`
	FirstTokenMS    *int            `json:"first_token_ms" doc:"When the model's first token came: before turn_ended_ms where the reply was begun ahead, after first_sound_ms where the caller was asked for patience. Null: none came."`
	FirstSoundMS    int             `json:"first_sound_ms" doc:"When the assistant began to be heard."`
	Endpointing     TurnEndpointing `json:"endpointing"`
	Guesses         []TurnGuess     `json:"guesses" nullable:"false" doc:"The replies that were begun before the caller's turn was over, since the turn before."`
	WastedTokens    int             `json:"wasted_tokens" doc:"Tokens of the guesses that were thrown away, of the prompt and of the reply."`
	TokensEstimated bool            `json:"tokens_estimated" doc:"The model did not tell its tokens: some of the wasted ones are estimated."`
}

// TurnEndpointing is why the caller's turn counted as over.
type TurnEndpointing struct {
	Rule      string   `json:"rule" enum:"evidence,wait-function,wait-seconds,custom-rule,punctuation,number,no-punctuation,server,menu,keypad,backoff" doc:"What decided how long the assistant waited: the words and the melody (evidence, or wait-function over them), waitSeconds, one of customEndpointingRules, transcriptionEndpointingPlan (punctuation, number, no-punctuation), your server (custom-endpointing-model), a machine's menu, an entry on the keypad, or the silence kept after an interruption (backoff)."`
	WaitMS    int      `json:"wait_ms" doc:"How long it wanted the caller to be silent; behind the words by custom-rule, punctuation, number, no-punctuation and menu."`
	Continues *float64 `json:"continues" doc:"The probability, by words and melody, that the caller would go on; null where neither was asked."`
}

// TurnGuess is a reply that was begun before it was certain that the caller had finished.
type TurnGuess struct {
	AtMS             int    `json:"at_ms" doc:"When it was begun."`
	Words            string `json:"words" doc:"The words of the caller that it was to answer."`
	Used             bool   `json:"used" doc:"It is the reply that was heard; else it was thrown away unheard."`
	PromptTokens     int    `json:"prompt_tokens" doc:"Of a guess that was thrown away."`
	CompletionTokens int    `json:"completion_tokens" doc:"Of a guess that was thrown away."`
	Estimated        bool   `json:"estimated" doc:"The model did not tell its tokens: they are estimated from the length of the text."`
}

// TurnStages is how long each stage of an answer took, in milliseconds. The stages follow each other and add up to the turn.
type TurnStages struct {
	Transcriber int // from the end of speech to the last words
	Endpointing int // until the caller's turn counted as over
	Model       int // until the first token
	Voice       int // until the first sound
	Turn        int
}

// Stages returns how long the caller waited for each stage. What was done before a stage began has taken no time of it.
func (t *TurnTiming) Stages() TurnStages {
	heard := max(t.SpeechEndedMS, t.LastWordsMS)
	over := max(heard, t.TurnEndedMS)
	token := max(over, t.FirstSoundMS)
	if t.FirstTokenMS != nil {
		token = max(over, min(*t.FirstTokenMS, t.FirstSoundMS))
	}
	return TurnStages{
		Transcriber: heard - t.SpeechEndedMS, Endpointing: over - heard, Model: token - over, Voice: max(t.FirstSoundMS, token) - token,
		Turn: max(t.FirstSoundMS, token) - t.SpeechEndedMS,
	}
}

// Latency sums up how long the callers of a call waited for an answer, from the end of their speech to the first audio, and
// what it cost to begin answers ahead.
type Latency struct {
	Turns   int            `json:"turns" doc:"Answers that were heard."`
	P50MS   int            `json:"p50_ms"`
	P95MS   int            `json:"p95_ms"`
	Stages  LatencyStages  `json:"stages"`
	Guesses LatencyGuesses `json:"guesses"`
}

// LatencyStages are the stages of the answers, as they follow each other.
type LatencyStages struct {
	Transcriber Quantiles `json:"transcriber" doc:"From the end of speech to the last words."`
	Endpointing Quantiles `json:"endpointing" doc:"From there until the caller's turn counted as over."`
	Model       Quantiles `json:"model" doc:"From there to the first token; 0 where the reply was begun ahead."`
	Voice       Quantiles `json:"voice" doc:"From there to the first sound."`
}

// Quantiles are of times in milliseconds.
type Quantiles struct {
	P50MS int `json:"p50_ms"`
	P95MS int `json:"p95_ms"`
}

// LatencyGuesses are the replies that were begun before the caller's turn was over.
type LatencyGuesses struct {
	Made            int  `json:"made"`
	Used            int  `json:"used"`
	WastedTokens    int  `json:"wasted_tokens" doc:"Of those that were thrown away."`
	TokensEstimated bool `json:"tokens_estimated" doc:"The model did not tell its tokens: some of the wasted ones are estimated."`
}

// SumLatency sums up the answers of a call and all guesses in it; nil: there were none.
func SumLatency(timings []*TurnTiming, guesses []TurnGuess) *Latency {
	if len(timings) == 0 && len(guesses) == 0 {
		return nil
	}
	var transcriber, endpointing, model, voice, turn []int
	for _, timing := range timings {
		stages := timing.Stages()
		transcriber, endpointing = append(transcriber, stages.Transcriber), append(endpointing, stages.Endpointing)
		model, voice, turn = append(model, stages.Model), append(voice, stages.Voice), append(turn, stages.Turn)
	}
	whole := quantiles(turn)
	return &Latency{
		Turns: len(timings), P50MS: whole.P50MS, P95MS: whole.P95MS, Guesses: sumGuesses(guesses),
		Stages: LatencyStages{
			Transcriber: quantiles(transcriber), Endpointing: quantiles(endpointing), Model: quantiles(model), Voice: quantiles(voice),
		},
	}
}

func quantiles(times []int) Quantiles {
	if len(times) == 0 {
		return Quantiles{}
	}
	slices.Sort(times)
	at := func(quantile float64) int { return times[min(len(times)-1, int(quantile*float64(len(times))))] }
	return Quantiles{P50MS: at(0.50), P95MS: at(0.95)}
}

func sumGuesses(guesses []TurnGuess) LatencyGuesses {
	sum := LatencyGuesses{Made: len(guesses)}
	for _, guess := range guesses {
		if guess.Used {
			sum.Used++
			continue
		}
		sum.WastedTokens += guess.PromptTokens + guess.CompletionTokens
		sum.TokensEstimated = sum.TokensEstimated || guess.Estimated
	}
	return sum
}

// SetGuesses puts guesses into the timing, with what they cost.
func (t *TurnTiming) SetGuesses(guesses []TurnGuess) {
	sum := sumGuesses(guesses)
	t.Guesses, t.WastedTokens, t.TokensEstimated = guesses, sum.WastedTokens, sum.TokensEstimated
}
