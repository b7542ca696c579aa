package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/embed/embedtest"
)

const documentsPath = "/v1/knowledge-base/documents"

func askKnowledge(t *testing.T, server *apitest.Server, body object) []string {
	t.Helper()
	response := apitest.Want[object](t, server, http.StatusOK, http.MethodPost, "/v1/knowledge-base/query", body)
	var titles []string
	for _, document := range response["documents"].([]any) {
		titles = append(titles, document.(object)["title"].(string))
	}
	return titles
}

func TestKnowledgeDocuments(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath,
		object{"title": "Openingstijden", "text": "Wij zijn op zaterdag open van tien tot twee."})
	require.Equal(t, "text", made["source_type"])
	require.Equal(t, "ready", made["status"])
	require.EqualValues(t, 1, made["chunk_count"])
	require.Nil(t, made["url"])
	faq := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath,
		object{"title": "Parking", "question": "Where can I park?", "answer": "Behind the building, free of charge."})
	require.Equal(t, "faq", faq["source_type"])
	page := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath,
		object{"title": "Website", "url": "https://example.com/about"})
	require.Equal(t, "processing", page["status"])
	require.Equal(t, "https://example.com/about", page["url"])

	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, documentsPath+"?limit=2", nil)
	require.Len(t, list["data"], 2)
	require.Equal(t, page["id"], list["data"].([]any)[0].(object)["id"], "newest first")
	require.EqualValues(t, 3, list["pagination"].(object)["total"])

	response := apitest.Want[object](t, server, http.StatusOK, http.MethodPost, "/v1/knowledge-base/query",
		object{"query": "Where can I park my car?"})
	found := response["documents"].([]any)[0].(object)
	require.Equal(t, faq["id"], found["id"])
	require.Equal(t, "Where can I park?\nBehind the building, free of charge.", found["content"])
	require.Greater(t, found["score"], 0.3)
	require.LessOrEqual(t, found["score"], 1.0)
	require.Equal(t, []string{"Openingstijden"}, askKnowledge(t, server, object{"query": "zaterdags open?"}))
	require.Empty(t, askKnowledge(t, server, object{"query": "¿?"}))

	path := documentsPath + "/" + faq["id"].(string)
	require.Equal(t, faq, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil))
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, path, nil).Status)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, path, nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, path, nil)
	require.Empty(t, askKnowledge(t, server, object{"query": "Where can I park my car?"}))
	rows, err := server.Tx.Query(t.Context(), "SELECT term FROM knowledge_term WHERE account_id = $1 AND term = ANY ($2)",
		server.Account.ID, []string{"park", "building", "zaterdag"})
	require.NoError(t, err)
	terms, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"zaterdag"}, terms, "the words of what was deleted are forgotten")
}

func TestKnowledgeDocumentsAreChecked(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for name, test := range map[string]struct {
		body   object
		fields []string
	}{
		"Nothing":    {object{}, []string{"title"}},
		"NoSource":   {object{"title": "A"}, []string{"text"}},
		"TwoSources": {object{"title": "A", "text": "b", "url": "https://example.com"}, []string{"text", "url"}},
		"ThreeSources": {object{"title": "A", "text": "b", "url": "https://example.com", "answer": "c"},
			[]string{"text", "url", "question"}},
		"NoAnswer":      {object{"title": "A", "question": "b?"}, []string{"answer"}},
		"NoQuestion":    {object{"title": "A", "answer": "b"}, []string{"question"}},
		"NoWords":       {object{"title": "A", "text": " !\n"}, []string{"text"}},
		"NoURL":         {object{"title": "A", "url": "example"}, []string{"url"}},
		"OtherScheme":   {object{"title": "A", "url": "file:///etc/passwd"}, []string{"url"}},
		"LongTitle":     {object{"title": strings.Repeat("a", 301), "text": "b"}, []string{"title"}},
		"NoAssistantID": {object{"title": "A", "text": "b", "assistant_id": "x"}, []string{"assistant_id"}},
		"Unknown":       {object{"title": "A", "text": "b", "colour": "red"}, []string{"colour"}},
	} {
		t.Run(name, func(t *testing.T) {
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, documentsPath, test.body)
			require.Len(t, details, len(test.fields))
			for _, field := range test.fields {
				require.Contains(t, details, field)
			}
		})
	}
	for _, body := range []string{`{"title": "A", "text": "a\u0000b"}`, "{\"title\": \"A\", \"text\": \"\xff\"}"} {
		server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, documentsPath, body)
	}
	for _, body := range []object{{}, {"query": ""}, {"query": "a", "limit": 0}, {"query": "a", "limit": 21}, {"query": 1}} {
		require.NotEmpty(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/knowledge-base/query",
			body))
	}
	for _, query := range []string{`' | & ! : * ( ) \`, "O'Neill's \\ 'a:b", "<->", strings.Repeat("word ", 400), "日本語",
		"é\u0301\u0301"} {
		askKnowledge(t, server, object{"query": query})
	}
}

func TestKnowledgeLimit(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	limit := func() object {
		return apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/user/limits", nil)["knowledge_documents"].(object)
	}
	require.Equal(t, object{"limit": 1000.0, "used": 0.0}, limit())
	_, err := server.Tx.Exec(t.Context(), "UPDATE account SET max_knowledge_documents = 1 WHERE id = $1", server.Account.ID)
	require.NoError(t, err)
	body := object{"title": "Opening hours", "text": "We are open on Saturdays."}
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath, body)
	response := server.Do(t, http.MethodPost, documentsPath, body)
	response.WantError(t, http.StatusConflict, "limit_reached")
	require.Contains(t, string(response.Body), "Your knowledge base has room for 1 document")
	require.Equal(t, object{"limit": 1.0, "used": 1.0}, limit())
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, documentsPath+"/"+made["id"].(string), nil).Status)
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath, body)
}

// What shares no word with the question is found by its meaning.
func TestKnowledgeByMeaning(t *testing.T) {
	t.Parallel()

	model := embedtest.NewFake("fake", []string{"lift", "elevator"})
	server := apitest.New(t, func(a *api.API) { a.Questions = embed.NewQuestions(model, a.Logger) })
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath,
		object{"title": "Access", "text": "By the elevator."})
	require.Empty(t, askKnowledge(t, server, object{"query": "lift"}))

	var args knowledge.EmbedKnowledgeArgs
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT args FROM river_job WHERE kind = $1", args.Kind()).Scan(&args))
	worker := &knowledge.EmbedKnowledgeWorker{DB: server.Tx, Embed: model}
	require.NoError(t, worker.Work(t.Context(), &river.Job[knowledge.EmbedKnowledgeArgs]{Args: args}))
	require.Equal(t, []string{"Access"}, askKnowledge(t, server, object{"query": "lift"}))
}

func TestKnowledgeOfAnAssistant(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	ava, ben := dbfactory.Assistant(t, server.Tx, server.Account.ID), dbfactory.Assistant(t, server.Tx, server.Account.ID)
	for title, assistant := range map[string]any{"All": nil, "Ava": ava.ID, "Ben": ben.ID} {
		body := object{"title": title, "text": "The menu of today is fish."}
		if assistant != nil {
			body["assistant_id"] = assistant
		}
		apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath, body)
	}
	require.ElementsMatch(t, []string{"All", "Ava", "Ben"}, askKnowledge(t, server, object{"query": "menu"}))
	require.ElementsMatch(t, []string{"All", "Ava"}, askKnowledge(t, server, object{"query": "menu", "assistant_id": ava.ID}))
	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, documentsPath+"?assistant_id="+ben.ID.String(), nil)
	require.Len(t, list["data"], 1)

	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/assistants/"+ava.ID.String(), nil).Status)
	require.ElementsMatch(t, []string{"All", "Ben"}, askKnowledge(t, server, object{"query": "menu"}),
		"an assistant's documents go with it")
	details := server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, documentsPath,
		object{"title": "A", "text": "b", "assistant_id": ava.ID})
	require.Contains(t, details, "assistant_id")
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/knowledge-base/query",
		object{"query": "menu", "assistant_id": ava.ID})
}

func TestKnowledgeRefresh(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	page := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath,
		object{"title": "Website", "url": "https://example.com"})
	path := documentsPath + "/" + page["id"].(string) + "/refresh"
	again := apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, path, nil)
	require.Equal(t, "processing", again["status"])
	var generations []int
	rows, err := server.Tx.Query(t.Context(),
		"SELECT (args->>'generation')::int FROM river_job WHERE kind = 'ingest_knowledge' AND args->>'document_id' = $1 ORDER BY id",
		page["id"])
	require.NoError(t, err)
	generations, err = pgx.CollectRows(rows, pgx.RowTo[int])
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, generations)

	text := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath, object{"title": "Text", "text": "b"})
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, documentsPath+"/"+text["id"].(string)+"/refresh", nil)
}

func TestKnowledgeIsOnesOwn(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	_, other := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	theirs := dbfactory.Assistant(t, server.Tx, dbfactory.Account(t, server.Tx).ID)
	mine := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath,
		object{"title": "Secret", "text": "The password is swordfish."})
	page := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, documentsPath,
		object{"title": "Page", "url": "https://example.com"})
	for _, id := range []string{mine["id"].(string), page["id"].(string), uuid.NewString()} {
		path := documentsPath + "/" + id
		server.DoAs(t, other, http.MethodGet, path, nil).WantError(t, http.StatusNotFound, "not_found")
		server.DoAs(t, other, http.MethodDelete, path, nil).WantError(t, http.StatusNotFound, "not_found")
		server.DoAs(t, other, http.MethodPost, path+"/refresh", nil).WantError(t, http.StatusNotFound, "not_found")
	}
	list := apitest.Decode[object](t, server.DoAs(t, other, http.MethodGet, documentsPath, nil))
	require.Empty(t, list["data"])
	for _, question := range []string{"What is the password?", "pasword swordfihs"} {
		response := apitest.Decode[object](t, server.DoAs(t, other, http.MethodPost, "/v1/knowledge-base/query",
			object{"query": question}))
		require.Empty(t, response["documents"])
		require.Equal(t, []string{"Secret"}, askKnowledge(t, server, object{"query": question}))
	}
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, documentsPath,
		object{"title": "A", "text": "b", "assistant_id": theirs.ID})
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/knowledge-base/query",
		object{"query": "b", "assistant_id": theirs.ID})
	require.Equal(t, mine, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, documentsPath+"/"+mine["id"].(string),
		nil), "nothing changed")
}
