package voice

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sentence"
	"github.com/callwright/callwright/voice/turn"
)

// receive handles one thing that the far end sent.
func (c *call) receive(in audio.Incoming) {
	if c.away != nil {
		c.away.receive(in)
		return
	}
	switch {
	case in.Frame != nil:
		frame := in.Frame
		if c.wideband != nil {
			frame = c.wideband.narrow(frame)
		}
		c.listenForTones(frame)
		c.listen(frame)
		audio.GiveFrame(in.Frame)
	case in.Digit != 0:
		c.note(Note{Kind: DigitPressed, Role: RoleUser, Text: string(rune(in.Digit))})
		c.dispatch(turn.KeyPressed{Key: in.Digit})
	case in.Caption() != "":
		c.transcriber.caption(in.Caption())
	case in.Typed() != "":
		c.dispatch(turn.Transcribed{Text: in.Typed(), Final: true})
	}
}

// listen gives the transcriber a frame, in the narrow band, without our own voice in it.
func (c *call) listen(frame []int16) {
	c.transcriber.foreground.Hold = c.state.AssistantBusy()
	c.transcriber.vague = c.transcriber.vague || c.echo.Echoes()
	var room [audio.MaxFrameLen]int16
	played := room[:c.speaker.band.FrameLen()]
	if c.state.Attended() && c.Operator != nil {
		c.Operator.readReference(played)
	} else {
		c.speaker.readReference(played)
	}
	if c.wideband != nil {
		played = c.wideband.narrowPlayed(played)
	}
	c.echo.Process(frame, played, c.transcriber.vad.Open(), c.now(), c.transcribe)
}

func (c *call) transcribe(frame []int16, at time.Duration) {
	whole := frame
	if c.wideband != nil {
		whole = c.wideband.whole(frame)
	}
	c.transcriptionFailed(c.transcriber.write(frame, whole, at, c.dispatch))
}

// handle handles what others have done for the call.
func (c *call) handle(e event) {
	switch e := e.(type) {
	case transcriberOpened:
		c.opened(e)
	case replyPart:
		c.replied(e)
	case synthesised:
		c.soundMade(e)
	case onHold:
		c.hold(e.sound)
	case transferEnded:
		c.transferred(e)
	case colleagueLeft:
		c.dispatch(turn.ColleagueLeft{})
	case turnJudged:
		c.judged(e)
	case answererNamed:
		c.dispatch(turn.AnswererNamed{Kind: e.kind})
	case shuttingDown:
		c.dispatch(turn.ShuttingDown{})
	}
}

// transcribed handles what the transcriber understood; ok is false when it will understand no more.
func (c *call) transcribed(e stt.Event, ok bool) {
	if !ok {
		c.transcriberFailed(errTranscriberEnded)
		return
	}
	if e.Text != "" {
		c.transcriber.captioned = false
	}
	if c.echoed(e.Text) {
		c.dispatch(turn.EchoTranscribed{Final: e.Final})
		e.Text = ""
	}
	c.dispatch(turn.Transcribed{Text: e.Text, Final: e.Final})
}

// echoed reports whether a transcriber has understood the assistant's own words, which came back from the far end. Until that
// has happened once, words that ask for the floor are the caller's even where the assistant has just said them. So is a single
// word where nothing came back of what it said, as anybody begins with "that" or "you", once it is known how loud the caller is.
func (c *call) echoed(text string) bool {
	said, ours := sentence.Words(text), c.speaker.lately()
	switch {
	case len(said) == 0, !contains(sentence.Words(ours), said) && !contains(sentence.Words(c.speaker.readAloud(ours)), said):
		return false
	case !c.transcriber.vague && (c.rules.Interrupts(text) || c.met && len(said) == 1 && c.echo.Clean()):
		return false
	}
	c.transcriber.vague = true
	return true
}

// contains reports whether words stand in all of them, in a row.
func contains(all, words []string) bool {
	for at := range len(all) - len(words) + 1 {
		if slices.Equal(all[at:at+len(words)], words) {
			return true
		}
	}
	return false
}

func (c *call) opened(e transcriberOpened) {
	if e.err == nil {
		e.err = c.transcriber.opened(e.stream)
	}
	c.transcriberFailed(e.err)
}

// transcriptionFailed has a transcriber be replaced that failed, by the call's own goroutine: it waits for the end of that one.
// It does nothing when err is nil.
func (c *call) transcriptionFailed(err error) { c.deaf = cmp.Or(c.deaf, err) }

func (c *call) replaceTranscriber() {
	err := c.deaf
	c.deaf = nil
	c.transcriberFailed(err)
}

// transcriberFailed replaces a transcriber that failed. It does nothing when err is nil. Meanwhile the loops own the call.
func (c *call) transcriberFailed(err error) {
	if err == nil {
		return
	}
	if stream := c.transcriber.giveUp(); stream != nil {
		c.mu.Unlock()
		cause := endOf(stream)
		c.mu.Lock()
		if errors.Is(err, errTranscriberEnded) || !errors.Is(cause, errTranscriberEnded) && !errors.Is(err, errTranscriberSilent) {
			err = cause
		}
		if c.state.Over() {
			return
		}
	}
	c.failed("transcriber", err)
	c.dispatch(turn.TranscriberFailed{})
	if !c.state.Closing() && !c.state.Joined() {
		c.transcriber.reopen(c.ctx, c.state.TranscriberFailures())
	}
}

// replied handles what the reply in the making has come to.
func (c *call) replied(part replyPart) {
	current := part.id == c.responder.id
	switch {
	case part.toolsStarted:
		c.toolsRunning = true
		if !current { // of a reply given up before: the guess does not know what they do
			c.dropGuess()
		}
	case part.messages != nil:
		c.toolsRan(part, current)
	case !current:
	case part.brokeOff != nil:
		c.failed("llm", part.brokeOff)
	case part.err != nil && c.guessing != nil: // the reply is asked for anew when the turn is over
		c.log.InfoContext(c.ctx, "reply ahead failed", "error", part.err)
		c.dropGuess()
	case part.err != nil:
		c.responder.done()
		c.failed("llm", part.err)
		c.dispatch(turn.ReplyFailed{Spoken: c.responder.spoke})
	case part.last:
		c.responder.done()
	default:
		c.sentenceMade(part)
	}
}

// sentenceMade has a sentence of the reply be spoken. Of a guess it is not heard yet.
func (c *call) sentenceMade(part replyPart) {
	if c.responder.firstToken.IsZero() {
		c.responder.firstToken = part.firstToken
	}
	if c.guessing != nil {
		c.guessing.begun = true
	} else {
		c.replyGoesOn(part.aside)
	}
	c.speaker.say(c.ctx, part.sentence)
}

// replyGoesOn notes that another sentence is part of the assistant's turn, whether the model's or not.
func (c *call) replyGoesOn(aside bool) {
	c.responder.spoke = c.responder.spoke || !aside
	c.dispatch(turn.ReplyBegun{})
}

// toolsRan keeps what tools did: it has happened, even if the reply was interrupted. Then their commands are void.
func (c *call) toolsRan(part replyPart, current bool) {
	c.toolsRunning = false
	if current {
		c.dispatch(turn.ToolsRan{})
	}
	c.history = append(c.history, part.messages...)
	for _, ran := range part.ran {
		c.Journal.Note(Note{
			Kind: ToolCalled, At: ran.began.Sub(c.begun), Role: RoleAssistant, Err: ran.result.Err,
			Tool: &ToolUse{ran.call, ran.result.Content, ran.took},
		})
		if ran.result.Then != nil && current {
			c.dispatch(turn.ToolCommand{Command: ran.result.Then, Mute: !c.responder.spoke})
		}
	}
	if c.postponed {
		c.postponed = false
		c.respond(c.state.Asked(), 0)
	}
}

func (c *call) soundMade(s synthesised) {
	err, final := c.speaker.take(c.ctx, s)
	if err != nil {
		c.failed("voice", err)
	}
	if final && c.guessing != nil { // what nobody waits for ends no call
		c.dropGuess()
		return
	}
	if final {
		c.dispatch(turn.VoiceFailed{})
	}
}

// sentenceBegun follows the first sound of a sentence; the first of a turn is what the caller has waited for.
func (c *call) sentenceBegun() {
	quiet := c.fellQuiet
	c.fellQuiet = false
	if c.state.AudibleSince() != 0 {
		if quiet {
			c.dispatch(turn.HeardAgain{})
		}
		return
	}
	c.heardFirst()
	c.note(Note{Kind: SpeechStarted, Role: RoleAssistant})
	c.dispatch(turn.PlaybackStarted{})
}

// allPlayed follows the last sound that was made so far.
func (c *call) allPlayed() {
	if !c.responding() {
		c.allSpoken()
		return
	}
	c.fallQuiet()
}

// fallQuiet tells the rules once that nothing is heard although more is to come.
func (c *call) fallQuiet() {
	if !c.fellQuiet {
		c.fellQuiet = true
		c.dispatch(turn.FellQuiet{})
	}
}

// allSpoken records the assistant's turn, once it was made and played completely.
func (c *call) allSpoken() {
	text := c.speaker.finish()
	c.turnOver(text, c.state.AudibleSince(), false)
	c.dispatch(turn.PlaybackEnded{Text: text})
}
