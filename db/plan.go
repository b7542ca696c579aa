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
