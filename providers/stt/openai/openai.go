// Package openai recognises speech with servers of OpenAI's audio transcriptions interface: OpenAI, vLLM, speaches,
// LocalAI, Groq, whisper.cpp and others.
//
// It knows the wire format: one POST for each stretch of speech. It must not know where speech begins and ends: its
// caller says that.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice/audio"
)

const (
	defaultModel   = "whisper-1" // known to most servers
	defaultTimeout = 8 * time.Second
	maxResponse    = 1 << 20
	minSpeech      = audio.Rate / 10  // samples at audio.Rate; servers refuse less
	maxSpeech      = 120 * audio.Rate // likewise; longer speech is transcribed in parts
)

// Config is an account on a server.
type Config struct {
	Name    string        // in logs and faults; empty: "openai"
	BaseURL string        // with the version; empty: OpenAI's own
	APIKey  string        // empty: none is sent
	Model   string        // for calls without their own; empty: "whisper-1"
	Timeout time.Duration // for one transcription; 0: 8 s
	HTTP    *http.Client  // nil: a new one
}

// Provider is an stt.Provider.
type Provider struct {
	cfg      Config
	endpoint openaihttp.Endpoint
}

// New returns a Provider with the defaults of cfg filled in.
func New(cfg Config) *Provider {
	cfg.Model = cmp.Or(cfg.Model, defaultModel)
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	return &Provider{cfg: cfg, endpoint: openaihttp.NewEndpoint(cfg.Name, cfg.BaseURL, cfg.APIKey, cfg.HTTP)}
}

// Name returns the configured name.
func (p *Provider) Name() string { return p.endpoint.Provider }

// Open does not connect: each stretch of speech is a request.
func (p *Provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if o.Model == "" {
		o.Model = p.cfg.Model
	}
	s := &stream{provider: p, options: o, wake: make(chan struct{}, 1)}
	s.Emitter = stt.NewEmitter(ctx, s.run)
	return s, nil
}

// stream collects speech while its goroutine posts it.
type stream struct {
	*stt.Emitter
	provider *Provider
	options  stt.Options
	wake     chan struct{} // waiting is not empty

	mu      sync.Mutex
	speech  []int16   // since the last pause
	waiting [][]int16 // to be transcribed, in order
}

func (s *stream) Write(samples []int16) error {
	if err := s.Over(); err != nil {
		return err
	}
	s.mu.Lock()
	s.speech = append(s.speech, samples...)
	full := len(s.speech) >= s.options.Band.Scale(maxSpeech)
	s.mu.Unlock()
	if full {
		s.EndOfSpeech()
	}
	return nil
}

func (s *stream) EndOfSpeech() {
	s.mu.Lock()
	s.waiting = append(s.waiting, s.speech)
	s.speech = nil
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default: // it was woken already
	}
}

func (s *stream) take() (speech []int16, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return nil, false
	}
	speech, s.waiting = s.waiting[0], s.waiting[1:]
	return speech, true
}

func (s *stream) run(ctx context.Context, emit func(stt.Event) bool) error {
	for {
		speech, ok := s.take()
		if !ok {
			select {
			case <-s.wake:
				continue
			case <-ctx.Done():
				return fault.FromNet(s.provider.endpoint.Provider, ctx.Err())
			}
		}
		text, err := s.provider.transcribeTwice(ctx, s.options, speech)
		if err != nil {
			return err
		}
		if !emit(stt.Event{Text: text, Final: true}) {
			return fault.FromNet(s.provider.endpoint.Provider, ctx.Err())
		}
	}
}

// transcribeTwice retries at once, unless the server is slow or requests a wait: otherwise the speech would be lost.
func (p *Provider) transcribeTwice(ctx context.Context, o stt.Options, speech []int16) (string, error) {
	if len(speech) < o.Band.Scale(minSpeech) {
		return "", nil
	}
	text, err := p.transcribe(ctx, o, speech)
	var failure *fault.Error
	if errors.As(err, &failure) && failure.Kind == fault.Unavailable && failure.RetryAfter == 0 {
		text, err = p.transcribe(ctx, o, speech)
	}
	return text, err
}

func (p *Provider) transcribe(ctx context.Context, o stt.Options, speech []int16) (string, error) {
	contentType, form, err := encode(o, speech)
	if err != nil {
		return "", &fault.Error{Kind: fault.Refused, Provider: p.endpoint.Provider, Message: "request cannot be written", Err: err}
	}
	reply, err := p.endpoint.Post(ctx, openaihttp.Request{
		Path: "/audio/transcriptions", ContentType: contentType, Body: form,
		Wait: p.cfg.Timeout, MaxBytes: maxResponse,
	})
	if err != nil {
		return "", err
	}
	defer reply.Close()
	body, err := io.ReadAll(reply)
	if err != nil {
		return "", err
	}
	text, err := decode(reply.MediaType, body)
	if err == nil {
		err = new(stt.Allowance).Take(o.Band.Duration(len(speech)), stt.Event{Text: text, Final: true})
	}
	if err != nil {
		return "", &fault.Error{Kind: fault.Unavailable, Provider: p.endpoint.Provider, Message: "response cannot be read", Err: err}
	}
	return text, nil
}

func encode(o stt.Options, speech []int16) (contentType string, body []byte, err error) {
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	file, err := form.CreateFormFile("file", "speech.wav")
	if err == nil {
		_, err = file.Write(audio.EncodeWAV(speech, o.Band))
	}
	fields := [][2]string{{"model", o.Model}, {"response_format", "json"}, {"language", o.Language}}
	for _, field := range fields {
		if err == nil && field[1] != "" {
			err = form.WriteField(field[0], field[1])
		}
	}
	err = errors.Join(err, form.Close())
	return form.FormDataContentType(), buffer.Bytes(), err
}

// decode decodes {"text"} of any media type, and plain text from servers that send no JSON.
func decode(mediaType string, body []byte) (string, error) {
	var reply struct {
		Text  *string         `json:"text"`
		Error json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(body, &reply)
	switch {
	case err == nil && reply.Text != nil:
		return strings.TrimSpace(*reply.Text), nil
	case len(reply.Error) > 0:
		message, _ := fault.Explain(body)
		return "", errors.New(message)
	case mediaType == "text/plain" && utf8.Valid(body):
		return strings.TrimSpace(string(body)), nil
	case err == nil:
		err = errors.New("no text in it")
	}
	return "", err
}
