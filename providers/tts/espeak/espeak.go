// Package espeak speaks with the program espeak-ng, which most systems have a package
// for: a plain voice that needs no key and no network, in Dutch, English and many more
// languages. The program is run, never linked.
//
// It knows the program's arguments and output. It must not know who listens.
package espeak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

const (
	name               = "espeak"
	defaultProgram     = "espeak-ng"
	defaultVoice       = "en"
	defaultSpeed       = 160 // words in a minute
	defaultConcurrency = 4
	timeout            = 10 * time.Second
	killDelay          = time.Second
	maxText            = 20_000 // bytes
	soundRate          = 44_100 // bytes in a second
	maxComplaint       = 1 << 10
)

// Config says how the program is run.
type Config struct {
	Program     string // empty: "espeak-ng", looked up in PATH
	Voice       string // for requests that name neither voice nor language; empty: "en"
	Speed       int    // words in a minute; 0: 160
	Concurrency int    // how many may run at once; 0: 4
}

// Provider is a tts.Provider.
type Provider struct {
	cfg   Config
	slots chan struct{}
}

// New fills in the defaults of cfg.
func New(cfg Config) *Provider {
	if cfg.Program == "" {
		cfg.Program = defaultProgram
	}
	if cfg.Voice == "" {
		cfg.Voice = defaultVoice
	}
	if cfg.Speed <= 0 {
		cfg.Speed = defaultSpeed
	}
	if cfg.Concurrency <= 0 {
		cfg.Concurrency = defaultConcurrency
	}
	return &Provider{cfg: cfg, slots: make(chan struct{}, cfg.Concurrency)}
}

// Name is "espeak".
func (*Provider) Name() string { return name }

// Installed reports whether the program can be found.
func (p *Provider) Installed() bool {
	_, err := exec.LookPath(p.cfg.Program)
	return err == nil
}

// Speak runs the program, which takes some milliseconds for a sentence, then yields its
// sound. That the program is not installed is a fault of kind Unavailable.
func (p *Provider) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if strings.TrimSpace(req.Text) == "" {
			return
		}
		file, err := p.run(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		rate, err := audio.ReadStreamHeader(file)
		if err != nil {
			yield(nil, &fault.Error{Kind: fault.Unavailable, Provider: name, Message: "output cannot be read", Err: err})
			return
		}
		for chunk, err := range audio.Stream(file, rate, req.Band) {
			if ctx.Err() != nil {
				chunk, err = nil, fault.FromNet(name, ctx.Err())
			}
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}

// run returns what the program wrote: a WAV file.
func (p *Provider) run(ctx context.Context, req tts.Request) (*bytes.Buffer, error) {
	voice, err := p.voice(req)
	if err != nil {
		return nil, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, fault.FromNet(name, ctx.Err())
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	sound, complaint := &bounded{limit: maxSound(req.Text)}, &bounded{limit: maxComplaint, drop: true}
	command := exec.CommandContext(limited, p.cfg.Program,
		"-v", voice, "-s", strconv.Itoa(p.cfg.Speed), "--stdout", "--stdin")
	command.Stdin = strings.NewReader(req.Text) // not an argument: it may begin with a dash
	command.Stdout, command.Stderr = sound, complaint
	command.WaitDelay = killDelay
	if err := command.Run(); err != nil {
		return nil, p.failed(limited, err, complaint.buffer.String())
	}
	return &sound.buffer, nil
}

// voice is a name that the program may know, and nothing that it takes for a file.
func (p *Provider) voice(req tts.Request) (string, error) {
	voice := p.cfg.Voice
	if req.Language != "" {
		voice = req.Language
	}
	if req.Voice != "" {
		voice = req.Voice
	}
	foreign := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '+' && r != '_'
	}
	switch {
	case len(req.Text) > maxText:
		return "", fault.New(fault.Refused, name, fmt.Sprintf("a text of %d bytes is too long", len(req.Text)))
	case voice[0] == '-' || strings.ContainsFunc(voice, foreign):
		return "", fault.New(fault.Refused, name, fmt.Sprintf("%q is no name of a voice", voice))
	}
	return voice, nil
}

func (p *Provider) failed(ctx context.Context, err error, complaint string) error {
	if ctx.Err() != nil {
		return fault.FromNet(name, ctx.Err())
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return &fault.Error{Kind: fault.Unavailable, Provider: name, Err: err,
			Message: p.cfg.Program + " is not installed (Debian: apt install espeak-ng)"}
	case errors.As(err, &exit) && strings.Contains(complaint, "voice"):
		return fault.New(fault.Refused, name, strings.Join(strings.Fields(complaint), " "))
	}
	return &fault.Error{Kind: fault.Unavailable, Provider: name, Message: strings.Join(strings.Fields(complaint), " "), Err: err}
}

// maxSound is how much the program may write for text, in bytes: half a second a letter,
// and 10 s.
func maxSound(text string) int { return soundRate * (10 + len(text)/2) }

// bounded is a buffer of at most limit bytes. More is an error, or dropped.
type bounded struct {
	buffer bytes.Buffer // not embedded: its ReadFrom would know no limit
	limit  int
	drop   bool
}

func (b *bounded) Write(p []byte) (int, error) {
	fits := min(len(p), b.limit-b.buffer.Len())
	b.buffer.Write(p[:fits])
	if fits < len(p) && !b.drop {
		return fits, fmt.Errorf("output is longer than %d bytes", b.limit)
	}
	return len(p), nil
}
