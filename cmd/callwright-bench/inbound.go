package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip"
)

const (
	inboundCalls     = 300
	inboundPerSecond = 20
	inboundPlaces    = 100
)

// inboundBurst has more callers ring at one account than it has places, and nobody hangs up: as many are answered as there
// are places, and the others are refused at once.
func inboundBurst(ctx context.Context, b *bench) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := newCustomer(ctx, b.pool, 0, greeter)
	if err != nil {
		return err
	}
	if _, err := dbsqlc.New().AccountSetLimits(ctx, b.pool,
		&dbsqlc.AccountSetLimitsParams{ID: c.accountID, MaxConcurrentCalls: new(int32(inboundPlaces))}); err != nil {
		return fmt.Errorf("set limits: %w", err)
	}
	var number string
	if err := b.pool.QueryRow(ctx, "SELECT number FROM phone_number").Scan(&number); err != nil {
		return fmt.Errorf("read number: %w", err)
	}
	callers := &callers{codes: map[int]int{}}
	if callers.ua, err = sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: b.logger}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, callers.ua.Close(context.WithoutCancel(ctx))) }()
	if b.sip, err = freeAddress(ctx); err != nil {
		return err
	}
	unheard := newScripted(nil, false)
	running, err := startWorker(ctx, b, callers.ua.Addr().String(), all.Of(responder{unheard}, transcriber{unheard}, hum{}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWorker(ctx, running)) }()
	if err := callers.ring(ctx, b.sip, number); err != nil {
		return err
	}
	return callers.report()
}

// freeAddress is one that nobody listens at.
func freeAddress(ctx context.Context) (string, error) {
	socket, err := new(net.ListenConfig).ListenPacket(ctx, "udp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return socket.LocalAddr().String(), socket.Close()
}

// callers ring at one number and stay on the line.
type callers struct {
	ua       *sip.UA
	mu       sync.Mutex
	answered []time.Duration
	refused  []time.Duration
	codes    map[int]int // refusals by their SIP codes
	failed   error
}

// ring returns when every call was answered or refused, and those that were answered are over.
func (c *callers) ring(ctx context.Context, address, number string) error {
	enough, hangUp := context.WithCancel(ctx)
	defer hangUp()
	var ringing, talking sync.WaitGroup
	tick := time.NewTicker(time.Second / inboundPerSecond)
	defer tick.Stop()
	for i := range inboundCalls {
		ringing.Add(1)
		talking.Go(func() {
			leg := c.dial(ctx, sip.Dial{Proxy: address, From: fmt.Sprintf("+316%08d", i), To: number})
			ringing.Done()
			if leg != nil {
				c.note(stay(ctx, enough, leg))
			}
		})
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ringing.Wait()
	hangUp()
	talking.Wait()
	return c.failed
}

// dial returns nil when the call was refused.
func (c *callers) dial(ctx context.Context, dial sip.Dial) *sip.Leg {
	began := time.Now()
	leg, err := c.ua.Dial(ctx, dial)
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	refused, is := errors.AsType[*sip.Refused](err)
	switch {
	case is:
		c.refused, c.codes[refused.Code] = append(c.refused, took), c.codes[refused.Code]+1
	case err != nil:
		c.failed = errors.Join(c.failed, err)
	default:
		c.answered = append(c.answered, took)
	}
	return leg
}

// stay listens until it is enough and hangs up.
func stay(ctx, enough context.Context, leg *sip.Leg) error {
	for {
		select {
		case in, ok := <-leg.Incoming():
			if !ok {
				return errors.New("the assistant hung up")
			}
			if in.Frame != nil {
				audio.GiveFrame(in.Frame)
			}
		case <-enough.Done():
			return leg.Hangup(ctx)
		}
	}
}

func (c *callers) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = errors.Join(c.failed, err)
}

func (c *callers) report() error {
	report("inbound_answered", float64(len(c.answered)), "calls")
	report("inbound_answer_p95_ms", percentile(c.answered, 0.95), "ms")
	report("inbound_refuse_p95_ms", percentile(c.refused, 0.95), "ms")
	report("inbound_refused_486", float64(c.codes[486]), "calls")
	report("inbound_refused_500", float64(c.codes[500]), "calls")
	if others := len(c.refused) - c.codes[486]; len(c.answered) != inboundPlaces || others > 0 {
		return fmt.Errorf("%d of %d places taken, %d calls refused otherwise than as busy: %v", len(c.answered), inboundPlaces, others,
			c.codes)
	}
	return nil
}
