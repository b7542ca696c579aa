// Package all lists the vendors of speech recognition, language models, speech synthesis and embeddings, and builds
// them from plain settings.
//
// It knows every vendor's package, the names by which settings and assistants call them, and the defaults. It must not
// know where settings come from.
package all

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/fallback"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/metered"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/cache"
)

// Settings are the settings of one vendor. Empty fields are the vendor's defaults.
type Settings struct {
	Provider   string // name of a Vendor
	BaseURL    string // with the version, e.g. "http://127.0.0.1:8000/v1"
	APIKey     string
	Model      string
	Voice      string // of speech
	Format     string // of speech: "pcm" or "wav"
	Dimensions int    // of embeddings
}

// Speech are the settings of a deployment: for each family the vendors in order of preference. An empty family gets a
// vendor that needs no key: the scripted model, captions, and the built-in voice.
type Speech struct {
	LLM, STT, TTS []Settings
}

// SettingError says which setting of a vendor cannot be.
type SettingError struct {
	Family  string // "LLM", "STT", "TTS" or "embedding"
	Choice  int    // which of the settings of the family, from 0
	Setting string // field of Settings
	Says    string
}

func (e *SettingError) Error() string { return e.Family + " provider " + e.Says }

// The local vendors of each family, in order of preference.
var (
	localLLMs = []string{"scripted"}
	localSTTs = []string{"captions"}
	localTTSs = []string{"flite", "espeak"}
)

// voiceMemory is how much sound of repeated texts is cached, in bytes: half an hour.
const voiceMemory = 32 << 20

// Providers are the providers of a deployment. The requested vendor is tried first, the others are its fallbacks.
type Providers struct {
	http    *http.Client
	closing []func()
	offer   Offer
	llm     choice[llm.Provider]
	stt     choice[stt.Provider]
	tts     choice[*cache.Provider]
}

// choice is each order of preference: by the name that comes first; "": as configured.
type choice[P any] map[string]P

func (c choice[P]) named(name string) (provider P, known bool) {
	if provider, known = c[name]; known {
		return provider, true
	}
	return c[""], false
}

// LLM returns the language model of the vendor, or the deployment's first choice for "" and for an unknown vendor.
// known reports which: names of an unknown vendor's models mean nothing, so Request.Model must be empty then.
func (p *Providers) LLM(vendor string) (provider llm.Provider, known bool) {
	return p.llm.named(vendor)
}

// STT returns the recogniser of the vendor, as LLM does.
func (p *Providers) STT(vendor string) (provider stt.Provider, known bool) {
	return p.stt.named(vendor)
}

// TTS returns the synthesiser of the vendor, as LLM does; names of voices are like those of models. It caches the sound
// of repeated texts; Warm makes that of a fixed text beforehand.
func (p *Providers) TTS(vendor string) (provider *cache.Provider, known bool) {
	return p.tts.named(vendor)
}

// Offer returns by which names vendors can be requested.
func (p *Providers) Offer() Offer { return p.offer }

// Close closes idle connections.
func (p *Providers) Close() {
	for _, end := range p.closing {
		end()
	}
	p.http.CloseIdleConnections()
}

// New builds the providers of cfg. Its errors name the family and the setting.
func New(cfg Speech, logger *slog.Logger) (*Providers, error) {
	offer, err := OfferOf(cfg)
	if err != nil {
		return nil, err
	}
	b := &builder{http: openaihttp.NewClient(), logger: logger}
	llms, err := build(b, "LLM", LLMs(), cfg.LLM, localLLMs...)
	if err != nil {
		return nil, err
	}
	stts, err := build(b, "STT", STTs(), cfg.STT, localSTTs...)
	if err != nil {
		return nil, err
	}
	ttss, err := build(b, "TTS", TTSs(), cfg.TTS, localTTSs...)
	if err != nil {
		return nil, err
	}
	for i := range llms {
		llms[i].provider = metered.LLM(llms[i].name, llms[i].model, llms[i].provider)
	}
	for i := range stts {
		stts[i].provider = metered.STT(stts[i].name, stts[i].model, stts[i].provider)
	}
	for i := range ttss {
		ttss[i].provider = metered.TTS(ttss[i].name, ttss[i].model, ttss[i].provider)
	}
	local := func(v named[tts.Provider]) bool { return v.name == "flite" || v.name == "espeak" }
	remember := func(l *slog.Logger, providers ...tts.Provider) *cache.Provider {
		if !slices.ContainsFunc(ttss, local) { // nobody is left in silence because a vendor hangs
			providers = append(providers, metered.TTS("flite", "", newLocalVoice(assistantVoice, logger)))
		}
		return cache.New(fallback.TTS(l, providers...), voiceMemory/len(ttss))
	}
	return &Providers{
		http:    b.http,
		closing: b.closing,
		offer:   offer,
		llm:     chains(logger, llms, fallback.LLM),
		stt:     chains(logger, stts, fallback.STT),
		tts:     chains(logger, ttss, remember),
	}, nil
}

// Embedder builds the embedding model of settings. There is no default.
func Embedder(settings Settings) (embed.Provider, error) {
	built, err := build(&builder{http: openaihttp.NewClient()}, "embedding", Embedders(), []Settings{settings})
	if err != nil {
		return nil, err
	}
	return built[0].provider, nil
}

// Of returns providers that were built elsewhere, one for each family, whatever vendor is requested.
func Of(model llm.Provider, recogniser stt.Provider, voice tts.Provider) *Providers {
	return &Providers{
		http: openaihttp.NewClient(), llm: choice[llm.Provider]{"": fallback.LLM(nil, model)},
		stt: choice[stt.Provider]{"": fallback.STT(nil, recogniser)},
		tts: choice[*cache.Provider]{"": cache.New(fallback.TTS(nil, voice), voiceMemory)},
	}
}

// build builds the providers of settings, or the local ones if there are none.
func build[P any](b *builder, family string, vendors []Vendor[P], settings []Settings, local ...string) ([]named[P], error) {
	var out []named[P]
	for i, s := range orLocal(settings, local) {
		vendor, err := find(family, i, vendors, s.Provider)
		if err != nil {
			return nil, err
		}
		s.Provider = vendor.Name
		if setting, says := vendor.complete(&s); says != "" {
			return nil, &SettingError{family, i, setting, vendor.Name + ": " + says}
		}
		out = append(out, named[P]{vendor.Name, vendor.Alias, s.Model, vendor.make(b, s)})
	}
	return out, nil
}

// orLocal returns settings, or those of the local vendors if there are none.
func orLocal(settings []Settings, local []string) []Settings {
	if len(settings) > 0 {
		return settings
	}
	for _, name := range local {
		settings = append(settings, Settings{Provider: name})
	}
	return settings
}

// find returns the vendor that is called name in the given choice of the family.
func find[P any](family string, choice int, vendors []Vendor[P], name string) (Vendor[P], error) {
	i := slices.IndexFunc(vendors, func(v Vendor[P]) bool { return v.called(name) })
	switch {
	case i >= 0:
		return vendors[i], nil
	case name == "":
		return Vendor[P]{}, &SettingError{family, choice, "Provider", "is not chosen; known are " + names(vendors)}
	}
	return Vendor[P]{}, &SettingError{family, choice, "Provider", fmt.Sprintf("%q is not known; known are %s", name, names(vendors))}
}

type named[P any] struct {
	name     string
	alias    string // empty: none
	model    string // that is asked where none is named; empty: there is one alone
	provider P
}

// chains returns a chain for each provider: itself, then the others in their order.
func chains[P, C any](logger *slog.Logger, all []named[P], chain func(*slog.Logger, ...P) C) choice[C] {
	out := choice[C]{}
	for i, first := range all {
		if _, ok := out[first.name]; ok {
			continue // a duplicate: the first settings count
		}
		providers := []P{first.provider}
		for k, other := range all {
			if k != i {
				providers = append(providers, other.provider)
			}
		}
		out[first.name] = chain(logger, providers...)
		if first.alias != "" {
			out[first.alias] = out[first.name]
		}
	}
	out[""] = out[all[0].name]
	return out
}

func names[P any](vendors []Vendor[P]) string {
	var out []string
	for _, vendor := range vendors {
		out = append(out, vendor.Name)
	}
	return strings.Join(out, ", ")
}
