package main

import (
	"bytes"
	"context"
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
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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

// vendorKey is what the vendors of the deployment take, and what nothing may print.
const vendorKey = "sk-never-printed"

// deployment are the settings of one that works: each leads to a server on loopback that answers as the vendor does.
func deployment(t *testing.T, dsn string) map[string]string {
	t.Helper()
	vendors := httptest.NewServer(vendorsOf(vendorKey))
	t.Cleanup(vendors.Close)
	mailer := (&mailtest.Server{Login: true}).Start(t)
	carrier := farSIP(t, 200)
	settings := map[string]string{
		"DATABASE_URL": dsn, "CALLWRIGHT_SEAL_KEYS": newSealKey(), "CALLWRIGHT_FILES_DIR": t.TempDir(),
		"CALLWRIGHT_SIP_LISTEN": fmt.Sprintf("127.0.0.1:%d", siptest.FreePort(t)), "CALLWRIGHT_TRUNK_PROXY": carrier,
		"CALLWRIGHT_TRUNK_USERNAME": "account", "CALLWRIGHT_TRUNK_PASSWORD": vendorKey,
		"CALLWRIGHT_SMTP_URL": (&url.URL{Scheme: "smtp", User: url.UserPassword(mailtest.Username, mailtest.Password),
			Host: mailer.Address, RawQuery: "tls=required"}).String(),
		"CALLWRIGHT_MAIL_FROM": "calls@example.com", "SSL_CERT_FILE": testAuthority(t),
		"CALLWRIGHT_SMS": "twilio", "CALLWRIGHT_SMS_ACCOUNT": "AC1", "CALLWRIGHT_SMS_KEY": vendorKey, "CALLWRIGHT_SMS_FROM": "Linden",
		"CALLWRIGHT_SMS_URL": vendors.URL,
		"CALLWRIGHT_CARRIER": "telnyx", "CALLWRIGHT_CARRIER_KEY": vendorKey, "CALLWRIGHT_CARRIER_URL": vendors.URL,
	}
	for _, family := range []string{"LLM", "STT", "TTS", "EMBED"} {
		settings["CALLWRIGHT_"+family+"_PROVIDER"] = "openai"
		settings["CALLWRIGHT_"+family+"_KEY"] = vendorKey
		settings["CALLWRIGHT_"+family+"_BASE_URL"] = vendors.URL
	}
	return settings
}

// vendorsOf answers as those of the deployment do, to whoever has the key.
func vendorsOf(key string) http.Handler {
	answers := map[string]func(w http.ResponseWriter){
		"/chat/completions": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w,
				`data: {"choices":[{"delta":{"content":"ready"}}]}`+"\n\n"+`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
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
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw}),
		0o600))
	return file
}

// farSIP is a carrier that answers REGISTER with the code. It returns its address.
func farSIP(t *testing.T, code int) string {
	t.Helper()
	ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0",
		Registrar: func(string) (int, string) { return code, http.StatusText(code) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ua.Close(t.Context())) })
	return ua.Addr().String()
}

var variables = regexp.MustCompile(`CALLWRIGHT_[A-Z0-9_]*[A-Z0-9]`)

// examine runs the command and returns what it found, by check.
func examine(t *testing.T, settings map[string]string, wantStatus int) map[string]doctor.Finding {
	t.Helper()
	var env []string
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	help, _ := runOnce(t, env, "worker", "--help")
	output, status := runOnce(t, env, "doctor", "--json")
	var findings []doctor.Finding
	require.NoError(t, json.NewDecoder(strings.NewReader(output)).Decode(&findings), output)
	require.Equal(t, wantStatus, status, output)
	require.NotContains(t, output, vendorKey)
	require.NotContains(t, output, mailtest.Password)
	by := map[string]doctor.Finding{}
	for _, finding := range findings {
		by[finding.Check] = finding
		require.Equal(t, finding.Status == doctor.OK, finding.Remedy == "", "%+v", finding)
		for _, variable := range variables.FindAllString(finding.Remedy, -1) {
			if !strings.Contains(help, variable) { // which is too long to be printed
				t.Errorf("%s is no setting: %+v", variable, finding)
			}
		}
	}
	require.Len(t, by, len(findings), "each check has its name")
	return by
}

// ofThisMachine are the checks whose outcome is that of the machine that runs the test.
var ofThisMachine = []string{"receive buffer", "precedence", "file handles", "disk", "database durability", "database lag",
	"database", "public url"}

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
		"database sessions", "database connections", "clock", "migrations", "seal keys", "files", "dns", "sip port", "rtp ports",
		"address", "trunk", "trunk login",
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
			finds{"database": "refused"}, nil,
		},
		"NotMigrated": {
			func(t *testing.T, s map[string]string) { s["DATABASE_URL"] = emptyDatabase(t) },
			finds{"migrations": "is at 0 of"}, nil,
		},
		"NoDatabase": {
			func(t *testing.T, s map[string]string) {
				config, err := pgx.ParseConfig(s["DATABASE_URL"])
				require.NoError(t, err)
				s["DATABASE_URL"] = strings.Replace(s["DATABASE_URL"], config.Database, "none", 1)
			},
			finds{"database": `Postgres says: database "none" does not exist`}, nil,
		},
		"NotUTF8":       {otherEncoding, finds{"database": "SQL_ASCII and must be UTF8"}, nil},
		"OldPostgres":   {oldPostgres, finds{"database": "Postgres 14 is older"}, nil},
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
				"language model": "401", "speech recognition": "401", "speech synthesis": "401", "embeddings": "401", "text messages": "401",
				"carrier": "401",
				"mail":    "Authentication failed",
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
				"language model": "404", "speech recognition": "404", "speech recognition 2": "captions", "speech synthesis": "404",
				"embeddings": "404",
				"dns":        "no..name", "text messages": "no such host", "virus scanner": "clamd",
			}, nil,
		},
		"SlowVendors": {
			func(t *testing.T, s map[string]string) {
				vendors := vendorsOf(vendorKey)
				slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(2 * time.Second)
					vendors.ServeHTTP(w, r)
				}))
				t.Cleanup(slow.Close)
				for name := range s {
					if strings.HasSuffix(name, "_BASE_URL") {
						s[name] = slow.URL
					}
				}
				s["CALLWRIGHT_CARRIER_KEY"] = ""
			},
			finds{"carrier": "needs"},
			finds{"language model": "callers wait", "speech recognition": "callers wait", "speech synthesis": "callers wait"},
		},
		"KeyMissing": {
			func(_ *testing.T, s map[string]string) {
				s["CALLWRIGHT_LLM_KEY"], s["CALLWRIGHT_SMS_KEY"], s["CALLWRIGHT_SMTP_URL"] = "", "", "smtp:/nothing"
				s["CALLWRIGHT_RTP_PORTS"] = "20000-10000"
				s["CALLWRIGHT_PUBLIC_URL"] = "callwright.example.com"
			},
			finds{
				"vendors": "API key must be set", "text messages": "needs", "mail": "not smtp://", "live calls": "FIRST-LAST",
				"public url": "not http",
				"dns":        "callwright.example.com",
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
		"OptionsUnanswered": {
			func(t *testing.T, s map[string]string) {
				s["CALLWRIGHT_TRUNK_PROXY"] = registrarAlone(t)
				s["CALLWRIGHT_SIP_TLS_LISTEN"] = "127.0.0.1:0"
			},
			finds{"sip port": "needs a certificate"}, finds{"trunk": "answers REGISTER, and not OPTIONS"},
		},
		"ForeignAddress": {
			func(_ *testing.T, s map[string]string) { s["CALLWRIGHT_SIP_LISTEN"] = "192.0.2.7:5060" },
			finds{"sip port": "assign", "rtp ports": "assign", "trunk": "is not asked", "trunk login": "is not asked"}, nil,
		},
		"UnknownTrunk": {
			func(_ *testing.T, s map[string]string) {
				s["CALLWRIGHT_TRUNK_PROXY"], s["CALLWRIGHT_SIP_LISTEN"] = "no..name", "0.0.0.0:0"
			},
			finds{"address": "no such host", "trunk": "no such host", "trunk login": "no such host"}, nil,
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
		"BehindNAT": {
			func(t *testing.T, s map[string]string) { s["CALLWRIGHT_TRUNK_PROXY"] = beyondNAT(t, "198.51.100.7") },
			finds{"address": "far ends are told 127.0.0.1, and the carrier sees 198.51.100.7"}, nil,
		},
		"SharedAddress": {
			func(t *testing.T, s map[string]string) {
				s["CALLWRIGHT_TRUNK_PROXY"], s["CALLWRIGHT_PUBLIC_IP"] = takenPort(t), "100.64.3.4"
			},
			finds{"trunk": "no answer", "trunk login": "no answer"}, finds{"address": "100.64.3.4, which cannot be reached from the Internet"},
		},
		"NothingChosen": {
			func(_ *testing.T, s map[string]string) {
				maps.DeleteFunc(s, func(name, _ string) bool {
					return strings.Contains(name, "LLM") || strings.Contains(name, "STT") || strings.Contains(name, "TTS") ||
						strings.Contains(name, "SMTP")
				})
				s["CALLWRIGHT_RTP_PORTS"] = "40000-40019"
			},
			finds{"mail": "no mail server"}, finds{"language model": "script", "speech recognition": "nobody understands",
				"speech synthesis": "built-in"},
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

// TestDoctorAdvertised: behind a NAT, far ends are told an address that no interface here has.
func TestDoctorAdvertised(t *testing.T) {
	t.Parallel()

	settings := deployment(t, dbtest.DSN(t))
	settings["CALLWRIGHT_TRUNK_PROXY"] = beyondNAT(t, "198.51.100.7")
	found := examine(t, settings, statusNotHealthy)
	require.Contains(t, found["address"].Remedy, "set CALLWRIGHT_PUBLIC_IP=198.51.100.7, ")
	settings["CALLWRIGHT_PUBLIC_IP"] = "198.51.100.7"
	found = examine(t, settings, 0)
	require.Equal(t, doctor.OK, found["address"].Status, "%+v", found)
	require.Contains(t, found["address"].Found, "told 198.51.100.7, which is what the carrier sees")
}

// TestMigrateAnOldPostgres says what is wrong in place of a syntax error.
func TestMigrateAnOldPostgres(t *testing.T) {
	t.Parallel()

	settings := map[string]string{"DATABASE_URL": emptyDatabase(t)}
	oldPostgres(t, settings)
	output, status := runOnce(t, []string{"DATABASE_URL=" + settings["DATABASE_URL"]}, "migrate")
	require.Equal(t, 1, status)
	require.Regexp(t, `^callwright: this is Postgres 14, which is older than 15: [^\n]*\n$`, output)
}

// TestMigrateADatabaseThatIsNotUTF8 says how to make one that is.
func TestMigrateADatabaseThatIsNotUTF8(t *testing.T) {
	t.Parallel()

	settings := map[string]string{"DATABASE_URL": dbtest.DSN(t)}
	otherEncoding(t, settings)
	output, status := runOnce(t, []string{"DATABASE_URL=" + settings["DATABASE_URL"]}, "migrate")
	require.Equal(t, 1, status)
	require.Regexp(t, `^callwright: --database-url \(DATABASE_URL\): reach database: the encoding of the database is SQL_ASCII and must be UTF8: [^\n]*--encoding=UTF8 [^\n]*\n$`,
		output)
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

// otherEncoding names a database as createdb makes them where the locale is C.
func otherEncoding(t *testing.T, settings map[string]string) {
	conn, err := pgx.Connect(t.Context(), settings["DATABASE_URL"])
	require.NoError(t, err)
	made := conn.Config().Database + "_ascii"
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+pgx.Identifier{made}.Sanitize()+
		" ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := conn.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+pgx.Identifier{made}.Sanitize())
		require.NoError(t, err)
		require.NoError(t, conn.Close(context.WithoutCancel(t.Context())))
	})
	settings["DATABASE_URL"] = strings.Replace(settings["DATABASE_URL"], conn.Config().Database, made, 1)
}

// oldPostgres puts a proxy before Postgres that has it introduce itself as version 14.
func oldPostgres(t *testing.T, settings map[string]string) {
	target, err := pgx.ParseConfig(settings["DATABASE_URL"])
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var links sync.WaitGroup
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		links.Wait()
	})
	introduction := regexp.MustCompile("server_version\x00[0-9]{2}")
	links.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			network, address := pgconn.NetworkAddress(target.Host, target.Port)
			server, err := net.Dial(network, address)
			if err != nil {
				client.Close()
				continue
			}
			links.Go(func() {
				_, _ = io.Copy(server, client) // ends with the client
				server.Close()
			})
			links.Go(func() {
				defer client.Close()
				for packet := make([]byte, 1<<16); ; {
					n, err := server.Read(packet)
					if err != nil {
						return
					}
					_, _ = client.Write(introduction.ReplaceAll(packet[:n], []byte("server_version\x0014")))
				}
			})
		}
	})
	settings["DATABASE_URL"] = (&url.URL{Scheme: "postgres", User: url.UserPassword(target.User, target.Password),
		Host: listener.Addr().String(), Path: target.Database, RawQuery: "sslmode=disable"}).String()
}

// beyondNAT is a carrier that sees this machine at an address. It returns its own.
func beyondNAT(t *testing.T, seen string) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	via := regexp.MustCompile(`(?m)^(Via: [^\r]*?);rport`)
	go func() {
		packet := make([]byte, 1<<16)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			_, headers, _ := bytes.Cut(packet[:n], []byte("\r\n"))
			headers = via.ReplaceAll(headers, []byte("${1};received="+seen+";rport=40000"))
			_, _ = conn.WriteTo(append([]byte("SIP/2.0 200 OK\r\n"), headers...), from) // the far end asks again if it is lost
		}
	}()
	return conn.LocalAddr().String()
}

// clockAhead has the database say that it is a minute later.
func clockAhead(t *testing.T, settings map[string]string) {
	shadow(t, settings["DATABASE_URL"], `CREATE FUNCTION shadow.clock_timestamp() RETURNS timestamptz LANGUAGE sql
		AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 minute' $$`)
}

// shadow has the database find a function before Postgres's own of that name.
func shadow(t *testing.T, dsn, function string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	for _, statement := range []string{
		"CREATE SCHEMA shadow", function,
		"ALTER DATABASE " + pgx.Identifier{conn.Config().Database}.Sanitize() + " SET search_path = shadow, pg_catalog, public",
	} {
		_, err = conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	require.NoError(t, conn.Close(t.Context()))
}

// registrarAlone is a carrier that answers REGISTER and nothing else. It returns its address.
func registrarAlone(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	go func() {
		packet := make([]byte, 1<<16)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			headers, registers := bytes.CutPrefix(packet[:n], []byte("REGISTER "))
			if _, headers, _ = bytes.Cut(headers, []byte("\r\n")); registers {
				_, _ = conn.WriteTo(append([]byte("SIP/2.0 200 OK\r\n"), headers...), from) // the far end asks again if it is lost
			}
		}
	}()
	return conn.LocalAddr().String()
}

// takenPort is a UDP port at which nobody answers.
func takenPort(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn.LocalAddr().String()
}
