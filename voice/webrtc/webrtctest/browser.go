// Package webrtctest has a browser for tests and benches: a peer as a page has it, with one microphone and one data channel, on
// loopback. It is pion's full ICE agent, as a browser's is, and knows nothing of our end.
package webrtctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"

	"github.com/pion/logging"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

const mimeEvents = "audio/telephone-event"

// eventPayload is the payload type of telephone-events, as Chromium offers it.
const eventPayload = 126

// Browser is one page with a call.
type Browser struct {
	Messages  chan string      // what came over the data channel, newest dropped
	Sound     chan *rtp.Packet // what came as sound, newest dropped
	Open      chan struct{}    // closed when the data channel is open
	Connected chan struct{}    // closed when the page is connected
	Gone      chan struct{}    // closed when our end has closed the data channel
	Received  atomic.Int64     // packets of sound

	peer *webrtc.PeerConnection
	data *webrtc.DataChannel
	mic  *microphone
	conn *net.UDPConn // nil: by TCP alone
	mux  interface{ Close() error }
}

// Options are what a page may do.
type Options struct {
	Codec   string // MIME type of the one codec beside telephone-event; empty: all, and no microphone
	TCPOnly bool   // its network lets no UDP through
}

// New returns a page. It must be closed.
func New(o Options) (*Browser, error) {
	b := &Browser{
		Messages: make(chan string, 256), Sound: make(chan *rtp.Packet, 64), Open: make(chan struct{}), Connected: make(chan struct{}),
		Gone: make(chan struct{}),
	}
	var settings webrtc.SettingEngine
	if err := b.network(&settings, o); err != nil {
		return nil, err
	}
	codecs, err := engine(o.Codec)
	if err == nil {
		b.peer, err = webrtc.NewAPI(webrtc.WithSettingEngine(settings),
			webrtc.WithMediaEngine(codecs)).NewPeerConnection(webrtc.Configuration{})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open browser: %w", err), b.Cut())
	}
	if err := b.furnish(o); err != nil {
		return nil, errors.Join(fmt.Errorf("open browser: %w", err), b.Close())
	}
	return b, nil
}

func (b *Browser) network(settings *webrtc.SettingEngine, o Options) (err error) {
	silent := &logging.DefaultLoggerFactory{DefaultLogLevel: logging.LogLevelDisabled} // a page that is closed leaves packets behind
	settings.LoggerFactory = silent
	settings.SetIncludeLoopbackCandidate(true)
	settings.SetIPFilter(func(ip net.IP) bool { return ip.IsLoopback() })
	if o.TCPOnly {
		settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeTCP4})
		return nil
	}
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	if b.conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		return fmt.Errorf("open browser: %w", err)
	}
	mux := webrtc.NewICEUDPMux(silent.NewLogger("ice"), b.conn)
	settings.SetICEUDPMux(mux)
	b.mux = mux
	return nil
}

func engine(codec string) (*webrtc.MediaEngine, error) {
	known := &webrtc.MediaEngine{}
	for _, one := range []struct {
		payload webrtc.PayloadType
		mime    string
	}{{9, webrtc.MimeTypeG722}, {0, webrtc.MimeTypePCMU}, {8, webrtc.MimeTypePCMA}, {eventPayload, mimeEvents}} {
		if codec != "" && !strings.EqualFold(one.mime, codec) && one.mime != mimeEvents {
			continue
		}
		parameters := webrtc.RTPCodecParameters{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: one.mime, ClockRate: 8000},
			PayloadType: one.payload}
		if err := known.RegisterCodec(parameters, webrtc.RTPCodecTypeAudio); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// furnish gives the page its microphone and its data channel.
func (b *Browser) furnish(o Options) (err error) {
	if o.Codec == "" {
		_, err = b.peer.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio,
			webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly})
	} else {
		b.mic = &microphone{codec: webrtc.RTPCodecParameters{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: o.Codec,
			ClockRate: 8000}}, sequence: uint16(rand.Uint32())}
		_, err = b.peer.AddTrack(b.mic)
	}
	if err != nil {
		return err
	}
	if b.data, err = b.peer.CreateDataChannel("callwright", nil); err != nil {
		return err
	}
	b.data.OnOpen(func() { close(b.Open) })
	b.data.OnClose(func() { close(b.Gone) })
	b.data.OnMessage(func(m webrtc.DataChannelMessage) {
		select {
		case b.Messages <- string(m.Data):
		default:
		}
	})
	connected := false
	b.peer.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		if state == webrtc.PeerConnectionStateConnected && !connected {
			connected = true
			close(b.Connected)
		}
	})
	b.peer.OnTrack(b.listen)
	return nil
}

func (b *Browser) listen(from *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
	for {
		p, _, err := from.ReadRTP()
		if err != nil {
			return
		}
		b.Received.Add(1)
		select {
		case b.Sound <- p:
		default:
		}
	}
}

// Offer returns the offer, without addresses: our end learns them from the checks.
func (b *Browser) Offer(ctx context.Context) (string, error) {
	offer, err := b.peer.CreateOffer(nil)
	if err != nil {
		return "", fmt.Errorf("make offer: %w", err)
	}
	gathered := webrtc.GatheringCompletePromise(b.peer)
	if err := b.peer.SetLocalDescription(offer); err != nil {
		return "", fmt.Errorf("make offer: %w", err)
	}
	select {
	case <-gathered:
		return offer.SDP, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Accept takes the answer.
func (b *Browser) Accept(answer string) error {
	if err := b.peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		return fmt.Errorf("accept answer: %w", err)
	}
	return nil
}

// Tell sends a message as JSON over the data channel.
func (b *Browser) Tell(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return b.data.SendText(string(text))
}

// Speak sends a packet of sound, encoded in the codec of the microphone.
func (b *Browser) Speak(payload uint8, data []byte) error {
	return b.mic.send(rtp.Header{PayloadType: payload, Timestamp: uint32(b.mic.sequence) * 160}, data)
}

// Press sends the first packet of a telephone-event (RFC 4733).
func (b *Browser) Press(code byte, timestamp uint32) error {
	return b.mic.send(rtp.Header{PayloadType: eventPayload, Timestamp: timestamp}, []byte{code, 10, 0, 160})
}

// OpenAnother opens one more data channel.
func (b *Browser) OpenAnother() error {
	_, err := b.peer.CreateDataChannel("another", nil)
	return err
}

// Cut takes the page's UDP away, as an accident does: it says nothing.
func (b *Browser) Cut() error {
	if b.conn == nil {
		return nil
	}
	if err := b.conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Close closes the page, as a person does, and waits until it is closed.
func (b *Browser) Close() error {
	err := b.peer.GracefulClose()
	if b.mux != nil {
		err = errors.Join(err, b.mux.Close(), b.Cut())
	}
	return err
}

// microphone is the sound that the page sends. It implements webrtc.TrackLocal; pion's own has one payload type alone.
type microphone struct {
	codec    webrtc.RTPCodecParameters
	sequence uint16
	bound    atomic.Pointer[webrtc.TrackLocalContext]
}

// Bind implements webrtc.TrackLocal.
func (m *microphone) Bind(to webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	m.bound.Store(&to)
	return m.codec, nil
}

// Unbind implements webrtc.TrackLocal.
func (m *microphone) Unbind(webrtc.TrackLocalContext) error { return nil }

// ID implements webrtc.TrackLocal.
func (*microphone) ID() string { return "microphone" }

// RID implements webrtc.TrackLocal.
func (*microphone) RID() string { return "" }

// StreamID implements webrtc.TrackLocal.
func (*microphone) StreamID() string { return "page" }

// Kind implements webrtc.TrackLocal.
func (*microphone) Kind() webrtc.RTPCodecType { return webrtc.RTPCodecTypeAudio }

func (m *microphone) send(header rtp.Header, payload []byte) error {
	to := m.bound.Load()
	if to == nil {
		return errors.New("the page is not connected")
	}
	m.sequence++
	header.Version, header.SSRC, header.SequenceNumber = 2, uint32((*to).SSRC()), m.sequence
	_, err := (*to).WriteStream().WriteRTP(&header, payload)
	return err
}
