package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	streamPage      = 100
	streamHeartbeat = 15 * time.Second
	streamLook      = 5 * time.Second  // finds events whose notification was lost, and whether the key still works
	streamWrite     = 10 * time.Second // a client that reads slower is disconnected
	streamLength    = 30 * time.Minute // then the client reconnects
)

type eventStreamInput struct {
	LastEventID string     `header:"Last-Event-ID" maxLength:"20" doc:"The id of the last event that you have, as EventSource sends it. It goes before after." example:"1017"`
	After       int64      `query:"after" minimum:"-1" default:"-1" doc:"Events after this sequence; -1: those that happen from now on."`
	Type        string     `query:"type" maxLength:"64" example:"status-update" doc:"Events of this type."`
	CallID      OptionalID `query:"call_id" doc:"Events of this call."`
	WatchCallID OptionalID `query:"watch_call_id" doc:"A call of which you want to read what is said as it is said, besides the events."`
}

func streamOperation() huma.Operation {
	op := operation(http.MethodGet, "/v1/events/stream", "stream-events", tagEvents, "Stream events",
		"Your events as they happen, as Server-Sent Events: `id` is the sequence, `event` the type and `data` an Event in JSON. Nothing is missed: connect again with "+
			"`Last-Event-ID`, as EventSource does by itself. A comment comes every 15 s. A stream ends after 30 minutes, when the server restarts, and within seconds when the key is revoked. "+
			"With `watch_call_id` the turns of that call come too, first those that were said before: `event` is call-turn, there is no `id`, and `data` is JSON with `type`, `call_id`, `position` and `turn`, which is one of the call's `transcript`. "+
			"They are no events: connect again, and they begin with the first; its `position` tells which you have. "+
			"A key may have five streams at a time; another one is 429.", http.StatusNotFound)
	op.Responses = map[string]*huma.Response{"200": {Description: "The stream.",
		Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema:  &huma.Schema{Type: huma.TypeString},
			Example: "id: 1017\nevent: status-update\ndata: {\"id\":\"0192f0c5-33d1-7b6a-8d0e-6a1f9b2c4e10\",\"sequence\":1017,\"type\":\"status-update\"}\n\n",
		}}}}
	return op
}

func (a *API) eventStream(ctx context.Context, in *eventStreamInput) (*huma.StreamResponse, error) {
	who := middleware.CallerOf(ctx)
	filter := eventFilter{account: who.AccountID, kind: in.Type, call: in.CallID.ID}
	watch, err := a.watchCall(ctx, who.AccountID, in.WatchCallID.ID)
	if err != nil {
		return nil, err
	}
	after, err := a.streamStart(ctx, in, filter)
	if err != nil {
		return nil, err
	}
	reader := a.Events.join(who, in.WatchCallID.ID)
	if reader == nil {
		return nil, apierror.New(http.StatusTooManyRequests, "rate_limited", "This key has as many streams as it may: 5.")
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer a.Events.leave(reader)
		_, w := humachi.Unwrap(ctx)
		stream := &eventStream{api: a, who: who, filter: filter, after: after, watch: watch, w: w,
			control: http.NewResponseController(w)}
		if err := stream.run(ctx.Context(), reader); err != nil && ctx.Context().Err() == nil {
			a.Logger.InfoContext(ctx.Context(), "event stream ended", "error", err)
		}
	}}, nil
}

// streamStart returns the sequence after which a stream begins.
func (a *API) streamStart(ctx context.Context, in *eventStreamInput, filter eventFilter) (int64, error) {
	if in.LastEventID != "" {
		after, err := strconv.ParseInt(in.LastEventID, 10, 64)
		if err != nil || after < 0 {
			return 0, apierror.Invalid().With("Last-Event-ID", "is not the id of an event of this stream")
		}
		return after, nil
	}
	if in.After >= 0 {
		return in.After, nil
	}
	last, err := dbsqlc.New().EventCount(ctx, a.DB, &dbsqlc.EventCountParams{AccountID: filter.account})
	if err != nil {
		return 0, fmt.Errorf("read last sequence: %w", err)
	}
	return last, nil
}

// eventStream writes events to one client.
type eventStream struct {
	api     *API
	who     middleware.Caller
	filter  eventFilter
	after   int64 // sequence of the last event written
	watch   *callWatch
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *eventStream) run(ctx context.Context, reader *eventReader) error {
	ctx, cancel := context.WithTimeout(ctx, streamLength)
	defer cancel()
	header := s.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // nginx would buffer the events
	if err := s.control.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("lift read deadline: %w", err)
	}
	// The id tells where the stream begins: a client that loses it before its first event misses none either.
	if err := s.write(fmt.Sprintf("retry: 2000\nid: %d\n\n", s.after)); err != nil {
		return err
	}
	if err := s.renewWatch(ctx); err != nil {
		return err
	}
	heartbeat, look := time.NewTicker(streamHeartbeat), time.NewTicker(streamLook)
	defer heartbeat.Stop()
	defer look.Stop()
	for {
		if err := s.catchUp(ctx); err != nil {
			return err
		}
		if err := s.writeTurns(ctx); err != nil {
			return err
		}
		select {
		case <-reader.wake:
		case <-look.C:
			works, err := dbsqlc.New().APIKeyWorks(ctx, s.api.DB,
				&dbsqlc.APIKeyWorksParams{AccountID: s.who.AccountID, ID: s.who.KeyID})
			if err != nil || !works {
				return err
			}
		case <-heartbeat.C:
			if err := s.write(": still here\n\n"); err != nil {
				return err
			}
			if err := s.renewWatch(ctx); err != nil {
				return err
			}
		case <-s.api.Events.closed:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// catchUp writes all new events.
func (s *eventStream) catchUp(ctx context.Context) error {
	for {
		rows, err := s.filter.list(ctx, s.api.DB, s.after, streamPage)
		if err != nil {
			return fmt.Errorf("list events: %w", err)
		}
		var text []byte
		for _, row := range rows {
			data, err := json.Marshal(renderEvent(row))
			if err != nil {
				return fmt.Errorf("encode event: %w", err)
			}
			text = fmt.Appendf(text, "id: %d\nevent: %s\ndata: %s\n\n", *row.Sequence, row.Type, data)
			s.after = *row.Sequence
		}
		if len(text) > 0 {
			if err := s.write(string(text)); err != nil {
				return err
			}
		}
		if len(rows) < streamPage {
			return nil
		}
	}
}

func (s *eventStream) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(streamWrite)); err != nil {
		return fmt.Errorf("set write deadline: %w", err)
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("flush events: %w", err)
	}
	return nil
}
