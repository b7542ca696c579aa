package sip

import (
	"context"
	"errors"
	"fmt"

	siplib "github.com/emiago/sipgo/sip"
)

// exchange sends a request inside a dialog and waits for its final answer, answering challenges on the way. dress adds
// what the method needs. The transaction of an INVITE lives on, for its retransmitted answers.
func (ua *UA) exchange(ctx context.Context, d *dialog, account credentials, method siplib.RequestMethod, dress func(*siplib.Request)) (*exchanged, error) {
	auth := authorization{credentials: account}
	for {
		next := d.next()
		req, err := next.request(method)
		if err != nil {
			return nil, err
		}
		ua.address(req, &next)
		dress(req)
		auth.apply(req)
		tx, err := ua.transact(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("send %s: %w", method, err)
		}
		res, err := finalResponse(ctx, tx)
		if err != nil || method != siplib.INVITE {
			tx.Terminate()
		}
		if err != nil {
			return nil, fmt.Errorf("wait for answer to %s: %w", method, err)
		}
		if again, err := auth.answer(req, res); err != nil {
			return nil, err
		} else if !again {
			return &exchanged{req, res, tx}, nil
		}
	}
}

// exchanged is a request with the final answer it got.
type exchanged struct {
	req *siplib.Request
	res *siplib.Response
	tx  siplib.ClientTransaction
}

// endOf is why a transaction ended. sipgo ends one before it says why.
func endOf(tx siplib.ClientTransaction) error {
	if err := tx.Err(); err != nil {
		return err
	}
	return siplib.ErrTransactionTerminated
}

// errMalformed is an answer without the headers that every one has. sipgo hands on what it can match with a request.
var errMalformed = errors.New("the answer is malformed")

func wellFormed(res *siplib.Response) bool {
	return res.CallID() != nil && res.CSeq() != nil && res.From() != nil && res.To() != nil
}

func finalResponse(ctx context.Context, tx siplib.ClientTransaction) (*siplib.Response, error) {
	for {
		select {
		case res := <-tx.Responses():
			switch {
			case res.IsProvisional():
			case !wellFormed(res):
				return nil, errMalformed
			default:
				return res, nil
			}
		case <-tx.Done():
			return nil, endOf(tx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
