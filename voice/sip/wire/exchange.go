package wire

import (
	"context"
	"errors"
	"fmt"

	siplib "github.com/emiago/sipgo/sip"
)

// Exchange sends a request inside a dialog and waits for its final answer, answering challenges on the way. dress adds
// what the method needs; permit may be nil. The transaction of an INVITE lives on, for its retransmitted answers.
func (e *Endpoint) Exchange(
	ctx context.Context, d *LiveDialog, account Credentials, method siplib.RequestMethod, permit Permit, dress func(*siplib.Request),
) (*Exchanged, error) {
	auth := Authorization{Credentials: account}
	for {
		next := d.next()
		req, err := next.Request(method)
		if err != nil {
			return nil, err
		}
		e.Address(req, &next)
		dress(req)
		auth.Apply(req)
		tx, err := e.Transact(ctx, req, permit)
		if err != nil {
			return nil, fmt.Errorf("send %s: %w", method, err)
		}
		res, err := FinalResponse(ctx, tx)
		if e.cfg.Received != nil && ctx.Err() == nil {
			e.cfg.Received(method, res)
		}
		if err != nil || method != siplib.INVITE {
			tx.Terminate()
		}
		if err != nil {
			return nil, fmt.Errorf("wait for answer to %s: %w", method, err)
		}
		if again, err := auth.Answer(req, res); err != nil {
			return nil, err
		} else if !again {
			return &Exchanged{req, res, tx}, nil
		}
	}
}

// Exchanged is a request with the final answer it got.
type Exchanged struct {
	Req *siplib.Request
	Res *siplib.Response
	Tx  siplib.ClientTransaction
}

// EndOf returns why a transaction ended. sipgo ends one before it says why.
func EndOf(tx siplib.ClientTransaction) error {
	if err := tx.Err(); err != nil {
		return err
	}
	return siplib.ErrTransactionTerminated
}

// ErrMalformed refuses an answer without the headers that every one has. sipgo hands on what it can match with a request.
var ErrMalformed = errors.New("the answer is malformed")

// WellFormed reports whether an answer has the headers that every one has, and ones that can be read.
func WellFormed(res *siplib.Response) bool {
	return res.CallID() != nil && res.CSeq() != nil && res.From() != nil && res.To() != nil && checkHeaders(res.Headers()) == nil
}

// FinalResponse waits for the final answer.
func FinalResponse(ctx context.Context, tx siplib.ClientTransaction) (*siplib.Response, error) {
	for {
		select {
		case res := <-tx.Responses():
			switch {
			case res.IsProvisional():
			case !WellFormed(res):
				return nil, ErrMalformed
			default:
				return res, nil
			}
		case <-tx.Done():
			return nil, EndOf(tx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Address sends a request of a dialog over the connection that the dialog came by, as long as it is open. Carriers
// expect that even where their Record-Route names another port, and drop what comes by another connection.
func (e *Endpoint) Address(req *siplib.Request, d *Dialog) {
	if d.Connection != "" && e.Connected(d.Transport, d.Connection) {
		req.SetDestination(d.Connection)
	}
}

// Bye ends a dialog. A far end that does not know the dialog has ended it already.
func (e *Endpoint) Bye(ctx context.Context, d *LiveDialog, account Credentials) error {
	done, err := e.Exchange(ctx, d, account, siplib.BYE, nil, func(*siplib.Request) {})
	if err != nil {
		return err
	}
	switch code := done.Res.StatusCode; {
	case done.Res.IsSuccess(), code == siplib.StatusCallTransactionDoesNotExists, code == siplib.StatusRequestTimeout:
		return nil
	}
	return fmt.Errorf("send BYE: %w", RefusedBy(done.Res))
}
