package voice_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/voicetest"
)

// A call on a leg without a network, with providers that do what the example says. Instead of them a worker takes the leg of
// a telephone call, the providers that the assistant names, and a journal that writes to the database.
func Example() {
	script := voice.DefaultScript()
	script.SystemPrompt = "You answer for a dental practice."
	script.FirstMessage = "Hello."
	script.EndCallPhrases = []string{"goodbye"}

	leg, journal := voicetest.NewLeg(), &voicetest.Journal{}
	session := &voice.Session{
		Leg: leg, Journal: journal, Script: script,
		STT:      &voicetest.STT{Texts: []string{"When are you open?"}},
		LLM:      &voicetest.LLM{Replies: []voicetest.Reply{{Pieces: []string{"From ", "nine. ", "Goodbye!"}}}},
		TTS:      &voicetest.TTS{},
		Detector: voicetest.Detector{},
	}
	var caller sync.WaitGroup
	caller.Go(func() {
		leg.Pause(time.Second)
		leg.Speak(500 * time.Millisecond)
		leg.Pause(time.Second)
	})
	outcome := session.Run(context.Background()) // nobody cancels an example
	caller.Wait()

	fmt.Println(strings.Join(journal.Transcript(), "\n"))
	fmt.Println(outcome.Reason, "by the", outcome.Fault)
	// Output:
	// assistant: Hello.
	// user: When are you open?
	// assistant: From nine. Goodbye!
	// assistant-said-end-call-phrase by the assistant
}
