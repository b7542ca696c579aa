package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
)

// planPipeline is planOnce in a pipeline: its settings last as long as its transaction, which no BEGIN begins.
const planPipeline = "SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)"

// Pipeline sends statements in one round trip, as a transaction of their own that begins and ends with them. What Exec is given
// waits for the Query that follows, or for Send; each statement sees what those before it did. On a pool they are planned as
// those of PlanOnce are. A Pipeline is for one transaction and one goroutine.
type Pipeline struct {
	conn  Beginner
	batch pgx.Batch
}

var _ dbsqlc.DBTX = (*Pipeline)(nil)

// NewPipeline returns a pipeline without statements.
func NewPipeline(conn Beginner) *Pipeline {
	p := &Pipeline{conn: conn}
	if _, own := conn.(*pgxpool.Pool); own { // else the settings would outlast the statements
		p.batch.Queue(planPipeline)
	}
	return p
}

// Exec implements dbsqlc.DBTX. It sends nothing, so its tag is empty and its error is that of what sends it.
func (p *Pipeline) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	p.batch.Queue(sql, args...)
	return pgconn.CommandTag{}, nil
}

// Send sends what waits. The transaction is committed when it returns nil; see Uncertain.
func (p *Pipeline) Send(ctx context.Context) error {
	return p.conn.SendBatch(ctx, &p.batch).Close()
}

// Query implements dbsqlc.DBTX. The transaction is committed when all rows are read without an error.
func (p *Pipeline) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	before := p.batch.Len()
	p.batch.Queue(sql, args...)
	results := p.conn.SendBatch(ctx, &p.batch)
	for range before {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // it says the same
			return nil, err
		}
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, err
	}
	return &pipelineRows{Rows: rows, results: results}, nil
}

// QueryRow implements dbsqlc.DBTX.
func (p *Pipeline) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := p.Query(ctx, sql, args...)
	return pipelineRow{rows, err}
}

// pipelineRows are the rows of a pipeline's last statement, and the end of the pipeline after them.
type pipelineRows struct {
	pgx.Rows
	results pgx.BatchResults
	closed  bool
	err     error
}

// Next implements pgx.Rows.
func (r *pipelineRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Close implements pgx.Rows.
func (r *pipelineRows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.Rows.Close()
	r.err = r.results.Close()
}

// Err implements pgx.Rows.
func (r *pipelineRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

// pipelineRow is the first row.
type pipelineRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements pgx.Row.
func (r pipelineRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	r.rows.Close()
	return r.rows.Err()
}
