package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
)

// Trunk is the carrier's SIP connection over which live calls leave.
type Trunk struct {
	Listen   string // address and UDP port of our side; port 0 picks one
	PublicIP netip.Addr
	RTPPorts [2]int
	Proxy    string // host:port of the carrier
	Domain   string // empty: the proxy's host
	Username string
	Password string
}

// Simulated is the simulated phone network, which stands on loopback beside every worker: calls of test keys never
// leave it.
type Simulated struct {
	TTS     tts.Provider   // the voice of the people in it
	Scripts simnet.Scripts // in place of the built-in ones, per number
}

// line is a way out.
type line struct {
	ua       *sip.UA
	proxy    string
	domain   string
	username string
	password string
	captions bool
}

// lines are the ways out of this process: the carrier's and the simulated network's, each with a user agent of its own,
// so that simulated traffic stays on loopback whatever address the carrier needs.
type lines struct {
	live      *line
	simulated *line
	network   *simnet.Network
}

func openLines(ctx context.Context, cfg PhoneConfig, logger *slog.Logger) (lines, error) {
	var opened lines
	if cfg.Trunk != nil {
		ua, err := sip.Listen(sip.Config{
			Listen: cfg.Trunk.Listen, PublicIP: cfg.Trunk.PublicIP, RTPPorts: cfg.Trunk.RTPPorts, Logger: logger,
		})
		if err != nil {
			return lines{}, fmt.Errorf("open SIP line to the carrier: %w", err)
		}
		opened.live = &line{
			ua: ua, proxy: cfg.Trunk.Proxy, domain: cfg.Trunk.Domain, username: cfg.Trunk.Username, password: cfg.Trunk.Password,
		}
	}
	if cfg.Simulated != nil {
		if err := opened.openSimulated(ctx, cfg.Simulated, logger); err != nil {
			return lines{}, errors.Join(err, opened.close(ctx))
		}
	}
	return opened, nil
}

func (l *lines) openSimulated(ctx context.Context, cfg *Simulated, logger *slog.Logger) error {
	// It ends by close: calls that drain after ctx ended still need their far ends.
	network, err := simnet.Start(context.WithoutCancel(ctx), simnet.Config{Listen: "127.0.0.1:0", TTS: cfg.TTS, Scripts: cfg.Scripts, Logger: logger})
	if err != nil {
		return fmt.Errorf("start simulated phone network: %w", err)
	}
	l.network = network
	ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: logger})
	if err != nil {
		return fmt.Errorf("open SIP line to the simulated network: %w", err)
	}
	// The simulated network sends the words of its people beside their sound, which the caption recogniser reads.
	l.simulated = &line{ua: ua, proxy: network.Addr().String(), captions: true}
	return nil
}

func (l *lines) close(ctx context.Context) error {
	var errs []error
	for _, line := range []*line{l.live, l.simulated} {
		if line != nil {
			errs = append(errs, line.ua.Close(ctx))
		}
	}
	if l.network != nil {
		errs = append(errs, l.network.Close(ctx))
	}
	return errors.Join(errs...)
}

func (l *lines) forCall(call *dbsqlc.Call) (*line, error) {
	if call.Simulated {
		if l.simulated == nil {
			return nil, errors.New("this worker has no simulated phone network, which calls of test keys need")
		}
		return l.simulated, nil
	}
	if l.live == nil {
		return nil, errors.New("no SIP trunk is configured (--trunk-proxy), so live calls have no way out")
	}
	return l.live, nil
}

// dial is the INVITE of a call. Its Call-ID was stored before, so that whoever picks up after us can name the dialog.
func (l *line) dial(call *dbsqlc.Call) sip.Dial {
	return sip.Dial{
		Proxy: l.proxy, Domain: l.domain, From: call.PhoneNumber, To: call.ContactPhoneNumber,
		Username: l.username, Password: l.password, CallID: *call.SIPCallID, Captions: l.captions,
	}
}

func (l *lines) hangUpOrphan(ctx context.Context, call *dbsqlc.Call) error {
	line, err := l.forCall(call)
	if err != nil {
		return err
	}
	var dialog sip.Dialog
	if err := json.Unmarshal(call.SIPDialog, &dialog); err != nil {
		return fmt.Errorf("decode dialog: %w", err)
	}
	return line.ua.EndOrphan(ctx, dialog)
}
