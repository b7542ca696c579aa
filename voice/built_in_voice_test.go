package voice

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/audio/audiotest"
	"github.com/callwright/callwright/voice/tones"
	"github.com/callwright/callwright/voice/vad"
)

// builtInTexts are what assistants and far ends say: words alone, questions, times, amounts, numbers, names, and some Dutch.
func builtInTexts() []string {
	all := strings.FieldsFunc(`
Yes.|No.|Hello?|Hi.|Okay.|Thanks.|Goodbye.|Right.|Sure.|Monday?|Who?|What?|Nine.|Well...|Sorry?|Bye!|Good morning.
One moment, please.|Good afternoon, this is Linden Dental, how can I help you?
You have reached the voicemail of Alex. Please leave a message after the beep.|I cannot take your call right now.
Sorry, I did not catch that. Could you say it again?|I will hang up now. Goodbye.|Are you still there?
For sales press one. For support press two. For all other questions, please hold the line.
Wait, sorry, I have a question.|Hello, this is Alex speaking. Yes, I have a moment.
Can you tell me your opening hours on Saturday?|Thank you very much. Goodbye.|Could you spell that for me, please?
A as in apple, B as in boy, C as in Charlie.|My e-mail address is info@linden-dental.nl.
It costs $1,234.50, or 15% less if you pay today.|That is €12,50 – or £3.|Our number is 020-1234567.|Press # or *.
The code is 4 7 1 1.|Why not?|Perfect, I have put you down for a check-up.
Dr. Van den Berg is on holiday until 03/04/2026.|Ooh, really?|Mmm.|Uh-huh.|Zoom.|José's café is naïve 😀 but "fine"…
WOULD YOU LIKE TO COME IN NEXT WEEK?|two new blue moons loom|No, not now, no more, no one knows.|She sells sea shells.
Goedemorgen, u spreekt met tandartspraktijk de Linden.|Een ogenblik, alstublieft.|Ik ga nu ophangen. Tot ziens.|Ja.
Nee, dank u wel.|Hallo?|Uw afspraak is op zaterdag om tien uur.|Sorry, dat verstond ik niet. Kunt u dat herhalen?
Wat is uw geboortedatum?|Één moment, ik verbind u door.
Het spijt me, er gaat iets mis bij ons. Probeert u het later nog eens.|De praktijk is gesloten tot en met 2 januari.
`, func(r rune) bool { return r == '|' || r == '\n' })
	days := []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	names := []string{"Anna", "Mr. Jones", "Maria van den Berg", "Siobhan", "Bob", "Dr. Lee", "Wei", "Youssef"}
	forms := []string{
		"Your appointment is on %[1]s at %[2]d:%02[3]d.", "%[4]s?", "Is %[4]s there on %[1]s?", "%[1]s.", "It is %[2]d o'clock.",
		"%[3]d.", "We are open on %[1]s from %[2]d to five.", "Please call +31 6 12345%03[5]d and ask for %[4]s.",
		"You owe %[4]s %[5]d dollars.",
	}
	for i := range 190 {
		day, name := days[i%len(days)], names[i%len(names)]
		all = append(all, fmt.Sprintf(forms[i%len(forms)], day, 1+i%12, i*7%60, name, i*37%1000))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// surroundings are the silence before and behind a sentence on a line.
var surroundings = make([]int16, audio.Samples(800*time.Millisecond))

// spurts are how often a voice is heard to begin and to end.
func spurts(pcm []int16) (begun, ended int, err error) {
	detector, err := vad.NewSilero()
	if err != nil {
		return 0, 0, err
	}
	stream, err := vad.NewStream(detector, vad.DefaultGate())
	if err != nil {
		return 0, 0, err
	}
	stream.Push(pcm, func(e vad.Event) {
		switch e.Kind {
		case vad.SpeechStart:
			begun++
		case vad.SpeechEnd:
			ended++
		}
	})
	return begun, ended, nil
}

func beepsIn(pcm []int16) (beeps int) {
	var beep tones.Beep
	for ; len(pcm) >= audio.FrameLen; pcm = pcm[audio.FrameLen:] {
		if beep.Detect(pcm[:audio.FrameLen]) {
			beeps++
		}
	}
	return beeps
}

// TestTheBuiltInVoiceIsHeardAsSpeech also on the telephone: whoever tries this program hears no other voice, and its
// assistants take who speaks in it neither for silence nor for an answering machine.
func TestTheBuiltInVoiceIsHeardAsSpeech(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	texts := builtInTexts()
	require.Greater(t, len(texts), 200)
	for _, voice := range []string{flite.Kal, flite.Slt} {
		var wrong []string
		var mu sync.Mutex
		var listening sync.WaitGroup
		speaker, slots := flite.New(flite.Config{Voice: voice}), make(chan struct{}, 4)
		for _, text := range texts {
			listening.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				sound, err := ttstest.Collect(t.Context(), speaker, tts.Request{Text: text})
				line := audiotest.Telephone(slices.Concat(surroundings, sound, surroundings))
				begun, ended, failed := spurts(line)
				if beeps := beepsIn(line); err != nil || failed != nil || begun == 0 || begun != ended || beeps > 0 {
					mu.Lock()
					defer mu.Unlock()
					wrong = append(wrong,
						fmt.Sprintf("%s: %q: begun %d, ended %d, beeps %d, %v %v", voice, text, begun, ended, beeps, err, failed))
				}
			})
		}
		listening.Wait()
		require.Empty(t, wrong)
	}
}
