package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/embed/embedtest"
	"github.com/callwright/callwright/providers/fault"
)

func embedKnowledge(f *jobstest.Fixture) *knowledge.EmbedKnowledgeWorker {
	return &knowledge.EmbedKnowledgeWorker{DB: f.Services.DB, Embed: f.Services.Embed}
}

// model is a fake that notes what it was asked and may go wrong.
type model struct {
	*embedtest.Fake
	mu      sync.Mutex
	texts   []string
	batches int
	err     error
	before  func(batch int)
}

// newModel knows that a lift is an elevator.
func newModel(name string) *model {
	return &model{Fake: embedtest.NewFake(name, []string{"lift", "elevator"})}
}

func (m *model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	m.batches++
	batch := m.batches
	m.mu.Unlock()
	if m.before != nil {
		m.before(batch)
	}
	if m.err != nil {
		return nil, m.err
	}
	vectors, err := m.Fake.Embed(ctx, texts)
	if err == nil {
		m.mu.Lock()
		m.texts = append(m.texts, texts...)
		m.mu.Unlock()
	}
	return vectors, err
}

// learn adds a text to the knowledge base of a deployment with an embedding model.
func learn(t *testing.T, f *jobstest.Fixture, title, text string) *dbsqlc.KnowledgeDocument {
	t.Helper()
	document, err := knowledge.Writer{Jobs: f.Inserter, Embeds: true}.Add(t.Context(), f.Tx,
		&knowledge.Document{ID: dbfactory.ID(t), AccountID: f.Account.ID, Title: title, Text: text})
	require.NoError(t, err)
	return document
}

func deleteJobs(t *testing.T, f *jobstest.Fixture) {
	t.Helper()
	_, err := f.Tx.Exec(t.Context(), "DELETE FROM river_job")
	require.NoError(t, err)
}

// embedAll works the jobs of embeddings that wait, as often as they sleep on.
func embedAll(t *testing.T, f *jobstest.Fixture) {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(),
		"SELECT args FROM river_job WHERE kind = 'embed_knowledge' AND state = 'available' ORDER BY id")
	require.NoError(t, err)
	waiting, err := pgx.CollectRows(rows, pgx.RowTo[knowledge.EmbedKnowledgeArgs])
	require.NoError(t, err)
	deleteJobs(t, f)
	for _, args := range waiting {
		jobstest.Work(t, f, embedKnowledge(f), args)
	}
}

// askFor asks with the meaning that a model makes of the question; nil: by words alone.
func searchTitles(t *testing.T, f *jobstest.Fixture, asked embed.Provider, question string) (titles []string) {
	t.Helper()
	query := knowledge.Query{AccountID: f.Account.ID, Question: question, Limit: 3}
	query.Questions = embed.NewQuestions(asked, f.Services.Logger)
	hits, err := knowledge.Search(t.Context(), f.Tx, query)
	require.NoError(t, err)
	for _, hit := range hits {
		require.Positive(t, hit.Score)
		require.LessOrEqual(t, hit.Score, 1.0)
		require.NotEmpty(t, hit.Content)
		titles = append(titles, hit.Title)
	}
	return titles
}

func TestKnowledgeByMeaning(t *testing.T) {
	t.Parallel()

	f, old := jobstest.New(t), newModel("old")
	f.Services.Embed = old
	learn(t, f, "Access", "By the elevator.")
	learn(t, f, "Garden", "Tulips bloom in spring.")
	const question = "lift"
	require.Empty(t, searchTitles(t, f, old, question), "nothing is embedded yet")
	require.Equal(t, []string{"Garden"}, searchTitles(t, f, old, "tulips"), "words are found at once")

	old.texts = nil
	embedAll(t, f)
	require.Equal(t, []string{"Access\nBy the elevator.", "Garden\nTulips bloom in spring."}, old.texts)
	require.Equal(t, []string{"Access"}, searchTitles(t, f, old, question), "it shares no word with the question")
	require.Empty(t, searchTitles(t, f, nil, question))
	require.ElementsMatch(t, []string{"Garden", "Access"}, searchTitles(t, f, old, "tulips, lift"),
		"one by its words, one by its meaning")

	broken := newModel("old")
	broken.err = fault.New(fault.Unavailable, "fake", "busy")
	require.Equal(t, []string{"Garden"}, searchTitles(t, f, broken, "tulips"), "words must do")

	meaning := embed.NewQuestions(old, f.Services.Logger).Embed(t.Context(), question)
	found, err := knowledge.PlacesMeaning(t.Context(), f.Tx, &knowledge.Query{AccountID: dbfactory.ID(t), Limit: 3}, meaning)
	require.NoError(t, err)
	require.Empty(t, found)
}

// Of many passages, those whose codes are alike are compared exactly: the right one is among them.
func TestKnowledgeByMeaningAmongMany(t *testing.T) {
	t.Parallel()

	f, fake := jobstest.New(t), newModel("m")
	f.Services.Embed = fake
	const passages = 2 * knowledge.AlikePerWanted * knowledge.PassagesPerHit // twice as many as are compared for one hit
	var text strings.Builder
	for i := range passages {
		fmt.Fprintf(&text, "%s.\n", strings.Repeat(fmt.Sprintf("word%c%c ", 'a'+i%26, 'a'+i/26), 105))
	}
	require.EqualValues(t, passages, learn(t, f, "Long", text.String()).ChunkCount)
	learn(t, f, "Access", "By the elevator.")
	embedAll(t, f)
	questions := embed.NewQuestions(fake, f.Services.Logger)
	hits, err := knowledge.Search(t.Context(), f.Tx, knowledge.Query{AccountID: f.Account.ID, Question: "lift", Questions: questions,
		Limit: 1})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, "Access", hits[0].Title)
}

// Each assistant finds what it knows and what all know.
func TestKnowledgeByMeaningOfAnAssistant(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Services.Embed = newModel("m")
	other, err := dbsqlc.New().AssistantInsert(t.Context(), f.Tx,
		&dbsqlc.AssistantInsertParams{ID: dbfactory.ID(t), AccountID: f.Account.ID, Name: "Ben"})
	require.NoError(t, err)
	for title, assistantID := range map[string]*uuid.UUID{"all": nil, "ava": &f.Assistant.ID, "ben": &other.ID} {
		_, err := knowledge.Writer{Jobs: f.Inserter, Embeds: true}.Add(t.Context(), f.Tx, &knowledge.Document{
			ID: dbfactory.ID(t), AccountID: f.Account.ID, AssistantID: assistantID, Title: title, Text: "Elevator.",
		})
		require.NoError(t, err)
	}
	embedAll(t, f)
	questions := embed.NewQuestions(f.Services.Embed, f.Services.Logger)
	hits, err := knowledge.Search(t.Context(), f.Tx, knowledge.Query{AccountID: f.Account.ID, AssistantID: &f.Assistant.ID,
		Question: "lift", Questions: questions, Limit: 5})
	require.NoError(t, err)
	var titles []string
	for _, hit := range hits {
		titles = append(titles, hit.Title)
	}
	require.ElementsMatch(t, []string{"all", "ava"}, titles)
}

// Another model is configured: its vectors take the place of the earlier one's, and the two are never compared.
func TestAnotherEmbeddingModel(t *testing.T) {
	t.Parallel()

	f, old, next := jobstest.New(t), newModel("old"), newModel("next")
	f.Services.Embed = old
	learn(t, f, "Access", "The elevator is beside the main entrance.")
	learn(t, f, "Garden", "Tulips bloom in spring.")
	embedAll(t, f)

	// A model of the same name as before, whose vectors would match anything: only the name keeps it out.
	same := &model{Fake: old.Fake}
	require.NotEmpty(t, searchTitles(t, f, same, "lift"))
	require.Empty(t, searchTitles(t, f, named{same, "next"}, "lift"))
	require.Empty(t, searchTitles(t, f, shorter{old}, "lift"), "as many numbers are compared, or none")

	f.Services.Embed = next
	deleteJobs(t, f)
	catchUp(t, f)
	catchUp(t, f)
	require.Equal(t, []string{"embed_knowledge", "embed_knowledge"}, f.JobKinds(t), "one job for each, however often they are found")
	embedAll(t, f)
	require.Len(t, next.texts, 2)
	require.Equal(t, []string{"Access"}, searchTitles(t, f, next, "lift"))
	require.Empty(t, searchTitles(t, f, old, "lift"))
	deleteJobs(t, f)
	catchUp(t, f)
	require.Empty(t, f.JobKinds(t), "everything is embedded")

	f.Services.Embed = nil
	catchUp(t, f)
	jobstest.Work(t, f, embedKnowledge(f), knowledge.EmbedKnowledgeArgs{DocumentID: dbfactory.ID(t)})
}

type named struct {
	embed.Provider
	model string
}

func (n named) Model() string { return n.model }

type shorter struct{ embed.Provider }

func (s shorter) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := s.Provider.Embed(ctx, texts)
	for i := range vectors {
		vectors[i] = vectors[i][:100]
	}
	return vectors, err
}

// catchUp works the periodic job with a client that holds jobs against one another, which those of work do not.
func catchUp(t *testing.T, f *jobstest.Fixture) {
	t.Helper()
	worker := &knowledge.CatchUpEmbeddingsWorker{DB: f.Services.DB, Embed: f.Services.Embed}
	require.NoError(t, worker.Work(rivertest.WorkContext(t.Context(), f.Inserter), &river.Job[knowledge.CatchUpEmbeddingsArgs]{}))
}

// A document of many passages is embedded in turns, and an attempt that ends early leaves the rest to the next.
func TestEmbedKnowledgeInTurns(t *testing.T) {
	t.Parallel()

	f, fake := jobstest.New(t), newModel("m")
	f.Services.Embed = fake
	const passages = knowledge.EmbedBatch*knowledge.EmbedBatches + 40
	var text strings.Builder
	for i := range passages {
		fmt.Fprintf(&text, "Passage %d. %s.\n", i, strings.Repeat("word ", 150))
	}
	document := learn(t, f, "Long", text.String())
	require.EqualValues(t, passages, document.ChunkCount)
	require.Equal(t, []string{"embed_knowledge"}, f.JobKinds(t))

	args := knowledge.EmbedKnowledgeArgs{DocumentID: document.ID, Generation: 1}
	worker := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, embedKnowledge(f))
	ctx, cancel := context.WithCancel(t.Context())
	fake.before = func(batch int) {
		if batch == 3 {
			cancel() // the process dies while the third batch is embedded
		}
	}
	deleteJobs(t, f)
	_, err := worker.Work(ctx, t, f.Tx, args, nil)
	require.Error(t, err)
	fake.before = nil
	deleteJobs(t, f)

	result, err := worker.Work(t.Context(), t, f.Tx, args, nil)
	require.NoError(t, err)
	require.Equal(t, river.EventKindJobSnoozed, result.EventKind, "other documents have a turn")
	result, err = worker.Work(t.Context(), t, f.Tx, knowledge.EmbedKnowledgeArgs{DocumentID: document.ID, Generation: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, river.EventKindJobCompleted, result.EventKind)
	require.Len(t, fake.texts, passages)
	require.Len(t, knowledge.Distinct(slices.Clone(fake.texts)), passages, "nothing is embedded twice")
}

// What fails is tried again, but for what is refused: that waits until everything is caught up on.
func TestEmbedKnowledgeThatFails(t *testing.T) {
	t.Parallel()

	for kind, want := range map[fault.Kind]river.EventKind{
		fault.Unavailable: river.EventKindJobFailed, fault.Timeout: river.EventKindJobFailed, fault.Denied: river.EventKindJobFailed,
		fault.Refused: river.EventKindJobCancelled,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			f, fake := jobstest.New(t), newModel("m")
			f.Services.Embed, fake.err = fake, fault.New(kind, "fake", "no")
			document := learn(t, f, "Access", "The elevator is beside the main entrance.")
			require.Equal(t, "ready", document.Status)
			deleteJobs(t, f)
			worker := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, embedKnowledge(f))
			result, err := worker.Work(t.Context(), t, f.Tx, knowledge.EmbedKnowledgeArgs{DocumentID: document.ID, Generation: 1}, nil)
			if err != nil {
				_, isFault := fault.Of(err)
				require.True(t, isFault || errors.As(err, new(*river.JobCancelError)), err)
			}
			require.Equal(t, want, result.EventKind)
			require.Equal(t, []string{"Access"}, searchTitles(t, f, newModel("m"), "elevator"), "its words are found all the same")
		})
	}
}

// A page is read anew while its earlier text is being embedded: no vector of that is kept, and the new text has its own.
func TestEmbedKnowledgeOfAnEarlierText(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	document := learn(t, f, "Access", "The elevator is beside the main entrance.")
	require.NoError(t, f.Tx.Commit(t.Context()))
	fake := newModel("m")
	f.Services.Embed = fake
	fake.before = func(batch int) {
		if batch > 1 {
			return
		}
		replace(t, pool, document)
	}
	embedJob := func(generation int32) {
		t.Helper()
		tx := jobstest.Begin(t, pool)
		worker := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, embedKnowledge(f))
		_, err := worker.Work(t.Context(), t, tx, knowledge.EmbedKnowledgeArgs{DocumentID: document.ID, Generation: generation}, nil)
		require.NoError(t, err)
		require.NoError(t, tx.Rollback(t.Context()))
	}
	count := func() (rows int) {
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM knowledge_embedding").Scan(&rows))
		return rows
	}
	embedJob(1)
	require.Equal(t, 1, fake.batches, "the new text has a job of its own")
	require.Zero(t, count())
	embedJob(2)
	require.Equal(t, 1, count())
	require.Equal(t, "Access\nThe stairs are behind the house.", fake.texts[1])

	require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		return knowledge.Remove(t.Context(), tx, f.Account.ID,
			document.ID)
	}))
	require.Zero(t, count(), "it goes with the document")
}

// replace makes another text what a document knows, as a refresh does.
func replace(t *testing.T, pool *pgxpool.Pool, document *dbsqlc.KnowledgeDocument) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, db.InTx(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE knowledge_document SET generation = 2, status = 'processing' WHERE id = $1", document.ID)
		if err != nil {
			return err
		}
		next := *document
		next.Generation = 2
		_, err = knowledge.Writer{}.Store(ctx, tx, &next, "The stairs are behind the house.")
		return err
	}))
}

// On a pool the passages are looked for by their meaning while they are by their words, and a caller that goes away ends both.
func TestKnowledgeByMeaningBesideWords(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	fake := newModel("m")
	f.Services.Embed, f.Services.DB = fake, f.Tx
	learn(t, f, "Access", "By the elevator.")
	learn(t, f, "Garden", "Tulips bloom in spring.")
	embedAll(t, f)
	require.NoError(t, f.Tx.Commit(t.Context()))
	query := knowledge.Query{AccountID: f.Account.ID, Question: "tulips, lift",
		Questions: embed.NewQuestions(fake, f.Services.Logger), Limit: 3}
	hits, err := knowledge.Search(t.Context(), pool, query)
	require.NoError(t, err)
	require.Len(t, hits, 2)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = knowledge.Search(gone, pool, query)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, pool.Stat().AcquiredConns(), "nothing goes on")
}
