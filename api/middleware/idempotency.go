package middleware

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
)

// Idempotency is the header of every POST. Like everything that inputs embed it is exported: Huma ignores unexported
// types.
type Idempotency struct {
	Key         string `header:"Idempotency-Key" minLength:"1" maxLength:"255" doc:"Makes a repetition of this request safe for 24 hours: the same key with the same body returns the response to the first one."`
	fingerprint [sha256.Size]byte
}

// Resolve implements huma.Resolver.
func (i *Idempotency) Resolve(ctx huma.Context) []error {
	if body, has := ctx.Context().Value(fingerprintKey{}).(*hashedBody); has {
		var err error
		if i.fingerprint, err = body.sum(); err != nil {
			return []error{&huma.ErrorDetail{Location: "body", Message: "cannot be read to its end"}}
		}
	}
	var keys []string
	ctx.EachHeader(func(name, value string) {
		if http.CanonicalHeaderKey(name) == "Idempotency-Key" {
			keys = append(keys, value)
		}
	})
	if why := wrongKey(keys); why != "" {
		return []error{&huma.ErrorDetail{Location: "header.Idempotency-Key", Message: why}}
	}
	return nil
}

// wrongKey returns what is wrong with the keys of a request, besides their length. One with an empty key, or several, would not
// be as safe to repeat as its sender believes.
func wrongKey(keys []string) string {
	switch {
	case len(keys) > 1:
		return "is given more than once"
	case len(keys) == 1 && keys[0] == "":
		return "is empty; it has 1 to 255 characters"
	case len(keys) == 1 && strings.ContainsFunc(keys[0], func(r rune) bool { return r < ' ' || r > '~' }):
		return "holds other characters than printable ASCII"
	}
	return ""
}

// SetFingerprint sets the hash that tells a repetition of the request from another one with the same key.
func (i *Idempotency) SetFingerprint(hash [sha256.Size]byte) { i.fingerprint = hash }

type fingerprintKey struct{}

// FingerprintRequests has the body of a request with a key hashed as it is read, which is after the request was authenticated: the
// hash tells a repetition from another request with the same key. An upload is left out, since its boundary differs each time: its
// handler sets the hash.
func FingerprintRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Idempotency-Key") == "" || multipartBody(r) {
			next.ServeHTTP(w, r)
			return
		}
		body := &hashedBody{body: r.Body, hash: sha256.New()}
		body.hash.Write([]byte(r.Method + " " + r.URL.RequestURI() + "\n"))
		r = r.WithContext(context.WithValue(r.Context(), fingerprintKey{}, body))
		r.Body = body
		next.ServeHTTP(w, r)
	})
}

// hashedBody is a body that is hashed as it is read.
type hashedBody struct {
	body io.ReadCloser
	hash hash.Hash
}

// Read implements io.Reader.
func (b *hashedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.hash.Write(p[:n])
	return n, err
}

// Close implements io.Closer.
func (b *hashedBody) Close() error { return b.body.Close() }

// sum returns the hash of the whole body, of which an operation without a body has read nothing.
func (b *hashedBody) sum() (sum [sha256.Size]byte, err error) {
	_, err = io.Copy(io.Discard, b)
	b.hash.Sum(sum[:0])
	return sum, err
}

// erasedBody is what erasure leaves of a stored body.
var erasedBody = []byte("{}")

// Responses are those that are stored under idempotency keys. A body that holds a secret is sealed.
type Responses struct {
	DB   db.Beginner
	Seal seal.Sealer
}

// Response is the response of a POST.
type Response[T any] struct {
	Status   int
	Replayed string `header:"Idempotent-Replayed" doc:"true if this is the stored response to an earlier request with the same Idempotency-Key."`
	Body     T

	secret bool // the body holds a secret: it is stored sealed
}

func Respond[T any](status int, body T) *Response[T] {
	return &Response[T]{Status: status, Body: body}
}

// RespondSecret returns the response for a body that holds a secret.
func RespondSecret[T any](status int, body T) *Response[T] {
	return &Response[T]{Status: status, Body: body, secret: true}
}

// Once runs fn in a transaction, which writes the request's entry in the audit too. With an idempotency key it runs once: the key
// is claimed in the transaction that inserts the row, so both are committed or neither, and repetitions return the stored
// response. Checks are of the body of a response, a stored one too; if one fails nothing is written.
func Once[T any](
	ctx context.Context,
	r *Responses,
	request *Idempotency,
	fn func(tx pgx.Tx) (*Response[T], error),
	checks ...func(body *T) error,
) (*Response[T], error) {
	return db.WithTx(ctx, r.DB, func(tx pgx.Tx) (*Response[T], error) {
		output, err := onceIn(ctx, r, tx, request, fn)
		if err != nil {
			return nil, err
		}
		for _, check := range checks {
			if err := check(&output.Body); err != nil {
				return nil, err
			}
		}
		if output.Replayed != "" {
			return output, nil
		}
		return output, Audit(ctx, tx, about(entriesOf(ctx), output.Body)...)
	})
}

func onceIn[T any](
	ctx context.Context, r *Responses, tx pgx.Tx, request *Idempotency, fn func(tx pgx.Tx) (*Response[T], error),
) (*Response[T], error) {
	if request.Key == "" {
		return fn(tx)
	}
	stored, err := claimOne(ctx, tx, request)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return replay[T](r, stored)
	}
	output, err := fn(tx)
	if err != nil {
		return nil, err
	}
	kept, err := encodeResponse(r, CallerOf(ctx).AccountID, request, output)
	if err != nil {
		return nil, err
	}
	return output, keep(ctx, tx, kept)
}

// Replayed returns the response that is stored under the request's key, or nil. It is for work that takes too long for
// a transaction and is done before once stores its response.
func Replayed[T any](ctx context.Context, r *Responses, request *Idempotency) (*Response[T], error) {
	if request.Key == "" {
		return nil, nil
	}
	return db.WithTx(ctx, r.DB, func(tx pgx.Tx) (*Response[T], error) {
		stored, err := claimOne(ctx, tx, request)
		if stored == nil || err != nil {
			return nil, err
		}
		return replay[T](r, stored)
	})
}

// idempotencyClaim is a request's claim to its key.
type idempotencyClaim struct {
	accountID uuid.UUID
	request   *Idempotency
}

// claimed is the outcome of a claim: the stored response, an error, or neither when the request is the first.
type claimed struct {
	stored *dbsqlc.IdempotencyKey
	err    error
}

// claim claims the keys of requests. The locks last as long as the transaction: a request that does not get its own is concurrent
// with one that is still running, which may be an earlier one of the same transaction.
func claim(ctx context.Context, tx pgx.Tx, claims ...idempotencyClaim) (map[*Idempotency]claimed, error) {
	outcomes, owners := make(map[*Idempotency]claimed, len(claims)), make(map[string]*Idempotency, len(claims))
	params := &dbsqlc.IdempotencyKeyTryLockManyParams{}
	for _, one := range claims {
		id := AnswerContext(one.accountID, one.request.Key)
		if owners[id] != nil {
			outcomes[one.request] = claimed{err: IdempotencyInProgress()}
			continue
		}
		owners[id] = one.request
		params.AccountIds, params.Keys = append(params.AccountIds, one.accountID), append(params.Keys, one.request.Key)
	}
	if len(owners) == 0 {
		return outcomes, nil
	}
	locks, err := dbsqlc.New().IdempotencyKeyTryLockMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("lock idempotency keys: %w", err)
	}
	for _, lock := range locks {
		if !lock.Locked {
			outcomes[owners[AnswerContext(lock.AccountID, lock.Key)]] = claimed{err: IdempotencyInProgress()}
		}
	}
	rows, err := dbsqlc.New().IdempotencyKeyGetMany(ctx, tx,
		&dbsqlc.IdempotencyKeyGetManyParams{AccountIds: params.AccountIds, Keys: params.Keys})
	if err != nil {
		return nil, fmt.Errorf("get idempotency keys: %w", err)
	}
	for _, row := range rows {
		request := owners[AnswerContext(row.AccountID, row.Key)]
		switch {
		case outcomes[request].err != nil:
		case !bytes.Equal(row.Fingerprint, request.fingerprint[:]):
			outcomes[request] = claimed{err: apierror.New(http.StatusConflict, "idempotency_conflict",
				"This Idempotency-Key was used for another request.")}
		default:
			outcomes[request] = claimed{stored: row}
		}
	}
	return outcomes, nil
}

func claimOne(ctx context.Context, tx pgx.Tx, request *Idempotency) (*dbsqlc.IdempotencyKey, error) {
	outcomes, err := claim(ctx, tx, idempotencyClaim{CallerOf(ctx).AccountID, request})
	if err != nil {
		return nil, err
	}
	return outcomes[request].stored, outcomes[request].err
}

func IdempotencyInProgress() error {
	return apierror.New(http.StatusConflict, "idempotency_in_progress", "A request with this Idempotency-Key is still running.")
}

func replay[T any](r *Responses, stored *dbsqlc.IdempotencyKey) (*Response[T], error) {
	output, body := &Response[T]{Status: int(stored.Status), Replayed: "true"}, []byte(stored.Body)
	if bytes.Equal(body, erasedBody) {
		return nil, apierror.New(
			http.StatusConflict,
			"idempotency_conflict",
			"The response under this Idempotency-Key was erased with the person in it.",
		)
	}
	var sealed string
	if len(body) > 0 && body[0] == '"' { // responses are objects, so text is a sealed one
		if err := json.Unmarshal(body, &sealed); err != nil {
			return nil, fmt.Errorf("decode sealed response: %w", err)
		}
		opened, err := r.Seal.Open(sealed, AnswerContext(stored.AccountID, stored.Key))
		if err != nil {
			return nil, fmt.Errorf("open stored response: %w", err)
		}
		body = []byte(opened)
	}
	if err := json.Unmarshal(body, &output.Body); err != nil {
		return nil, fmt.Errorf("decode stored response: %w", err)
	}
	return output, nil
}

// storedResponse is a response as it is stored under the key of its request.
type storedResponse struct {
	accountID uuid.UUID
	request   *Idempotency
	status    int
	body      []byte
}

func encodeResponse[T any](r *Responses, accountID uuid.UUID, request *Idempotency, output *Response[T]) (storedResponse, error) {
	body, err := json.Marshal(output.Body)
	if err == nil && output.secret {
		body, err = json.Marshal(r.Seal.Seal(string(body), AnswerContext(accountID, request.Key)))
	}
	if err != nil {
		return storedResponse{}, fmt.Errorf("encode response: %w", err)
	}
	return storedResponse{accountID, request, output.Status, body}, nil
}

func keep(ctx context.Context, tx pgx.Tx, responses ...storedResponse) error {
	if len(responses) == 0 {
		return nil
	}
	params := &dbsqlc.IdempotencyKeyInsertManyParams{}
	for _, one := range responses {
		params.AccountIds, params.Keys = append(params.AccountIds, one.accountID), append(params.Keys, one.request.Key)
		params.Fingerprints, params.Statuses = append(params.Fingerprints, one.request.fingerprint[:]),
			append(params.Statuses, int32(one.status))
		params.Bodies = append(params.Bodies, one.body)
	}
	if err := dbsqlc.New().IdempotencyKeyInsertMany(ctx, tx, params); err != nil {
		return fmt.Errorf("store responses: %w", err)
	}
	return nil
}

// AnswerContext returns what the sealed response under an Idempotency-Key is bound to.
func AnswerContext(accountID uuid.UUID, key string) string {
	return "idempotency_key.body:" + accountID.String() + ":" + key
}
