package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestOperatorPagesInBrowser opens River UI in a browser, cancels a job there, and then opens a page elsewhere that tries the
// same with the password that the browser knows.
func TestOperatorPagesInBrowser(t *testing.T) {
	t.Parallel()
	long(t)

	b := startBrowser(t)
	dsn := dbtest.DSN(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(t.Context())) })
	job := func() (id int64) {
		const insert = `INSERT INTO river_job (kind, args, max_attempts, queue, state, scheduled_at)
			VALUES ('deliver_event', '{}', 3, 'default', 'scheduled', now() + interval '1 day') RETURNING id`
		require.NoError(t, conn.QueryRow(t.Context(), insert).Scan(&id))
		return id
	}
	state := func(id int64) (state string) {
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT state::text FROM river_job WHERE id = $1", id).Scan(&state))
		return state
	}
	const password = "correct-horse-battery"
	env := []string{
		"DATABASE_URL=" + dsn, "CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_OPERATOR_PASSWORD=" + password,
		"CALLWRIGHT_FILES_DIR=" + t.TempDir(), "CALLWRIGHT_LISTEN=127.0.0.1:0",
	}
	_, status := runOnce(t, env, "migrate")
	require.Zero(t, status)
	process := start(t, env, "api")
	ops := "http://" + process.waitFor(`"serving","address":"([^"]+)"`) + "/ops"

	ours := job()
	b.open(strings.Replace(ops, "http://", "http://operator:"+password+"@", 1)) // now it knows the password
	b.open(fmt.Sprintf("%s/jobs/%d", ops, ours))
	b.waitText("deliver_event")
	b.waitFor(`[...document.querySelectorAll("button")].find(button => button.innerText.includes("Cancel"))`)
	b.eval(`[...document.querySelectorAll("button")].find(button => button.innerText.includes("Cancel")).click()`)
	require.Eventually(t, func() bool { return state(ours) == "cancelled" }, 30*time.Second, 20*time.Millisecond)
	for _, page := range []string{"/jobs", "/queues", "/workflows"} {
		b.open(ops + page)
		b.waitFor(`document.querySelector("#root nav")`)
	}
	b.eval(`[...document.querySelectorAll("a")].find(link => link.innerText === "Callwright: overview").click()`)
	b.waitFor(`document.title === "Callwright: overview"`)
	require.Empty(t, b.console(), "the pages want what their policy refuses")

	theirs := job()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>elsewhere</title><body><iframe name="hidden"></iframe>`))
	}))
	t.Cleanup(elsewhere.Close)
	b.open(strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)) // another site to a browser
	b.waitFor(`document.title === "elsewhere"`)
	body, err := json.Marshal(map[string]any{"ids": []string{fmt.Sprint(theirs)}})
	require.NoError(t, err)
	attack := fmt.Sprintf(`(async () => {
		const target = %q, body = %q;
		for (const place of ["hidden", "_blank"]) {
			const form = document.createElement("form");
			Object.assign(form, {method: "POST", action: target, enctype: "text/plain", target: place});
			const field = document.createElement("input");
			[field.name, field.value] = [body.slice(0, -1) + ', "x": "', '"}'];
			form.append(field);
			document.body.append(form);
			form.submit();
		}
		for (const type of ["text/plain", "application/json"])
			for (const mode of ["no-cors", "cors"])
				await fetch(target, {method: "POST", credentials: "include", mode, body, headers: {"Content-Type": type}}).catch(() => {});
		navigator.sendBeacon(target, body);
	})()`, ops+"/api/jobs/cancel", string(body))
	b.eval(attack)
	// The forms, the fetches that need no leave, and the beacon arrive. Those that ask for leave are refused it.
	count := func(pattern string) int {
		output, _ := process.output.read()
		return len(regexp.MustCompile(pattern).FindAllString(output, -1))
	}
	const refused = `"method":"POST","route":"[^"]*ops[^"]*","status":403`
	require.Eventually(t, func() bool { return count(refused) >= 5 }, 30*time.Second, 20*time.Millisecond, "they came: %s",
		b.console())
	require.Equal(t, "scheduled", state(theirs))
	require.Zero(t, count(`"method":"POST","route":"[^"]*ops[^"]*","status":401`))

	b.console()
	b.eval(fmt.Sprintf(`new Promise(loaded => {
		const frame = document.createElement("iframe");
		frame.onload = loaded;
		frame.src = %q;
		document.body.append(frame);
	}).then(() => {})`, ops+"/jobs"))
	require.Contains(t, strings.Join(b.console(), "\n"), "frame-ancestors", "no page frames them")
	process.stop()
}
