package turn

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/sentence"
)

// then is an event at a time, in seconds since the answer.
type then struct {
	at float64
	e  Event
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}

// play steps rules with events, and with ticks when they are due, and returns what they do
// as "time action" lines, up to until.
func play(r *Rules, until float64, events ...then) []string {
	var state State
	var log []string
	step := func(at time.Duration, e Event) {
		var actions []Action
		state, actions = r.Step(state, at, e)
		for _, a := range actions {
			log = append(log, fmt.Sprintf("%.2f %s", at.Seconds(), show(a)))
		}
	}
	for _, next := range append(events, then{until, nil}) {
		for {
			due, ok := state.NextDeadline()
			if !ok || due > seconds(next.at) {
				break
			}
			step(due, Tick{})
		}
		if next.e != nil {
			step(seconds(next.at), next.e)
		}
	}
	return log
}

func show(a Action) string {
	switch a := a.(type) {
	case Respond:
		switch {
		case a.Guessed:
			return "use guess: " + a.Words
		case a.Delay > 0:
			return fmt.Sprintf("think after %s: %s", a.Delay, a.Words)
		}
		return "think: " + a.Words
	case Guess:
		return "guess: " + a.Words
	case DropGuess:
		return "drop guess"
	case Speak:
		return "speak: " + a.Text
	case SpeakOneOf:
		return "speak one of: " + strings.Join(a.Texts, " | ")
	case AskTurnEnd:
		return "ask whether the turn is over: " + a.Words
	case AskWhoAnswered:
		return "ask who: " + a.Words
	case ReportMachine:
		return "machine: " + a.Sign
	case PressKeys:
		return "press: " + a.Digits
	case Duck:
		return "duck"
	case Unduck:
		return "unduck"
	case EndSpeech:
		return "end speech"
	case Pause:
		return "hold"
	case Resume:
		return "resume"
	case Cut:
		if a.Interrupted {
			return "cut, interrupted"
		}
		return "cut"
	case RecordUserTurn:
		return fmt.Sprintf("remember %.2f: %s", a.At.Seconds(), a.Text)
	case RecordOperatorTurn:
		return fmt.Sprintf("remember %.2f of a colleague: %s", a.At.Seconds(), a.Text)
	case Attend:
		return "attend"
	case Unattend:
		return "unattend"
	case AppendMessage:
		return "inform " + a.Role + ": " + a.Content
	case StartTransfer:
		return "transfer: " + a.Target
	case ReplaceTranscriber:
		return "replace transcriber"
	case ReportDelay:
		return "delayed"
	case ConfirmCommand:
		return "settled: " + a.ID
	case RefuseCommand:
		return "refused: " + a.ID
	case HangUp:
		return "hang up: " + string(a.Reason)
	}
	return fmt.Sprintf("%T", a)
}

// said is speech of the caller with its words, as a batch recogniser gives them: 0.4 s
// after the sound ended it is noticed, 0.1 s later the words are there.
func said(from, to float64, text string) []then {
	return []then{
		{from + 0.1, SpeechStarted{Since: seconds(from)}},
		{to + 0.4, SpeechEnded{End: seconds(to)}},
		{to + 0.5, Transcribed{text, true}},
	}
}

// spoken is a reply that is heard from one time until another.
func spoken(from, to float64, text string) []then {
	return []then{{from, PlaybackStarted{}}, {to, PlaybackEnded{text}}}
}

// turnCase is a conversation as the rules see it, up to 11 s, or longer where it says so.
type turnCase struct {
	script func(s *Plan)
	events [][]then
	want   []string
}

func checkTurns(t *testing.T, cases map[string]turnCase) {
	t.Helper()
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := DefaultPlan()
			script.StartSpeaking.Endpointing, script.StartSpeaking.Wait = ByPunctuation, 400*time.Millisecond
			script.StartSpeaking.ThinkAhead = false
			tt.script(&script)
			events := append([]then{{0, Answered{}}}, slices.Concat(tt.events...)...)
			until := max(events[len(events)-1].at, 11)
			require.Equal(t, strings.Join(tt.want, "\n"), strings.Join(play(NewRules(script), until, events...), "\n"))
		})
	}
}

// until makes a case last longer.
func until(at float64) []then { return []then{{at, Tick{}}} }

func TestTurns(t *testing.T) {
	t.Parallel()

	quietly := func(s *Plan) { s.FirstMessageMode = AssistantWaitsForUser }
	interruptible := func(s *Plan) { s.FirstMessage, s.FirstMessageInterruptions = "Hi.", true }
	checkTurns(t, map[string]turnCase{
		"assistant speaks first": {
			func(s *Plan) { s.FirstMessage = "Hi." }, nil, []string{"0.00 speak: Hi."},
		},
		"assistant speaks first, with nothing to say": {func(*Plan) {}, nil, nil},
		"model speaks first": {
			func(s *Plan) { s.FirstMessageMode = AssistantSpeaksFirstGenerated },
			[][]then{{{2.6, PlaybackStarted{}}, {3.5, FellQuiet{}}}},
			[]string{
				"0.00 think: ", "2.50 delayed", "2.50 speak: One moment, please.",
				"5.75 speak: Let me see.",
			},
		},
		"a reply that never comes": {
			func(s *Plan) { s.FirstMessageMode = AssistantSpeaksFirstGenerated },
			[][]then{{
				{2.6, PlaybackStarted{}}, {3.6, FellQuiet{}}, {6.4, FellQuiet{}}, {10, FellQuiet{}}, {14.4, FellQuiet{}}, {20, FellQuiet{}},
				{24, Tick{}},
			}},
			[]string{
				"0.00 think: ", "2.50 delayed", "2.50 speak: One moment, please.", "5.80 speak: Let me see.",
				"8.00 speak: This takes a little longer than usual. I am still here.", "13.50 speak: One moment, please.",
				"17.90 speak: This takes a little longer than usual. I am still here.", "23.50 speak: One moment, please.",
			},
		},
		"user speaks first": {quietly, nil, nil},

		"a question is answered 0.1 s after its words": {
			quietly, [][]then{said(1, 2, "Are you open?"), spoken(2.8, 4, "Yes.")},
			[]string{"2.60 think: Are you open?", "2.80 remember 1.00: Are you open?"},
		},
		"words without punctuation wait longer": {
			quietly, [][]then{said(1, 2, "I would like")}, []string{"4.00 think: I would like", "5.50 delayed",
				"5.50 speak: One moment, please."},
		},
		"where the words came late, too, patience is asked for before 4 s are over": {
			quietly, [][]then{
				{{1.1, SpeechStarted{Since: seconds(1)}}, {2.4, SpeechEnded{End: seconds(2)}}, {4.9, Transcribed{"Are you open?", true}}},
				until(6),
			},
			[]string{"5.00 think: Are you open?", "5.50 delayed", "5.50 speak: One moment, please."},
		},
		"a voice that is well has time for the words of a late reply": {
			quietly, [][]then{said(1, 2, "Are you open?"), {{5, ReplyBegun{}}, {5.2, PlaybackStarted{}}}, until(8)},
			[]string{"2.60 think: Are you open?", "5.20 remember 1.00: Are you open?"},
		},
		"patience is asked for before a reply without a voice": {
			quietly, [][]then{said(1, 2, "Are you open?"), {{5, ReplyBegun{}}}, until(8)},
			[]string{"2.60 think: Are you open?", "5.50 delayed", "5.50 speak: One moment, please."},
		},
		"likewise between its sentences": {
			quietly, [][]then{
				said(1, 2, "Are you open?"), {{3, PlaybackStarted{}}, {5, FellQuiet{}}, {6, HeardAgain{}}, {7, FellQuiet{}}}, until(11),
			},
			[]string{"2.60 think: Are you open?", "3.00 remember 1.00: Are you open?", "10.50 speak: One moment, please."},
		},
		"a number may go on": {
			quietly, [][]then{said(1, 2, "06 12 34"), spoken(3.2, 4, "Yes.")},
			[]string{"3.00 think: 06 12 34", "3.20 remember 1.00: 06 12 34"},
		},
		"the wait counts from the end of speech": {
			func(s *Plan) { quietly(s); s.StartSpeaking.Wait = 2 * time.Second },
			[][]then{said(1, 2, "Are you open?"), spoken(4.2, 5, "Yes.")},
			[]string{"4.00 think: Are you open?", "4.20 remember 1.00: Are you open?"},
		},
		"pieces of a turn are joined": {
			quietly, [][]then{said(1, 2, "I would like"), said(2.8, 4, "an appointment."), spoken(5, 6, "Yes.")},
			[]string{"4.60 think: I would like an appointment.", "5.00 remember 1.00: I would like an appointment."},
		},
		"a caller who goes on takes the turn back": {
			quietly, [][]then{said(1, 2, "I want to come."), said(2.8, 4, "On Monday."), spoken(5, 6, "Fine.")},
			[]string{
				"2.60 think: I want to come.", "2.90 hold", "4.50 cut", "4.60 think: I want to come. On Monday.",
				"5.00 remember 1.00: I want to come. On Monday.",
			},
		},
		"noise while thinking costs nothing": {
			quietly, [][]then{said(1, 2, "Are you open?"), said(2.7, 2.8, ""), spoken(3.5, 4, "Yes.")},
			[]string{"2.60 think: Are you open?", "2.80 hold", "3.30 resume", "3.50 remember 1.00: Are you open?"},
		},
		"a recogniser that says nothing is not waited for": {
			quietly, [][]then{
				{{1.1, SpeechStarted{Since: seconds(1)}}, {1.5, Transcribed{"Are you", false}}, {2.4, SpeechEnded{End: seconds(2)}}},
				spoken(5.9, 7, "Yes."),
			},
			[]string{"5.50 think: Are you", "5.90 remember 1.00: Are you"},
		},
		"dots and notes are no words": {
			interruptible,
			[][]then{{
				{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}, {1.3, Transcribed{"...", false}},
				{2.4, SpeechEnded{End: seconds(2)}}, {2.5, Transcribed{"♪ .", true}}, {6, PlaybackEnded{"Hi."}},
			}},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "2.50 resume"},
		},
		"words without a sound count": {
			quietly, [][]then{{{2, Transcribed{"Are you open?", true}}}, spoken(2.4, 3, "Yes.")},
			[]string{"2.10 think: Are you open?", "2.40 remember 2.00: Are you open?"},
		},

		"the first message may not be interrupted": {
			func(s *Plan) { s.FirstMessage = "Hi." },
			[][]then{{{0.1, PlaybackStarted{}}}, said(1, 3, "Stop! I have a question."), {{5, PlaybackEnded{"Hi."}}},
				spoken(5.5, 6, "Yes?")},
			[]string{"0.00 speak: Hi.", "5.00 think: Stop! I have a question.", "5.50 remember 1.00: Stop! I have a question."},
		},
		"the first message may be interrupted where the script allows": {
			interruptible,
			[][]then{{{0.1, PlaybackStarted{}}}, said(1, 3, "I have a question."), spoken(4, 5, "Yes?")},
			[]string{
				"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "3.50 cut, interrupted", "3.60 think: I have a question.",
				"4.00 remember 1.00: I have a question.",
			},
		},
		"after an interruption it keeps silent for the backoff": {
			func(s *Plan) { interruptible(s); s.StopSpeaking.Backoff = 5 * time.Second },
			[][]then{{{0.1, PlaybackStarted{}}}, said(1, 2, "Wait."), spoken(6.9, 8, "Yes?")},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "2.50 cut, interrupted", "6.50 think: Wait.",
				"6.90 remember 1.00: Wait."},
		},
		"a sound without words is no interruption": {
			interruptible,
			[][]then{
				{{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}, {2.4, SpeechEnded{End: seconds(2)}}},
				{{9, PlaybackEnded{"Hi."}}},
			},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "4.40 resume"},
		},
		"a noise that does not end is talked over": {
			interruptible,
			[][]then{{{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}}, {{18, PlaybackEnded{"Hi."}}}, until(20)},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "16.10 resume"},
		},
		"words in a noise interrupt": {
			interruptible,
			[][]then{{{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}}, {{17, Transcribed{"A question.", false}}},
				spoken(18.5, 19, "Yes?")},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "16.10 resume", "17.00 cut, interrupted", "18.00 think: A question.",
				"18.50 remember 1.00: A question."},
		},
		"words before a noise are answered in it": {
			quietly, [][]then{
				{{1.1, SpeechStarted{Since: seconds(1)}}, {2, Transcribed{"Are you open?", false}}},
				{{17, SpeechEnded{End: seconds(17)}}, {17.1, Transcribed{"Are you open?", true}}}, spoken(17.6, 18, "Yes."),
			},
			[]string{"17.00 end speech", "17.40 think: Are you open?", "17.60 remember 1.00: Are you open?"},
		},
		"a noise is silence in the end": {
			func(s *Plan) { quietly(s); s.SilenceTimeout = 5 * time.Second },
			[][]then{{{1.1, SpeechStarted{Since: seconds(1)}}}, spoken(21.5, 22, "")},
			[]string{"21.10 speak: I will hang up now. Goodbye.", "22.00 hang up: silence-timed-out"},
		},
		"words after the resumption still interrupt": {
			interruptible,
			[][]then{{
				{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}, {2.4, SpeechEnded{End: seconds(2)}},
				{5, Transcribed{"A question.", true}},
			}, spoken(6, 7, "Yes?")},
			[]string{
				"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "4.40 resume", "5.00 cut, interrupted", "6.00 think: A question.",
				"6.00 remember 1.00: A question.",
			},
		},
		"an acknowledgement heard early never stops the sound": {
			interruptible,
			[][]then{{
				{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}, {1.15, Transcribed{"Ja, precies", false}},
				{2.4, SpeechEnded{End: seconds(2)}}, {2.5, Transcribed{"Ja, precies.", true}}, {6, PlaybackEnded{"Hi."}},
			}},
			[]string{"0.00 speak: Hi.", "1.10 duck", "2.50 unduck", "6.00 remember 1.00: Ja, precies."},
		},
		"an acknowledgement at the end of a question is its answer": {
			interruptible,
			[][]then{{{0.1, PlaybackStarted{}}}, said(1, 1.2, "Yes."), {{2.2, PlaybackEnded{"Hi."}}}, spoken(2.6, 3, "Good.")},
			[]string{
				"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "1.70 resume", "2.50 think: Yes.", "2.60 remember 1.00: Yes.",
			},
		},
		"an interruption phrase stops at once": {
			func(s *Plan) { interruptible(s); s.StopSpeaking.NumWords = 5 },
			[][]then{{{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}, {1.3, Transcribed{"nee wacht", false}}}},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.30 cut, interrupted"},
		},
		"words needed": {
			func(s *Plan) { interruptible(s); s.StopSpeaking.NumWords = 3 },
			[][]then{{
				{0.1, PlaybackStarted{}}, {1.1, SpeechStarted{Since: seconds(1)}}, {1.5, Transcribed{"my tooth", false}},
				{2, Transcribed{"my tooth hurts", false}},
			}},
			[]string{"0.00 speak: Hi.", "1.10 duck", "2.00 cut, interrupted"},
		},
		"too few words wait for the end": {
			func(s *Plan) { interruptible(s); s.StopSpeaking.NumWords = 3 },
			[][]then{{{0.1, PlaybackStarted{}}}, said(1, 1.5, "My tooth."), {{4, PlaybackEnded{"Hi."}}}, spoken(4.5, 5, "Oh.")},
			[]string{"0.00 speak: Hi.", "1.10 duck", "2.00 unduck", "4.00 think: My tooth.", "4.50 remember 1.00: My tooth."},
		},

		"a failed reply is tried once more": {
			quietly, [][]then{said(1, 2, "Open?"), {{2.7, ReplyFailed{}}}, spoken(3, 4, "Yes.")},
			[]string{"2.60 think: Open?", "2.70 think: Open?", "3.00 remember 1.00: Open?"},
		},
		"a second failure asks for patience, a third ends the call politely": {
			func(s *Plan) { quietly(s); s.Language = "nl" },
			[][]then{said(1, 2, "Open?"), {{2.7, ReplyFailed{}}, {2.8, ReplyFailed{}}, {3, PlaybackStarted{}}, {4.8, ReplyFailed{}}},
				spoken(4.9, 5, "")},
			[]string{
				"2.60 think: Open?", "2.70 think: Open?", "2.80 delayed", "2.80 speak: Een ogenblik, alstublieft.",
				"2.80 think after 2s: Open?",
				"3.00 remember 1.00: Open?", "4.80 cut",
				"4.80 speak: Het spijt me, er gaat iets mis bij ons. Probeert u het later nog eens. Tot ziens.",
				"5.00 hang up: provider-llm-failed",
			},
		},
		"a model that hangs twice ends the call": {
			quietly, [][]then{said(1, 2, "Open?"), {{5, ReplyFailed{}}, {8, ReplyFailed{}}}},
			[]string{
				"2.60 think: Open?", "5.00 think: Open?", "5.10 delayed", "5.10 speak: One moment, please.", "8.00 remember 1.00: Open?",
				"8.00 cut",
				"8.00 speak: I am sorry, something went wrong on our side. Please try again later. Goodbye.",
			},
		},
		"who was asked to repeat and says nothing is asked once more": {
			quietly, [][]then{{{1.1, SpeechStarted{Since: seconds(1)}}, {2, TranscriberFailed{}}, {2.4, SpeechEnded{End: seconds(2)}},
				{2.5, TranscriberFailed{}}},
				spoken(2.6, 4, "Sorry."), spoken(7.6, 9, "Once more."), until(14)},
			[]string{"2.50 speak: Sorry, I did not catch that. Could you say it again?",
				"7.50 speak: I cannot hear you well. Please say it once more."},
		},
		"a reply that breaks off counts as said": {
			quietly, [][]then{said(1, 2, "Open?"), {{3, PlaybackStarted{}}, {3.1, ReplyFailed{Spoken: true}}, {4, PlaybackEnded{"Yes."}}}},
			[]string{"2.60 think: Open?", "3.00 remember 1.00: Open?"},
		},
		"no voice, not even for an apology": {
			func(s *Plan) { s.FirstMessage = "Hi." }, [][]then{{{0.5, VoiceFailed{}}, {1, VoiceFailed{}}}},
			[]string{
				"0.00 speak: Hi.", "0.50 cut",
				"0.50 speak: I am sorry, something went wrong on our side. Please try again later. Goodbye.",
				"1.00 cut", "1.00 hang up: provider-voice-failed",
			},
		},
		"a lost transcript is asked for again": {
			quietly, [][]then{{{1.1, SpeechStarted{Since: seconds(1)}}, {2.4, SpeechEnded{End: seconds(2)}}, {2.5, TranscriberFailed{}}}},
			[]string{"2.50 speak: Sorry, I did not catch that. Could you say it again?"},
		},
		"a recogniser that stays deaf ends the call": {
			quietly, [][]then{{{1, TranscriberFailed{}}, {2, TranscriberFailed{}}, {3, TranscriberFailed{}}}, spoken(3.5, 6, "")},
			[]string{
				"3.00 speak: I am sorry, something went wrong on our side. Please try again later. Goodbye.",
				"6.00 hang up: provider-transcriber-failed",
			},
		},

		"silence": {
			func(s *Plan) { s.FirstMessage, s.SilenceTimeout = "Hi.", 5*time.Second }, [][]then{spoken(0.1, 1, "Hi."), spoken(6.2, 8, "")},
			[]string{"0.00 speak: Hi.", "6.00 speak: I will hang up now. Goodbye.", "8.00 hang up: silence-timed-out"},
		},
		"the caller's speech is not silence": {
			func(s *Plan) { quietly(s); s.SilenceTimeout = 5 * time.Second },
			[][]then{{{4, SpeechStarted{Since: seconds(4)}}, {8.4, SpeechEnded{End: seconds(8)}}, {8.5, Transcribed{"", true}}}},
			nil,
		},
		"maximum duration": {
			func(s *Plan) { s.FirstMessage, s.MaxDuration, s.EndCallMessage = "Hi.", 5*time.Second, "Bye." },
			[][]then{{{0.1, PlaybackStarted{}}}, spoken(5.1, 6, "Bye.")},
			[]string{"0.00 speak: Hi.", "5.00 cut", "5.00 speak: Bye.", "6.00 hang up: exceeded-max-duration"},
		},
		"maximum duration with a voice that hangs": {
			func(s *Plan) { quietly(s); s.MaxDuration = time.Second }, nil,
			[]string{"1.00 speak: I will hang up now. Goodbye.", "8.00 cut", "8.00 hang up: exceeded-max-duration"},
		},
		"a farewell does not outlast the maximum duration": {
			func(s *Plan) { quietly(s); s.MaxDuration = time.Second }, [][]then{{{0.5, ShuttingDown{}}}},
			[]string{"0.50 speak: I will hang up now. Goodbye.", "8.00 cut", "8.00 hang up: worker-shutdown"},
		},
		"an end-call phrase in the assistant's words": {
			func(s *Plan) { quietly(s); s.EndCallPhrases = []string{"Have a nice day"} },
			[][]then{said(1, 2, "Have a nice day."), spoken(3, 4, "You too: have a NICE day!")},
			[]string{"2.60 think: Have a nice day.", "3.00 remember 1.00: Have a nice day.",
				"4.00 hang up: assistant-said-end-call-phrase"},
		},
		"the caller hangs up during the last words": {
			func(s *Plan) { quietly(s); s.SilenceTimeout = time.Second },
			[][]then{{{2, PlaybackStarted{}}, {3, Disconnected{CustomerEndedCall}}}},
			[]string{"1.00 speak: I will hang up now. Goodbye.", "3.00 cut", "3.00 hang up: silence-timed-out"},
		},
		"unanswered words are kept when the line goes": {
			quietly, [][]then{said(1, 2, "Open?"), {{2.7, Disconnected{CustomerEndedCall}}}},
			[]string{"2.60 think: Open?", "2.70 remember 1.00: Open?", "2.70 cut", "2.70 hang up: customer-ended-call"},
		},
		"the worker stops": {
			quietly, [][]then{{{1, ShuttingDown{}}}, spoken(1.2, 3, "")},
			[]string{"1.00 speak: I will hang up now. Goodbye.", "3.00 hang up: worker-shutdown"},
		},

		"say waits for the assistant": {
			func(s *Plan) { s.FirstMessage = "Hi." },
			[][]then{{{0.1, PlaybackStarted{}}, {0.5, CommandReceived{Say{ID: "a", Content: "Hurry up."}}}, {1, PlaybackEnded{"Hi."}}},
				spoken(1.2, 2, "Hurry up.")},
			[]string{"0.00 speak: Hi.", "1.00 speak: Hurry up.", "1.00 settled: a"},
		},
		"say waits for the caller and the reply": {
			quietly,
			[][]then{
				{{1.1, SpeechStarted{Since: seconds(1)}}, {1.5, CommandReceived{Say{ID: "a", Content: "Hurry up."}}},
					{2.4, SpeechEnded{End: seconds(2)}}, {2.5, Transcribed{"Open?", true}}},
				spoken(3, 4, "Yes."), spoken(4.2, 5, "Hurry up."),
			},
			[]string{"2.60 think: Open?", "3.00 remember 1.00: Open?", "4.00 speak: Hurry up.", "4.00 settled: a"},
		},
		"say may cut the assistant off, and end the call": {
			func(s *Plan) { s.FirstMessage = "Hi." },
			[][]then{{{0.1, PlaybackStarted{}}, {0.5, CommandReceived{Say{ID: "a", Content: "Bye.", Interrupt: true, EndAfter: true}}}},
				spoken(1.2, 2, "Bye.")},
			[]string{"0.00 speak: Hi.", "0.50 cut", "0.50 speak: Bye.", "0.50 settled: a",
				"2.00 hang up: assistant-ended-call-after-message-spoken"},
		},
		"a message, with a reply when it is quiet": {
			func(s *Plan) { s.FirstMessage = "Hi." },
			[][]then{
				{{0.1, PlaybackStarted{}}, {0.5, CommandReceived{AddMessage{ID: "a", Role: "system", Content: "They paid.",
					TriggerResponse: true}}}},
				{{1, PlaybackEnded{"Hi."}}}, spoken(1.5, 2, "Thanks for paying."),
			},
			[]string{"0.00 speak: Hi.", "0.50 inform system: They paid.", "0.50 settled: a", "1.00 think: "},
		},
		"end": {
			func(s *Plan) { s.FirstMessage = "Hi." }, [][]then{{{0.1, PlaybackStarted{}}, {0.5, CommandReceived{End{ID: "a"}}}}},
			[]string{"0.00 speak: Hi.", "0.50 settled: a", "0.50 cut", "0.50 hang up: manually-canceled"},
		},
		"end with a farewell": {
			func(s *Plan) { quietly(s); s.EndCallMessage = "Bye." },
			[][]then{{{0.5, CommandReceived{End{ID: "a", Reason: AssistantEndedCall, Farewell: true}}},
				{0.6, CommandReceived{Say{ID: "b"}}}}, spoken(0.7, 1, "Bye.")},
			[]string{"0.50 settled: a", "0.50 speak: Bye.", "0.60 refused: b", "1.00 hang up: assistant-ended-call"},
		},
		"transfer after the sentence": {
			func(s *Plan) { s.FirstMessage = "Hi." },
			[][]then{{{0.1, PlaybackStarted{}}, {0.5, CommandReceived{Transfer{ID: "a", Target: "+31201234567"}}},
				{1, PlaybackEnded{"Hi."}}, {3, TransferEnded{}}}},
			[]string{"0.00 speak: Hi.", "1.00 transfer: +31201234567", "3.00 hang up: assistant-forwarded-call"},
		},
		"a caller who talks to a colleague": {
			quietly,
			[][]then{
				{{0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}}, {3, TransferEnded{Joined: true, Limit: time.Hour}}},
				{{4, CommandReceived{Say{ID: "b"}}}, {5, TranscriberFailed{}}, {6, CommandReceived{SendDigits{ID: "c", Digits: "1"}}},
					{900, ColleagueLeft{}}},
			},
			[]string{"0.50 transfer: x", "4.00 refused: b", "6.00 press: 1", "6.00 settled: c",
				"900.00 hang up: assistant-forwarded-call"},
		},
		"nobody needs to be understood on hold": {
			quietly,
			[][]then{{{0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}}, {1, TranscriberFailed{}}, {2, TranscriberFailed{}},
				{5, TranscriberFailed{}}, {6, TranscriberFailed{}}, {7, TransferEnded{Joined: true}}, {9, ColleagueLeft{}}}},
			[]string{"0.50 transfer: x", "9.00 hang up: assistant-forwarded-call"},
		},
		"keys are enough for who is asked by a voice that understands nobody": {
			func(s *Plan) { s.FirstMessage, s.WithoutWords, s.Keypad.Enabled = "Shall I?", true, true },
			[][]then{{{0.1, PlaybackStarted{}}, {1, TranscriberFailed{}}, {2, TranscriberFailed{}}, {3, TranscriberFailed{}}},
				spoken(3.1, 4, "Shall I?"), {{5, TranscriberFailed{}}}, spoken(5.1, 6, "Press 1, and I will put them through."),
				{{8, KeyPressed{'1'}}}},
			[]string{"0.00 speak: Shall I?", "4.00 speak: Press 1, and I will put them through.", "10.00 think: User's Keypad Entry: 1"},
		},
		"a caller whom nobody took": {
			quietly,
			[][]then{
				{
					{0.5, CommandReceived{Transfer{Target: "x", Plan: &TransferPlan{Fallback: "Call again.", EndFallback: true}}}},
					{3, TransferEnded{Failed: true, Why: "the line is busy"}},
				}, spoken(3.5, 5, "Call again."),
			},
			[]string{
				"0.50 transfer: x",
				"3.00 inform system: The transfer failed; the caller is still on the line. Nobody took the call: the line is busy.",
				"3.00 speak: Call again.", "5.00 hang up: assistant-ended-call-after-message-spoken",
			},
		},
		"words into the announcement of a firm transfer do not stop it": {
			quietly,
			[][]then{
				{{0.5, CommandReceived{Transfer{Target: "x", Announcement: "To Peter.", Firm: true}}}, {0.6, PlaybackStarted{}}},
				said(1, 2, "Hello, is anybody there?"), until(12),
			},
			[]string{"0.50 speak: To Peter.", "1.10 duck", "1.50 hold", "2.50 cut, interrupted",
				"2.60 remember 1.00: Hello, is anybody there?", "2.60 transfer: x"},
		},
		"thanks do not stop what the model wants": {
			quietly,
			[][]then{
				said(1, 2, "To Peter."), {{2.7, ToolCommand{Transfer{Target: "x"}, false}}, {2.8, PlaybackStarted{}}},
				said(3, 3.5, "Dank u wel."), {{5, PlaybackEnded{"To Peter."}}},
			},
			[]string{"2.60 think: To Peter.", "2.80 remember 1.00: To Peter.", "3.10 duck", "3.50 hold", "4.00 resume",
				"5.00 remember 3.00: Dank u wel.", "5.00 transfer: x"},
		},
		"a farewell into ours ends the call": {
			quietly,
			[][]then{
				said(1, 2, "That was all."), {{2.7, ToolCommand{End{Reason: AssistantEndedCall}, false}}, {2.8, PlaybackStarted{}}},
				said(3, 3.5, "Dank u wel, u ook. Doei!"),
				{{5, PlaybackEnded{"A nice day. Bye."}}},
			},
			[]string{
				"2.60 think: That was all.", "2.80 remember 1.00: That was all.", "3.10 duck", "3.50 hold", "4.00 resume",
				"5.00 remember 3.00: Dank u wel, u ook. Doei!", "5.00 hang up: assistant-ended-call",
			},
		},
		"a farewell into a call that goes on is answered": {
			interruptible, [][]then{{{0.1, PlaybackStarted{}}}, said(1, 1.5, "Doei!"), {{5, PlaybackEnded{"Hi."}}},
				spoken(5.5, 6, "Bye.")},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "2.00 resume", "5.00 think: Doei!", "5.50 remember 1.00: Doei!"},
		},
		"what was to be said is said before a transfer": {
			func(s *Plan) { s.FirstMessage = "Hi." },
			[][]then{
				{{0.1, PlaybackStarted{}}, {0.5, CommandReceived{Say{ID: "a", Content: "To Peter, then."}}},
					{0.6, CommandReceived{Transfer{ID: "b", Target: "x"}}}, {1, PlaybackEnded{"Hi."}}},
				spoken(1.2, 2, "To Peter, then."), {{3, TransferEnded{}}},
			},
			[]string{
				"0.00 speak: Hi.", "1.00 speak: To Peter, then.", "1.00 settled: a", "2.00 transfer: x",
				"3.00 hang up: assistant-forwarded-call",
			},
		},
		"what waits for the caller is said before a transfer": {
			quietly,
			[][]then{
				{{1.1, SpeechStarted{Since: seconds(1)}}, {1.5, CommandReceived{Say{ID: "a", Content: "To Peter, then."}}},
					{1.6, CommandReceived{Transfer{ID: "b", Target: "x"}}}},
				{{2.4, SpeechEnded{End: seconds(2)}}, {2.5, Transcribed{"Open?", true}}}, spoken(2.8, 4, "To Peter, then."),
			},
			[]string{"2.60 remember 1.00: Open?", "2.60 speak: To Peter, then.", "2.60 settled: a", "4.00 transfer: x"},
		},
		"a transfer that was ordered follows an interruption": {
			interruptible,
			[][]then{{{0.1, PlaybackStarted{}}, {0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}}}, said(1, 2, "Wait."), until(20)},
			[]string{"0.00 speak: Hi.", "1.10 duck", "1.50 hold", "2.50 cut, interrupted", "2.60 remember 1.00: Wait.",
				"2.60 transfer: x"},
		},
		"the last of two transfers counts, and both are answered": {
			func(s *Plan) { s.FirstMessage = "Hi." },
			[][]then{{
				{0.1, PlaybackStarted{}}, {0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}},
				{0.6, CommandReceived{Transfer{ID: "b", Target: "y"}}}, {1, PlaybackEnded{"Hi."}},
			}},
			[]string{"0.00 speak: Hi.", "0.60 refused: a", "1.00 transfer: y"},
		},
		"a transfer behind last words comes too late": {
			quietly,
			[][]then{
				{{0.5, CommandReceived{Say{ID: "a", Content: "Bye.", Interrupt: true, EndAfter: true}}},
					{0.6, CommandReceived{Transfer{ID: "b", Target: "x"}}}},
				spoken(0.7, 1, "Bye."),
			},
			[]string{"0.50 speak: Bye.", "0.50 settled: a", "0.60 refused: b", "1.00 hang up: assistant-ended-call-after-message-spoken"},
		},
		"a transfer that was ordered stands, whatever the model wants": {
			quietly,
			[][]then{
				said(1, 2, "Bye."), {{2.7, CommandReceived{Transfer{ID: "a", Target: "x"}}}, {2.8, ToolCommand{End{Farewell: true}, true}}},
				spoken(3, 4, "Bye."),
			},
			[]string{"2.60 think: Bye.", "3.00 remember 1.00: Bye.", "4.00 transfer: x"},
		},
		"a transfer for a reason of its own": {
			quietly, [][]then{{{0.5, CommandReceived{Transfer{Target: "x", Reason: AssistantRequestReturnedForward}}},
				{3, TransferEnded{}}}},
			[]string{"0.50 transfer: x", "3.00 hang up: assistant-request-returned-forwarding-phone-number"},
		},
		"a failed transfer goes on": {
			quietly,
			[][]then{{{0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}}, {1, CommandReceived{Transfer{ID: "b", Target: "y"}}},
				{3, TransferEnded{Failed: true}}}, spoken(3.2, 5, "")},
			[]string{
				"0.50 transfer: x", "1.00 refused: b", "3.00 inform system: The transfer failed; the caller is still on the line.",
				"3.00 speak: Sorry, I could not put you through. Can I help you in another way?",
			},
		},
		"the caller hangs up during a transfer": {
			quietly, [][]then{{{0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}}, {1, Disconnected{CustomerEndedCall}}}},
			[]string{"0.50 transfer: x", "1.00 hang up: customer-ended-call-during-transfer"},
		},
		"a tool ends the call after the reply": {
			quietly,
			[][]then{said(1, 2, "Bye."), {{2.7, ToolsRan{}}, {2.7, ToolCommand{Command: End{Reason: AssistantEndedCall}}}},
				spoken(3, 4, "Bye.")},
			[]string{"2.60 think: Bye.", "2.70 remember 1.00: Bye.", "4.00 hang up: assistant-ended-call"},
		},
		"an interrupted tool does not end the call": {
			quietly,
			[][]then{
				said(1, 2, "Bye."), {{2.7, ToolCommand{Command: End{Reason: AssistantEndedCall}}}, {2.8, PlaybackStarted{}}},
				said(3, 4, "Wait, one more thing."), spoken(5, 6, "Yes?"),
			},
			[]string{
				"2.60 think: Bye.", "2.80 remember 1.00: Bye.", "3.10 duck", "3.50 hold", "4.50 cut, interrupted",
				"4.50 inform system: The caller interrupted you: the call was not ended or transferred.", "4.60 think: Wait, one more thing.",
				"5.00 remember 3.00: Wait, one more thing.",
			},
		},
	})
}

func TestStepDoesNotChangeItsInput(t *testing.T) {
	t.Parallel()

	r := NewRules(DefaultPlan())
	state, _ := r.Step(State{}, 1, SpeechStarted{Since: 1})
	state, _ = r.Step(state, 2, CommandReceived{Say{ID: "a"}})
	before := state
	first, _ := r.Step(state, 3, CommandReceived{Say{ID: "b"}})
	second, _ := r.Step(state, 3, CommandReceived{Say{ID: "c"}})
	require.Equal(t, before, state)
	require.Equal(t, "b", first.says[1].ID)
	require.Equal(t, "c", second.says[1].ID)
}

func TestNothingHappensAfterTheEnd(t *testing.T) {
	t.Parallel()

	r := NewRules(DefaultPlan())
	state, _ := r.Step(State{}, 1, Disconnected{CustomerEndedCall})
	for _, e := range []Event{
		Answered{}, SpeechStarted{}, SpeechEnded{}, Transcribed{"x", true}, TranscriberFailed{}, PlaybackStarted{}, PlaybackEnded{},
		ReplyFailed{},
		VoiceFailed{}, FellQuiet{}, HeardAgain{}, TurnEndJudged{}, CommandReceived{End{}}, ToolCommand{Command: End{}}, KeyPressed{'1'},
		TransferEnded{}, ToolsRan{}, ShuttingDown{}, Disconnected{}, Tick{},
	} {
		_, actions := r.Step(state, 2, e)
		require.Empty(t, actions)
	}
	_, ok := state.NextDeadline()
	require.False(t, ok)
}

func TestPhrases(t *testing.T) {
	t.Parallel()

	ack, stop := newPhraseSet(AcknowledgementPhrases()), newPhraseSet(InterruptionPhrases())
	for _, text := range []string{"Yes.", "Uh-huh", "yeah, OK!", "I'm listening", "I’m listening", "Ja hoor, is goed.", "Oké",
		"That's fine.", "Oh, how nice!", "Okay, sounds good", "Ah, op die manier.", "Dat is heel fijn, dank u wel", "Klinkt goed",
		"Fair enough."} {
		require.True(t, ack.covers(text), text)
	}
	for _, text := range []string{ // each unlike any that a list has
		"Oh, I didn't know that.", "That's reassuring.", "It's okay.", "That's pretty good.", "Fine by me.",
		"That's phenomenal, thank you.",
		"That sounds heavenly.", "Good idea.", "I can imagine.", "That's a clever solution.", "That's not a problem.",
		"O, dat wist ik niet.", "Het is goed.", "U bent heel vriendelijk.", "Geen slecht idee.", "Dat klinkt magisch.",
		"Ja.", "Genau.", "Alles klar.", "Das verstehe ich.", "Ach so, gut.", "Kein Problem.", "Wunderbar, danke.",
		"Das ist wirklich beruhigend.",
		"Na klar.", "Das passt mir.",
	} {
		require.True(t, ack.covers(text), text)
	}
	for _, text := range []string{
		"That's wrong.", "That's expensive.", "It's Tuesday.", "That's 12.", "That's what I said.", "It's not mine.",
		"Dat is verkeerd.", "Dat is dinsdag.",
		"Dat is te duur.", "Het is geen haast.", "Das ist falsch.", "Das ist zu teuer.", "Das stimmt nicht.", "Nein.",
		"Aber das ist gut.", "Moment mal.",
	} {
		require.False(t, ack.covers(text), text)
	}
	for _, text := range []string{"", "...", "Yes please", "ja maar", "That's too late", "Dat is te duur", "Wat is dat", "How",
		"Waar"} {
		require.False(t, ack.covers(text), text)
	}
	for _, text := range []string{"No!", "oh, wait a second", "Don't", "Ho, wacht", "nee"} {
		require.True(t, stop.within(text), text)
	}
	script := DefaultPlan()
	script.EndCallPhrases = []string{"See https://x.nl/ 👋"}
	require.True(t, NewRules(script).bye.within(strings.Join(sentence.Split("Fine. See **https://x.nl/** 👋"), " ")))
	for _, text := range []string{"", "nothing", "Notary", "wachten"} {
		require.False(t, stop.within(text), text)
	}
}

func TestEveryReasonHasAFault(t *testing.T) {
	t.Parallel()

	faults := []Fault{FaultCustomer, FaultAssistant, FaultCarrier, FaultProvider, FaultPlatform}
	for _, reason := range Reasons() {
		require.Contains(t, faults, reason.Fault(), reason)
	}
	require.Equal(t, FaultPlatform, Reason("unheard-of").Fault())
}

// A caller, providers and operators who do anything at any time: whatever happens, no
// word of the caller is lost or doubled, sound that was held goes on or is given up, every
// command is answered once, and the call ends in time.
func TestAnythingMayHappen(t *testing.T) {
	t.Parallel()

	for seed := range uint64(1500) {
		random := rand.New(rand.NewPCG(seed, 7))
		script := DefaultPlan()
		script.FirstMessage = "Hi."
		script.MaxDuration = time.Minute
		script.EndCallPhrases = []string{"bye"}
		script.FirstMessageInterruptions = random.IntN(2) == 0
		script.StopSpeaking.NumWords = random.IntN(3)
		script.Keypad = KeypadPlan{Enabled: random.IntN(2) == 0, Timeout: time.Duration(random.IntN(3)) * time.Second, Delimiters: "#"}
		script.DetectVoicemail = random.IntN(3) == 0
		script.VoicemailMessage = []string{"", "Call back."}[random.IntN(2)]
		script.Idle = IdlePlan{Messages: []string{"Hello?"}, After: 3 * time.Second, Max: 2, ResetOnSpeech: random.IntN(2) == 0}
		c := chaos{t: t, seed: seed, random: random, rules: NewRules(script), answered: map[string]bool{}}
		c.step(Answered{})
		for c.state.phase != over {
			c.pass(time.Duration(random.IntN(900)) * time.Millisecond)
			c.something()
		}
		require.Equal(t, c.said, c.remembered, "seed %d", seed)
		require.Equal(t, c.pressed, c.entered, "seed %d", seed)
		require.LessOrEqual(t, c.at, script.MaxDuration+overtimeLimit, "seed %d", seed)
		require.Equal(t, 1, c.hangUps, "seed %d", seed)
		require.Len(t, c.answered, c.commands, "seed %d: commands without an answer", seed)
	}
}

// chaos plays the session around the rules.
type chaos struct {
	t      *testing.T
	seed   uint64
	random *rand.Rand
	rules  *Rules
	state  State
	at     time.Duration

	said, remembered []string
	pressed, entered string // keys
	busy             bool   // something is being made or played
	heard            bool   // and was heard
	paused           bool
	guessing         bool
	commands         int             // their ids count up
	answered         map[string]bool // those of them
	hangUps          int
}

func (c *chaos) step(e Event) {
	var actions []Action
	c.state, actions = c.rules.Step(c.state, c.at, e)
	for _, a := range actions {
		switch a := a.(type) {
		case Guess:
			require.False(c.t, c.busy || c.guessing, "seed %d: guess", c.seed)
			c.guessing = true
		case DropGuess:
			require.True(c.t, c.guessing, "seed %d: drop guess", c.seed)
			c.guessing = false
		case Respond:
			require.Equal(c.t, c.guessing, a.Guessed, "seed %d: respond", c.seed)
			c.busy, c.guessing = true, false
		case Speak, SpeakOneOf:
			require.False(c.t, c.guessing, "seed %d: speak", c.seed)
			c.busy = true
		case Pause:
			require.True(c.t, c.busy && !c.paused, "seed %d: hold", c.seed)
			c.paused = true
		case Resume:
			require.True(c.t, c.busy && c.paused, "seed %d: resume", c.seed)
			c.paused = false
		case Cut:
			require.True(c.t, c.busy, "seed %d: cut", c.seed)
			c.busy, c.heard, c.paused = false, false, false
		case RecordUserTurn:
			require.False(c.t, c.guessing, "seed %d: remember", c.seed)
			c.remember(a.Text)
		case StartTransfer:
			require.False(c.t, c.busy, "seed %d: transfer", c.seed)
			c.answer(a.ID)
		case ConfirmCommand:
			c.answer(a.ID)
		case RefuseCommand:
			c.answer(a.ID)
		case HangUp:
			c.hangUps++
		}
	}
	if !c.state.Over() {
		require.Equal(c.t, []bool{c.busy, c.paused, c.heard},
			[]bool{c.state.AssistantBusy(), c.state.Paused(), c.state.AudibleSince() != 0}, "seed %d", c.seed)
	}
}

func (c *chaos) answer(id string) {
	if id != "" {
		require.False(c.t, c.answered[id], "seed %d: command %s was answered twice", c.seed, id)
		c.answered[id] = true
	}
}

// command is the id of one that is to be answered once.
func (c *chaos) command() string {
	c.commands++
	return fmt.Sprint(c.commands)
}

func (c *chaos) press(key byte) {
	if c.rules.plan.Keypad.Enabled && key != '#' && c.state.phase < closing {
		c.pressed += string(rune(key))
	}
	c.step(KeyPressed{key})
}

// remember takes a turn apart into words and keys.
func (c *chaos) remember(text string) {
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, keypadEntry, "")) {
		if strings.Trim(word, "0123456789*") == "" {
			c.entered += word
		} else {
			c.remembered = append(c.remembered, word)
		}
	}
}

// pass lets time pass, with its ticks.
func (c *chaos) pass(d time.Duration) {
	until := c.at + d
	for {
		due, ok := c.state.NextDeadline()
		if !ok || due > until {
			break
		}
		c.at = max(c.at, due)
		c.step(Tick{})
	}
	if c.state.phase != over {
		c.at = until
	}
}

func (c *chaos) something() {
	switch {
	case c.state.phase == over:
		return
	case c.state.Joined(): // the caller is not heard
		id := c.command()
		c.step(CommandReceived{[]Command{Say{ID: id}, SendDigits{ID: id}}[c.random.IntN(2)]})
		c.step([]Event{ColleagueLeft{}, VoiceFailed{}, TranscriberFailed{}}[c.random.IntN(3)])
		return
	}
	switch n := c.random.IntN(100); {
	case n < 15 && !c.state.talks:
		c.step(SpeechStarted{Since: max(c.at-100*time.Millisecond, 0)})
	case n < 20 && c.state.talks:
		c.step(SpeechPaused{})
	case n < 30 && c.state.talks:
		c.step(SpeechEnded{End: max(c.at-400*time.Millisecond, 0)})
	case n < 50:
		word := fmt.Sprintf("word%d", len(c.said))
		if c.random.IntN(4) == 0 {
			word = "yes"
		}
		c.said = append(c.said, word)
		c.step(Transcribed{word, true})
	case n < 55:
		c.step(Transcribed{"", true})
	case n < 70 && c.busy && !c.paused && !c.heard:
		c.heard = true
		c.step(PlaybackStarted{})
	case n < 85 && c.busy && !c.paused:
		c.busy, c.heard = false, false
		c.step(PlaybackEnded{[]string{"well", "well", "well", "bye"}[c.random.IntN(4)]})
	case n < 87 && c.busy:
		c.step(ReplyFailed{Spoken: c.heard})
	case n < 89 && c.busy:
		c.step(ToolsRan{})
		c.step(ToolCommand{Transfer{Target: "x"}, c.random.IntN(2) == 0})
	case n < 90 && c.busy:
		c.step(VoiceFailed{})
	case n < 91:
		c.step(TranscriberFailed{})
	case n < 92 && c.random.IntN(3) == 0:
		c.step(BeepHeard{})
	case n < 92:
		c.press("0123456789*#"[c.random.IntN(12)])
	case n < 94:
		c.step(CommandReceived{Say{ID: c.command(), Content: "x", Interrupt: c.random.IntN(2) == 0, EndAfter: c.random.IntN(8) == 0}})
	case n < 96:
		c.step(CommandReceived{AddMessage{ID: c.command(), TriggerResponse: true}})
	case n < 97 && c.random.IntN(3) == 0:
		c.step(CommandReceived{BargeIn{ID: c.command()}})
		if c.state.Attended() {
			require.False(c.t, c.busy || c.guessing, "seed %d: the assistant goes on", c.seed)
		}
	case n < 97:
		c.step(CommandReceived{Transfer{ID: c.command(), Target: "x"}})
	case n < 99:
		failed := c.random.IntN(3) > 0
		c.step(TransferEnded{Failed: failed, Joined: !failed && c.random.IntN(2) == 0})
	case c.random.IntN(2) == 0:
		c.step(CommandReceived{[]Command{StepBack{c.state.attendant}, Operator{Text: "x"}}[c.random.IntN(2)]})
	case c.random.IntN(2) == 0:
		c.step(CommandReceived{End{Farewell: true}})
	}
}

// Where the assistant has asked for a number, or the caller says "um", the caller has more time.
func TestEndpointingRules(t *testing.T) {
	t.Parallel()

	script := DefaultPlan()
	script.StartSpeaking.Endpointing, script.StartSpeaking.Wait = ByPunctuation, 400*time.Millisecond
	script.StartSpeaking.ThinkAhead = false
	script.FirstMessage = ""
	script.StartSpeaking.Rules = []EndpointingRule{
		{Assistant: regexp.MustCompile("number"), Customer: regexp.MustCompile(`\d$`), Wait: 3 * time.Second},
		{Customer: regexp.MustCompile("um$"), Wait: 4 * time.Second},
	}
	events := slices.Concat(said(1, 2, "Book me in 9"), spoken(4, 5, "Your number?"), said(6, 7, "06 12"), said(8, 9, "345"))
	var thought []string
	for _, line := range play(NewRules(script), 30, append([]then{{0, Answered{}}}, events...)...) {
		if strings.Contains(line, "think:") {
			thought = append(thought, line)
		}
	}
	require.Equal(t, []string{"3.00 think: Book me in 9", "12.50 think: 06 12 345"}, thought)

	thought = nil
	for _, line := range play(NewRules(script), 30, append([]then{{0, Answered{}}}, said(1, 2, "Well um")...)...) {
		if strings.Contains(line, "think:") {
			thought = append(thought, line)
		}
	}
	require.Equal(t, []string{"6.50 think: Well um"}, thought)
}
