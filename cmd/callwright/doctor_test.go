package main

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/cmd/callwright/doctor"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/mail/mailtest"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// deployment are the settings of one that works: each leads to a server on loopback that answers as the vendor does.
func deployment(t *testing.T, dsn string) map[string]string {
	t.Helper()
	vendors := httptest.NewServer(vendorsOf("secret"))
	t.Cleanup(vendors.Close)
	mailer := (&mailtest.Server{Login: true}).Start(t)
	carrier := farSIP(t, 200)
	settings := map[string]string{
		"DATABASE_URL": dsn, "CALLWRIGHT_SEAL_KEYS": newSealKey(), "CALLWRIGHT_FILES_DIR": t.TempDir(),
		"CALLWRIGHT_SIP_LISTEN": fmt.Sprintf("127.0.0.1:%d", siptest.FreePort(t)), "CALLWRIGHT_TRUNK_PROXY": carrier,
		"CALLWRIGHT_TRUNK_USERNAME": "account", "CALLWRIGHT_TRUNK_PASSWORD": "password",
		"CALLWRIGHT_SMTP_URL":  (&url.URL{Scheme: "smtp", User: url.UserPassword(mailtest.Username, mailtest.Password), Host: mailer.Address, RawQuery: "tls=required"}).String(),
		"CALLWRIGHT_MAIL_FROM": "calls@example.com", "SSL_CERT_FILE": testAuthority(t),
		"CALLWRIGHT_SMS": "twilio", "CALLWRIGHT_SMS_ACCOUNT": "AC1", "CALLWRIGHT_SMS_KEY": "secret", "CALLWRIGHT_SMS_FROM": "Linden", "CALLWRIGHT_SMS_URL": vendors.URL,
		"CALLWRIGHT_CARRIER": "telnyx", "CALLWRIGHT_CARRIER_KEY": "secret", "CALLWRIGHT_CARRIER_URL": vendors.URL,
	}
	for _, family := range []string{"LLM", "STT", "TTS", "EMBED"} {
		settings["CALLWRIGHT_"+family+"_PROVIDER"] = "openai"
		settings["CALLWRIGHT_"+family+"_KEY"] = "secret"
		settings["CALLWRIGHT_"+family+"_BASE_URL"] = vendors.URL
	}
	return settings
}

// vendorsOf answers as those of the deployment do, to whoever has the key.
func vendorsOf(key string) http.Handler {
	answers := map[string]func(w http.ResponseWriter){
		"/chat/completions": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, `data: {"choices":[{"delta":{"content":"ready"}}]}`+"\n\n"+`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		},
		"/audio/transcriptions":    func(w http.ResponseWriter) { io.WriteString(w, `{"text":"an appointment on Monday"}`) },
		"/audio/speech":            func(w http.ResponseWriter) { w.Write(make([]byte, 9600)) },
		"/embeddings":              func(w http.ResponseWriter) { io.WriteString(w, `{"data":[{"index":0,"embedding":[0.5,0.5]}]}`) },
		"/Accounts/AC1.json":       func(w http.ResponseWriter) { io.WriteString(w, `{"sid":"AC1","status":"active"}`) },
		"/available_phone_numbers": func(w http.ResponseWriter) { io.WriteString(w, `{"data":[{"phone_number":"+31201234567"}]}`) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, basic := r.BasicAuth()
		answer, known := answers[r.URL.Path]
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key && (!basic || password != key):
			w.WriteHeader(http.StatusUnauthorized)
		case !known:
			w.WriteHeader(http.StatusNotFound)
		default:
			answer(w)
		}
	})
}

// testAuthority is the file of the certificate that all servers of httptest show.
func testAuthority(t *testing.T) string {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	file := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw}), 0o600))
	return file
}

// farSIP is a carrier that answers REGISTER with the code. It returns its address.
func farSIP(t *testing.T, code int) string {
	t.Helper()
	ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0", Registrar: func(string) (int, string) { return code, http.StatusText(code) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ua.Close(t.Context())) })
	return ua.Addr().String()
}

// examine runs the command and returns what it found, by check.
func examine(t *testing.T, settings map[string]string, wantStatus int) map[string]doctor.Finding {
	t.Helper()
	var env []string
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	output, status := runOnce(t, env, "doctor", "--json")
	var findings []doctor.Finding
	require.NoError(t, json.NewDecoder(strings.NewReader(output)).Decode(&findings), output)
	require.Equal(t, wantStatus, status, output)
	by := map[string]doctor.Finding{}
	for _, finding := range findings {
		by[finding.Check] = finding
		require.Equal(t, finding.Status == doctor.OK, finding.Remedy == "", "%+v", finding)
	}
	require.Len(t, by, len(findings), "each check has its name")
	return by
}

// ofThisMachine are the checks whose outcome is that of the machine that runs the test.
var ofThisMachine = []string{"receive buffer", "precedence", "file handles", "disk", "database durability", "database lag", "database", "public url"}

// TestDoctorHealthy: nothing is found where all is well, and nothing is left behind.
func TestDoctorHealthy(t *testing.T) {
	t.Parallel()

	settings := deployment(t, dbtest.DSN(t))
	found := examine(t, settings, 0)
	for name, finding := range found {
		require.NotEqual(t, doctor.Fail, finding.Status, "%+v", finding)
		require.True(t, finding.Status == doctor.OK || slices.Contains(ofThisMachine, name), "%+v", finding)
	}
	for _, name := range append([]string{
		"database sessions", "database connections", "clock", "migrations", "seal keys", "files", "dns", "sip port", "rtp ports", "address", "trunk", "trunk login",
		"srtp", "language model", "speech recognition", "speech synthesis", "embeddings", "mail", "text messages", "carrier",
	}, ofThisMachine...) {
		require.Contains(t, found, name)
	}
	left, err := filepath.Glob(filepath.Join(settings["CALLWRIGHT_FILES_DIR"], "doctor*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestDoctorBroken breaks one thing, or some that have nothing to do with each other, in each set-up.
func TestDoctorBroken(t *testing.T) {
	t.Parallel()

	type finds map[string]string // by check: words of a failure
	for name, test := range map[string]struct {
		breaks func(t *testing.T, settings map[string]string)
		finds  finds
		warns  finds
	}{
		"NoPostgres": {
			func(_ *testing.T, s map[string]string) { s["DATABASE_URL"] = "postgres://127.0.0.1:1/none" },
			finds{"database": "reach database"}, nil,
		},
		"NotMigrated": {
			func(t *testing.T, s map[string]string) { s["DATABASE_URL"] = emptyDatabase(t) },
			finds{"migrations": "is at 0 of", "seal keys": "seal_key"}, nil,
		},
		"WrongSealKeys": {sealedByOthers, finds{"seal keys": "is missing"}, nil},
		"ClockAhead":    {clockAhead, finds{"clock": "apart"}, nil},
		"FilesInAFile": {
			func(t *testing.T, s map[string]string) {
				file := filepath.Join(t.TempDir(), "file")
				require.NoError(t, os.WriteFile(file, nil, 0o600))
				s["CALLWRIGHT_FILES_DIR"] = filepath.Join(file, "files")
			},
			finds{"files": "not a directory"}, nil,
		},
		"BadKeys": {
			func(_ *testing.T, s map[string]string) {
				for _, name := range []string{"LLM", "STT", "TTS", "EMBED", "SMS", "CARRIER"} {
					s["CALLWRIGHT_"+name+"_KEY"] = "wrong"
				}
				s["CALLWRIGHT_SMTP_URL"] = strings.Replace(s["CALLWRIGHT_SMTP_URL"], "horse", "cow", 1)
			},
			finds{
				"language model": "401", "speech recognition": "401", "speech synthesis": "401", "embeddings": "401", "text messages": "401", "carrier": "401",
				"mail": "Authentication failed",
			}, nil,
		},
		"VendorsAway": {
			func(t *testing.T, s map[string]string) {
				for name, value := range s {
					if strings.HasSuffix(name, "_BASE_URL") {
						s[name] = value + "/elsewhere"
					}
				}
				s["CALLWRIGHT_SMS_URL"] = "http://no..name"
				s["CALLWRIGHT_CLAMD"] = "127.0.0.1:1"
				s["CALLWRIGHT_STT_2_PROVIDER"] = "captions"
			},
			finds{
				"language model": "404", "speech recognition": "404", "speech recognition 2": "captions", "speech synthesis": "404", "embeddings": "404",
				"dns": "no..name", "text messages": "no such host", "virus scanner": "clamd",
			}, nil,
		},
		"NoBucket": {
			func(t *testing.T, s map[string]string) {
				server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
				t.Cleanup(server.Close)
				s["CALLWRIGHT_S3_ENDPOINT"], s["CALLWRIGHT_S3_BUCKET"], s["CALLWRIGHT_S3_REGION"] = server.URL, "recordings", "eu-central-1"
			},
			finds{"files": "bucket"}, nil,
		},
		"LoginRefused": {
			func(t *testing.T, s map[string]string) { s["CALLWRIGHT_TRUNK_PROXY"] = farSIP(t, 403) },
			finds{"trunk login": "403"}, nil,
		},
		"SilentTrunk": {
			func(t *testing.T, s map[string]string) {
				s["CALLWRIGHT_TRUNK_PROXY"] = takenPort(t)
				s["CALLWRIGHT_TRUNK_SRTP"] = "required"
			},
			finds{"trunk": "no answer", "trunk login": "no answer"}, finds{"srtp": "in the clear", "address": "Internet"},
		},
		"WrongPublicIP": {
			func(t *testing.T, s map[string]string) {
				s["CALLWRIGHT_PUBLIC_IP"] = "192.0.2.7"
				s["CALLWRIGHT_SIP_LISTEN"] = takenPort(t)
			},
			finds{"address": "nobody would be heard"}, finds{"sip port": "is taken"},
		},
		"NothingChosen": {
			func(_ *testing.T, s map[string]string) {
				maps.DeleteFunc(s, func(name, _ string) bool {
					return strings.Contains(name, "LLM") || strings.Contains(name, "STT") || strings.Contains(name, "TTS") || strings.Contains(name, "SMTP")
				})
				s["CALLWRIGHT_RTP_PORTS"] = "40000-40019"
			},
			finds{"mail": "no mail server"}, finds{"language model": "script", "speech recognition": "nobody understands", "speech synthesis": "built-in"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := deployment(t, dbtest.DSN(t))
			test.breaks(t, settings)
			found := examine(t, settings, statusNotHealthy)
			for check, words := range test.finds {
				require.Equal(t, doctor.Fail, found[check].Status, "%s: %+v", check, found)
				require.Contains(t, found[check].Found, words)
			}
			for check, words := range test.warns {
				require.Equal(t, doctor.Warn, found[check].Status, "%s: %+v", check, found)
				require.Contains(t, found[check].Found, words)
			}
			for check, finding := range found {
				require.True(t, finding.Status != doctor.Fail || test.finds[check] != "", "%+v", finding)
			}
		})
	}
}

// TestDoctorBehindPooler: what workers would not survive is a warning, as API processes do.
func TestDoctorBehindPooler(t *testing.T) {
	t.Parallel()

	found := examine(t, deployment(t, pgbouncer(t, dbtest.DSN(t))), 0)
	require.Equal(t, doctor.Warn, found["database sessions"].Status)
	require.Equal(t, doctor.OK, found["migrations"].Status, "%+v", found)
}

// sealedByOthers has the database hold secrets under a key that the settings lack.
func sealedByOthers(t *testing.T, settings map[string]string) {
	pool, err := pgxpool.New(t.Context(), settings["DATABASE_URL"])
	require.NoError(t, err)
	defer pool.Close()
	box, err := sealFlags{SealKeys: newSealKey()}.box()
	require.NoError(t, err)
	require.NoError(t, db.UseSealKeys(t.Context(), pool, box))
}

// clockAhead has the database say that it is a minute later.
func clockAhead(t *testing.T, settings map[string]string) {
	conn, err := pgx.Connect(t.Context(), settings["DATABASE_URL"])
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `CREATE SCHEMA ahead;
		CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 minute' $$`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "ALTER DATABASE "+pgx.Identifier{conn.Config().Database}.Sanitize()+" SET search_path = ahead, pg_catalog, public")
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}

// takenPort is a UDP port at which nobody answers.
func takenPort(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn.LocalAddr().String()
}
