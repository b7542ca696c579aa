package simnet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/vad"
)

const (
	turnPause   = 800 * time.Millisecond // of the other side before the far end takes its turn
	voiceLevel  = -45.0                  // dBFS: with captions, any sound above is the other side's voice
	wordsTravel = 150 * time.Millisecond // behind an utterance: a hang-up must not overtake its words
	hangUpLimit = 2 * time.Second
	longestCall = 2 * time.Hour
	playSlack   = 10 * time.Second // for queued sound to leave; longer is a call on hold
)

// lineEnd is how real-time text says that an utterance is complete (T.140).
const lineEnd = "\n"

var errHeld = errors.New("the call did not take the sound")

// farEnd is one telephone in a call. One goroutine owns it; the frames that arrive are its
// clock.
type farEnd struct {
	ctx     context.Context
	network *Network
	leg     *sip.Leg
	script  Script
	record  *record

	detector  *vad.Stream
	narrower  *audio.Converter // for the detector
	narrowed  [audio.FrameLen]int16
	echo      *echo // nil: none
	captioned bool
	talking   time.Duration // how long the other side has been talking without a pause
	voiceAt   time.Time     // when its voice was heard last
	moved     bool          // it was transferred
	keys      string        // that the other side has pressed since they were last asked for
	unpressed bool          // those that were asked for did not come
}

// talk plays the script on an answered call and hangs up.
func (n *Network) talk(leg *sip.Leg, script Script, r *record) error {
	r.answered(leg.Stats().Codec)
	live, cancel := context.WithTimeout(n.live, longestCall)
	defer cancel()
	f := &farEnd{
		ctx: live, network: n, leg: leg, script: script, record: r, narrower: audio.NewConverter(leg.Band(), audio.Narrow),
	}
	err := f.run()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.live), hangUpLimit)
	defer cancel()
	if hanging := leg.Hangup(ctx); err == nil && hanging != nil {
		err = fmt.Errorf("hang up: %w", hanging)
	}
	if leg.Err() == nil { // the first end counts, and it was this one
		r.hungUp()
	}
	return err
}

func (f *farEnd) run() error {
	silero, err := vad.NewSilero()
	if err != nil {
		return err
	}
	if f.detector, err = vad.NewStream(silero, vad.DefaultGate()); err != nil {
		return err
	}
	for _, step := range f.script.Steps {
		if err := f.take(step); err != nil {
			return err
		}
		if f.disconnected() {
			return nil
		}
	}
	return nil
}

// disconnected reports whether the call is over. It asks for the leg's error because Incoming, whose end frame sees, is
// closed before Done.
func (f *farEnd) disconnected() bool {
	return f.leg.Err() != nil || f.moved || f.unpressed || f.ctx.Err() != nil
}

func (f *farEnd) take(step Step) error {
	switch {
	case step.Say != "":
		return f.say(step.Say, step.Cut)
	case step.Press != "":
		f.leg.SendDigits(step.Press)
		f.pass(time.Duration(len(step.Press)) * keyLength)
	case step.Beep != 0:
		return f.play(f.leg.Band().Widen(audio.Beep(step.Beep)))
	case step.Fax != 0:
		return f.play(f.leg.Band().Widen(audio.Tone(step.Fax, -13, faxPitch)))
	case step.Await != "":
		f.awaitKeys(step.Await)
	case step.Echo != 0:
		f.echo = newEcho(f.leg, step)
	case step.Wait != 0:
		f.pass(step.Wait)
	case step.Hear != 0:
		f.hear(step.Hear)
	case step.Listen != 0:
		f.listen(step.Listen)
	}
	return nil
}

// keyLength is more than a call takes to send one key.
const keyLength = 250 * time.Millisecond

// say speaks a text, or the first part of it, and sends its words when they were spoken.
func (f *farEnd) say(text string, part float64) error {
	pcm, err := f.network.speech.of(f.ctx, f.script.Language, text, f.leg.Band())
	switch {
	case f.disconnected():
		return nil
	case err != nil:
		return err
	}
	if part != 0 {
		return f.play(pcm[:int(float64(len(pcm))*part)])
	}
	if err := f.play(pcm); err != nil || f.disconnected() {
		return err
	}
	f.leg.Caption(text + lineEnd)
	f.record.said(text)
	f.pass(wordsTravel)
	return nil
}

// play returns when the sound was sent.
func (f *farEnd) play(pcm []int16) error {
	if f.echo != nil {
		f.echo.say(pcm)
	} else {
		f.leg.Play(pcm)
	}
	deadline := time.Now().Add(f.leg.Band().Duration(len(pcm)) + playSlack)
	for f.speaks() {
		if time.Now().After(deadline) {
			return errHeld
		}
		if !f.frame() {
			return nil
		}
	}
	return nil
}

// speaks reports whether some of what it said was not sent.
func (f *farEnd) speaks() bool {
	if f.echo != nil {
		return f.echo.speaks()
	}
	return f.leg.Queued() > 0
}

// hear waits until the other side has been talking for some time, or never does.
func (f *farEnd) hear(d time.Duration) {
	deadline := time.Now().Add(d + defaultListen)
	for f.talking < d && time.Now().Before(deadline) && f.frame() {
	}
}

// listen waits until the other side has spoken and paused.
func (f *farEnd) listen(limit time.Duration) {
	begun := time.Now()
	for f.frame() {
		now := time.Now()
		spoke := f.voiceAt.After(begun)
		if spoke && now.Sub(f.voiceAt) >= turnPause || !spoke && now.Sub(begun) >= limit {
			return
		}
	}
}

// faxPitch is the tone that a fax answers with, in hertz (ITU-T T.30).
const faxPitch = 2100

// awaitKeys waits for keys that are pressed from now on.
func (f *farEnd) awaitKeys(wanted string) {
	f.keys = ""
	deadline := time.Now().Add(defaultListen)
	for !strings.HasSuffix(f.keys, wanted) {
		if time.Now().After(deadline) || !f.frame() {
			f.unpressed = true
			return
		}
	}
}

// pass lets time pass.
func (f *farEnd) pass(d time.Duration) {
	deadline := time.Now().Add(d)
	for time.Now().Before(deadline) && f.frame() {
	}
}

// frame takes in what arrives, up to the next frame of sound: 20 ms of time. It is false
// when the call is over.
func (f *farEnd) frame() bool {
	for {
		select {
		case in, ok := <-f.leg.Incoming():
			if !ok {
				return false
			}
			switch {
			case in.Digit != 0:
				f.record.pressed(in.Digit)
				f.keys += string(rune(in.Digit))
			case in.Caption() != "":
				f.captioned = true
				f.record.heard(strings.TrimSpace(in.Caption()))
			default:
				f.sound(in.Frame)
				audio.GiveFrame(in.Frame)
				return f.ctx.Err() == nil
			}
		case referral := <-f.leg.Referrals():
			if f.transferred(referral) {
				return false
			}
		case <-f.ctx.Done():
			return false
		}
	}
}

// sound follows the voice of the other side. Where there are captions, any sound that is loud enough is a voice: the
// detector does not know every voice.
func (f *farEnd) sound(frame []int16) {
	f.detector.Push(f.narrower.Push(f.narrowed[:0], frame), func(vad.Event) {})
	now := time.Now()
	switch {
	case f.detector.Open() || f.captioned && audio.Level(frame) > voiceLevel:
		f.talking += audio.FrameDuration
		f.voiceAt = now
		f.record.voice(audio.FrameDuration)
	case now.Sub(f.voiceAt) > turnPause/2:
		f.talking = 0
	}
}
