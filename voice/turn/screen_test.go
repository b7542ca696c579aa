package turn

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestScreening(t *testing.T) {
	t.Parallel()

	outbound := func(s *Plan) {
		s.DetectVoicemail = true
		s.FirstMessage, s.VoicemailMessage = "Hi, it is us.", "Call us back."
	}
	silent := func(s *Plan) { outbound(s); s.VoicemailMessage = "" }
	const long = "Hello you are connected with the telephone of Alex and Kim"
	checkTurns(t, map[string]turnCase{
		"a person says hello and is greeted": {
			outbound, [][]then{said(0.5, 1.2, "Hello, Alex."), spoken(1.8, 3, "Hi, it is us.")},
			[]string{"1.70 remember 0.50: Hello, Alex.", "1.70 speak: Hi, it is us."},
		},
		"a person whose words come late is greeted with them": {
			outbound, [][]then{{{0.6, SpeechStarted{Since: seconds(0.5)}}, {1.6, SpeechEnded{seconds(1.2)}}, {2.2, Transcribed{"Hello.", true}}}},
			[]string{"2.20 remember 0.50: Hello.", "2.20 speak: Hi, it is us."},
		},
		"a person whose words never come is greeted": {
			outbound, [][]then{{{0.6, SpeechStarted{Since: seconds(0.5)}}, {1.6, SpeechEnded{seconds(1.2)}}}},
			[]string{"2.70 speak: Hi, it is us."},
		},
		"a person who says nothing is greeted": {
			outbound, [][]then{spoken(1.7, 3, "Hi, it is us.")}, []string{"1.50 speak: Hi, it is us."},
		},
		"a person in a noisy place is greeted": {
			outbound, [][]then{{{0.6, SpeechStarted{Since: seconds(0.5)}}}, until(21)}, []string{"20.50 speak: Hi, it is us.", "20.50 hold"},
		},
		"an assistant that waits answers the hello": {
			func(s *Plan) { outbound(s); s.FirstMessageMode = AssistantWaitsForUser },
			[][]then{said(3, 4, "Hello, who is this?"), spoken(5, 6, "We are.")},
			[]string{"4.60 think: Hello, who is this?", "5.00 remember 3.00: Hello, who is this?"},
		},
		"a model that speaks first knows the hello": {
			func(s *Plan) { outbound(s); s.FirstMessageMode = AssistantSpeaksFirstGenerated },
			[][]then{said(0.5, 1.2, "Hello?"), spoken(2.5, 4, "Hi.")},
			[]string{"1.70 remember 0.50: Hello?", "1.70 think: "},
		},
		"a receptionist talks long": {
			outbound, [][]then{said(0.5, 5, "Good afternoon, you have reached the house of Jansen, how can I help you?")},
			[]string{
				"5.50 remember 0.50: Good afternoon, you have reached the house of Jansen, how can I help you?", "5.50 speak: Hi, it is us.",
			},
		},
		"pauses within a greeting do not make it short": {
			outbound, [][]then{{
				{0.6, SpeechStarted{Since: seconds(0.5)}}, {2.4, SpeechEnded{seconds(2)}}, {2.45, SpeechStarted{Since: seconds(2.4)}},
				{2.5, Transcribed{"You are connected", true}}, {4.4, SpeechEnded{seconds(4)}}, {4.5, Transcribed{"with Alex and Kim.", true}},
			}, spoken(6.1, 8, "Call us back.")},
			[]string{
				"5.50 machine: long greeting", "5.50 remember 2.40: You are connected with Alex and Kim.",
				"6.00 speak: Call us back.", "8.00 hang up: voicemail",
			},
		},
		"a long greeting without a beep": {
			outbound, [][]then{said(0.5, 4, long), spoken(6.2, 8, "Call us back.")},
			[]string{"5.50 machine: long greeting", "5.50 remember 0.50: " + long, "6.00 speak: Call us back.", "8.00 hang up: voicemail"},
		},
		"a phrase and a beep": {
			outbound, [][]then{said(0.5, 4, "Spreek in na de piep."), {{5, BeepHeard{}}}, spoken(5.2, 7, "Call us back.")},
			[]string{"4.50 machine: phrase", "4.50 remember 0.50: Spreek in na de piep.", "5.00 speak: Call us back.", "7.00 hang up: voicemail"},
		},
		"a phrase heard early": {
			outbound, [][]then{
				{{0.6, SpeechStarted{Since: seconds(0.5)}}, {2, Transcribed{"please leave a message", false}}, {4.4, SpeechEnded{seconds(4)}}},
				{{4.5, Transcribed{"please leave a message after the beep", true}}},
			},
			[]string{
				"2.00 machine: phrase", "6.00 remember 0.50: please leave a message after the beep", "6.00 speak: Call us back.",
			},
		},
		"a beep alone": {
			outbound, [][]then{{{0.8, BeepHeard{}}}, spoken(1, 3, "Call us back.")},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "3.00 hang up: voicemail"},
		},
		"a beep that comes late makes it say the message again": {
			outbound, [][]then{said(0.5, 4, long), {{6.2, PlaybackStarted{}}, {7, BeepHeard{}}}, spoken(7.2, 9, "Call us back.")},
			[]string{
				"5.50 machine: long greeting", "5.50 remember 0.50: " + long, "6.00 speak: Call us back.",
				"7.00 cut", "7.00 speak: Call us back.", "9.00 hang up: voicemail",
			},
		},
		"but only once": {
			outbound, [][]then{{{0.8, BeepHeard{}}, {1, PlaybackStarted{}}, {2, BeepHeard{}}, {3, PlaybackEnded{"Call us back."}}}},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "3.00 hang up: voicemail"},
		},
		"nothing to say to a machine": {
			silent, [][]then{said(0.5, 4, "Spreek in na de piep."), {{5, BeepHeard{}}}},
			[]string{"4.50 machine: phrase", "4.50 remember 0.50: Spreek in na de piep.", "5.00 hang up: voicemail"},
		},
		"nothing to say to a machine that does not beep": {
			silent, [][]then{said(0.5, 4, long)},
			[]string{"5.50 machine: long greeting", "5.50 remember 0.50: " + long, "6.00 hang up: voicemail"},
		},
		"a machine that starts late is found while the assistant greets it": {
			outbound, [][]then{
				{{1.7, PlaybackStarted{}}}, said(2, 6, "Please leave a message after the tone."), {{7, BeepHeard{}}}, spoken(7.2, 9, "Call us back."),
			},
			[]string{
				"1.50 speak: Hi, it is us.", "6.50 cut", "6.50 machine: phrase", "6.50 remember 2.00: Please leave a message after the tone.",
				"7.00 speak: Call us back.", "9.00 hang up: voicemail",
			},
		},
		"what a person says later is no greeting": {
			outbound, [][]then{
				said(0.5, 1.2, "Hello?"), spoken(1.8, 3, "Hi, it is us."), said(12, 14, "Can I leave a message?"), spoken(15, 16, "Yes."),
			},
			[]string{
				"1.70 remember 0.50: Hello?", "1.70 speak: Hi, it is us.", "14.60 think: Can I leave a message?",
				"15.00 remember 12.00: Can I leave a message?",
			},
		},
		"a beep in a conversation means nothing": {
			outbound, [][]then{said(0.5, 1.2, "Hello?"), spoken(1.8, 3, "Hi, it is us."), {{4, BeepHeard{}}}},
			[]string{"1.70 remember 0.50: Hello?", "1.70 speak: Hi, it is us."},
		},
		"a person taken for a machine takes over": {
			outbound, [][]then{said(0.5, 4, long), said(5.6, 6.5, "Is anybody there?"), spoken(8, 9, "Yes.")},
			[]string{
				"5.50 machine: long greeting", "5.50 remember 0.50: " + long, "7.10 think: Is anybody there?", "8.00 remember 5.60: Is anybody there?",
			},
		},
		"also in the middle of the message": {
			outbound, [][]then{said(0.5, 4, long), {{6.1, PlaybackStarted{}}}, said(7, 8, "Who is this?"), spoken(9.6, 11, "Us.")},
			[]string{
				"5.50 machine: long greeting", "5.50 remember 0.50: " + long, "6.00 speak: Call us back.",
				"8.50 cut, interrupted", "9.50 think: Who is this?", "9.60 remember 7.00: Who is this?",
			},
		},
		"also at its end": {
			outbound, [][]then{
				{{0.8, BeepHeard{}}, {1, PlaybackStarted{}}}, {{2.9, SpeechStarted{Since: seconds(2.8)}}, {3, PlaybackEnded{"Call us back."}}},
				{{4.4, SpeechEnded{seconds(4)}}, {4.5, Transcribed{"Who is this?", true}}}, spoken(5, 6, "Us."),
			},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "4.60 think: Who is this?", "5.00 remember 2.80: Who is this?"},
		},
		"a machine that goes on does not": {
			outbound, [][]then{
				said(0.5, 2, "This is the voicemail of Alex."), said(3, 6, "You can also send me a text."), {{7, BeepHeard{}}}, spoken(7.1, 9, ""),
			},
			[]string{
				"2.50 machine: phrase", "2.50 remember 0.50: This is the voicemail of Alex.",
				"7.00 remember 3.00: You can also send me a text.", "7.00 speak: Call us back.", "9.00 hang up: voicemail",
			},
		},
		"a machine that never stops is left": {
			outbound, [][]then{
				{{0.6, SpeechStarted{Since: seconds(0.5)}}, {2, Transcribed{"this is the voicemail of Alex", true}}}, until(65),
			},
			[]string{"2.00 machine: phrase", "2.00 remember 0.50: this is the voicemail of Alex", "62.00 hang up: voicemail"},
		},
		"a machine that hangs up": {
			outbound, [][]then{{{0.8, BeepHeard{}}, {1, PlaybackStarted{}}, {2, Disconnected{CustomerEndedCall}}}},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "2.00 cut", "2.00 hang up: voicemail"},
		},
		"a machine is not transferred": {
			outbound, [][]then{{{0.8, BeepHeard{}}, {1, CommandReceived{Transfer{ID: "a", Target: "x"}}}}},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "1.00 refused: a"},
		},
		"what others want said waits until it is clear who answered": {
			func(s *Plan) { outbound(s); s.FirstMessage = "" },
			[][]then{{{0.2, CommandReceived{Say{ID: "a", Content: "News."}}}}, said(0.5, 1.2, "Hello?"), spoken(2, 3, "Hi."), spoken(3.2, 4, "News.")},
			[]string{"1.80 think: Hello?", "2.00 remember 0.50: Hello?", "3.00 speak: News.", "3.00 settled: a"},
		},
		"a transfer does not wait": {
			outbound, [][]then{{{0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}}, {4, TransferEnded{}}}},
			[]string{"0.50 transfer: x", "4.00 hang up: assistant-forwarded-call"},
		},
	})
}

func TestPhrasesOfMachinesAndPersons(t *testing.T) {
	t.Parallel()

	r := NewRules(DefaultPlan())
	for _, text := range []string{
		"Please leave a message after the beep.", "You have reached the voicemail of Kim.", "I can't take your call right now.",
		"Spreek in na de piep.", "U kunt een bericht achterlaten na de toon.", "Dit is het antwoordapparaat van Kim.",
		"Spreek een boodschap in.", "Hi! Leave your name and number, I'll get back to you as soon as I can.",
	} {
		require.True(t, r.machinery.within(text), text)
	}
	for _, text := range []string{"Hello?", "Met Jansen.", "Yes, speaking.", "Who is this?", "Goedemiddag, met Kim van de praktijk.", "The message was clear."} {
		require.False(t, r.machinery.within(text), text)
	}
}

func TestScreeningEndsWithMaxDuration(t *testing.T) {
	t.Parallel()

	script := DefaultPlan()
	script.DetectVoicemail, script.MaxDuration = true, 5*time.Second
	log := play(NewRules(script), 20, then{0, Answered{}}, then{1, SpeechStarted{Since: seconds(1)}})
	require.Equal(t, "5.00 speak: I will hang up now. Goodbye.", log[0])
}
