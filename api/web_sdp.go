package api

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pion/sdp/v3"
)

// wrongOffer says why a text is no offer that a worker could answer; empty: nothing is wrong. The worker reads it again, with all
// that ICE and DTLS make of it, but a worker's place is taken by then, and a wrong offer costs nobody one.
func wrongOffer(offer string) string {
	if len(offer) > maxOffer {
		return fmt.Sprintf("is larger than %d KiB", maxOffer>>10)
	}
	if why := wrongSession(offer); why != "" {
		return why + ": take what createOffer of the browser makes"
	}
	return ""
}

func wrongSession(offer string) string {
	var session sdp.SessionDescription
	if err := session.UnmarshalString(offer); err != nil {
		return "is no session description"
	}
	count := map[string]int{}
	for _, m := range session.MediaDescriptions {
		count[m.MediaName.Media]++
		if why := wrongMedia(&session, m); why != "" {
			return why
		}
	}
	if count["audio"] != 1 || count["application"] > 1 || count["audio"]+count["application"] != len(session.MediaDescriptions) {
		return "is no offer of one audio stream and at most one data channel"
	}
	return ""
}

// wrongMedia says why a stream cannot be answered. What ICE and DTLS need may stand in it or above all streams.
func wrongMedia(session *sdp.SessionDescription, m *sdp.MediaDescription) string {
	attribute := func(name string) string {
		if value, own := m.Attribute(name); own {
			return value
		}
		value, _ := session.Attribute(name)
		return value
	}
	algorithm, digits, _ := strings.Cut(attribute("fingerprint"), " ")
	fingerprint, err := hex.DecodeString(strings.ReplaceAll(digits, ":", ""))
	switch {
	case attribute("ice-ufrag") == "" || attribute("ice-pwd") == "":
		return "has a stream without ICE"
	case algorithm == "" || err != nil || len(fingerprint) == 0:
		return "has a stream without the fingerprint of its certificate"
	case m.MediaName.Media == "audio" && !speaksOurs(m):
		return "offers neither G.722 nor G.711, which every browser has"
	}
	return ""
}

// speaksOurs reports whether an audio stream offers a codec of ours, by its number or by its name.
func speaksOurs(m *sdp.MediaDescription) bool {
	if slices.ContainsFunc(m.MediaName.Formats, func(payload string) bool {
		return slices.Contains([]string{"0", "8", "9"},
			payload)
	}) {
		return true
	}
	return slices.ContainsFunc(m.Attributes, func(a sdp.Attribute) bool {
		_, codec, _ := strings.Cut(a.Value, " ")
		name, _, _ := strings.Cut(codec, "/")
		return a.Key == "rtpmap" && slices.Contains([]string{"PCMU", "PCMA", "G722"}, strings.ToUpper(name))
	})
}
