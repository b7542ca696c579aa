package turn

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/answerer"
)

func TestScreening(t *testing.T) {
	t.Parallel()

	outbound := func(s *Plan) {
		s.DetectVoicemail = true
		s.FirstMessage, s.VoicemailMessage = "Hi, it is us.", "Call us back."
	}
	silent := func(s *Plan) { outbound(s); s.VoicemailMessage = "" }
	const long = "Hello you are connected with the telephone of Alex and Kim and of their three small children"
	checkTurns(t, map[string]turnCase{
		"a person says hello and is greeted": {
			outbound, [][]then{said(0.5, 1.2, "Hello, Alex."), spoken(1.8, 3, "Hi, it is us.")},
			[]string{"1.70 remember 0.50: Hello, Alex.", "1.70 speak: Hi, it is us."},
		},
		"a person whose words come late is greeted with them": {
			outbound, [][]then{{{0.6, SpeechStarted{Since: seconds(0.5)}}, {1.6, SpeechEnded{End: seconds(1.2)}},
				{2.2, Transcribed{"Hello.", true}}}},
			[]string{"2.20 remember 0.50: Hello.", "2.20 speak: Hi, it is us."},
		},
		"a person whose words never come is greeted": {
			outbound, [][]then{{{0.6, SpeechStarted{Since: seconds(0.5)}}, {1.6, SpeechEnded{End: seconds(1.2)}}}},
			[]string{"2.70 speak: Hi, it is us.", "4.70 replace transcriber"},
		},
		"a person who says nothing is greeted": {
			outbound, [][]then{spoken(1.7, 3, "Hi, it is us.")}, []string{"1.50 speak: Hi, it is us."},
		},
		"a person in a noisy place is greeted": {
			outbound, [][]then{{{0.6, SpeechStarted{Since: seconds(0.5)}}}, until(21)},
			[]string{"20.50 speak: Hi, it is us.", "20.50 hold"},
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
		"a pause within a greeting does not end it": {
			outbound, [][]then{{
				{0.6, SpeechStarted{Since: seconds(0.5)}}, {2.4, SpeechEnded{End: seconds(2)}}, {2.45, SpeechStarted{Since: seconds(2.4)}},
				{2.5, Transcribed{"You are connected", true}}, {4.4, SpeechEnded{End: seconds(4)}},
				{4.5, Transcribed{"with Alex and Kim.", true}},
			}, spoken(4.6, 6, "Hi, it is us.")},
			[]string{
				"4.50 remember 2.40: You are connected with Alex and Kim.", "4.50 speak: Hi, it is us.",
			},
		},
		"a long greeting without a beep": {
			outbound, [][]then{said(0.5, 10, long), spoken(30.2, 32, "Call us back.")},
			[]string{
				"10.50 ask who: " + long, "12.00 machine: long greeting", "12.00 remember 0.50: " + long, "30.00 speak: Call us back.",
				"32.00 hang up: voicemail",
			},
		},
		"a machine that pauses behind its first sentence": {
			outbound,
			[][]then{
				said(0.5, 2, "Hello, this is Jim."), {{2.7, PlaybackStarted{}}, {2.9, SpeechStarted{Since: seconds(2.8)}}},
				{{5.4, SpeechEnded{End: seconds(5)}}, {5.5, Transcribed{"I can't take your call right now.", true}}, {5.8, BeepHeard{}}},
			},
			[]string{
				"2.50 remember 0.50: Hello, this is Jim.", "2.50 speak: Hi, it is us.", "5.50 cut", "5.50 machine: phrase",
				"5.50 remember 2.80: I can't take your call right now.", "5.80 speak: Call us back.",
			},
		},
		"a beep at once behind a short greeting": {
			outbound, [][]then{said(0.5, 1.5, "Jim."), {{2.1, PlaybackStarted{}}, {3, BeepHeard{}}}},
			[]string{
				"2.00 remember 0.50: Jim.", "2.00 speak: Hi, it is us.", "3.00 cut", "3.00 machine: beep", "3.00 speak: Call us back.",
			},
		},
		"a beep before the answer to what only people say": {
			outbound, [][]then{said(0.5, 1.2, "Kim speaking, go ahead."), {{1.65, BeepHeard{}}}, spoken(1.8, 3, "Call us back.")},
			[]string{
				"1.65 machine: beep", "1.65 remember 0.50: Kim speaking, go ahead.", "1.65 speak: Call us back.",
				"3.00 hang up: voicemail",
			},
		},
		"a phrase and a beep": {
			outbound, [][]then{said(0.5, 4, "Spreek in na de piep."), {{5, BeepHeard{}}}, spoken(5.2, 7, "Call us back.")},
			[]string{"5.00 machine: phrase", "5.00 remember 0.50: Spreek in na de piep.", "5.00 speak: Call us back.",
				"7.00 hang up: voicemail"},
		},
		"a phrase heard early": {
			outbound, [][]then{
				{{0.6, SpeechStarted{Since: seconds(0.5)}}, {2, Transcribed{"please leave a message", false}},
					{4.4, SpeechEnded{End: seconds(4)}}},
				{{4.5, Transcribed{"please leave a message after the beep", true}}}, until(31),
			},
			[]string{
				"5.50 machine: phrase", "5.50 remember 0.50: please leave a message after the beep", "30.00 speak: Call us back.",
			},
		},
		"a beep alone": {
			outbound, [][]then{{{0.8, BeepHeard{}}}, spoken(1, 3, "Call us back.")},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "3.00 hang up: voicemail"},
		},
		"a beep that comes late makes it say the message again": {
			outbound, [][]then{said(0.5, 10, long), {{30.2, PlaybackStarted{}}, {31, BeepHeard{}}}, spoken(31.2, 33, "Call us back.")},
			[]string{
				"10.50 ask who: " + long, "12.00 machine: long greeting", "12.00 remember 0.50: " + long, "30.00 speak: Call us back.",
				"31.00 cut", "31.00 speak: Call us back.", "33.00 hang up: voicemail",
			},
		},
		"but only once": {
			outbound, [][]then{{{0.8, BeepHeard{}}, {1, PlaybackStarted{}}, {2, BeepHeard{}}, {3, PlaybackEnded{"Call us back."}}}},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "3.00 hang up: voicemail"},
		},
		"nothing to say to a machine": {
			silent, [][]then{said(0.5, 4, "Spreek in na de piep."), {{5, BeepHeard{}}}},
			[]string{"5.00 machine: phrase", "5.00 remember 0.50: Spreek in na de piep.", "5.00 hang up: voicemail"},
		},
		"nothing to say to a machine that does not beep": {
			silent, [][]then{said(0.5, 10, long), until(13)},
			[]string{"10.50 ask who: " + long, "12.00 machine: long greeting", "12.00 remember 0.50: " + long, "12.00 hang up: voicemail"},
		},
		"a machine that starts late is found while the assistant greets it": {
			outbound, [][]then{
				{{1.7, PlaybackStarted{}}}, said(2, 6, "Please leave a message after the tone."), {{7, BeepHeard{}}},
				spoken(7.2, 9, "Call us back."),
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
			outbound, [][]then{said(0.5, 10, long), said(12.6, 13.5, "Is anybody there?"), spoken(15, 16, "Yes.")},
			[]string{
				"10.50 ask who: " + long, "12.00 machine: long greeting", "12.00 remember 0.50: " + long,
				"14.10 think: Is anybody there?", "15.00 remember 12.60: Is anybody there?",
			},
		},
		"also in the middle of the message": {
			outbound, [][]then{said(0.5, 10, long), {{30.1, PlaybackStarted{}}}, said(31, 32, "Who is this?"), spoken(33.6, 35, "Us.")},
			[]string{
				"10.50 ask who: " + long, "12.00 machine: long greeting", "12.00 remember 0.50: " + long, "30.00 speak: Call us back.",
				"32.50 cut, interrupted", "33.50 think: Who is this?", "33.60 remember 31.00: Who is this?",
			},
		},
		"also at its end": {
			outbound, [][]then{
				{{0.8, BeepHeard{}}, {1, PlaybackStarted{}}}, {{2.9, SpeechStarted{Since: seconds(2.8)}},
					{3, PlaybackEnded{"Call us back."}}},
				{{4.4, SpeechEnded{End: seconds(4)}}, {4.5, Transcribed{"Who is this?", true}}}, spoken(5, 6, "Us."),
			},
			[]string{"0.80 machine: beep", "0.80 speak: Call us back.", "4.60 think: Who is this?", "5.00 remember 2.80: Who is this?"},
		},
		"a machine that goes on does not": {
			outbound, [][]then{
				said(0.5, 2, "This is the voicemail of Alex."), said(3, 6, "You can also send me a text."), {{7, BeepHeard{}}},
				spoken(7.1, 9, ""),
			},
			[]string{
				"7.00 machine: phrase", "7.00 remember 0.50: This is the voicemail of Alex. You can also send me a text.",
				"7.00 speak: Call us back.", "9.00 hang up: voicemail",
			},
		},
		"a machine that never stops is left": {
			outbound, [][]then{
				{{0.6, SpeechStarted{Since: seconds(0.5)}}, {2, Transcribed{"this is the voicemail of Alex", true}}}, until(205),
			},
			[]string{"20.50 machine: phrase", "20.50 remember 0.50: this is the voicemail of Alex", "200.50 hang up: voicemail"},
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
			[][]then{{{0.2, CommandReceived{Say{ID: "a", Content: "News."}}}}, said(0.5, 1.2, "Hello?"), spoken(2, 3, "Hi."),
				spoken(3.2, 4, "News.")},
			[]string{"1.80 think: Hello?", "2.00 remember 0.50: Hello?", "3.00 speak: News.", "3.00 settled: a"},
		},
		"a transfer does not wait": {
			outbound, [][]then{{{0.5, CommandReceived{Transfer{ID: "a", Target: "x"}}}, {4, TransferEnded{}}}},
			[]string{"0.50 transfer: x", "4.00 hang up: assistant-forwarded-call"},
		},
	})
}

// What else than a person or an answering machine takes a call, and what the model says of those that the rules do not know.
func TestWhoAnswered(t *testing.T) {
	t.Parallel()

	outbound := func(s *Plan) {
		s.DetectVoicemail = true
		s.FirstMessage, s.VoicemailMessage = "Hi, it is us.", "Call us back."
	}
	const (
		company  = "Goedemiddag, tandartspraktijk de Linden in Amsterdam, met Maria van den Berg"
		welcome  = "Welcome to the Linden Hospital."
		closed   = "We're closed actually, I'm just the cleaner."
		open     = "Hello this is the telephone of Alex who is as you may know very often somewhere on the water"
		menu     = "Welcome to Acme. For sales, press one. For support, press two."
		screener = "Please say your name and why you are calling."
		greeting = "Hi, this is Alex, leave a message."
	)
	checkTurns(t, map[string]turnCase{
		"a beep behind what might have been a person": {
			outbound, [][]then{said(0.5, 5.2, company), {{5.8, PlaybackStarted{}}, {6.8, BeepHeard{}}}, spoken(7, 8, "Call us back.")},
			[]string{
				"5.70 remember 0.50: " + company, "5.70 speak: Hi, it is us.", "6.80 cut", "6.80 machine: beep", "6.80 speak: Call us back.",
				"8.00 hang up: voicemail",
			},
		},
		"but not once it has spoken to us": {
			outbound, [][]then{
				said(0.5, 5.2, company), spoken(5.8, 6.5, "Hi, it is us."), said(7, 8, "Yes."), spoken(8.7, 9, "Good."), {{9.2, BeepHeard{}}},
			},
			[]string{"5.70 remember 0.50: " + company, "5.70 speak: Hi, it is us.", "8.60 think: Yes.", "8.70 remember 7.00: Yes."},
		},
		"a person who introduces a company is answered within a second": {
			outbound, [][]then{said(0.5, 5.2, company), spoken(6, 8, "Hi, it is us.")},
			[]string{"5.70 remember 0.50: " + company, "5.70 speak: Hi, it is us."},
		},
		"and so is one who may be a machine": {
			outbound, [][]then{said(0.5, 3.2, closed), spoken(4.4, 6, "Hi, it is us.")},
			[]string{"3.70 ask who: " + closed, "4.10 remember 0.50: " + closed, "4.10 speak: Hi, it is us."},
		},
		"a company's welcome may begin a menu": {
			outbound, [][]then{said(0.5, 3.2, welcome), spoken(5.4, 6, "Hi, it is us.")},
			[]string{"3.70 ask who: " + welcome, "5.20 remember 0.50: " + welcome, "5.20 speak: Hi, it is us."},
		},
		"a machine that pauses for long is one all the same": {
			outbound, [][]then{
				said(0.5, 3.2, closed), {{4.2, PlaybackStarted{}}}, said(4.3, 8, "Leave a message after the tone."), {{9, BeepHeard{}}},
				spoken(9.2, 11, "Call us back."),
			},
			[]string{
				"3.70 ask who: " + closed, "4.10 remember 0.50: " + closed, "4.10 speak: Hi, it is us.", "8.50 cut", "8.50 machine: phrase",
				"8.50 remember 4.30: Leave a message after the tone.", "9.00 speak: Call us back.", "11.00 hang up: voicemail",
			},
		},
		"a message waits for a beep that comes late": {
			outbound, [][]then{said(0.5, 15, open), said(15.8, 27, greeting), {{34, BeepHeard{}}}, spoken(34.2, 36, "Call us back.")},
			[]string{
				"15.50 ask who: " + open, "28.50 machine: phrase", "28.50 remember 0.50: " + open + " " + greeting,
				"32.00 speak: Call us back.", "34.00 cut", "34.00 speak: Call us back.", "36.00 hang up: voicemail",
			},
		},
		"however long the greeting is": {
			outbound, [][]then{said(0.5, 15, open), said(15.8, 30, "We are away."), said(30.7, 45, greeting), {{49, BeepHeard{}}},
				spoken(49.2, 51, "Call us back.")},
			[]string{
				"15.50 ask who: " + open, "46.50 machine: phrase", "46.50 remember 0.50: " + open + " We are away. " + greeting,
				"49.00 speak: Call us back.", "51.00 hang up: voicemail",
			},
		},
		"the model knows a person": {
			outbound, [][]then{said(0.5, 10, open), {{11, AnswererNamed{answerer.Person}}}, spoken(11.5, 13, "Hi, it is us.")},
			[]string{"10.50 ask who: " + open, "11.00 remember 0.50: " + open, "11.00 speak: Hi, it is us."},
		},
		"the model knows a menu": {
			outbound, [][]then{said(0.5, 10, open), {{11, AnswererNamed{answerer.Menu}}}, until(12.5)},
			[]string{"10.50 ask who: " + open, "11.00 machine: menu", "11.00 inform system: " + menuNote, "12.00 think: " + open},
		},
		"what the model says late, or not, counts for nothing": {
			outbound, [][]then{said(0.5, 10, open), {{12.2, AnswererNamed{answerer.Person}}}, until(31)},
			[]string{"10.50 ask who: " + open, "12.00 machine: phrase", "12.00 remember 0.50: " + open, "30.00 speak: Call us back."},
		},
		"a menu is listened to and a person behind it answered": {
			outbound, [][]then{
				said(0.5, 6, menu), {{8.2, ToolCommand{SendDigits{Digits: "2"}, true}}, {8.3, PlaybackEnded{}}},
				said(15, 16, "Hello, this is Kim."),
				spoken(17, 18, "Hi."),
			},
			[]string{
				"7.50 machine: menu", "7.50 inform system: " + menuNote, "8.00 think: " + menu, "8.20 press: 2",
				"8.30 remember 0.50: " + menu, "16.50 inform system: " + personNote, "16.60 think: Hello, this is Kim.",
				"17.00 remember 15.00: Hello, this is Kim.",
			},
		},
		"a plan may leave menus": {
			func(s *Plan) { outbound(s); s.Answering.LeaveMenus = true }, [][]then{said(0.5, 6, menu)},
			[]string{"7.50 machine: menu", "7.50 remember 0.50: " + menu, "7.50 hang up: voicemail"},
		},
		"a screener is told who calls": {
			outbound, [][]then{said(0.5, 4, screener), spoken(5.5, 7, "Kim of the practice."), said(10, 11, "Hello?"),
				spoken(12, 13, "Hi.")},
			[]string{
				"4.90 machine: screener", "4.90 inform system: " + screenerNote, "4.90 think: " + screener, "5.50 remember 0.50: " + screener,
				"11.60 think: Hello?", "12.00 remember 10.00: Hello?",
			},
		},
		"a fax is left": {outbound, [][]then{{{3, FaxHeard{}}}},
			[]string{"1.50 speak: Hi, it is us.", "3.00 cut", "3.00 machine: fax", "3.00 hang up: voicemail"}},
	})
}

func TestScreeningEndsWithMaxDuration(t *testing.T) {
	t.Parallel()

	script := DefaultPlan()
	script.DetectVoicemail, script.MaxDuration = true, 5*time.Second
	log := play(NewRules(script), 20, then{0, Answered{}}, then{1, SpeechStarted{Since: seconds(1)}})
	require.Equal(t, "5.00 speak: I will hang up now. Goodbye.", log[0])
}
