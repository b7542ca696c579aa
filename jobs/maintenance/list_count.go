package maintenance

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// foldMax deltas are folded in one transaction. A name among them is sixty grams.
const foldMax = 5000

// FoldListCounts folds what changed the sizes of lists into their counts, until nothing is left or somebody else folds.
func FoldListCounts(ctx context.Context, beginner db.Beginner) error {
	for {
		folded, err := db.WithTx(ctx, beginner, func(tx pgx.Tx) (int64, error) {
			queries := dbsqlc.New()
			locked, err := queries.ListCountLock(ctx, tx)
			if err != nil || !locked {
				return 0, err
			}
			return queries.ListCountFold(ctx, tx, &dbsqlc.ListCountFoldParams{Max: foldMax})
		})
		if err != nil {
			return fmt.Errorf("fold list counts: %w", err)
		}
		if folded < foldMax {
			return nil
		}
	}
}
