package callwright

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/callwright/callwright/sdk/go/api"
)

// silence is how long a stream may be silent before its connection counts as lost. The server writes every 15 seconds.
const silence = 45 * time.Second

// Event is an event as it happens.
type Event struct {
	api.Event

	// Message is a pointer to the type of package api that belongs to Type, or an *UnknownMessage.
	Message any
}

// errStopped says that the caller wants no more events.
var errStopped = errors.New("stopped")

// Events iterates over events as they happen, without end: those after params.After, or those from now on. None is missed or
// comes twice: a lost connection is made again behind the last event, for as long as it takes once it was there. An error ends
// it.
func (c *Client) Events(ctx context.Context, params *api.StreamEventsParams) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		stream := &eventStream{client: c, delay: time.Second}
		if params != nil {
			stream.params = *params
		}
		for {
			err := stream.connect(ctx, yield)
			if errors.Is(err, errStopped) {
				return
			}
			if err == nil {
				err = stream.pause(ctx)
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

// eventStream is where a reader of events is, across its connections.
type eventStream struct {
	client    *Client
	params    api.StreamEventsParams
	delay     time.Duration // until the next connection
	connected bool          // at some time
	failures  int           // in a row, since then
}

// connect reads one connection to its end. It returns an error if there shall be no other.
func (s *eventStream) connect(ctx context.Context, yield func(Event, error) bool) error {
	connection, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := s.client.StreamEvents(connection, &s.params)
	if err == nil {
		defer resp.Body.Close()
		s.connected, s.failures = true, 0
		err = s.read(bufio.NewReader(resp.Body), time.AfterFunc(silence, cancel), yield)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF):
		return nil
	case s.connected && temporary(err):
		s.failures++
		s.delay = backoff(s.failures)
		return nil
	}
	return err
}

func (s *eventStream) pause(ctx context.Context) error { return sleep(ctx, s.delay) }

// read reads events until the connection ends.
func (s *eventStream) read(from *bufio.Reader, alarm *time.Timer, yield func(Event, error) bool) error {
	defer alarm.Stop()
	id, data := s.params.LastEventID, []byte(nil)
	for {
		line, err := from.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			return &ConnectionError{"the event stream", err}
		}
		alarm.Reset(silence)
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			id = new(string(value))
		case "data":
			data = append(append(data, value...), '\n')
		case "retry":
			if milliseconds, err := strconv.Atoi(string(value)); err == nil {
				s.delay = time.Duration(milliseconds) * time.Millisecond
			}
		case "":
			if len(line) > 2 || line[0] == ':' { // a comment
				continue
			}
			s.params.LastEventID = id
			if err := s.dispatch(data, yield); err != nil {
				return err
			}
			data = nil
		}
	}
}

func (s *eventStream) dispatch(data []byte, yield func(Event, error) bool) error {
	if len(data) == 0 {
		return nil
	}
	event, err := newEvent(data)
	if err != nil {
		return err
	}
	if !yield(*event, nil) {
		return errStopped
	}
	return nil
}

func newEvent(data []byte) (*Event, error) {
	event := &Event{}
	var raw struct{ Message json.RawMessage }
	if err := errors.Join(json.Unmarshal(data, &event.Event), json.Unmarshal(data, &raw)); err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	var err error
	event.Message, err = decodeMessage(event.Type, raw.Message)
	return event, err
}
