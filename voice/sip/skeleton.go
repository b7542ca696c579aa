// Package sip is the telephone line of the platform: a SIP user agent whose calls are
// legs of 8 kHz sound, keypad digits and captions.
package sip

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// Config is what a user agent needs to know about its place in the network.
type Config struct {
	Listen       string                                 // address and UDP port for SIP; port 0 picks a free one
	PublicIP     netip.Addr                             // put in Contact and SDP; zero: the listen address
	RTPPorts     [2]int                                 // first and last port for media; zero: any free even port
	Logger       *slog.Logger                           // nil: discard
	Inbound      func(ctx context.Context, in *Inbound) // one goroutine per INVITE; nil: 404 for all
	Screen       func(source netip.AddrPort) bool       // nil: anyone; false: dropped silently
	FirstMedia   time.Duration                          // end a leg that never received RTP; zero: 30 s, negative: never
	MediaTimeout time.Duration                          // end a leg whose RTP stopped; zero: 15 s, negative: never
}

// UA is a SIP user agent on one socket.
type UA struct{}

// Listen binds the socket and starts answering.
func Listen(cfg Config) (*UA, error) { return nil, errors.ErrUnsupported }

// Addr is the address of the SIP socket.
func (ua *UA) Addr() netip.AddrPort { return netip.AddrPort{} }

// Close drains and closes.
func (ua *UA) Close(ctx context.Context) error { return errors.ErrUnsupported }

// Dial describes an outbound call.
type Dial struct {
	Proxy              string            // host:port to send to
	Domain             string            // host part of the To and From URIs; empty: the host of Proxy
	From, To           string            // user parts (E.164)
	FromName           string            // display name
	Username, Password string            // digest credentials
	CallID             string            // empty: random
	Headers            map[string]string // more headers for the INVITE
	Captions           bool              // offer audio/t140c (RFC 4351) beside G.711
	Progress           func(code int, reason string)
	Sent               func()
}

// Dial places a call and returns when it is answered.
func (ua *UA) Dial(ctx context.Context, d Dial) (*Leg, error) { return nil, errors.ErrUnsupported }

// Refused is the final answer of a far end that did not take the call.
type Refused struct {
	Code       int
	Reason     string
	RetryAfter time.Duration
}

func (r *Refused) Error() string { return r.Reason }

// Inbound is a call that rings here.
type Inbound struct {
	From, To, CallID string
	Source           netip.AddrPort
}

// Header is the first value of a header of the INVITE, or empty.
func (in *Inbound) Header(name string) string { return "" }

// Ring answers 180.
func (in *Inbound) Ring() error { return errors.ErrUnsupported }

// Reject refuses the call.
func (in *Inbound) Reject(code int, reason string) error { return errors.ErrUnsupported }

// Answer takes the call.
func (in *Inbound) Answer(ctx context.Context) (*Leg, error) { return nil, errors.ErrUnsupported }

// Done is closed when the caller gave up.
func (in *Inbound) Done() <-chan struct{} { return nil }

// Why a leg ended.
var (
	ErrRemoteHangup = errors.New("the far end hung up")
	ErrMediaTimeout = errors.New("no media from the far end")
)

// Leg is one live call.
type Leg struct{}

// Incoming is what the far end sends.
func (l *Leg) Incoming() <-chan audio.Incoming { return nil }

// Play appends to the playout queue.
func (l *Leg) Play(pcm []int16) {}

// Flush drops what was not sent yet.
func (l *Leg) Flush() time.Duration { return 0 }

// Queued is what was not sent yet.
func (l *Leg) Queued() time.Duration { return 0 }

// Caption sends text beside the sound.
func (l *Leg) Caption(text string) {}

// SendDigits presses keys.
func (l *Leg) SendDigits(digits string) {}

// Record hands both directions to sink once per frame.
func (l *Leg) Record(sink func(far, near []int16)) {}

// Hangup ends the call.
func (l *Leg) Hangup(ctx context.Context) error { return errors.ErrUnsupported }

// Transfer refers the far end to target.
func (l *Leg) Transfer(ctx context.Context, target string) error { return errors.ErrUnsupported }

// Done is closed when the leg is over.
func (l *Leg) Done() <-chan struct{} { return nil }

// Err is why, after Done.
func (l *Leg) Err() error { return nil }

// Dialog is what another process needs to end this call.
type Dialog struct {
	CallID    string   `json:"call_id"`
	LocalURI  string   `json:"local_uri"`
	LocalTag  string   `json:"local_tag"`
	RemoteURI string   `json:"remote_uri"`
	RemoteTag string   `json:"remote_tag"`
	Target    string   `json:"target"`
	NextHop   string   `json:"next_hop"`
	Routes    []string `json:"routes,omitempty"`
	CSeq      uint32   `json:"cseq"`
}

// Dialog is a snapshot.
func (l *Leg) Dialog() Dialog { return Dialog{} }

// EndOrphan sends BYE for a dialog that a dead process left behind.
func (ua *UA) EndOrphan(ctx context.Context, d Dialog) error { return errors.ErrUnsupported }

// Stats counts what happened on the wire.
type Stats struct {
	PacketsIn, PacketsOut uint64
	Lost, Late, Dropped   uint64
	Jitter                time.Duration
	SendLate5ms           uint64
	SendLate10ms          uint64
	MaxSendLate           time.Duration
}

// Stats is a snapshot.
func (l *Leg) Stats() Stats { return Stats{} }
