package db

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/metrics"
)

// Unavailable reports whether err, of a query or a transaction, says that Postgres cannot do its work now but may do the same
// later: it is not reached, it starts or stops, it is out of connections, memory or disk, it only reads, or others held the
// rows for too long. Broken connections to other services look like those to Postgres.
func Unavailable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if _, refused := errors.AsType[*pgconn.ConnectError](err); refused {
		return true
	}
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		return unavailableCode(failed.Code)
	}
	failed, broken := errors.AsType[*net.OpError](err)
	if broken && failed.Op == "listen" { // a port of ours that another program has
		return false
	}
	return broken || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// Away reports whether err, of Open, says that nobody answers or that Postgres serves nobody now: the same may succeed later.
// What it refuses, such as a password, it refuses later too.
func Away(err error) bool {
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		return unavailableCode(failed.Code)
	}
	return Unavailable(err) || errors.Is(err, context.DeadlineExceeded)
}

// See appendix A of the manual of PostgreSQL.
func unavailableCode(code string) bool {
	switch code {
	case pgerrcode.AdminShutdown, pgerrcode.CrashShutdown, pgerrcode.CannotConnectNow, pgerrcode.IdleSessionTimeout,
		pgerrcode.IdleInTransactionSessionTimeout, pgerrcode.SerializationFailure, pgerrcode.DeadlockDetected,
		pgerrcode.LockNotAvailable, pgerrcode.ReadOnlySQLTransaction:
		return true
	}
	return pgerrcode.IsConnectionException(code) || pgerrcode.IsInsufficientResources(code) || strings.HasPrefix(code, "58")
}

// outageOver is how long nothing must have failed before an outage counts as over. Where Postgres refuses every other
// connection it is one outage, not many.
const outageOver = time.Second

// outage notices when Postgres cannot be used, by the connections and queries of a pool. It is the pool's tracer.
type outage struct {
	lasts atomic.Bool

	mu     sync.Mutex
	logger *slog.Logger // nil: nobody is told
	began  time.Time
	failed time.Time // last
	errors int       // queries and connections that failed
	lines  int       // that were not logged
}

// LogOutages returns a logger that does not repeat itself while Postgres cannot be used: one line says so when it begins, and
// one, with counts, when it is over. In between no warning or error is logged whose cause is that. Each pool tells one logger.
func LogOutages(pool *pgxpool.Pool, logger *slog.Logger) *slog.Logger {
	o, ok := pool.Config().ConnConfig.Tracer.(*outage)
	if !ok { // not opened by Open
		return logger
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.logger = logger
	return slog.New(&outageHandler{Handler: logger.Handler(), outage: o})
}

// LibraryLogger returns logger for a library that only works on the database and logs errors as texts: during an outage none of
// its warnings and errors is logged, and what it says of its own workings only where everything is, at the level of debugging.
func LibraryLogger(logger *slog.Logger) *slog.Logger {
	handler, ok := logger.Handler().(*outageHandler)
	if !ok {
		return logger
	}
	return slog.New(&outageHandler{Handler: handler.Handler, outage: handler.outage, library: true})
}

// TraceQueryStart implements pgx.QueryTracer.
func (o *outage) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return beginQuery(ctx, data.SQL)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (o *outage) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	endQuery(ctx, data.Err)
	o.note(data.Err, time.Now)
}

// TraceBatchStart implements pgx.BatchTracer.
func (o *outage) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (o *outage) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (o *outage) TraceBatchEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	o.note(data.Err, time.Now)
}

// TraceConnectStart implements pgx.ConnectTracer.
func (o *outage) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd implements pgx.ConnectTracer.
func (o *outage) TraceConnectEnd(_ context.Context, data pgx.TraceConnectEndData) {
	o.note(data.Err, time.Now)
}

// note takes the outcome of a query or a connection.
func (o *outage) note(err error, now func() time.Time) {
	failed := Unavailable(err) && !contended(err)
	if !failed && (err != nil || !o.lasts.Load()) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	at := now()
	switch {
	case failed:
		o.fail(err, at)
	case o.lasts.Load() && at.Sub(o.failed) >= outageOver:
		o.end()
	}
}

// contended reports whether err is about rows that others hold, or that we held for too long, which is no outage.
func contended(err error) bool {
	failed, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgerrcode.IsTransactionRollback(failed.Code) || failed.Code == pgerrcode.LockNotAvailable ||
		failed.Code == pgerrcode.IdleInTransactionSessionTimeout)
}

// fail is called with the lock held, like end.
func (o *outage) fail(err error, at time.Time) {
	if !o.lasts.Load() {
		o.began, o.errors, o.lines = at, 0, 0
		o.lasts.Store(true)
		metrics.Outages.Inc()
		metrics.Outage.Set(1)
		if o.logger != nil {
			o.logger.Error("database unavailable", "error", err)
		}
	}
	o.failed = at
	o.errors++
}

func (o *outage) end() {
	o.lasts.Store(false)
	metrics.Outage.Set(0)
	if o.logger != nil {
		o.logger.Warn("database available again", "outage_ms", o.failed.Sub(o.began).Milliseconds(), "errors", o.errors,
			"lines_not_logged", o.lines)
	}
}

// drop counts a line that is not logged.
func (o *outage) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines++
}

// outageHandler leaves out what a logger repeats during an outage.
type outageHandler struct {
	slog.Handler
	outage  *outage
	library bool
}

// Enabled implements slog.Handler.
func (h *outageHandler) Enabled(ctx context.Context, level slog.Level) bool {
	if h.library && level < slog.LevelWarn {
		level = slog.LevelDebug
	}
	return h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *outageHandler) Handle(ctx context.Context, record slog.Record) error {
	if record.Level >= slog.LevelWarn && h.outage.lasts.Load() && (h.library || causedByOutage(&record)) {
		h.outage.drop()
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h *outageHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &outageHandler{Handler: h.Handler.WithAttrs(attrs), outage: h.outage, library: h.library}
}

// WithGroup implements slog.Handler.
func (h *outageHandler) WithGroup(name string) slog.Handler {
	return &outageHandler{Handler: h.Handler.WithGroup(name), outage: h.outage, library: h.library}
}

// causedByOutage reports whether an error in the line says that Postgres was not there, or that it took too long.
func causedByOutage(record *slog.Record) (caused bool) {
	record.Attrs(func(attr slog.Attr) bool {
		err, ok := attr.Value.Any().(error)
		caused = ok && (Unavailable(err) || errors.Is(err, context.DeadlineExceeded))
		return !caused
	})
	return caused
}
