package wire

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
)

// Spawn runs a task that Close waits for. It returns false once the endpoint is closing.
func (e *Endpoint) Spawn(task func()) bool {
	e.gate.RLock()
	defer e.gate.RUnlock()
	if e.stopped {
		return false
	}
	e.tasks.Go(task)
	return true
}

// Transact sends a request that gets answers. After the end of the socket sipgo would quietly open another one. ctx
// bounds only the opening of a connection, which has its own limit too. A permit that refuses is ErrNotPermitted, and keeps
// repetitions from leaving later.
func (e *Endpoint) Transact(ctx context.Context, req *siplib.Request, permit Permit) (siplib.ClientTransaction, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	e.gate.RLock()
	defer e.gate.RUnlock()
	if e.stopped {
		return nil, media.ErrClosed
	}
	ctx, to, err := e.locate(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := e.connectAhead(ctx, req, permit != nil); err != nil {
		return nil, err
	}
	if err := permit.check(); err != nil {
		return nil, err
	}
	leaving := &e.socket.leaving
	tx, err := e.clients[TransportOf(req)].TransactionRequest(ctx, req, leaving.build(to, permit))
	if err != nil || !tx.OnTerminate(func(string, error) { leaving.forget(req) }) {
		leaving.forget(req)
	}
	return tx, err
}

// Write sends a request that gets no answers: an ACK. ctx bounds only the opening of a connection, which has its own limit too.
func (e *Endpoint) Write(ctx context.Context, req *siplib.Request) (err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	e.gate.RLock()
	defer e.gate.RUnlock()
	if e.stopped {
		return media.ErrClosed
	}
	ctx, to, err := e.locate(ctx, req)
	if err != nil {
		return err
	}
	if TransportOf(req).Reliable() { // sipgo would open one without our context, which the dialer refuses
		conn, failed := e.connect(ctx, req)
		if failed != nil {
			return failed
		}
		defer func() {
			_, closing := conn.TryClose()
			err = errors.Join(err, closing)
		}()
		req.SetDestination(AddrPort(conn.RemoteAddr()).String()) // a name might lead elsewhere now
	}
	defer e.socket.leaving.forget(req)
	return e.clients[TransportOf(req)].WriteRequest(req, e.socket.leaving.build(to, nil))
}

// Ping sends what keeps NATs and connections open (RFC 5626 section 3.5.1).
func (e *Endpoint) Ping(transport Transport, to netip.AddrPort) error {
	ping := []byte("\r\n\r\n")
	if !transport.Reliable() {
		_, err := e.socket.WriteToUDPAddrPort(ping, to)
		return err
	}
	return e.WithConnection(transport, to.String(), func(conn siplib.Connection) error {
		stream, ok := conn.(*siplib.TCPConnection)
		if !ok {
			return fmt.Errorf("a %T cannot be kept alive", conn)
		}
		_, err := stream.Write(ping)
		return err
	})
}

// Reply answers a request with a final answer that nothing else depends on.
func (e *Endpoint) Reply(req *siplib.Request, tx siplib.ServerTransaction, code int, reason string, headers ...siplib.Header) {
	res := siplib.NewResponseFromRequest(req, code, reason, nil)
	for _, h := range headers {
		res.AppendHeader(h)
	}
	e.Respond(tx, res)
}

// Accept answers a request with 200.
func (e *Endpoint) Accept(req *siplib.Request, tx siplib.ServerTransaction, headers ...siplib.Header) {
	e.Reply(req, tx, siplib.StatusOK, "OK", headers...)
}

// Respond sends a final answer that nothing else depends on.
func (e *Endpoint) Respond(tx siplib.ServerTransaction, res *siplib.Response) {
	if err := tx.Respond(res); err != nil {
		e.log.Debug("answer was not sent", "code", res.StatusCode, "error", err)
	}
}
