package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/llm"
)

// speechFlags choose who thinks, listens and speaks. Each family has its own server, and one that stands in where that
// fails.
type speechFlags struct {
	LLM serviceFlags `embed:"" prefix:"llm-" envprefix:"CALLWRIGHT_LLM_" set:"vendors=${llms}" group:"Language model"`
	STT serviceFlags `embed:"" prefix:"stt-" envprefix:"CALLWRIGHT_STT_" set:"vendors=${stts}" group:"Speech recognition"`
	TTS voiceFlags   `embed:"" prefix:"tts-" envprefix:"CALLWRIGHT_TTS_" set:"vendors=${ttss}" group:"Speech synthesis"`

	LLM2 serviceFlags `embed:"" prefix:"llm-2-" envprefix:"CALLWRIGHT_LLM_2_" set:"vendors=${llms_2}" group:"Second language model"`
	STT2 serviceFlags `embed:"" prefix:"stt-2-" envprefix:"CALLWRIGHT_STT_2_" set:"vendors=${stts_2}" group:"Second speech recognition"`
	TTS2 voiceFlags   `embed:"" prefix:"tts-2-" envprefix:"CALLWRIGHT_TTS_2_" set:"vendors=${ttss_2}" group:"Second speech synthesis"`
}

type serviceFlags struct {
	Provider string `help:"Vendor: ${vendors}." env:"PROVIDER"`
	BaseURL  string `help:"Address of the vendor's API, where it is not the usual one." env:"BASE_URL" placeholder:"URL"`
	Key      string `help:"Its key." env:"KEY"`
	Model    string `help:"Model where the assistant names none." env:"MODEL"`
}

type voiceFlags struct {
	serviceFlags
	Voice string `help:"Voice where the assistant names none." env:"VOICE"`
}

func (f voiceFlags) settings() []all.Settings {
	if f == (voiceFlags{}) {
		return nil
	}
	return []all.Settings{{Provider: f.Provider, BaseURL: f.BaseURL, APIKey: f.Key, Model: f.Model, Voice: f.Voice}}
}

// nameSetting has the error of a vendor's setting begin with the flag and the variable that give it.
func nameSetting(err error) error {
	wrong, ok := errors.AsType[*all.SettingError](err)
	if !ok {
		return err
	}
	names := map[string]string{"BaseURL": "base-url", "APIKey": "key"}
	flag := strings.TrimSuffix(strings.ToLower(wrong.Family), "ding") // embedding: --embed-key
	if wrong.Choice > 0 {
		flag += fmt.Sprintf("-%d", wrong.Choice+1)
	}
	flag += "-" + cmp.Or(names[wrong.Setting], strings.ToLower(wrong.Setting))
	return fmt.Errorf("--%s (CALLWRIGHT_%s): %w", flag, strings.ToUpper(strings.ReplaceAll(flag, "-", "_")), err)
}

// vendors are what the help says of who can think, listen and speak, and of what happens where nobody is chosen.
func vendors() kong.Vars {
	vars := kong.Vars{}
	for family, names := range map[string]string{
		"llms": vendorNames(all.LLMs()), "stts": vendorNames(all.STTs()), "ttss": vendorNames(all.TTSs()),
	} {
		vars[family] = names + ". Default: the local one, which needs no key"
		vars[family+"_2"] = names + ". It stands in where the first one fails; default: nobody does"
	}
	return vars
}

func vendorNames[P any](vendors []all.Vendor[P]) string {
	var names []string
	for _, vendor := range vendors {
		names = append(names, vendor.Name)
	}
	return strings.Join(names, ", ")
}

// settings are none when nothing was chosen, which means the local default.
func (f serviceFlags) settings() []all.Settings {
	if f == (serviceFlags{}) {
		return nil
	}
	return []all.Settings{{Provider: f.Provider, BaseURL: f.BaseURL, APIKey: f.Key, Model: f.Model}}
}

// model is the chosen language model, nil when none was chosen: then nothing that needs to understand a text is done.
func (f serviceFlags) model(logger *slog.Logger) (llm.Provider, error) {
	if f == (serviceFlags{}) {
		return nil, nil
	}
	providers, err := all.New(all.Speech{LLM: f.settings()}, logger)
	if err != nil {
		return nil, nameSetting(err)
	}
	model, _ := providers.LLM("")
	return model, nil
}

// embedFlags choose an embedding model, with which knowledge bases are searched by meaning too.
type embedFlags struct {
	EmbedProvider   string `help:"Vendor of the embedding model with which knowledge bases are searched by meaning; default: none, they are searched by words. Known: ${embedders}." env:"CALLWRIGHT_EMBED_PROVIDER" group:"Embeddings"`
	EmbedBaseURL    string `help:"Address of the vendor's API, where it is not the usual one." name:"embed-base-url" env:"CALLWRIGHT_EMBED_BASE_URL" placeholder:"URL" group:"Embeddings"`
	EmbedKey        string `help:"Its key." env:"CALLWRIGHT_EMBED_KEY" group:"Embeddings"`
	EmbedModel      string `help:"Model. With another one, all knowledge bases are embedded anew." env:"CALLWRIGHT_EMBED_MODEL" group:"Embeddings"`
	EmbedDimensions int    `help:"Length of its vectors, where it leaves a choice." env:"CALLWRIGHT_EMBED_DIMENSIONS" group:"Embeddings"`
}

// embedder is nil when none was chosen.
func (f embedFlags) embedder() (embed.Provider, error) {
	if f == (embedFlags{}) {
		return nil, nil
	}
	model, err := all.Embedder(all.Settings{Provider: f.EmbedProvider, BaseURL: f.EmbedBaseURL, APIKey: f.EmbedKey,
		Model: f.EmbedModel, Dimensions: f.EmbedDimensions})
	return model, nameSetting(err)
}

// providers builds whom calls are held with.
func (f speechFlags) providers(logger *slog.Logger) (*all.Providers, error) {
	speech, err := f.speech()
	if err != nil {
		return nil, err
	}
	providers, err := all.New(speech, logger)
	return providers, nameSetting(err)
}

// offer is whom assistants may ask for. It is the same in a process that holds no calls, which needs no vendor's key.
func (f speechFlags) offer() (all.Offer, error) {
	speech, err := f.speech()
	if err != nil {
		return all.Offer{}, err
	}
	offer, err := all.OfferOf(speech)
	return offer, nameSetting(err)
}

func (f speechFlags) speech() (all.Speech, error) {
	speech := all.Speech{LLM: f.LLM.settings(), STT: f.STT.settings(), TTS: f.TTS.settings()}
	for _, family := range []struct {
		flag    string
		choices *[]all.Settings
		second  []all.Settings
	}{{"llm", &speech.LLM, f.LLM2.settings()}, {"stt", &speech.STT, f.STT2.settings()}, {"tts", &speech.TTS, f.TTS2.settings()}} {
		if len(*family.choices) == 0 && len(family.second) > 0 {
			return speech, fmt.Errorf("--%s-2-provider: stands in for --%[1]s-provider, which is not chosen", family.flag)
		}
		*family.choices = append(*family.choices, family.second...)
	}
	return speech, nil
}
