// Package deepgram recognises speech with Deepgram's live transcription, while it is
// spoken: one WebSocket for each speaker, over which samples go out and texts come back.
//
// It knows the wire format, which of its texts are final, and how to go on when the
// connection is lost. It must not know where speech begins and ends; its caller says that.
package deepgram

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/socket"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice/audio"
)

const (
	defaultName      = "deepgram"
	defaultBaseURL   = "https://api.deepgram.com/v1"
	defaultModel     = "nova-3"
	defaultTimeout   = 4 * time.Second
	defaultKeepAlive = 4 * time.Second // the server hangs up after 10 s without a message
	maxMessage       = 1 << 20

	// Milliseconds of silence in the samples: behind them the server makes its text final,
	// and says that the utterance is over although there was noise.
	endpointing  = 300
	utteranceEnd = 1000
)

// Config is an account.
type Config struct {
	Name      string        // in logs and faults; empty: "deepgram"
	BaseURL   string        // with the version; its query is sent as well; empty: Deepgram's own
	APIKey    string        // empty: none is sent, as to an own server
	Model     string        // for calls that name none; empty: "nova-3"
	Timeout   time.Duration // to connect, and for the text of speech that has ended; 0: 4 s
	KeepAlive time.Duration // of silence, before the server is told that we are still here; 0: 4 s
	HTTP      *http.Client  // nil: an own one
}

// Provider is an stt.Provider.
type Provider struct {
	cfg Config
}

// New fills in the defaults of cfg.
func New(cfg Config) *Provider {
	for field, value := range map[*string]string{
		&cfg.Name: defaultName, &cfg.BaseURL: defaultBaseURL, &cfg.Model: defaultModel,
	} {
		if *field == "" {
			*field = value
		}
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.KeepAlive <= 0 {
		cfg.KeepAlive = defaultKeepAlive
	}
	if cfg.HTTP == nil {
		cfg.HTTP = openaihttp.NewClient()
	}
	return &Provider{cfg: cfg}
}

// Name is that of the configuration.
func (p *Provider) Name() string { return p.cfg.Name }

// Open connects, so that the first words need not wait for that.
func (p *Provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	s := &stream{provider: p, endpoint: p.endpoint(o), wake: make(chan struct{}, 1)}
	conn, err := s.endpoint.Dial(ctx, p.cfg.Timeout)
	if err != nil {
		return nil, err
	}
	s.Feed = stt.NewFeed(ctx, func(ctx context.Context, emit func(stt.Event) bool) error {
		return s.run(ctx, conn, emit)
	})
	return s, nil
}

// endpoint is where speech of these wishes is sent.
func (p *Provider) endpoint(o stt.Options) socket.Endpoint {
	header := http.Header{}
	if p.cfg.APIKey != "" {
		header.Set("Authorization", "Token "+p.cfg.APIKey)
	}
	return socket.Endpoint{
		Provider: p.cfg.Name, URL: p.address(o), Header: header, HTTP: p.cfg.HTTP, MaxMessage: maxMessage,
	}
}

func (p *Provider) address(o stt.Options) string {
	model := o.Model
	if model == "" {
		model = p.cfg.Model
	}
	return socket.URL(p.cfg.BaseURL, "listen", map[string]string{
		"model": model, "language": language(model, o.Language),
		"encoding": "linear16", "sample_rate": strconv.Itoa(audio.Rate), "channels": "1",
		"interim_results": "true", "smart_format": "true", "no_delay": "true",
		"endpointing": strconv.Itoa(endpointing), "utterance_end_ms": strconv.Itoa(utteranceEnd),
	})
}

// language is the one asked for. Without one, models that can are let to find it out; the
// others then expect English.
func language(model, wanted string) string {
	if wanted == "" && (strings.HasPrefix(model, "nova-2") || strings.HasPrefix(model, "nova-3")) {
		return "multi"
	}
	return wanted
}
