package sip

import (
	"strconv"
	"strings"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sdp"
)

func (ua *UA) onACK(req *siplib.Request, _ siplib.ServerTransaction) {
	if l := ua.find(req); l != nil {
		l.acks.arrived(req)
	}
}

func (ua *UA) onBye(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l != nil {
		l.remoteBye(func() { ua.wire.Accept(req, tx) })
	}
}

// onOptions answers whether a new call would be taken (RFC 3261 section 11.2), or inside a call, whether it still lives.
func (ua *UA) onOptions(req *siplib.Request, tx siplib.ServerTransaction) {
	switch inside := req.To().Params.Has("tag"); {
	case inside && ua.findOrRefuse(req, tx) == nil:
	case !inside && (ua.refuses() || ua.cfg.Takes() != nil):
		ua.wire.Reply(req, tx, siplib.StatusServiceUnavailable, "Service Unavailable", siplib.NewHeader("Retry-After", drainRetryAfter))
	default:
		ua.wire.Accept(req, tx, ua.allow(), siplib.NewHeader("Accept", sdp.MediaType))
	}
}

// onCancel sees only CANCELs without an INVITE to cancel.
func (ua *UA) onCancel(req *siplib.Request, tx siplib.ServerTransaction) {
	ua.wire.Reply(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
}

// onInfo takes keys that travel outside of RTP.
func (ua *UA) onInfo(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	ua.wire.Accept(req, tx)
	kind := req.GetHeader("Content-Type")
	if kind == nil || l.ended() {
		return
	}
	if key := infoKey(kind.Value(), req.Body()); key != 0 {
		l.media.DeliverKey(key)
	}
}

// infoKey reads the two ways in which INFO names a key: dtmf-relay with its Signal line, and the bare key.
func infoKey(kind string, body []byte) byte {
	var value string
	switch kind, _, _ = strings.Cut(strings.ToLower(kind), ";"); strings.TrimSpace(kind) {
	case "application/dtmf-relay":
		for line := range strings.Lines(string(body)) {
			if name, signal, ok := strings.Cut(line, "="); ok && strings.EqualFold(strings.TrimSpace(name), "signal") {
				value = signal
			}
		}
	case "application/dtmf":
		value = string(body)
	}
	value = strings.ToUpper(strings.TrimSpace(value))
	if len(value) == 1 && strings.IndexByte(media.EventKeys, value[0]) >= 0 {
		return value[0]
	}
	if code, err := strconv.ParseUint(value, 10, 8); err == nil && code >= 10 && int(code) < len(media.EventKeys) {
		return media.EventKeys[code] // as some write * and #
	}
	return 0
}
