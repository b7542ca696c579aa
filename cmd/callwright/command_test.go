package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestDevOnce is the newcomer's command: from nothing to a call that completed, and again on the same data.
func TestDevOnce(t *testing.T) {
	t.Parallel()

	dir := openDir(t)
	first := start(t, nil, "dev", "--once", "--data-dir="+dir, "--listen=127.0.0.1:0")
	second := start(t, nil, "dev", "--once", "--data-dir="+openDir(t), "--listen=127.0.0.1:0") // side by side
	for _, dev := range []*process{first, second} {
		dev.wait()
		output, _ := dev.output.read()
		for _, line := range []string{"serving at http://127.0.0.1:", "ringing", "in-progress", "assistant", "user", "completed",
			"recording http://"} {
			require.Contains(t, output, line)
		}
	}
	again := start(t, nil, "dev", "--data-dir="+dir, "--listen=127.0.0.1:0")
	again.waitFor(`Ctrl-C ends it`)
	settings, err := readDevSettings(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	customer := &client{t: t, url: settings.URL, key: settings.APIKey}
	var calls struct{ Pagination struct{ Total int } }
	customer.call(http.MethodGet, "/v1/calls", nil, http.StatusOK, &calls)
	require.Equal(t, 2, calls.Pagination.Total, "the second start goes on with the data of the first")

	// Other commands take its settings.
	output, status := runOnce(t, nil, "account", "create", "second@example.com", "--env-file="+filepath.Join(dir, "dev.env"))
	require.Zero(t, status, output)
	output, status = runOnce(t, nil, "account", "link", "second@example.com", "--env-file="+filepath.Join(dir, "dev.env"))
	require.Zero(t, status, output)
	require.Contains(t, output, settings.URL+"/app/", "the link leads to this server")
	output, status = runOnce(t, nil, "seal", "rotate", "--env-file="+filepath.Join(dir, "dev.env"))
	require.Zero(t, status, output)
	require.NotContains(t, output, "warning", "it knows the key of the process that runs")
	output, _ = runOnce(t, nil, "doctor", "--env-file="+filepath.Join(dir, "dev.env"))
	require.NotRegexp(t, `(?m)^fail`, output)
	info, err := os.Stat(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds keys")

	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/openapi.json": 200, "/openapi.yaml": 200, "/docs": 200,
		"/ops/": 401} {
		code, _ := customer.try(http.MethodGet, path, nil)
		require.Equal(t, want, code, path)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, settings.URL+"/ops/", nil)
	require.NoError(t, err)
	request.SetBasicAuth("operator", settings.OperatorPassword)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "River UI")
	again.stop()
}

// TestBadCommands end with status 1 and one clear sentence.
func TestBadCommands(t *testing.T) {
	t.Parallel()

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, taken.Close()) })
	empty := emptyDatabase(t)
	seal := "CALLWRIGHT_SEAL_KEYS=" + newSealKey()
	// Settings are read before a database that is away is waited for.
	away := []string{"DATABASE_URL=postgres://us@127.0.0.1:1/none", seal, "CALLWRIGHT_OPERATOR_PASSWORD=twelve-chars"}
	api := []string{"api"}
	broken := filepath.Join(t.TempDir(), "callwright.env")
	require.NoError(t, os.WriteFile(broken, []byte("# settings\nsecret-that-lost-its-name\n"), 0o600))
	for name, test := range map[string]struct {
		env  []string
		args []string
		says string
	}{
		"NoSuchFlag":    {nil, []string{"worker", "--nonsense"}, "unknown flag --nonsense"},
		"NoSuchCommand": {nil, []string{"fly"}, "unexpected argument fly"},
		"NoDatabase":    {nil, []string{"migrate"}, "--database-url"},
		"UnreachableDatabase": {[]string{"DATABASE_URL=postgres://us@127.0.0.1:1/none"}, []string{"migrate"},
			"callwright: --database-url (DATABASE_URL): reach database: failed to connect to `user=us database=none`: " +
				"127.0.0.1:1 (127.0.0.1): dial error: dial tcp 127.0.0.1:1: connect: connection refused\n"}, // with TLS and without
		"EmptyDatabase":   {[]string{"DATABASE_URL="}, []string{"migrate"}, "callwright: --database-url (DATABASE_URL) is empty\n"},
		"NoDatabaseURL":   {[]string{"DATABASE_URL=nonsense"}, []string{"account", "list"}, "--database-url (DATABASE_URL): parse database url: "},
		"NoNetwork":       {nil, []string{"worker", "--trunk-peers=203.0.113.7,carrier"}, `--trunk-peers: "carrier" is not a network`},
		"NoSealKeys":      {away, append(api, "--seal-keys=short"), "callwright: --seal-keys: "},
		"NoPublicURL":     {away, append(api, "--public-url=callwright.example.com"), "callwright: --public-url (CALLWRIGHT_PUBLIC_URL): "},
		"NoRightsToFiles": {away, append(api, "--files-dir=/proc/files"), "callwright: --files-dir (CALLWRIGHT_FILES_DIR): "},
		"NoPort":          {away, append(api, "--listen=127.0.0.1"), `callwright: --listen (CALLWRIGHT_LISTEN): "127.0.0.1" is not HOST:PORT`},
		"NoWebPort":       {away, []string{"worker", "--mail=log", "--web-listen=0.0.0.0:high"}, `--web-listen (CALLWRIGHT_WEB_LISTEN): "0.0.0.0:high" is not HOST:PORT`},
		"NoEndpoint":      {away, append(api, "--s3-bucket=recordings"), "--s3-bucket (CALLWRIGHT_S3_BUCKET): needs --s3-endpoint too"},
		"NoCountry":       {away, []string{"limits", "owner@example.com", "--countries=NL,XX"}, `--countries: "XX" is not the code of a country`},
		"NoNetworkPort":   {nil, []string{"simulate", "--listen=here"}, `--listen: "here" is not HOST:PORT`},
		"NoSuchEnvFile": {nil, []string{"migrate", "--env-file=/nowhere/callwright.env"},
			"callwright: --env-file: /nowhere/callwright.env: no such file or directory\n"},
		"BadEnvFile": {nil, []string{"migrate", "--env-file=" + broken}, "--env-file: " + broken + ": line 2 is not NAME=VALUE\n"},
		"NamedPublicIP": {[]string{"CALLWRIGHT_PUBLIC_IP=pbx.example.com"}, []string{"worker"},
			`--public-ip: "pbx.example.com" is not an IP address`},
		"NotMigrated": {[]string{"DATABASE_URL=" + empty, seal, "CALLWRIGHT_OPERATOR_PASSWORD=twelve-chars"}, []string{"api"},
			"callwright migrate"},
		"ShortPassword": {[]string{"DATABASE_URL=" + empty, seal, "CALLWRIGHT_OPERATOR_PASSWORD=elevenchars"}, []string{"api"},
			"has 11 characters: it needs 12 or more"},
		"TakenPort": {nil, []string{"dev", "--listen=" + taken.Addr().String(), "--data-dir=" + openDir(t)},
			"address already in use"},
		"NoSuchQueue":  {[]string{"DATABASE_URL=" + empty, seal}, []string{"worker", "--queues=fax=3"}, "there is no queue"},
		"BadSealKey":   {[]string{"DATABASE_URL=" + empty, "CALLWRIGHT_SEAL_KEYS=short"}, []string{"worker"}, "seal"},
		"NoMailServer": {[]string{"DATABASE_URL=" + empty, seal}, []string{"worker"}, "no mail server is configured"},
		"BadMailServer": {[]string{"DATABASE_URL=" + empty, seal},
			[]string{"worker", "--smtp-url=mail.example.com", "--mail-from=a@example.com"}, "smtp://"},
		"NoKeyForTexts": {[]string{"DATABASE_URL=" + empty, seal},
			[]string{"worker", "--mail=none", "--sms=twilio", "--sms-from=Linden"}, "--sms-key"},
		"NoEMail": {[]string{"DATABASE_URL=" + empty, seal}, []string{"account", "create", "nobody"},
			"not an e-mail address"},
		"NoNumber": {[]string{"DATABASE_URL=" + empty}, []string{"number", "add", "911"}, "not a phone number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, status := runOnce(t, test.env, test.args...)
			require.Equal(t, 1, status, output)
			require.Contains(t, output, test.says)
		})
	}
}

// TestTakenPorts has workers name the port that another program has. One of them would wait for the database else, as for a
// connection that is refused.
func TestTakenPorts(t *testing.T) {
	t.Parallel()

	env := []string{"DATABASE_URL=" + dbtest.DSN(t), "CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_MAIL=log",
		"CALLWRIGHT_FILES_DIR=" + t.TempDir(), "CALLWRIGHT_SIP_LISTEN=127.0.0.1:0"}
	output, status := runOnce(t, env, "migrate")
	require.Zero(t, status, output)
	stream, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stream.Close()) })
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, packets.Close()) })
	for flag, address := range map[string]net.Addr{
		"--sip-listen": packets.LocalAddr(), "--sip-tcp-listen": stream.Addr(), "--web-listen": packets.LocalAddr(),
		"--web-tcp-listen": stream.Addr(), "--metrics-listen": stream.Addr(),
	} {
		output, status := runOnce(t, env, "worker", flag+"="+address.String())
		require.Equal(t, 1, status, output)
		require.Regexp(t, `(?m)^callwright: `+flag+`[^\n]*: another program has this port`, output)
	}
}

// TestHelp is what somebody asks for who does not know the commands yet.
func TestHelp(t *testing.T) {
	t.Parallel()

	whole, status := runOnce(t, nil, "--help")
	require.Zero(t, status, whole)
	require.Contains(t, whole, "Run everything on this machine")
	key, _ := runOnce(t, nil, "key", "create", "--help")
	require.Contains(t, key, "A test key")
	for want, args := range map[string][][]string{whole: {nil, {"help"}}, key: {{"help", "key", "create"}}} {
		for _, asked := range args {
			said, status := runOnce(t, nil, asked...)
			require.Zero(t, status, said)
			require.Equal(t, want, said)
		}
	}
	worker, _ := runOnce(t, nil, "help", "worker")
	require.Regexp(t, `--stt-2-provider=STRING +Vendor: captions, openai,`, worker)
	require.NotContains(t, worker, "${")
}

// emptyDatabase is a database without a schema.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	dsn := dbtest.DSN(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	return dsn
}
