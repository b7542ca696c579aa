package main

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/db/dbtest"
)

// TestSecretsStaySecret goes the whole way with secrets that are marked, while what they are for fails: mail, a database, a seal
// key. No process logs one, no command prints one, and no answer has one but that which made it.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()

	dsn, err := url.Parse(dbtest.DSN(t))
	require.NoError(t, err)
	query := dsn.Query()
	query.Set("password", "marked-database")
	dsn.RawQuery = query.Encode()
	p := startPlatform(t, dsn.String(), true)
	p.api.stop()
	p.env = append(p.env, "CALLWRIGHT_OPERATOR_PASSWORD=marked-operator-password", "CALLWRIGHT_MAIL=smtp",
		"CALLWRIGHT_SMTP_URL=smtp://mailer:marked-mail@127.0.0.1:1", "CALLWRIGHT_MAIL_FROM=callwright@example.com",
		"CALLWRIGHT_SMS_KEY=marked-texts", "CALLWRIGHT_CARRIER_KEY=marked-carrier", "CALLWRIGHT_LLM_PROVIDER=openai-compatible",
		"CALLWRIGHT_LLM_BASE_URL=http://127.0.0.1:1/v1", "CALLWRIGHT_LLM_MODEL=none", "CALLWRIGHT_LLM_KEY=marked-model")
	_, sealKey, _ := strings.Cut(strings.TrimPrefix(p.env[1], "CALLWRIGHT_SEAL_KEYS="), ":")
	p.api = start(t, p.env, "api")
	p.url = "http://" + p.api.waitFor(`"serving","address":"([^"]+)"`)
	worker := p.startWorker()

	webhook := p.rotateSecret("marked")
	var connection struct {
		ID string `json:"id"`
	}
	p.call(http.MethodPost, "/v1/sip-connections", map[string]any{
		"phone_number": "31201234567", "sip_username": "alice", "sip_password": "marked-sip", "sip_proxy": "127.0.0.1:1",
		"provider_name": "Provider",
	}, http.StatusCreated, &connection)
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"post_call_emails": []string{"owner@example.com"}, "post_call_email_enabled": true,
	}, http.StatusOK, nil)
	called := p.direct("+31612345611")
	p.server.waitReport(t, called)
	answers := p.everything(map[string]string{"call": called, "sip_connection": connection.ID, "assistant": p.assistantID})

	var printed strings.Builder
	for _, args := range [][]string{{"account", "list"}, {"key", "list", p.account}, {"number", "list"}, {"files", "check"},
		{"doctor"}, {"seal", "rotate"}} {
		output, _ := runOnce(t, p.env, args...)
		printed.WriteString(output)
	}
	away := start(t, append(slices.Clip(p.env), "DATABASE_URL=postgres://callwright:marked-database@127.0.0.1:1/none"), "worker")
	printed.WriteString(away.waitFor("waiting for the database.*\n")) // and has a marked password
	away.kill()
	for _, wrong := range []string{
		"DATABASE_URL=postgres://callwright:marked-database@127.0.0.1:port/none",
		"CALLWRIGHT_SEAL_KEYS=another:" + sealKey, "CALLWRIGHT_SEAL_KEYS=" + sealKey,
		"CALLWRIGHT_SMTP_URL=smtp://mailer:marked-mail@host:port",
	} {
		output, status := runOnce(t, append(slices.Clip(p.env), wrong), "worker")
		require.NotZero(t, status, "%s: %s", wrong, output)
		printed.WriteString(output)
	}
	worker.stop()
	p.api.stop()
	logged, _ := p.api.output.read()
	worked, _ := worker.output.read()
	require.Contains(t, worked, "127.0.0.1:1", "mail has failed, and the log says so")
	for _, secret := range []string{"marked-", p.key, webhook, strings.TrimPrefix(webhook, "whsec_"), sealKey} {
		for where, text := range map[string]string{"the API's log": logged, "the worker's log": worked, "commands": printed.String(),
			"answers": answers} {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s: %s", where, text[max(0, at-300):min(len(text), at+100)])
			}
		}
	}
}

// everything returns the answers to every GET of the document, about these resources by their kinds.
func (p *platform) everything(ids map[string]string) string {
	p.t.Helper()
	document, err := apifuzz.Read()
	require.NoError(p.t, err)
	operations, err := document.Operations()
	require.NoError(p.t, err)
	var answers strings.Builder
	asked := map[int]int{}
	for _, op := range operations {
		if op.Method != http.MethodGet || op.OperationID == "stream-events" {
			continue
		}
		at := -1
		path := apifuzz.PathParameter.ReplaceAllStringFunc(op.Path, func(string) string {
			at++
			return ids[op.Kinds[at]]
		})
		status, body := p.try(http.MethodGet, path, nil)
		asked[status]++
		answers.Write(body)
	}
	require.Greater(p.t, asked[http.StatusOK], 20, "%v", maps.Clone(asked))
	return answers.String()
}
