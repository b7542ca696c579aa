package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// PlanEach is conn for queries of which Postgres should make a plan for the very values that are asked for. By default it
// settles on one plan for all values after a while, which for a list with filters can be a hundred times slower. Planning
// costs a fraction of a millisecond; what does not vary should not pay it.
func PlanEach(conn dbsqlc.DBTX) dbsqlc.DBTX { return planEach{conn} }

type planEach struct{ dbsqlc.DBTX }

// Query implements dbsqlc.DBTX.
func (p planEach) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return p.DBTX.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// QueryRow implements dbsqlc.DBTX.
func (p planEach) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return p.DBTX.QueryRow(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// A plan lasts, so it must not be one that reads a whole table because that was small when the plan was made.
const planOnce = "BEGIN; " + planPipeline

// PlanOnce is beginner for transactions that look rows up by keys alone and come many times a second: each connection
// plans their statements once, for whatever values. By default Postgres plans a statement about an array anew each time,
// because it takes a plan for any number of elements for dearer than one for the few that there are; for statements that
// write a few rows this takes as long as to run them.
func PlanOnce(beginner Beginner) Beginner { return planningOnce{beginner} }

type planningOnce struct{ Beginner }

// Begin implements Beginner. A transaction within another runs as that one does.
func (p planningOnce) Begin(ctx context.Context) (pgx.Tx, error) {
	pool, ok := p.Beginner.(interface {
		BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	})
	if !ok {
		return p.Beginner.Begin(ctx)
	}
	return pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: planOnce})
}
