package turn

import (
	"regexp"
	"time"

	"github.com/callwright/callwright/voice/turn/evidence"
)

// FirstMessageMode says who speaks first.
type FirstMessageMode string

// The modes.
const (
	AssistantSpeaksFirst          FirstMessageMode = "assistant-speaks-first"
	AssistantSpeaksFirstGenerated FirstMessageMode = "assistant-speaks-first-with-model-generated-message"
	AssistantWaitsForUser         FirstMessageMode = "assistant-waits-for-user"
)

// Plan is what a script says about who speaks when. Its texts are final: templates were filled by whoever made it.
type Plan struct {
	FirstMessage              string
	FirstMessageMode          FirstMessageMode // empty: AssistantSpeaksFirst
	FirstMessageInterruptions bool             // the caller may cut off the first message
	EndCallMessage            string           // spoken when we end the call; empty: a fixed sentence
	EndCallPhrases            []string         // in the assistant's own words, any case: hang up when spoken
	DetectVoicemail           bool             // we placed the call: an answering machine may take it
	VoicemailMessage          string           // left on an answering machine; empty: hang up without a word
	Language                  string           // BCP 47; chooses the fixed sentences

	MaxDuration    time.Duration // of the call; 0: unlimited
	SilenceTimeout time.Duration // nobody speaks; 0: unlimited

	StartSpeaking StartSpeakingPlan
	StopSpeaking  StopSpeakingPlan
	Idle          IdlePlan
	Keypad        KeypadPlan
	Answering     AnsweringPlan

	// WithoutWords has the call go on where the transcriber is given up. Where keys are read, too, the caller is told the one that
	// stands for yes.
	WithoutWords bool
}

// Endpointing is how the end of the caller's turn is found.
type Endpointing uint8

// The ways to find it.
const (
	ByEvidence    Endpointing = iota // package evidence judges words and melody
	ByPunctuation                    // fixed times behind what the transcriber wrote
	ByServer                         // somebody else is asked; without an answer, evidence judges
)

// StartSpeakingPlan says how long the caller must have been silent before the assistant answers: Wait from the end of speech at
// least, and as long as the Endpointing says. ByPunctuation, OnPunctuation counts behind a full stop or the like, OnNoPunctuation
// behind a comma too, each from the arrival of the words; a pause is noticed after 0.4 s then, so shorter waits change nothing.
type StartSpeakingPlan struct {
	Wait            time.Duration
	Endpointing     Endpointing
	WaitFunction    func(continues float64) time.Duration // of evidence: by how likely the caller goes on; nil: evidence.Wait
	OnPunctuation   time.Duration
	OnNoPunctuation time.Duration
	OnNumber        time.Duration
	ThinkAhead      bool              // replies are begun in pauses, unheard, before it is certain that the caller has finished
	Rules           []EndpointingRule // in place of all that; the first that matches counts, from the arrival of the words
}

// EndpointingRule says how long the caller may go on after some words, or when asked for something, such as a number.
type EndpointingRule struct {
	Assistant *regexp.Regexp // what the assistant said last; nil: anything
	Customer  *regexp.Regexp // the caller's words so far; nil: anything
	Wait      time.Duration
}

// matches reports whether the rule applies to what was said last on both sides.
func (e EndpointingRule) matches(assistant, customer string) bool {
	return (e.Assistant == nil || e.Assistant.MatchString(assistant)) && (e.Customer == nil || e.Customer.MatchString(customer))
}

// StopSpeakingPlan says what makes the assistant stop when the caller talks into its speech.
type StopSpeakingPlan struct {
	NumWords               int           // words needed; 0: Voice decides
	Voice                  time.Duration // speech needed when NumWords is 0 and no words are there
	Backoff                time.Duration // silence kept after an interruption
	AcknowledgementPhrases []string      // never interrupt: "yes", "I see"
	InterruptionPhrases    []string      // interrupt at once: "stop", "wait"
}

// IdlePlan says what the assistant does when nobody speaks, before the silence timeout ends the call. Its own reminders do
// not count as speech: with the defaults they come after 10 and 20 s, and the call ends after 30.
type IdlePlan struct {
	Messages       []string      // one is chosen at random; none: it waits in silence
	After          time.Duration // of silence, before each
	Max            int           // how many are spoken in a call
	ResetOnSpeech  bool          // the caller's words make Max start anew
	SilenceMessage string        // spoken when the silence timeout ends the call; empty: the end-call message
}

// KeypadPlan says what becomes of the keys that the caller presses. They reach the model together, as a message of the
// caller.
type KeypadPlan struct {
	Enabled    bool
	Timeout    time.Duration // behind the last key; 0: a delimiter alone completes the entry
	Delimiters string        // keys that complete the entry and are no part of it: "#", "*", "#*" or none
}

// AnsweringPlan says what the assistant does when it is unclear who answers, or when no person does.
type AnsweringPlan struct {
	GreetAfter time.Duration // of nobody speaking
	Pause      time.Duration // behind a greeting that is no person's for certain: then it is decided
	BeepWait   time.Duration // since the answer: a message waits for a machine's beep
	Until      time.Duration // since the answer: speech that begins later proves nothing
	LeaveMenus bool          // it hangs up on the menu of a machine
}

// DefaultPlan returns the defaults of the field for everything but the texts.
func DefaultPlan() Plan {
	return Plan{
		FirstMessageMode: AssistantSpeaksFirst,
		MaxDuration:      10 * time.Minute,
		SilenceTimeout:   30 * time.Second,
		StartSpeaking: StartSpeakingPlan{
			Wait:            evidence.ShortestWait,
			OnPunctuation:   100 * time.Millisecond,
			OnNoPunctuation: 1500 * time.Millisecond,
			OnNumber:        500 * time.Millisecond,
			ThinkAhead:      true,
		},
		StopSpeaking: StopSpeakingPlan{
			Voice:                  500 * time.Millisecond,
			Backoff:                time.Second,
			AcknowledgementPhrases: AcknowledgementPhrases(),
			InterruptionPhrases:    InterruptionPhrases(),
		},
		Idle:      IdlePlan{After: 10 * time.Second, Max: 3},
		Keypad:    KeypadPlan{Timeout: 2 * time.Second},
		Answering: AnsweringPlan{GreetAfter: greetPatience, Pause: machinePause, BeepWait: beepLimit, Until: screenLimit},
	}
}
