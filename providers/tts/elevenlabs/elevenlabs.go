// Package elevenlabs speaks with ElevenLabs' multi-context WebSocket: text goes out, sound
// comes back while it is made. Connections are kept for the next sentence of the same
// voice, which then begins without a handshake.
//
// It knows the wire format and how long a connection is good for. It must not know what is
// said, nor how sound is paced.
package elevenlabs

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/socket"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

const (
	defaultName       = "elevenlabs"
	defaultBaseURL    = "https://api.elevenlabs.io/v1"
	defaultModel      = "eleven_flash_v2_5"
	defaultVoice      = "JBFqnCBsd6RMkjVDRZzb" // "George", one that every account has
	defaultFirstSound = 6 * time.Second
	defaultIdle       = 4 * time.Second
	connectLimit      = 4 * time.Second
	maxMessage        = 4 << 20

	// inactivity is after how many seconds the server may close what is not used.
	inactivity = 60
)

// Config is an account.
type Config struct {
	Name       string        // in logs and faults; empty: "elevenlabs"
	BaseURL    string        // with the version; its query is sent as well; empty: ElevenLabs' own
	APIKey     string        // empty: none is sent
	Model      string        // for requests that name none; empty: "eleven_flash_v2_5"
	Voice      string        // id, for requests that name none; empty: that of "George"
	FirstSound time.Duration // until the first sound, connecting included; 0: 6 s
	Idle       time.Duration // between two pieces after that; 0: 4 s
	Keep       time.Duration // of connections that are not used; 0: 45 s
	HTTP       *http.Client  // nil: an own one
}

// Provider is a tts.Provider. Close drops its connections.
type Provider struct {
	cfg  Config
	pool *pool
}

// New fills in the defaults of cfg.
func New(cfg Config) *Provider {
	for field, value := range map[*string]string{
		&cfg.Name: defaultName, &cfg.BaseURL: defaultBaseURL, &cfg.Model: defaultModel, &cfg.Voice: defaultVoice,
	} {
		if *field == "" {
			*field = value
		}
	}
	for field, value := range map[*time.Duration]time.Duration{
		&cfg.FirstSound: defaultFirstSound, &cfg.Idle: defaultIdle, &cfg.Keep: defaultKeep,
	} {
		if *field <= 0 {
			*field = value
		}
	}
	if cfg.HTTP == nil {
		cfg.HTTP = openaihttp.NewClient()
	}
	return &Provider{cfg: cfg, pool: &pool{keep: cfg.Keep}}
}

// Name is that of the configuration.
func (p *Provider) Name() string { return p.cfg.Name }

// Close drops connections that are not used, and lets those that are end with their
// utterance.
func (p *Provider) Close() { p.pool.close() }

// Speak yields sound while it arrives.
func (p *Provider) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if !strings.ContainsFunc(req.Text, func(r rune) bool { return !unicode.IsSpace(r) }) {
			return
		}
		if ctx.Err() != nil {
			yield(nil, fault.FromNet(p.cfg.Name, ctx.Err()))
			return
		}
		address, err := p.address(req)
		if err != nil {
			yield(nil, err)
			return
		}
		asked := &asking{provider: p, ctx: ctx, since: time.Now(), text: req.Text, band: req.Band, yield: yield}
		if kept := p.pool.take(address); kept != nil && asked.on(kept, true) {
			return
		}
		fresh, err := p.connect(ctx, address)
		if err != nil {
			yield(nil, err)
			return
		}
		asked.on(fresh, false)
	}
}

// asking is one call of Speak.
type asking struct {
	provider *Provider
	ctx      context.Context
	since    time.Time
	text     string
	band     audio.Band
	yield    func([]int16, error) bool
}

// on makes the utterance on l, and keeps l afterwards if it can be used again. A
// connection that was kept may have been closed meanwhile: when it fails before there was
// a sound, nothing is told and done is false.
func (a *asking) on(l *line, kept bool) (done bool) {
	u, err := l.say(a)
	heard, left := false, false
	if err == nil {
		heard, left, err = play(u, a.band, a.yield)
	}
	if err == nil && !left {
		a.provider.pool.put(l)
		return true
	}
	l.close()
	kind, isFault := fault.Of(err)
	if kept && !heard && isFault && kind != fault.Timeout {
		return false
	}
	if err != nil {
		a.yield(nil, err)
	}
	return true
}

// play yields the sound of u. left: its listener had enough.
func play(u *utterance, band audio.Band, yield func([]int16, error) bool) (heard, left bool, err error) {
	for chunk, err := range audio.Stream(u, band.Rate(), band) {
		if err != nil {
			return heard, false, err
		}
		heard = true
		if !yield(chunk, nil) {
			return heard, true, nil
		}
	}
	return heard, false, nil
}

func (p *Provider) connect(ctx context.Context, address string) (*line, error) {
	header := http.Header{}
	if p.cfg.APIKey != "" {
		header.Set("Xi-Api-Key", p.cfg.APIKey)
	}
	endpoint := socket.Endpoint{
		Provider: p.cfg.Name, URL: address, Header: header, HTTP: p.cfg.HTTP, MaxMessage: maxMessage,
	}
	conn, err := endpoint.Dial(ctx, min(connectLimit, p.cfg.FirstSound))
	if err != nil {
		return nil, err
	}
	return newLine(address, conn), nil
}

// address is where to connect to: voice, model, language and rate belong to a connection.
func (p *Provider) address(req tts.Request) (string, error) {
	if req.Model == "" {
		req.Model = p.cfg.Model
	}
	if req.Voice == "" {
		req.Voice = p.cfg.Voice
	}
	if strings.ContainsFunc(req.Voice, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return "", &fault.Error{Kind: fault.Refused, Provider: p.cfg.Name, Err: errVoice}
	}
	if !strings.HasSuffix(req.Model, "_v2_5") {
		req.Language = "" // the others find it out, and refuse to be told
	}
	return socket.URL(p.cfg.BaseURL, "text-to-speech/"+req.Voice+"/multi-stream-input", map[string]string{
		"model_id": req.Model, "language_code": req.Language, "output_format": "pcm_" + strconv.Itoa(req.Band.Rate()),
		"auto_mode": "true", "inactivity_timeout": strconv.Itoa(inactivity),
	}), nil
}

var (
	errVoice    = errors.New("the voice is no id: it has more than letters and digits")
	errNoSound  = errors.New("it answered without sound")
	errTooSlow  = errors.New("the time for the next sound is over")
	errTooLarge = errors.New("it is too much sound for the text")
)
