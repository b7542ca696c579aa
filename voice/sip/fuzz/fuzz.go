// Package fuzz sends SIP messages, session descriptions and sound that nobody should send, to find out what a process does with
// them. What it sends follows from a seed and a number alone, so that a message that did harm can be sent again.
//
// It must not know the process: it writes bytes to an address, and sees whether it still answers.
package fuzz

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// Config is what a run needs.
type Config struct {
	Seed     uint64
	Messages int    // to send
	Target   string // host:port of a UDP socket
}

// Report is what came of a run.
type Report struct {
	Sent     int           `json:"sent"`
	Codes    map[int]int   `json:"codes"`    // answers by their status codes
	Requests int           `json:"requests"` // requests that the target sent of its own, such as the BYE of a call
	Probes   int           `json:"probes"`   // OPTIONS between the messages, each of which was answered
	Slowest  time.Duration `json:"slowest"`  // answer to one
}

const (
	together   = 32 // messages from one probe to the next: few enough for the target's socket to hold
	probeTries = 20
	probeWait  = time.Second
)

// ErrSilent means that the target answers no more, or never did: it has to let our address send requests (--trunk-peers).
var ErrSilent = errors.New("the target does not answer")

// Run sends mutated SIP messages, and asks again and again whether the target is still there. The error names the messages after
// which it was not.
func Run(ctx context.Context, cfg Config) (report Report, err error) {
	report.Codes = map[int]int{}
	s, err := dial(ctx, cfg.Target)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, s.conn.Close()) }()
	if err := s.probe(ctx, &report); err != nil {
		return report, err
	}
	for report.Sent < cfg.Messages {
		first := report.Sent
		for range min(together, cfg.Messages-first) {
			if _, err := s.conn.Write(Message(cfg.Seed, report.Sent, s.conn.LocalAddr().String())); err != nil {
				return report, fmt.Errorf("send message %d: %w", report.Sent, err)
			}
			report.Sent++
		}
		if err := s.probe(ctx, &report); err != nil {
			return report, fmt.Errorf("messages %d to %d of seed %d: %w", first, report.Sent-1, cfg.Seed, err)
		}
	}
	return report, nil
}

// Sound sends mutated RTP and RTCP to a port that takes the sound of a call. Nothing answers.
func Sound(ctx context.Context, cfg Config) (report Report, err error) {
	s, err := dial(ctx, cfg.Target)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, s.conn.Close()) }()
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for report.Sent < cfg.Messages {
		for range min(together, cfg.Messages-report.Sent) {
			if _, err := s.conn.Write(Packet(cfg.Seed, report.Sent)); err != nil {
				return report, fmt.Errorf("send packet %d: %w", report.Sent, err)
			}
			report.Sent++
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
			return report, ctx.Err()
		}
	}
	return report, nil
}

// source is the socket that messages leave by.
type source struct {
	conn   *net.UDPConn
	probes int
	buf    [65536]byte
}

func dial(ctx context.Context, target string) (*source, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "udp", target)
	if err != nil {
		return nil, fmt.Errorf("reach target: %w", err)
	}
	return &source{conn: conn.(*net.UDPConn)}, nil
}

// probe sends OPTIONS until it is answered, and counts what else comes.
func (s *source) probe(ctx context.Context, report *Report) error {
	s.probes++
	id := fmt.Sprintf("probe-%d-%d", time.Now().UnixNano(), s.probes)
	local := s.conn.LocalAddr().String()
	begun := time.Now()
	for try := range probeTries {
		text := strings.Join([]string{
			"OPTIONS sip:probe@" + s.conn.RemoteAddr().String() + " SIP/2.0",
			"Via: SIP/2.0/UDP " + local + ";rport;branch=z9hG4bK" + id + strconv.Itoa(try), "Max-Forwards: 70",
			"From: <sip:probe@" + local + ">;tag=probe", "To: <sip:probe@" + s.conn.RemoteAddr().String() + ">", "Call-ID: " + id,
			"CSeq: 1 OPTIONS", "Content-Length: 0", "", "",
		}, "\r\n")
		if _, err := s.conn.Write([]byte(text)); err != nil {
			return fmt.Errorf("send probe: %w", err)
		}
		answered, err := s.await(ctx, id, report)
		if err != nil {
			return err
		}
		if answered {
			report.Probes++
			report.Slowest = max(report.Slowest, time.Since(begun))
			return nil
		}
	}
	return ErrSilent
}

// await reads until the answer to a probe comes; it returns false when it does not.
func (s *source) await(ctx context.Context, id string, report *Report) (bool, error) {
	deadline := time.Now().Add(probeWait)
	if err := s.conn.SetReadDeadline(deadline); err != nil {
		return false, err
	}
	for ctx.Err() == nil {
		n, err := s.conn.Read(s.buf[:])
		if errors.Is(err, net.ErrClosed) {
			return false, err
		}
		if err != nil { // none came, or the port is closed for the moment
			if time.Now().After(deadline) {
				return false, nil
			}
			time.Sleep(time.Millisecond)
			continue
		}
		line, rest, _ := strings.Cut(string(s.buf[:n]), "\r\n")
		if strings.Contains(rest, id) {
			return true, nil
		}
		report.count(line)
	}
	return false, ctx.Err()
}

// count counts a message that came.
func (r *Report) count(line string) {
	status, is := strings.CutPrefix(line, "SIP/2.0 ")
	if !is {
		r.Requests++
		return
	}
	code, _, _ := strings.Cut(status, " ")
	if n, err := strconv.Atoi(code); err == nil {
		r.Codes[n]++
	}
}
