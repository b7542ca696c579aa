package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
)

// browser is Chromium with one tab, driven over the pipe of its DevTools protocol.
type browser struct {
	t       *testing.T
	in      *os.File
	session string

	mu       sync.Mutex
	last     int
	waiting  map[int]chan devToolsMessage
	problems []string // errors that the tab's console shows
}

type devToolsMessage struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

func startBrowser(t *testing.T) *browser {
	t.Helper()
	path := peertest.Require(t, "chromium")
	ourIn, theirOut, err := os.Pipe()
	require.NoError(t, err)
	theirIn, ourOut, err := os.Pipe()
	require.NoError(t, err)
	command := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage", "--disable-popup-blocking",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	command.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	require.NoError(t, command.Start())
	require.NoError(t, theirIn.Close())
	require.NoError(t, theirOut.Close())
	b := &browser{t: t, in: ourOut, waiting: map[int]chan devToolsMessage{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(ourIn)
	}()
	t.Cleanup(func() {
		b.send("Browser.close", nil, nil)
		_ = command.Wait() // its status says nothing
		<-read
		require.NoError(t, ourOut.Close())
		require.NoError(t, ourIn.Close())
	})
	b.session = b.newTab()
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.send(domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) newTab() (session string) {
	b.t.Helper()
	var target struct{ TargetID string }
	b.send("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.send("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	return attached.SessionID
}

// read takes what the browser says: a JSON text and a zero byte, each.
func (b *browser) read(out *os.File) {
	messages := bufio.NewReader(out)
	for {
		text, err := messages.ReadBytes(0)
		if err != nil {
			return
		}
		var message devToolsMessage
		if json.Unmarshal(text[:len(text)-1], &message) != nil {
			continue
		}
		b.mu.Lock()
		if reply := b.waiting[message.ID]; reply != nil {
			delete(b.waiting, message.ID)
			reply <- message
		} else if problem := consoleError(message.Method, text); problem != "" {
			b.problems = append(b.problems, problem)
		}
		b.mu.Unlock()
	}
}

// consoleError returns the message if it is an error on the console, a refusal of the page's policy included.
func consoleError(method string, message []byte) string {
	text := string(message)
	switch {
	case method == "Runtime.exceptionThrown",
		method == "Log.entryAdded" && strings.Contains(text, `"level":"error"`),
		method == "Runtime.consoleAPICalled" && strings.Contains(text, `"type":"error"`):
		return text
	}
	return ""
}

// send has a command carried out, and decodes its result into out unless that is nil.
func (b *browser) send(method string, params, out any) {
	b.t.Helper()
	reply := make(chan devToolsMessage, 1)
	b.mu.Lock()
	b.last++
	command, err := json.Marshal(devToolsMessage{ID: b.last, SessionID: b.session, Method: method, Params: params})
	b.waiting[b.last] = reply
	b.mu.Unlock()
	require.NoError(b.t, err)
	_, err = b.in.Write(append(command, 0))
	require.NoError(b.t, err)
	select {
	case message := <-reply:
		require.Nil(b.t, message.Error, "%s: %v", method, message.Error)
		if out != nil {
			require.NoError(b.t, json.Unmarshal(message.Result, out), "%s: %s", method, message.Result)
		}
	case <-time.After(time.Minute):
		require.Fail(b.t, "the browser does not respond", method)
	}
}

// open shows a page.
func (b *browser) open(url string) {
	b.t.Helper()
	var navigated struct{ ErrorText string }
	b.send("Page.navigate", map[string]any{"url": url}, &navigated)
	require.Empty(b.t, navigated.ErrorText, url)
}

// eval returns the value of an expression in the page; a promise is awaited.
func (b *browser) eval(expression string) (value any) {
	b.t.Helper()
	var evaluated struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.send("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true,
		"userGesture": true}, &evaluated)
	require.Empty(b.t, string(evaluated.ExceptionDetails), expression)
	return evaluated.Result.Value
}

// waitText waits until the page shows a text.
func (b *browser) waitText(text string) {
	b.t.Helper()
	b.waitFor(fmt.Sprintf("document.body?.innerText.includes(%q)", text))
}

func (b *browser) waitFor(condition string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.eval("Boolean("+condition+")") == true }, 30*time.Second, 50*time.Millisecond,
		"%s\n%s", condition, b.console())
}

// console is what the tab's console has of errors since the last time.
func (b *browser) console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	problems := b.problems
	b.problems = nil
	return problems
}
