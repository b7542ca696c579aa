package webrtc

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pion/sdp/v3"
	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/media"
)

// MaxOffer is the longest offer that is read, in bytes. A browser's has about 2,000.
const MaxOffer = 64 << 10

// ErrOffer is wrapped by what is wrong with an offer.
var ErrOffer = errors.New("this is no offer of a web call")

const mimeEvents = "audio/telephone-event"

// known is a codec and its name.
type known struct {
	mime  string
	codec media.Codec
}

// codecsOf are the codecs that we speak, by their names, the best first.
var codecsOf = []known{{webrtc.MimeTypeG722, media.G722}, {webrtc.MimeTypePCMU, media.PCMU}, {webrtc.MimeTypePCMA, media.PCMA}}

// offered returns what our answers may have. Payload types are those of the offer.
func offered() []webrtc.RTPCodecParameters {
	payloads := map[media.Codec]webrtc.PayloadType{media.PCMU: 0, media.PCMA: 8, media.G722: 9}
	var all []webrtc.RTPCodecParameters
	for _, c := range codecsOf {
		all = append(all, webrtc.RTPCodecParameters{
			RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: c.mime, ClockRate: 8000}, PayloadType: payloads[c.codec],
		})
	}
	return append(all, webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: mimeEvents, ClockRate: 8000, SDPFmtpLine: "0-15"}, PayloadType: 126,
	})
}

// readOffer returns the offer without the browser's addresses: we send nothing but to where its checks come from. An error wraps
// ErrOffer: the text is no offer of one stream of sound and at most one data channel.
func readOffer(offer string) (string, error) {
	if len(offer) > MaxOffer {
		return "", fmt.Errorf("%w: it is longer than %d bytes", ErrOffer, MaxOffer)
	}
	var session sdp.SessionDescription
	if err := session.UnmarshalString(offer); err != nil {
		return "", fmt.Errorf("%w: %w", ErrOffer, err)
	}
	count := map[string]int{}
	for _, m := range session.MediaDescriptions {
		count[m.MediaName.Media]++
		m.Attributes = withoutCandidates(m.Attributes)
	}
	if count["audio"] != 1 || count["application"] > 1 || count["audio"]+count["application"] != len(session.MediaDescriptions) {
		return "", fmt.Errorf("%w: it must have one audio stream, at most one data channel and nothing else", ErrOffer)
	}
	session.Attributes = withoutCandidates(session.Attributes)
	clean, err := session.Marshal()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrOffer, err)
	}
	return string(clean), nil
}

func withoutCandidates(attributes []sdp.Attribute) []sdp.Attribute {
	var kept []sdp.Attribute
	for _, a := range attributes {
		if a.Key != "candidate" && a.Key != "end-of-candidates" {
			kept = append(kept, a)
		}
	}
	return kept
}

// formatsOf returns what both ends speak by our answer, and the codec in which we send.
func formatsOf(answer string) (*media.Formats, error) {
	var session sdp.SessionDescription
	if err := session.UnmarshalString(answer); err != nil {
		return nil, fmt.Errorf("read our answer: %w", err)
	}
	formats := &media.Formats{Events: media.NoPayload, Text: media.NoPayload, Sends: true, Expects: true}
	for _, m := range session.MediaDescriptions {
		if m.MediaName.Media == "audio" && m.MediaName.Port.Value != 0 {
			agree(formats, &session, m.MediaName.Formats)
		}
	}
	if len(formats.Accept) == 0 {
		return nil, fmt.Errorf("%w: it has neither G.722 nor G.711, which every browser has", ErrOffer)
	}
	best := func(f media.Format) int {
		return slices.IndexFunc(codecsOf, func(c known) bool { return c.codec == f.Codec })
	}
	formats.Send = slices.MinFunc(formats.Accept, func(a, b media.Format) int { return best(a) - best(b) })
	return formats, nil
}

// agree adds the payload types of an answer.
func agree(formats *media.Formats, session *sdp.SessionDescription, payloads []string) {
	for _, text := range payloads {
		payload, err := strconv.ParseUint(text, 10, 7)
		if err != nil {
			continue
		}
		codec, err := session.GetCodecForPayloadType(uint8(payload))
		if err != nil {
			continue
		}
		name := "audio/" + codec.Name
		if strings.EqualFold(name, mimeEvents) {
			formats.Events = uint8(payload)
		}
		for _, c := range codecsOf {
			if strings.EqualFold(name, c.mime) {
				formats.Accept = append(formats.Accept, media.Format{Payload: uint8(payload), Codec: c.codec})
			}
		}
	}
}

// sentIn returns the codec of a format as pion has it.
func sentIn(format media.Format) webrtc.RTPCodecParameters {
	for _, c := range codecsOf {
		if c.codec == format.Codec {
			return webrtc.RTPCodecParameters{
				RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: c.mime, ClockRate: 8000},
				PayloadType:        webrtc.PayloadType(format.Payload),
			}
		}
	}
	return webrtc.RTPCodecParameters{}
}
