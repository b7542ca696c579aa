package webrtc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/prefetch"
)

// errNoTransfer is what Transfer returns.
var errNoTransfer = errors.New("a browser cannot be asked to call somebody else")

// farewell is how long what was told last may take to reach the browser.
const farewell = 250 * time.Millisecond

// Leg is one call of a browser. Its methods may be called from any goroutine. It implements voice.Leg.
type Leg struct {
	*media.Stream
	server    *Server
	peer      *webrtc.PeerConnection
	track     *track
	arrived   arrivals
	clock     *media.Clock
	captioned bool

	channel atomic.Pointer[webrtc.DataChannel] // nil: none was opened
	open    atomic.Bool                        // it is
	telling sync.Mutex
	untold  []string    // what is to be told once it is
	heard   atomic.Bool // the browser's sound is read

	connected chan struct{} // closed when the browser is there
	came      sync.Once
	late      *time.Timer

	ending atomic.Pointer[ending] // nil: it lives
	done   chan struct{}

	life    sync.Mutex // held during a pulse
	started bool
	stopped bool
}

// ending is why a leg is over.
type ending struct{ cause error }

// Answer answers an offer. The leg waits for the browser, for 15 seconds: Connected says when it is there. An offer that is none
// is an error that wraps ErrOffer.
func (s *Server) Answer(ctx context.Context, offer string) (*Leg, string, error) {
	clean, err := readOffer(offer)
	if err != nil {
		return nil, "", err
	}
	peer, err := s.api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, "", fmt.Errorf("answer web call: %w", err)
	}
	leg := &Leg{
		Stream: media.NewStream(), server: s, peer: peer, clock: s.clocks.Quietest(), connected: make(chan struct{}),
		done:      make(chan struct{}),
		captioned: strings.Contains(clean, "m=application "),
	}
	leg.track = newTrack(&leg.Counts)
	if !s.join(leg) {
		return nil, "", errors.Join(fmt.Errorf("answer web call: %w", media.ErrClosed), peer.Close())
	}
	leg.late = time.AfterFunc(connectWithin, func() { leg.end(ErrUnconnected) })
	answer, err := leg.answer(ctx, clean)
	if err != nil {
		leg.end(err)
		return nil, "", fmt.Errorf("answer web call: %w", err)
	}
	return leg, answer, nil
}

// answer returns the answer, with all candidates.
func (l *Leg) answer(ctx context.Context, offer string) (string, error) {
	sender, err := l.peer.AddTrack(l.track)
	if err != nil {
		return "", fmt.Errorf("add sound: %w", err)
	}
	l.follow(sender)
	if err := l.peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", fmt.Errorf("%w: %w", ErrOffer, err)
	}
	answer, err := l.peer.CreateAnswer(nil)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrOffer, err)
	}
	formats, err := formatsOf(answer.SDP)
	if err != nil {
		return "", err
	}
	l.Agree(formats)
	l.track.codec = sentIn(formats.Send)
	gathered := webrtc.GatheringCompletePromise(l.peer)
	if err := l.peer.SetLocalDescription(answer); err != nil {
		return "", fmt.Errorf("%w: %w", ErrOffer, err)
	}
	select {
	case <-gathered:
		return l.peer.LocalDescription().SDP, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// follow takes what the browser does. Ending waits for pion's callbacks, so it is done beside them.
func (l *Leg) follow(sender *webrtc.RTPSender) {
	l.peer.OnTrack(func(from *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		if l.heard.CompareAndSwap(false, true) {
			l.server.spawn(func() { l.listen(from) })
		}
	})
	l.peer.OnDataChannel(l.talk)
	l.peer.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		switch state {
		case webrtc.PeerConnectionStateConnected:
			l.came.Do(func() { l.start(sender) })
		case webrtc.PeerConnectionStateDisconnected:
			time.AfterFunc(secondLook, l.vanished)
		case webrtc.PeerConnectionStateFailed, webrtc.PeerConnectionStateClosed:
			l.server.spawn(func() { l.end(media.ErrRemoteHangup) })
		}
	})
}

// vanished ends the leg of a browser that is still not heard. A process that stood still, as on a machine that is moved, has heard
// nobody either, and finds what the browser sent meanwhile a moment after it goes on.
func (l *Leg) vanished() {
	if l.peer.ConnectionState() == webrtc.PeerConnectionStateDisconnected {
		l.end(media.ErrDisconnected)
	}
}

// start has the clock send and receive.
func (l *Leg) start(sender *webrtc.RTPSender) {
	l.life.Lock()
	defer l.life.Unlock()
	if l.stopped || !l.late.Stop() {
		return
	}
	l.started = true
	l.Start()
	l.clock.Join(l)
	l.server.spawn(func() { l.readReports(sender) })
	close(l.connected)
}

// Pulse implements media.Member.
func (l *Leg) Pulse(due time.Time, sends bool) (next time.Time) {
	l.life.Lock()
	defer l.life.Unlock()
	if l.stopped {
		return next
	}
	scratch := l.server.scratches[l.clock]
	l.arrived.each(l.Stream, scratch)
	if sends {
		l.Send(due, scratch, l.track)
	}
	return due
}

// Prefetch implements media.Member.
func (l *Leg) Prefetch(depth int) {
	if depth == 0 {
		prefetch.Of(l)
		return
	}
	l.Stream.Prefetch(depth - 1)
}

// Connected is closed when the browser is there: the call is answered.
func (l *Leg) Connected() <-chan struct{} { return l.connected }

// Play implements voice.Leg.
func (l *Leg) Play(pcm []int16) {
	if l.ending.Load() == nil {
		l.Stream.Play(pcm)
	}
}

// Hangup implements voice.Leg.
func (l *Leg) Hangup(context.Context) error {
	l.end(nil)
	return nil
}

// RemoteHangup ends the leg as one that the person has ended, who said so otherwise than through the browser's connection.
func (l *Leg) RemoteHangup() { l.end(media.ErrRemoteHangup) }

// Transfer implements voice.Leg.
func (*Leg) Transfer(context.Context, string) error { return errNoTransfer }

// Done implements voice.Leg.
func (l *Leg) Done() <-chan struct{} { return l.done }

// Err implements voice.Leg.
func (l *Leg) Err() error {
	if ending := l.ending.Load(); ending != nil {
		return ending.cause
	}
	return nil
}

// Stats returns a snapshot of what happened to the media.
func (l *Leg) Stats() media.Stats {
	stats := l.Stream.Stats()
	stats.Encrypted = true
	return stats
}

// end makes the leg over. Only the first end counts.
func (l *Leg) end(cause error) {
	if !l.ending.CompareAndSwap(nil, &ending{cause}) {
		return
	}
	l.late.Stop()
	l.life.Lock()
	l.stopped = true
	if l.started {
		l.clock.Leave(l)
	}
	l.life.Unlock()
	l.Close()
	close(l.done)
	go l.disconnect()
}

// disconnect closes the connection once what was told last has reached the browser.
func (l *Leg) disconnect() {
	defer l.server.leave(l)
	if cause := l.Err(); cause == nil || errors.Is(cause, media.ErrClosed) {
		l.Tell(Message{Type: MessageHangUp})
	}
	if channel := l.channel.Load(); channel != nil && l.open.Load() {
		sent := make(chan struct{}, 1)
		channel.SetBufferedAmountLowThreshold(0)
		channel.OnBufferedAmountLow(func() {
			select {
			case sent <- struct{}{}:
			default:
			}
		})
		if channel.BufferedAmount() > 0 {
			select {
			case <-sent:
			case <-time.After(farewell):
			}
		}
	}
	if err := l.peer.GracefulClose(); err != nil {
		l.server.log.Debug("web call did not end cleanly", "error", err)
	}
}
