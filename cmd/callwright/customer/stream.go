package customer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/callwright/callwright/api/client"
)

const (
	silence      = 45 * time.Second // the server writes every 15 s
	longestPause = 30 * time.Second // between two connections
	maxEvent     = 16 << 20
)

// event is one of the account's.
type event struct {
	ID        string          `json:"id"`
	Sequence  int64           `json:"sequence"`
	Type      string          `json:"type"`
	CallID    *string         `json:"call_id"`
	CreatedAt string          `json:"created_at"`
	Message   json.RawMessage `json:"message"`

	raw json.RawMessage
}

// streamFlags choose events.
type streamFlags struct {
	Type   string `help:"Events of this type." placeholder:"TYPE"`
	CallID string `help:"Events of this call." placeholder:"ID"`
	After  int64  `help:"Begin after this sequence; 0 is the first event of all. Default: those that happen from now on." default:"-1" placeholder:"SEQUENCE"`
}

// stream reads an account's events, connecting again after a lost connection: it misses none and repeats none.
type stream struct {
	streamFlags
	api        *client.Client
	operations Operations
	errors     io.Writer // where lost connections are told
	each       func(context.Context, *event) error
	pause      time.Duration // after the next lost connection
}

// run ends with ctx, which is no error, or when nothing can be expected of another connection.
func (s *stream) run(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return failed(err)
	}
	s.pause = time.Second
	for {
		err := s.connect(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // what ended with ctx was asked to
		}
		if done, ok := errors.AsType[*stopped](err); ok {
			return done.cause
		}
		if refused, ok := errors.AsType[*client.Refusal](err); ok && refused.Status < 500 &&
			refused.Status != http.StatusTooManyRequests {
			return failed(err)
		}
		if err != nil {
			if _, err := fmt.Fprintf(s.errors, "callwright: %v; connecting again after event %d\n", err, s.After); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(s.pause/2 + rand.N(s.pause)):
		}
		s.pause = min(2*s.pause, longestPause)
	}
}

// begin finds out which event is the last one now, so that none of those that follow is missed, however the first connection
// ends. Sequences have no gaps: the last one is their number.
func (s *stream) begin(ctx context.Context) error {
	if s.After >= 0 {
		return nil
	}
	answer, err := s.api.Call(ctx, s.operations["list-events"],
		client.Arguments{Values: map[string]json.RawMessage{"limit": json.RawMessage("1")}})
	if err != nil {
		return err
	}
	var list struct{ Pagination struct{ Total int64 } }
	if err := json.Unmarshal(answer, &list); err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	s.After = list.Pagination.Total
	return nil
}

// stopped is an error of the reader of events: no connection cures it.
type stopped struct{ cause error }

func (s *stopped) Error() string { return s.cause.Error() }

// connect reads one stream until it ends.
func (s *stream) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(silence, func() { cancel(errors.New("the connection is silent")) })
	defer watch.Stop()
	values := map[string]json.RawMessage{"after": fmt.Append(nil, s.After)}
	for name, value := range map[string]string{"type": s.Type, "call_id": s.CallID} {
		if value != "" {
			values[name] = text(value)
		}
	}
	response, err := s.api.Open(ctx, s.operations["stream-events"], client.Arguments{Values: values})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		watch.Reset(silence)
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		if err := s.take(ctx, []byte(data)); err != nil {
			return &stopped{err}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("the connection is lost: %w", errors.Join(context.Cause(ctx), err))
	}
	return nil // the server ends streams after half an hour, and when it restarts
}

func (s *stream) take(ctx context.Context, data []byte) error {
	read := &event{raw: data}
	if err := json.Unmarshal(data, read); err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	if err := s.each(ctx, read); err != nil {
		return err
	}
	s.After, s.pause = read.Sequence, time.Second
	return nil
}

// gist returns what an event says in a few words.
func (e *event) gist() string {
	var said struct {
		Status, Role, Transcript, EndedReason string
		Call                                  struct{ CallStatus string }
	}
	if err := json.Unmarshal(e.Message, &said); err != nil {
		return ""
	}
	switch {
	case said.Transcript != "" && said.Role != "":
		return said.Role + ": " + plainText(said.Transcript)
	case said.EndedReason != "":
		return strings.TrimSpace(plainText(said.Call.CallStatus) + " " + plainText(said.EndedReason))
	}
	return plainText(said.Status)
}

// line is an event in a list of them.
func (e *event) line() string {
	call := "-"
	if e.CallID != nil {
		call = *e.CallID
	}
	return fmt.Sprintf("%6d  %s  %-18s  %s  %s", e.Sequence, e.CreatedAt, e.Type, call, clip(e.gist()))
}

// plainText takes out what could steer a terminal.
func plainText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
