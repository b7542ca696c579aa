package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/callwright/callwright/cmd/callwright-bench/telephones"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker"
)

// The far ends are a process of their own, so that what they cost is not taken for ours. It is this program again, which
// prints its SIP address and, when its standard input closes, what it noted.

// What the far ends do.
const (
	behaviorTalk      = "talk"      // they ask, hear the answer out, and ask again
	behaviorInterrupt = "interrupt" // they speak into the answer
	behaviorEcho      = "echo"      // they say nothing, and their telephones give back what they hear
	behaviorPages     = "pages"     // they are no telephones but browsers, which ask, too
	behaviorReceive   = "receive"   // they are no telephones but a customer's server, which takes all events
)

const (
	loud        = -45.0 // dBFS: a voice
	turnPause   = 700 * time.Millisecond
	bargeAfter  = 1500 * time.Millisecond
	echoDelay   = 120 * time.Millisecond
	question    = "Hello, what are your opening hours on Saturday?"
	objection   = "Please stop it now"
	shortAnswer = "On Saturday we are open from nine to one."
	longAnswer  = "We are open from nine in the morning until five in the afternoon and you are welcome to come by without an appointment " +
		"because there is always somebody who has the time to help you and there is coffee and tea for those who have to wait"
)

// notes are what the far end of one number noted, in Unix nanoseconds.
type notes struct {
	telephones.Notes
	Falls []fall // how the other side fell silent when they spoke into its answer
}

// fall is an interruption: when they began to speak, and when the other side was heard last.
type fall struct{ Spoke, Silent int64 }

// farEndProcess is the child process.
type farEndProcess struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	address string
}

// startFarEnds starts the child.
func startFarEnds(ctx context.Context, behavior string, talkFor time.Duration) (*farEndProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &farEndProcess{command: exec.CommandContext(ctx, self, "-far-ends", behavior, "-talk", talkFor.String())}
	p.command.Stderr = os.Stderr
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.stdout = bufio.NewReader(stdout)
	if _, err := fmt.Fscanln(p.stdout, &p.address); err != nil {
		return nil, errors.Join(fmt.Errorf("far ends did not start: %w", err), p.command.Wait())
	}
	return p, nil
}

// end asks the child for its notes, by number.
func (p *farEndProcess) end() (map[string]*notes, error) {
	if err := p.stdin.Close(); err != nil {
		return nil, err
	}
	noted := map[string]*notes{}
	err := json.NewDecoder(p.stdout).Decode(&noted)
	return noted, errors.Join(err, p.command.Wait())
}

// spent is the processor time of the child, which has ended.
func (p *farEndProcess) spent() time.Duration {
	return p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime()
}

// runFarEnds is the child.
func runFarEnds(ctx context.Context, behavior string, talkFor time.Duration) error {
	switch behavior {
	case behaviorReceive:
		return runReceiver(ctx)
	case behaviorPages:
		return runPages(ctx, talkFor)
	}
	voice, err := speech(
		ctx,
		map[string]string{behaviorTalk: question, behaviorInterrupt: objection, behaviorEcho: question}[behavior],
	)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	if behavior == behaviorTalk {
		err := runTelephones(telephones.Config{Question: voice, Talk: talkFor, Logger: logger})
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	ends := &talkers{behavior: behavior, voice: voice, talkFor: talkFor, noted: map[string]*notes{}}
	var address string
	var closing func(context.Context) error
	if behavior == behaviorEcho {
		network, err := simnet.Start(
			ctx,
			simnet.Config{Listen: "127.0.0.1:0", Logger: logger, AnswerDelay: time.Millisecond, Scripts: simnet.Scripts{
				"00": {Steps: []simnet.Step{{Echo: echoDelay}, {Wait: talkFor}}},
			}},
		)
		if err != nil {
			return err
		}
		address, closing = network.Addr().String(), network.Close
	} else {
		ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: logger, Inbound: ends.answer})
		if err != nil {
			return err
		}
		address, closing = ua.Addr().String(), ua.Close
	}
	fmt.Println(address)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := closing(stopping); err != nil {
		return err
	}
	ends.mu.Lock()
	defer ends.mu.Unlock()
	return json.NewEncoder(os.Stdout).Encode(ends.noted)
}

// runTelephones is the child where hundreds of far ends talk.
func runTelephones(cfg telephones.Config) error {
	runtime.GOMAXPROCS(worker.Threads(runtime.GOMAXPROCS(0))) // their clock sleeps for less then
	phones, err := telephones.Start(cfg)
	if err != nil {
		return err
	}
	fmt.Println(phones.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	noted, closing := phones.Close()
	return errors.Join(err, closing, json.NewEncoder(os.Stdout).Encode(noted))
}

// speech is a text in the built-in voice.
func speech(ctx context.Context, text string) ([]int16, error) {
	var pcm []int16
	for chunk, err := range flite.New(flite.Config{}).Speak(ctx, tts.Request{Text: text}) {
		if err != nil {
			return nil, err
		}
		pcm = append(pcm, chunk...)
	}
	return pcm, nil
}

// talkers answer every call.
type talkers struct {
	behavior string
	voice    []int16
	talkFor  time.Duration
	mu       sync.Mutex
	noted    map[string]*notes
}

func (c *talkers) answer(ctx context.Context, in *sip.Inbound) {
	leg, err := in.Answer(context.WithoutCancel(ctx))
	if err != nil {
		fmt.Fprintln(os.Stderr, "far end:", err)
		return
	}
	p := &talker{leg: leg, voice: c.voice, until: time.Now().Add(c.talkFor)}
	if c.behavior == behaviorInterrupt {
		p.interrupt()
	} else {
		p.talk()
	}
	hanging, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := leg.Hangup(hanging); err != nil {
		fmt.Fprintln(os.Stderr, "far end:", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noted[in.To] = &p.notes
}

// handset is what a far end hears and speaks by.
type handset interface {
	Play(pcm []int16)
	Queued() time.Duration
	Incoming() <-chan audio.Incoming
}

// talker is one far end. The frames that arrive are the clock.
type talker struct {
	leg    handset
	voice  []int16
	until  time.Time
	heard  time.Time // when the other side's voice was heard last
	notes  notes
	gone   bool
	talked time.Duration // how long it has been speaking
}

// talk asks when the other side is silent and notes when it answers.
func (p *talker) talk() {
	for p.listen(); !p.over(); p.listen() {
		p.leg.Play(p.voice)
		for p.leg.Queued() > 0 && p.frame() {
		}
		asked := time.Now()
		for p.heard.Before(asked) && !p.over() && p.frame() {
		}
		if p.heard.After(asked) {
			p.notes.Answers = append(p.notes.Answers, p.heard.UnixNano())
		}
	}
}

// interrupt speaks when the other side has been speaking for a while, and notes when that falls silent.
func (p *talker) interrupt() {
	for !p.over() {
		for p.talked < bargeAfter && !p.over() && p.frame() {
		}
		if p.over() {
			return
		}
		p.leg.Play(p.voice)
		spoke := time.Now()
		for (time.Since(p.heard) < turnPause/2 || p.leg.Queued() > 0) && p.frame() {
		}
		p.notes.Falls = append(p.notes.Falls, fall{spoke.UnixNano(), p.heard.UnixNano()})
		p.talked = 0
	}
}

func (p *talker) over() bool { return p.gone || time.Now().After(p.until) }

// listen returns when the other side has spoken and paused.
func (p *talker) listen() {
	begun := time.Now()
	for !p.over() && p.frame() {
		if p.heard.After(begun) && time.Since(p.heard) >= turnPause {
			return
		}
	}
}

// frame takes 20 ms of sound.
func (p *talker) frame() bool {
	in, ok := <-p.leg.Incoming()
	if !ok {
		p.gone = true
		return false
	}
	if in.Frame == nil {
		return true
	}
	defer audio.GiveFrame(in.Frame)
	if audio.Level(in.Frame) > loud {
		p.heard = time.Now()
		p.talked += audio.FrameDuration
	} else if time.Since(p.heard) > turnPause {
		p.talked = 0
	}
	return true
}
