package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/embed"
)

const (
	alikePerWanted = 8   // passages whose vectors are compared exactly, for each that is wanted
	minAlikeness   = 0.2 // of a passage that is found by its meaning: below it no model thinks two texts related
	fusionRank     = 60  // the constant of reciprocal rank fusion
)

// codeOf has a bit for each number of a vector: whether it is positive. Vectors that point about the same way differ in few
// bits (Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002).
func codeOf(vector []float32) pgtype.Bits {
	code := pgtype.Bits{Bytes: make([]byte, (len(vector)+7)/8), Len: int32(len(vector)), Valid: true}
	for i, x := range vector {
		if x > 0 {
			code.Bytes[i/8] |= 0x80 >> (i % 8)
		}
	}
	return code
}

// quantized returns a vector in signed bytes, the greatest number being 127: a quarter of the size, and hardly another direction.
func quantized(vector []float32) []byte {
	var greatest float32
	for _, x := range vector {
		greatest = max(greatest, x, -x)
	}
	numbers := make([]byte, len(vector))
	for i, x := range vector {
		numbers[i] = byte(int8(math.Round(float64(x / greatest * math.MaxInt8))))
	}
	return numbers
}

// alikeness returns the cosine between a vector and a quantized one: 1 when both point the same way.
func alikeness(asked []float32, known []byte) float64 {
	var dot, squareAsked float32
	var squareKnown int
	for i, x := range asked {
		y := int(int8(known[i]))
		dot += x * float32(y)
		squareAsked += x * x
		squareKnown += y * y
	}
	return float64(dot) / math.Sqrt(float64(squareAsked)*float64(squareKnown))
}

// meaningSearch is a search by meaning beside that by words.
type meaningSearch struct {
	free  chan struct{} // closed when the connection may be used
	own   bool          // free is closed from the beginning
	over  chan struct{} // closed when there is a result
	found []place
	err   error
}

// searchMeaning begins to look for what means about the same as the question. A model takes longer than the search by words does,
// and that of the passages about as long; where conn is a transaction, which has one query at a time, it comes after.
func searchMeaning(ctx context.Context, conn dbsqlc.DBTX, query *Query) *meaningSearch {
	_, shared := conn.(pgx.Tx)
	search := &meaningSearch{free: make(chan struct{}), own: !shared, over: make(chan struct{})}
	if search.own {
		close(search.free)
	}
	go func() {
		defer close(search.over)
		asked := query.Questions.Embed(ctx, query.Question)
		select {
		case <-search.free:
			search.found, search.err = placesMeaning(ctx, conn, query, asked)
		case <-ctx.Done():
			search.err = ctx.Err()
		}
	}()
	return search
}

// wait returns what was found, once, when the search by words is over.
func (s *meaningSearch) wait() ([]place, error) {
	if !s.own {
		close(s.free)
	}
	<-s.over
	return s.found, s.err
}

// placesMeaning returns the passages that mean most nearly what is asked, the nearest first. None, when the question's meaning
// is not known or nothing is embedded.
func placesMeaning(ctx context.Context, conn dbsqlc.DBTX, query *Query, asked *embed.Meaning) ([]place, error) {
	if asked == nil {
		return nil, nil
	}
	wanted := query.Limit * passagesPerHit
	rows, err := dbsqlc.New().KnowledgeEmbeddingListLikely(ctx, conn, &dbsqlc.KnowledgeEmbeddingListLikelyParams{
		AccountID: query.AccountID, AssistantID: query.AssistantID, Model: asked.Model, Code: codeOf(asked.Vector),
		Max: int32(wanted * alikePerWanted),
	})
	if err != nil {
		return nil, fmt.Errorf("search meanings: %w", err)
	}
	return nearest(asked, rows, wanted), nil
}

func nearest(asked *embed.Meaning, rows []*dbsqlc.KnowledgeEmbeddingListLikelyRow, most int) []place {
	type near struct {
		place
		alikeness float64
	}
	var found []near
	for _, row := range rows {
		if alike := alikeness(asked.Vector, row.Vector); alike >= minAlikeness {
			found = append(found, near{place{row.DocumentID, row.Position}, alike})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.alikeness, a.alikeness), slices.Compare(a.document[:], b.document[:]),
			cmp.Compare(a.position, b.position))
	})
	var places []place
	for _, one := range found[:min(len(found), most)] {
		places = append(places, one.place)
	}
	return places
}

// fuse makes one ranking of that by words and that by meaning (reciprocal rank fusion: Cormack, Clarke and Büttcher,
// SIGIR 2009), which needs no scores that could be compared: first in both is 1, first in one of them a half.
func fuse(ctx context.Context, conn dbsqlc.DBTX, accountID uuid.UUID, byWords []passage, byMeaning []place) ([]passage, error) {
	scores, known := map[place]float64{}, map[place]passage{}
	score := func(at place, rank int) { scores[at] += (fusionRank + 1) / float64(fusionRank+1+rank) / 2 }
	for rank, found := range byWords {
		score(found.place, rank)
		known[found.place] = found
	}
	wanted := &dbsqlc.KnowledgeChunkListAtParams{AccountID: accountID}
	for rank, at := range byMeaning {
		score(at, rank)
		if _, ok := known[at]; !ok {
			wanted.Documents, wanted.Positions = append(wanted.Documents, at.document), append(wanted.Positions, at.position)
		}
	}
	rows, err := dbsqlc.New().KnowledgeChunkListAt(ctx, conn, wanted)
	if err != nil {
		return nil, fmt.Errorf("get passages: %w", err)
	}
	for _, row := range rows {
		at := place{row.ID, row.Position}
		known[at] = passage{place: at, title: row.Title, content: row.Content}
	}
	fused := make([]passage, 0, len(known))
	for at, found := range known {
		found.score = scores[at]
		fused = append(fused, found)
	}
	slices.SortFunc(fused, func(a, b passage) int {
		return cmp.Or(cmp.Compare(b.score, a.score), slices.Compare(a.document[:], b.document[:]), cmp.Compare(a.position, b.position))
	})
	return fused, nil
}
