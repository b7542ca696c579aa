package sip

import (
	"strconv"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

// grantedExpiry is how long a registration with us lasts at most.
const grantedExpiry = 10 * time.Minute

// onRegister answers REGISTER as the configured registrar decides. Contacts are granted as they were asked for, and not
// kept: whoever wants to call them knows where they are.
func (ua *UA) onRegister(req *siplib.Request, tx siplib.ServerTransaction) {
	if ua.cfg.Registrar == nil {
		ua.wire.Reply(req, tx, siplib.StatusMethodNotAllowed, "Method Not Allowed", ua.allow())
		return
	}
	code, reason := ua.cfg.Registrar(number(&req.To().Address))
	if code != siplib.StatusOK {
		ua.wire.Reply(req, tx, code, reason)
		return
	}
	res := siplib.NewResponseFromRequest(req, siplib.StatusOK, "OK", nil)
	expires := grantedExpiry
	if h := req.GetHeader("Expires"); h != nil {
		expires = min(expires, seconds(h))
	}
	res.AppendHeader(siplib.NewHeader("Expires", strconv.Itoa(int(expires.Seconds()))))
	if expires > 0 {
		for _, contact := range wire.HeaderValues(req, "Contact") {
			var uri siplib.Uri
			if _, err := siplib.ParseAddressValue(contact, &uri, &siplib.HeaderParams{}); err == nil && wire.CheckURI(&uri) == nil {
				res.AppendHeader(siplib.NewHeader("Contact", contact))
			}
		}
	}
	ua.wire.Respond(tx, res)
}
