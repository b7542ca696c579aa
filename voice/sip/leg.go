package sip

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// Why a leg ended, other than by our own doing.
var (
	ErrNoResponse = errors.New("no response of any kind came") // to our INVITE

	ErrNotPermitted = wire.ErrNotPermitted // Permit refused
)

// Leg is one live call. Its methods may be called from any goroutine.
type Leg struct {
	ua       *UA
	key      legKey
	peer     netip.AddrPort // where its requests come from
	account  wire.Credentials
	permit   wire.Permit // of REFERs, which have somebody else called
	dialog   *wire.LiveDialog
	confined *confinement
	media    *rtp.Session
	offers   *sdp.Negotiation
	session  sessionTimer
	updates  atomic.Bool // the far end knows UPDATE

	acks      ackBoard
	referring atomic.Int32   // REFERs of ours under way
	referred  chan int       // codes of NOTIFYs about them
	referrals chan *Referral // REFERs of the far end

	ending atomic.Pointer[ending] // nil: it lives
	done   chan struct{}

	remoteEnd context.Context // ends with the far end's BYE, after which ours needs no answer
	byeSeen   context.CancelFunc
}

func (ua *UA) newLeg(d Dialog, m *rtp.Session, offers *sdp.Negotiation, peer netip.AddrPort, confined *confinement) *Leg {
	m.Trust(confined.trust(peer.Addr()))
	l := &Leg{
		ua: ua, key: legKey{d.CallID, d.LocalTag}, peer: peer, dialog: wire.NewLiveDialog(d), confined: confined, media: m,
		offers:   offers,
		referred: make(chan int, 8), referrals: make(chan *Referral, 1), done: make(chan struct{}),
	}
	// A leg outlives the context in which it was dialed or answered.
	l.remoteEnd, l.byeSeen = context.WithCancel(context.Background())
	m.Watch(ua.cfg.FirstMedia, ua.cfg.MediaTimeout, func() { ua.wire.Spawn(func() { l.abort(media.ErrMediaTimeout) }) })
	return l
}

// Incoming returns what the far end sends, in order, with silence where it sends nothing, so it advances in real time. It is
// closed when the leg is over. A reader that falls behind by two seconds loses the oldest sound, never keys or captions.
// A caption longer than 1,000 bytes arrives in several pieces.
func (l *Leg) Incoming() <-chan audio.Incoming { return l.media.Incoming() }

// Notify has ready called, which must not block, when something was put into Incoming, and when that is closed; also now, for
// what was put in before.
func (l *Leg) Notify(ready func()) { l.media.Notify(ready) }

// Band returns the band of what is played, heard and recorded. It is that of the codec agreed on when the call was answered,
// and stays: what comes or goes in a codec of the other band, should one be agreed on later, is converted.
func (l *Leg) Band() audio.Band { return l.media.Band() }

// Play appends samples to the playout queue, which keeps them: nobody may write to them any more. While the far end has the
// call on hold the queue stands still.
func (l *Leg) Play(pcm []int16) {
	if !l.ended() {
		l.media.Play(pcm)
	}
}

// Flush drops what was not sent yet and returns how much that was.
func (l *Leg) Flush() time.Duration { return l.media.Flush() }

// Queued returns how much was not sent yet.
func (l *Leg) Queued() time.Duration { return l.media.Queued() }

// Caption sends text beside the sound at once, where that was negotiated, and else does nothing.
func (l *Leg) Caption(text string) { l.media.Caption(text) }

// SendDigits presses keys one after the other, 100 ms each. A comma waits half a second; other characters are skipped.
func (l *Leg) SendDigits(digits string) { l.media.Press(digits) }

// Record has sink called once per 20 ms with what was received and what was sent in it, on one clock. The slices are
// reused after the call. sink must neither block nor end the leg. nil stops recording.
func (l *Leg) Record(sink func(far, near []int16)) { l.media.Record(sink) }

// Hangup ends the call. Only the first end of a leg counts; after it Hangup does nothing. The goodbye goes on being
// sent when ctx ends before the far end has confirmed it.
func (l *Leg) Hangup(ctx context.Context) error { return l.end(ctx, nil) }

// Done is closed when the leg is over.
func (l *Leg) Done() <-chan struct{} { return l.done }

// Err returns, once Incoming or Done is closed, why the leg is over. nil: we hung up.
func (l *Leg) Err() error {
	if ending := l.ending.Load(); ending != nil {
		return ending.cause
	}
	return nil
}

// ending is why a leg is over.
type ending struct{ cause error }

func (l *Leg) ended() bool { return l.ending.Load() != nil }

// Dialog returns a snapshot of what another process needs to end this call.
func (l *Leg) Dialog() Dialog { return l.dialog.Snapshot() }

// Captioned reports whether text can travel beside the sound.
func (l *Leg) Captioned() bool { return l.media.Captioned() }

// Stats returns a snapshot of what happened to the media.
func (l *Leg) Stats() media.Stats {
	stats := l.media.Stats()
	stats.Refused = l.confined.count.Load()
	return stats
}

// finish makes the leg over. It returns true for the first caller, who has to forget the leg.
func (l *Leg) finish(cause error) bool {
	if !l.ending.CompareAndSwap(nil, &ending{cause}) {
		return false
	}
	l.session.close()
	if err := l.media.Close(); err != nil {
		l.ua.log.Warn("media did not close", "error", err)
	}
	close(l.done)
	return true
}

// end finishes the leg and says BYE.
func (l *Leg) end(ctx context.Context, cause error) error {
	if !l.finish(cause) {
		return nil
	}
	result := make(chan error, 1)
	spawned := l.ua.wire.Spawn(func() {
		defer l.ua.forget(l)
		ctx, cancel := context.WithTimeout(l.remoteEnd, l.ua.timers.timeout())
		defer cancel()
		err := l.ua.wire.Bye(ctx, l.dialog, l.account)
		if l.remoteEnd.Err() != nil { // both hung up at once
			err = nil
		}
		result <- err
	})
	if !spawned {
		l.ua.forget(l)
		return media.ErrClosed
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// abort ends the leg where nobody waits for the outcome.
func (l *Leg) abort(cause error) {
	// end limits the time of the BYE itself.
	if err := l.end(context.Background(), cause); err != nil {
		l.ua.log.Warn("call did not end cleanly", "call_id", l.key.callID, "error", err)
	}
}

// remoteBye takes the far end's BYE. confirm sends the answer to it, before the leg is forgotten.
func (l *Leg) remoteBye(confirm func()) {
	l.byeSeen()
	first := l.finish(media.ErrRemoteHangup)
	confirm()
	if !first {
		return
	}
	if l.referring.Load() == 0 || !l.ua.wire.Spawn(l.forgetLater) {
		l.ua.forget(l)
	}
}

// forgetLater lets the news of a transfer arrive that was sent just before the BYE: messages are read side by side.
func (l *Leg) forgetLater() {
	time.Sleep(newsBehind)
	l.ua.forget(l)
}

// contact returns where the far end sends the requests of this call.
func (l *Leg) contact() *siplib.ContactHeader {
	d := l.Dialog()
	return l.ua.wire.Contact(l.key.tag, l.peer.String(), d.Transport.OrUDP(), strings.HasPrefix(d.LocalURI, "sips:"))
}

// exchange sends a request inside this call.
func (l *Leg) exchange(ctx context.Context, method siplib.RequestMethod, dress func(*siplib.Request)) (*wire.Exchanged, error) {
	permit := l.permit
	if method != siplib.REFER {
		permit = nil
	}
	return l.ua.wire.Exchange(ctx, l.dialog, l.account, method, permit, dress)
}

// ackBoard hands ACKs to whoever waits for the one of a sequence number.
type ackBoard struct {
	mu      sync.Mutex
	waiting map[uint32]chan *siplib.Request
}

// maxUnacknowledged answers of a call may wait for their ACKs, each of which is repeated until it comes.
const maxUnacknowledged = 4

// expect registers a waiter. It has to be called before the 2xx is sent; nil: another one waits for this ACK, or too many do.
func (b *ackBoard) expect(sequence uint32) <-chan *siplib.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[sequence] != nil || len(b.waiting) == maxUnacknowledged {
		return nil
	}
	if b.waiting == nil {
		b.waiting = map[uint32]chan *siplib.Request{}
	}
	ch := make(chan *siplib.Request, 1)
	b.waiting[sequence] = ch
	return ch
}

// forget is for a waiter that waits no more.
func (b *ackBoard) forget(sequence uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, sequence)
}

func (b *ackBoard) arrived(ack *siplib.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sequence := ack.CSeq().SeqNo
	if ch := b.waiting[sequence]; ch != nil {
		delete(b.waiting, sequence)
		ch <- ack
	}
}

// takeAnswerIn applies the answer in a message.
func (l *Leg) takeAnswerIn(msg siplib.Message) error {
	body, err := sessionIn(msg)
	if err != nil {
		return err
	}
	return l.offers.Accept(body)
}

// newsBehind is how much later the news of a transfer may be read than a BYE that was sent right after it.
const newsBehind = 300 * time.Millisecond

// Referral is the far end's wish that we call somebody else in its place (RFC 3515). It is accepted; whoever takes it
// tells how the call to the target goes.
type Referral struct {
	Target string // a number, or what else a SIP URI has before its host

	leg *Leg
	id  string // of the subscription that the REFER made
}

// openMedia opens media sockets and returns the address that SDP has to name for them to a peer at that host.
func (ua *UA) openMedia(peer string) (*rtp.Session, netip.AddrPort, error) {
	m, err := ua.rtp.Open()
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return m, netip.AddrPortFrom(ua.wire.Reached(UDP, ua.seenFrom(peer)).Addr(), m.Local().Port()), nil
}
