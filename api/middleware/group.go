package middleware

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
)

// Group is Once for requests of one kind that may share a transaction: while one runs, requests that arrive wait for the next. A
// single one waits for nobody. Each has its own response or refusal, its own Idempotency-Key, and what one is refused the others
// are not; accounts take turns. A transaction that has begun goes on when its clients leave.
type Group[P, T any] struct {
	batcher *db.Batcher[*groupRequest[P], *groupResult[T]]
}

type groupRequest[P any] struct {
	accountID   uuid.UUID
	idempotency *Idempotency
	params      P
	entries     []AuditEntry
}

type groupResult[T any] struct {
	response *Response[T]
	err      error
}

// NewGroup returns a group whose requests run does in a transaction: it returns a response or a refusal for each, in their order.
// A request that is refused writes nothing. Its sizes are counted under name. Whoever made the group closes it.
func NewGroup[P, T any](r *Responses, name string, run func(ctx context.Context, tx pgx.Tx, all []P) ([]*Response[T], []error,
	error)) *Group[P, T] {
	together := func(ctx context.Context, requests []*groupRequest[P]) (map[*groupRequest[P]]*groupResult[T], error) {
		return db.WithTx(ctx, r.DB, func(tx pgx.Tx) (map[*groupRequest[P]]*groupResult[T], error) {
			return runGroup(ctx, r, tx, requests, run)
		})
	}
	owner := func(request *groupRequest[P]) uuid.UUID { return request.accountID }
	return &Group[P, T]{db.NewFairBatcher(together, owner).Named(name)}
}

// Do returns the response of one request.
func (g *Group[P, T]) Do(ctx context.Context, idempotency *Idempotency, params P) (*Response[T], error) {
	result, err := g.batcher.Do(ctx, &groupRequest[P]{CallerOf(ctx).AccountID, idempotency, params, entriesOf(ctx)})
	if err != nil {
		return nil, err
	}
	return result.response, result.err
}

// Close ends the transaction that runs. Requests that wait fail.
func (g *Group[P, T]) Close() { g.batcher.Close() }

func runGroup[P, T any](
	ctx context.Context, r *Responses, tx pgx.Tx, requests []*groupRequest[P],
	run func(ctx context.Context, tx pgx.Tx, all []P) ([]*Response[T], []error, error),
) (map[*groupRequest[P]]*groupResult[T], error) {
	results, keyed := make(map[*groupRequest[P]]*groupResult[T], len(requests)), []idempotencyClaim{}
	for _, request := range requests {
		results[request] = &groupResult[T]{}
		if request.idempotency.Key != "" {
			keyed = append(keyed, idempotencyClaim{request.accountID, request.idempotency})
		}
	}
	claims, err := claim(ctx, tx, keyed...)
	if err != nil {
		return nil, err
	}
	var first []*groupRequest[P]
	var all []P
	for _, request := range requests {
		result, claimed := results[request], claims[request.idempotency]
		switch {
		case claimed.err != nil:
			result.err = claimed.err
		case claimed.stored != nil:
			result.response, result.err = replay[T](r, claimed.stored)
		default:
			first, all = append(first, request), append(all, request.params)
		}
	}
	if len(all) == 0 {
		return results, nil
	}
	responses, refusals, err := run(ctx, tx, all)
	if err != nil {
		return nil, err
	}
	var kept []storedResponse
	var entries []AuditEntry
	for i, request := range first {
		result := results[request]
		if result.response, result.err = responses[i], refusals[i]; result.err != nil {
			continue
		}
		entries = append(entries, about(request.entries, result.response.Body)...)
		if request.idempotency.Key == "" {
			continue
		}
		stored, err := encodeResponse(r, request.accountID, request.idempotency, result.response)
		if err != nil {
			return nil, err
		}
		kept = append(kept, stored)
	}
	if err := Audit(ctx, tx, entries...); err != nil {
		return nil, err
	}
	return results, keep(ctx, tx, kept...)
}
