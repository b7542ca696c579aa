package sip

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// Listen binds the sockets and starts answering.
func Listen(cfg Config) (*UA, error) {
	return open(cfg, timers{t1: siplib.T1, t2: siplib.T2, report: rtp.ReportEvery, session: minSession})
}

func open(cfg Config, timers timers) (*UA, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Takes == nil {
		cfg.Takes = func() error { return nil }
	}
	if cfg.Count == nil {
		cfg.Count = func(bool, string, int) {}
	}
	cfg.FirstMedia = orDefault(cfg.FirstMedia, defaultFirst)
	cfg.SessionExpires = orDefault(cfg.SessionExpires, defaultSession)
	cfg.MediaTimeout = orDefault(cfg.MediaTimeout, defaultGap)
	ua := &UA{
		cfg: cfg, log: cfg.Logger, timers: timers, registry: newRegistry(), closed: make(chan struct{}),
	}
	if cfg.Clocks == nil {
		ua.clocks = media.NewClocks(cfg.Logger)
		ua.cfg.Clocks = ua.clocks
	}
	// Both end in Close, which outlives whoever made the user agent.
	ua.registering, ua.unregister = context.WithCancel(context.Background())
	ua.ctx, ua.cut = context.WithCancel(context.Background())
	if err := ua.serve(); err != nil {
		ua.cut()
		ua.unregister()
		return nil, err
	}
	return ua, nil
}

// serve binds the sockets and waits until they are read.
func (ua *UA) serve() error {
	endpoint, err := wire.Bind(wire.Config{
		Listen: ua.cfg.Listen, TCP: ua.cfg.TCP, TLS: ua.cfg.TLS, PublicIP: ua.cfg.PublicIP, Logger: ua.log,
		Screen: ua.cfg.Screen, Answers: ua.cfg.Answers, Directory: directory{&ua.registry}, Late: ua.strayResponse,
		Received: ua.received,
	})
	if err != nil {
		return err
	}
	ua.wire = endpoint
	ua.rtp = rtp.NewPorts(rtp.Config{
		IP: ua.Addr().Addr(), First: ua.cfg.RTPPorts[0], Last: ua.cfg.RTPPorts[1], Clocks: ua.cfg.Clocks, ReportEvery: ua.timers.report,
	})
	if err := endpoint.Serve(ua.route); err != nil {
		return errors.Join(err, endpoint.Close())
	}
	return nil
}

// route says who takes which request.
func (ua *UA) route(server *sipgo.Server) {
	for method, take := range map[siplib.RequestMethod]sipgo.RequestHandler{
		siplib.INVITE:   ua.onCallOrOffer,
		siplib.ACK:      ua.onACK,
		siplib.BYE:      ua.onBye,
		siplib.UPDATE:   ua.onOffer,
		siplib.INFO:     ua.onInfo,
		siplib.NOTIFY:   ua.onNotify,
		siplib.REFER:    ua.onRefer,
		siplib.OPTIONS:  ua.onOptions,
		siplib.CANCEL:   ua.onCancel,
		siplib.REGISTER: ua.onRegister,
	} {
		server.OnRequest(method, func(req *siplib.Request, tx siplib.ServerTransaction) {
			if tx = (&counted{tx, ua.cfg.Count}); ua.proper(req, tx) {
				take(req, tx)
			}
		})
	}
	server.OnNoRoute(func(req *siplib.Request, tx siplib.ServerTransaction) {
		ua.wire.Reply(req, tx, siplib.StatusMethodNotAllowed, "Method Not Allowed", ua.allow())
	})
}

// counted is a transaction whose responses are counted.
type counted struct {
	siplib.ServerTransaction
	count func(sent bool, method string, code int)
}

// Respond implements siplib.ServerTransaction.
func (c *counted) Respond(res *siplib.Response) error {
	err := c.ServerTransaction.Respond(res)
	if cseq := res.CSeq(); err == nil && cseq != nil {
		c.count(true, string(cseq.MethodName), res.StatusCode)
	}
	return err
}

// received counts the response to a request of ours; nil: there is none.
func (ua *UA) received(method siplib.RequestMethod, res *siplib.Response) {
	code := 0
	if res != nil {
		code = res.StatusCode
	}
	ua.cfg.Count(false, string(method), code)
}

// proper refuses what nobody has to understand, for its form or for an extension that it insists on (RFC 3261 section 8.2).
// An answer repeats lines of its request, so there is none to what others might read as more lines.
func (ua *UA) proper(req *siplib.Request, tx siplib.ServerTransaction) bool {
	if err := wire.Check(req); err != nil {
		ua.refused.messages.Add(1)
		if !errors.Is(err, wire.ErrControls) && req.Method != siplib.ACK {
			ua.wire.Reply(req, tx, siplib.StatusBadRequest, "Bad Request")
		}
		return false
	}
	required := slices.DeleteFunc(wire.HeaderValues(req, "Require"), func(option string) bool { return option == "timer" })
	switch {
	case req.CallID() != nil && req.CSeq() != nil && req.From() != nil && req.To() != nil &&
		(len(required) == 0 || req.Method == siplib.ACK || req.Method == siplib.CANCEL):
		return true
	case req.Method == siplib.ACK: // which nothing answers
	case len(required) > 0:
		unsupported := siplib.NewHeader("Unsupported", strings.Join(required, ", "))
		ua.wire.Reply(req, tx, siplib.StatusBadExtension, "Bad Extension", unsupported)
	default:
		ua.wire.Reply(req, tx, siplib.StatusBadRequest, "Bad Request")
	}
	return false
}

// onCallOrOffer tells an INVITE inside a call from one that begins a call.
func (ua *UA) onCallOrOffer(req *siplib.Request, tx siplib.ServerTransaction) {
	if req.To().Params.Has("tag") {
		ua.onOffer(req, tx)
	} else {
		ua.onInvite(req, tx)
	}
}
