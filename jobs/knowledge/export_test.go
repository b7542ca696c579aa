package knowledge

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// What the tests of this package see of it.
const (
	AlikePerWanted = alikePerWanted
	PassagesPerHit = passagesPerHit
	EmbedBatch     = embedBatch
	EmbedBatches   = embedBatches
	IngestAtOnce   = ingestAtOnce
	IngestLater    = ingestLater
)

var (
	PlacesMeaning = placesMeaning
	Distinct      = distinct
)

func (w Writer) Store(ctx context.Context, tx pgx.Tx, document *dbsqlc.KnowledgeDocument,
	text string) (*dbsqlc.KnowledgeDocument, error) {
	return w.store(ctx, tx, document, text)
}
