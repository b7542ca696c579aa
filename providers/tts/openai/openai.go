// Package openai speaks with servers of OpenAI's audio speech: the company itself,
// speaches, LocalAI, Groq and others.
//
// It knows the wire format and the sound formats in which such servers answer. It must
// not know what is said, nor how sound is paced.
package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

const (
	defaultModel      = "gpt-4o-mini-tts"
	defaultVoice      = "alloy"
	defaultFormat     = FormatPCM
	defaultFirstSound = 6 * time.Second
	defaultIdle       = 4 * time.Second
	rawRate           = 24_000 // hertz, of samples without a header
	maxRate           = 2 * 48_000
)

// Formats to ask for.
const (
	FormatPCM = "pcm" // 24 kHz without a header, which begins soonest
	FormatWAV = "wav" // says its own rate: for servers whose voices have other rates
)

// Config is an account on a server.
type Config struct {
	Name       string        // in logs and faults; empty: "openai"
	BaseURL    string        // with the version; empty: OpenAI's own
	APIKey     string        // empty: none is sent
	Model      string        // for requests that name none; empty: "gpt-4o-mini-tts"
	Voice      string        // for requests that name none; empty: "alloy"
	Format     string        // FormatPCM or FormatWAV; empty: FormatPCM
	FirstSound time.Duration // until the first sound; 0: 6 s
	Idle       time.Duration // between two pieces after that; 0: 4 s
	HTTP       *http.Client  // nil: an own one
}

// Provider is a tts.Provider.
type Provider struct {
	cfg      Config
	endpoint openaihttp.Endpoint
}

// New fills in the defaults of cfg.
func New(cfg Config) *Provider {
	cfg.Model, cfg.Voice, cfg.Format = cmp.Or(cfg.Model, defaultModel), cmp.Or(cfg.Voice, defaultVoice),
		cmp.Or(cfg.Format, defaultFormat)
	if cfg.FirstSound <= 0 {
		cfg.FirstSound = defaultFirstSound
	}
	if cfg.Idle <= 0 {
		cfg.Idle = defaultIdle
	}
	return &Provider{cfg: cfg, endpoint: openaihttp.NewEndpoint(cfg.Name, cfg.BaseURL, cfg.APIKey, cfg.HTTP)}
}

// Name is that of the configuration.
func (p *Provider) Name() string { return p.endpoint.Provider }

// Speak yields sound while it arrives.
func (p *Provider) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if strings.TrimSpace(req.Text) == "" {
			return
		}
		reply, err := p.open(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer reply.Close()
		sound := &clocked{reply: reply, idle: p.cfg.Idle}
		body, rate, err := p.format(sound, reply.MediaType)
		if err != nil {
			yield(nil, err)
			return
		}
		for chunk, err := range audio.Stream(body, rate, req.Band) {
			if !yield(chunk, err) {
				return
			}
		}
	}
}

func (p *Provider) open(ctx context.Context, req tts.Request) (*openaihttp.Reply, error) {
	if req.Model == "" {
		req.Model = p.cfg.Model
	}
	if req.Voice == "" {
		req.Voice = p.cfg.Voice
	}
	body, err := json.Marshal(map[string]string{
		"model": req.Model, "input": req.Text, "voice": req.Voice, "response_format": p.cfg.Format,
	})
	if err != nil {
		return nil, &fault.Error{Kind: fault.Refused, Provider: p.endpoint.Provider, Message: "request cannot be written", Err: err}
	}
	return p.endpoint.Post(ctx, openaihttp.Request{
		Path: "/audio/speech", ContentType: "application/json", Body: body,
		Wait: p.cfg.FirstSound, MaxBytes: maxSound(req.Text),
	})
}

// maxSound is how much may come back for text, in bytes: half a second a letter, and 10 s.
func maxSound(text string) int64 {
	return maxRate * int64(10+utf8.RuneCountInString(text)/2)
}

// format looks at the sound itself: servers do not always send what they were asked for,
// nor what they say they send.
func (p *Provider) format(sound io.Reader, mediaType string) (body io.Reader, rate int, err error) {
	if mediaType == "application/json" || strings.HasPrefix(mediaType, "text/") {
		return nil, 0, p.broken(fmt.Errorf("answered with %s instead of sound", mediaType))
	}
	head := bufio.NewReader(sound)
	magic, err := head.Peek(4)
	switch {
	case errors.Is(err, io.EOF):
		return nil, 0, p.broken(errors.New("answered without sound"))
	case err != nil:
		return nil, 0, err
	case bytes.Equal(magic, []byte("RIFF")):
		if rate, err = audio.ReadStreamHeader(head); err != nil {
			return nil, 0, p.broken(err)
		}
		return head, rate, nil
	case compressed(magic):
		return nil, 0, p.broken(fmt.Errorf("answered with compressed sound (%q)", mediaType))
	}
	return head, rawRate, nil
}

// compressed recognises MP3, Ogg, FLAC and WebM, which would be noise if they were played.
func compressed(magic []byte) bool {
	for _, known := range []string{"ID3", "\xff\xfb", "\xff\xf3", "OggS", "fLaC", "\x1aE\xdf\xa3"} {
		if bytes.HasPrefix(magic, []byte(known)) {
			return true
		}
	}
	return false
}

func (p *Provider) broken(err error) error {
	if _, known := errors.AsType[*fault.Error](err); known {
		return err // it broke off while it was read
	}
	return &fault.Error{Kind: fault.Unavailable, Provider: p.endpoint.Provider, Message: "answer cannot be played", Err: err}
}

// clocked lets the server's time run only while sound is waited for, and not while a
// listener takes it in.
type clocked struct {
	reply *openaihttp.Reply
	idle  time.Duration
	begun bool
}

func (c *clocked) Read(p []byte) (int, error) {
	if c.begun {
		c.reply.Allow(c.idle)
	}
	n, err := c.reply.Read(p)
	if n > 0 {
		c.begun = true
		c.reply.Pause()
	}
	return n, err
}
