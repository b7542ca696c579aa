package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/voicetest"
)

// What is written is read aloud as a person reads it, however the model's words are cut, and stays written on record.
func TestNumbersAreReadAloud(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.Language = "nl-NL"
		r.session.Script.FirstMessage = "Goedemiddag, bel 020-1234567."
		r.stt.Texts = []string{"Wat kost het?"}
		r.llm.Replies = []voicetest.Reply{{Pieces: []string{"Dat is $1,", "234.", "50 op 3", "/4. Mail info@linden", "-dental",
			".nl."}}}
	}, func(r *rig) {
		r.at(8 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(20 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{
		"Goedemiddag, bel nul twee nul, één twee drie, vier vijf, zes zeven.",
		"Dat is duizend tweehonderdvierendertig dollar vijftig op drie april.",
		"Mail info apenstaartje linden streepje dental punt N L.",
	}, r.tts.Asked())
	require.Equal(t, []string{
		"assistant: Goedemiddag, bel 020-1234567.", "user: Wat kost het?",
		"assistant: Dat is $1,234.50 op 3/4. Mail info@linden-dental.nl.",
	}, r.journal.Transcript())
	var script voice.Script
	script.FirstMessage, script.Language = "Bel 112.", "nl"
	require.Equal(t, "Bel één één twee.", script.FixedSpeech(audio.Narrow)[0].Text, "made beforehand as it is asked for") //nolint:dupword // digits
}

// What is read aloud comes back as it was read, and is still nobody's.
func TestAnEchoOfNumbersIsOurs(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.Language = "nl-NL"
		r.session.Script.FirstMessage = "U bereikt ons de hele dag op nummer 020-1234567."
		r.session.Script.FirstMessageInterruptions = true
		r.stt.Texts = []string{"Nul twee nul, één twee drie."}
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(400 * time.Millisecond)
		r.leg.Pause(10 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{"assistant: U bereikt ons de hele dag op nummer 020-1234567."}, r.journal.Transcript())
}

func TestAnEchoOfALaterTurnIsComparedWithThatTurn(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.Language = "nl-NL"
		r.session.Script.FirstMessage = "U bereikt ons de hele dag op nummer 020-1234567."
		r.session.Script.FirstMessageInterruptions = true
		r.stt.Texts = []string{"Nul twee nul, één twee drie.", "En in Utrecht?", "Nul drie nul, zeven zes vijf."}
		r.answers("In Utrecht is dat de hele dag nummer 030-7654321.")
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(400 * time.Millisecond)
		r.leg.Pause(8 * time.Second)
		r.leg.Speak(400 * time.Millisecond)
		r.leg.Pause(2 * time.Second)
		r.leg.Speak(400 * time.Millisecond)
		r.leg.Pause(10 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{
		"assistant: U bereikt ons de hele dag op nummer 020-1234567.", "user: En in Utrecht?",
		"assistant: In Utrecht is dat de hele dag nummer 030-7654321.",
	}, r.journal.Transcript())
}
