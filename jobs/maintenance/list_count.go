package maintenance

import (
	"context"
	"fmt"

	"github.com/callwright/callwright/db/dbsqlc"
)

// foldMax deltas are folded in one transaction. A name among them is sixty grams.
const foldMax = 5000

// FoldListCounts folds what changed the sizes of lists into their counts, until nothing is left or somebody else folds.
func FoldListCounts(ctx context.Context, conn dbsqlc.DBTX) error {
	for {
		folded, err := dbsqlc.New().ListCountFold(ctx, conn, &dbsqlc.ListCountFoldParams{Max: foldMax})
		if err != nil {
			return fmt.Errorf("fold list counts: %w", err)
		}
		if folded < foldMax {
			return nil
		}
	}
}
