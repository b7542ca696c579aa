// Package deepgram recognises speech with Deepgram's live transcription: one WebSocket for each speaker, over which
// samples are sent and texts received.
//
// It knows the wire format, which texts are final, and how to continue after a lost connection. It must not know where
// speech begins and ends: its caller says that.
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
)

const (
	defaultName      = "deepgram"
	defaultBaseURL   = "https://api.deepgram.com/v1"
	defaultModel     = "nova-3"
	defaultTimeout   = 4 * time.Second
	defaultKeepAlive = 4 * time.Second // the server closes after 10 s without a message
	maxMessage       = 1 << 20

	// Milliseconds of silence in the samples: after them the server makes its text final, and reports the end of the
	// utterance despite noise.
	endpointing  = 300
	utteranceEnd = 1000
)

// Config is an account.
type Config struct {
	Name      string        // in logs and faults; empty: "deepgram"
	BaseURL   string        // with the version; its query is sent as well; empty: Deepgram's own
	APIKey    string        // empty: none is sent, as for a self-hosted server
	Model     string        // for calls without their own; empty: "nova-3"
	Timeout   time.Duration // to connect, and for the text of speech that has ended; 0: 4 s
	KeepAlive time.Duration // without samples, before a keep-alive message is sent; 0: 4 s
	HTTP      *http.Client  // nil: a new one
}

// Provider is an stt.Provider.
type Provider struct {
	cfg Config
}

// New returns a Provider with the defaults of cfg filled in.
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

// Name returns the configured name.
func (p *Provider) Name() string { return p.cfg.Name }

// Open connects at once, so that the first words need not wait for the handshake.
func (p *Provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	s := &stream{provider: p, endpoint: p.endpoint(o), speech: speech{band: o.Band}, wake: make(chan struct{}, 1),
		begun: time.Now()}
	conn, err := s.endpoint.Dial(ctx, p.cfg.Timeout)
	if err != nil {
		return nil, err
	}
	s.Emitter = stt.NewEmitter(ctx, func(ctx context.Context, emit func(stt.Event) bool) error {
		return s.run(ctx, conn, emit)
	})
	return s, nil
}

// endpoint returns the URL for the options.
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
		"encoding": "linear16", "sample_rate": strconv.Itoa(o.Band.Rate()), "channels": "1",
		"interim_results": "true", "smart_format": "true", "no_delay": "true",
		"endpointing": strconv.Itoa(endpointing), "utterance_end_ms": strconv.Itoa(utteranceEnd),
	})
}

// language returns the requested language. Without one, multilingual models detect it; others expect English.
func language(model, wanted string) string {
	if wanted == "" && (strings.HasPrefix(model, "nova-2") || strings.HasPrefix(model, "nova-3")) {
		return "multi"
	}
	return wanted
}
