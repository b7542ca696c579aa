package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// cost is what work takes: processor time of this process and of Postgres, statements that this process sends to Postgres, BEGIN
// and COMMIT among them, and bytes of Postgres's write-ahead log.
type cost struct {
	cpu             time.Duration // 0: it cannot be told here
	statements, wal int64
}

func (c cost) since(earlier cost) cost {
	return cost{c.cpu - earlier.cpu, c.statements - earlier.statements, c.wal - earlier.wal}
}

func (c cost) plus(other cost) cost {
	return cost{c.cpu + other.cpu, c.statements + other.statements, c.wal + other.wal}
}

// report reports the cost of each of n pieces of work.
func (c cost) report(name string, n int) {
	each := func(total float64) float64 { return total / float64(n) }
	if c.cpu > 0 {
		report(name+"_cpu_us", each(float64(c.cpu.Microseconds())), "us")
	}
	report(name+"_statements", each(float64(c.statements)), "statements")
	report(name+"_wal_bytes", each(float64(c.wal)), "bytes")
}

// spent is the cost of everything so far.
func (b *bench) spent(ctx context.Context) (total cost, err error) {
	if err := b.pool.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").Scan(&total.wal); err != nil {
		return total, fmt.Errorf("read position of the log: %w", err)
	}
	if total.cpu, err = allCPUTime(ctx, b.pool); err != nil {
		return total, err
	}
	total.statements = b.statements.sent.Add(-2) // without these
	return total, nil
}

// costOf does work and reports what each of its n pieces cost.
func (b *bench) costOf(ctx context.Context, name string, n int, work func() error) error {
	before, err := b.spent(ctx)
	if err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	after, err := b.spent(ctx)
	if err == nil {
		after.since(before).report(name, n)
	}
	return err
}

// statements counts what connections send to Postgres.
type statements struct{ sent atomic.Int64 }

// TraceQueryStart implements pgx.QueryTracer.
func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.sent.Add(1)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (s *statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	s.sent.Add(int64(data.Batch.Len()))
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (s *statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (s *statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (s *statements) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	s.sent.Add(1)
	return ctx
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (s *statements) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}
