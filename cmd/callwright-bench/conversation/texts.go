package conversation

import (
	_ "embed"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/callwright/callwright/voice/answerer"
)

//go:embed texts.yaml
var textsYAML []byte

// exchange is a question of the assistant and what a caller answers, with the places of pauses.
type exchange struct{ Ask, Say string }

// objection is what a caller says to have the floor, and how many of its words only show that they listen.
type objection struct {
	Text   string
	LeadIn int `yaml:"lead_in"`
}

// opening is how a call is taken, and by whom.
type opening struct {
	Who  answerer.Kind
	Text string
}

// texts are what is said in a language.
type texts struct {
	Exchanges        []exchange
	LongReplies      []string `yaml:"long_replies"`
	ShortReplies     []string `yaml:"short_replies"`
	Questions        []string
	Acknowledgements []string
	Objections       []objection
	Broadcasts       []string // by a television, or people elsewhere in the room
	Openings         []opening
}

// readTexts returns those of all languages, of a file where one is named.
func readTexts(file string) (map[string]texts, error) {
	data, all := textsYAML, map[string]texts{}
	if file != "" {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("read the texts of the corpus: %w", err)
		}
	}
	if err := yaml.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read the texts of the corpus: %w", err)
	}
	return all, nil
}
