package hook_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/traces"
)

// raw serves one connection after the other with what a program writes once a request's head was read.
func raw(t *testing.T, talk func(conn net.Conn)) (url string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				talk(conn)
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return "http://" + listener.Addr().String()
}

// forever writes a text until the other side has left.
func forever(begin, text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, err := io.WriteString(conn, begin)
		for err == nil {
			_, err = io.WriteString(conn, text)
		}
	}
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

// TestReceiversThatAreHostile has receivers answer what would hold a worker, fill its memory or lead it elsewhere. Each post
// ends, with at most 64 KiB of an answer.
func TestReceiversThatAreHostile(t *testing.T) {
	t.Parallel()
	for name, talk := range map[string]func(net.Conn){
		"EndlessHeader":     forever(head+"X: ", strings.Repeat("a", 4096)),
		"EndlessHeaders":    forever(head, "X-A: b\r\n"),
		"EndlessStatus":     forever("HTTP/1.1 200 ", strings.Repeat("a", 4096)),
		"EndlessContinues":  forever("", "HTTP/1.1 100 Continue\r\n\r\n"),
		"EndlessHints":      forever("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
		"NoHTTP":            forever("", "\x16\x03\x01\x00"),
		"ClosedAtOnce":      func(net.Conn) {},
		"ClosedInBody":      func(c net.Conn) { io.WriteString(c, head+"Content-Length: 10\r\n\r\nabc") },
		"EndlessChunkSizes": forever(head+"Transfer-Encoding: chunked\r\n\r\n", "0"),
		"BadChunk":          func(c net.Conn) { io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\nzz\r\n") },
		"NegativeLength":    func(c net.Conn) { io.WriteString(c, head+"Content-Length: -1\r\n\r\n") },
		"TwoLengths":        func(c net.Conn) { io.WriteString(c, head+"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab") },
		"SwitchedProtocols": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
		},
	} {
		response, err := client(t, "127.0.0.0/8").Post(t.Context(),
			hook.Post{URL: raw(t, talk), ID: "evt_1", Body: []byte(`{}`), Timeout: time.Minute})
		if name == "SwitchedProtocols" {
			require.True(t, err != nil || response.Status == http.StatusSwitchingProtocols)
			continue
		}
		require.Error(t, err, name)
		_, is := fault.Of(err)
		require.True(t, is, "%s: %v", name, err)
	}
	for name, talk := range map[string]func(net.Conn){
		"EndlessBody":   forever(head+"\r\n", strings.Repeat("a", 4096)),
		"EndlessChunks": forever(head+"Transfer-Encoding: chunked\r\n\r\n", "1;"+strings.Repeat("x", 10)+"\r\na\r\n"),
		"HugeLength":    forever(head+"Content-Length: 9223372036854775807\r\n\r\n", strings.Repeat("a", 4096)),
	} {
		response, err := client(t, "127.0.0.0/8").Post(t.Context(),
			hook.Post{URL: raw(t, talk), ID: "evt_1", Body: []byte(`{}`), Timeout: time.Minute})
		if err != nil { // net/http may take the chunks' extensions for too many
			require.Equal(t, "EndlessChunks", name, "%v", err)
			continue
		}
		require.Len(t, response.Body, 64<<10, name)
	}
}

// TestReceiversThatDrip answer a byte at a time for ever: the post ends with its time.
func TestReceiversThatDrip(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"Head": "HTTP/1.1 200", "Header": head + "X: ", "Body": head + "\r\n"} {
		url := raw(t, func(conn net.Conn) {
			_, err := io.WriteString(conn, begin)
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for ; err == nil; _, err = io.WriteString(conn, "a") {
				<-tick.C
			}
		})
		_, err := client(t, "127.0.0.0/8").Post(t.Context(),
			hook.Post{URL: url, ID: "evt_1", Body: []byte(`{}`), Timeout: 100 * time.Millisecond})
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Timeout, kind, "%s: %v", name, err)
	}
}

// TestReceiversThatLeadElsewhere redirect to what no customer may reach, or to themselves. Nobody follows.
func TestReceiversThatLeadElsewhere(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	for _, to := range []string{"/", "http://169.254.169.254/latest/meta-data", "http://[::1]:5432/", "file:///etc/passwd",
		"gopher://127.0.0.1", "//evil"} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.Header()["Location"] = []string{to}
			w.Header().Set("Refresh", "0; url="+to)
			w.WriteHeader(http.StatusPermanentRedirect)
		})
		asked.Store(0)
		response, err := client(t, "127.0.0.1/32").Post(t.Context(), hook.Post{URL: url, ID: "evt_1", Body: []byte(`{}`)})
		require.NoError(t, err, to)
		require.Equal(t, http.StatusPermanentRedirect, response.Status)
		require.EqualValues(t, 1, asked.Load(), to)
	}
}

// TestReceiversThatCompress answer with a bomb: it is read as it was sent.
func TestReceiversThatCompress(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	writer := gzip.NewWriter(&bomb)
	_, err := writer.Write(make([]byte, 32<<20))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	response, err := client(t, "127.0.0.0/8").Post(t.Context(), hook.Post{URL: url, ID: "evt_1", Body: []byte(`{}`)})
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(bomb.Bytes(), response.Body))
	require.LessOrEqual(t, len(response.Body), 64<<10)
}

// TestReceiversThatBreakHTTP2 end the stream in its middle, or the process of its handler.
func TestReceiversThatBreakHTTP2(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"AtOnce": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"InBody": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "some")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		server := httptest.NewUnstartedServer(handler)
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(server.Close)
		c := client(t, "127.0.0.0/8")
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		transport, is := c.HTTP().Transport.(*traces.Transport)
		require.True(t, is)
		transport.TLSClientConfig.RootCAs = roots
		_, err := c.Post(t.Context(), hook.Post{URL: server.URL, ID: "evt_1", Body: []byte(`{}`)})
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Unavailable, kind, "%s: %v", name, err)
	}
}
