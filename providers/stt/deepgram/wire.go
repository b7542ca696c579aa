package deepgram

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/voice/audio"
)

// control is a message that is not audio.
type control struct {
	Type string `json:"type"`
}

var (
	keepAlive = control{"KeepAlive"}
	finalize  = control{"Finalize"}
	farewell  = control{"CloseStream"}
)

// Types of messages from the server. Others are ignored.
const (
	typeResults      = "Results"
	typeUtteranceEnd = "UtteranceEnd"
	typeError        = "Error"
)

// message is a message of any type from the server.
type message struct {
	Type string `json:"type"`

	// Results. Start and Duration are seconds of the sound that this connection has sent.
	Start        float64 `json:"start"`
	Duration     float64 `json:"duration"`
	IsFinal      bool    `json:"is_final"`
	SpeechFinal  bool    `json:"speech_final"`
	FromFinalize bool    `json:"from_finalize"`

	// Channel is an object in Results and an array elsewhere.
	Channel json.RawMessage `json:"channel"`

	// Error
	Description string `json:"description"`
	Message     string `json:"message"`
	Variant     string `json:"variant"`
}

// end returns the end of a result's audio, in samples of a band.
func (m *message) end(band audio.Band) int64 {
	const century = 100 * 365 * 24 * 3600
	return int64(math.Round(max(0, min(m.Start+m.Duration, century)) * float64(band.Rate())))
}

// transcript returns the most likely text.
func (m *message) transcript() (string, error) {
	var channel struct {
		Alternatives []struct {
			Transcript string `json:"transcript"`
		} `json:"alternatives"`
	}
	if err := json.Unmarshal(m.Channel, &channel); err != nil {
		return "", err
	}
	if len(channel.Alternatives) == 0 {
		return "", nil
	}
	return strings.TrimSpace(channel.Alternatives[0].Transcript), nil
}

// complaint returns the text of an error, on one line.
func (m *message) complaint() string {
	text, _ := fault.Explain([]byte(m.Variant + " " + m.Description + " " + m.Message))
	return text
}
