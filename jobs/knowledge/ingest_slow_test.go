package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/knowledge"
)

// TestSlowWebsites has an account add more pages of a website that does not answer than may be read at once: the others wait without
// a place in the queue, where another account's page is read.
func TestSlowWebsites(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			asked <- struct{}{}
			select {
			case <-answer:
			case <-r.Context().Done():
			}
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "Some words.")
	}))
	t.Cleanup(site.Close)
	slow := make([]*dbsqlc.KnowledgeDocument, knowledge.IngestAtOnce+1)
	for i := range slow {
		slow[i] = addPage(t, f, site.URL+"/slow")
	}
	other := *f
	other.Account = dbfactory.Account(t, f.Tx)
	quick := addPage(t, &other, site.URL+"/quick")
	require.NoError(t, f.Tx.Commit(t.Context()))

	worker := ingestKnowledge(f)
	work := func(document *dbsqlc.KnowledgeDocument) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return worker.Work(ctx, &river.Job[knowledge.IngestKnowledgeArgs]{JobRow: &rivertype.JobRow{Attempt: 1},
			Args: knowledge.IngestKnowledgeArgs{DocumentID: document.ID, Generation: 1}})
	}
	var working sync.WaitGroup
	errs := make([]error, knowledge.IngestAtOnce)
	for i := range errs {
		working.Go(func() { errs[i] = work(slow[i]) })
		<-asked
	}
	last := slow[knowledge.IngestAtOnce]
	snoozed, is := errors.AsType[*rivertype.JobSnoozeError](work(last))
	require.True(t, is)
	require.Equal(t, knowledge.IngestLater, snoozed.Duration)
	require.NoError(t, work(quick))

	close(answer)
	working.Wait()
	require.NoError(t, errors.Join(errs...))
	go func() { <-asked }()
	require.NoError(t, work(last), "there is room again")
	var ready int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM knowledge_document WHERE status = 'ready'").Scan(&ready))
	require.Equal(t, len(slow)+1, ready)
}
