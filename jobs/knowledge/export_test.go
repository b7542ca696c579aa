package knowledge

// What the tests of this package see of it.
const (
	AlikePerWanted = alikePerWanted
	PassagesPerHit = passagesPerHit
	EmbedBatch     = embedBatch
	EmbedBatches   = embedBatches
)

var (
	PlacesMeaning = placesMeaning
	Distinct      = distinct
)
