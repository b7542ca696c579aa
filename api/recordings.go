package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

type sharedRecordingInput struct {
	Token string `path:"token" maxLength:"1000" doc:"Last part of the link."`
}

// recordingResponses are the responses of both operations that return a recording.
func recordingResponses() map[string]*huma.Response {
	content := func() map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"audio/wav": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}
	}
	return map[string]*huma.Response{
		"200": {Description: "The recording.", Content: content()},
		"206": {Description: "The requested range.", Content: content()},
		"304": {Description: "The recording is the one that If-Modified-Since or If-None-Match describe."},
	}
}

// sharedRecording needs no key: the token names the recording.
func (a *API) sharedRecording(ctx context.Context, in *sharedRecordingInput) (*huma.StreamResponse, error) {
	accountID, callID, ok := messages.OpenRecordingLink(a.Seal, in.Token, a.Now())
	if !ok {
		return nil, apierror.NotFound("recording")
	}
	return a.streamRecording(ctx, accountID, callID)
}

func (a *API) streamRecording(ctx context.Context, accountID, callID uuid.UUID) (*huma.StreamResponse, error) {
	call, err := dbsqlc.New().CallGet(ctx, a.DB, &dbsqlc.CallGetParams{AccountID: accountID, ID: callID})
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	if call.RecordingKey == nil || call.RecordingSecret == nil {
		return nil, apierror.NotFound("recording")
	}
	file, wav, err := a.openRecording(ctx, call)
	if errors.Is(err, files.ErrNotFound) {
		return nil, apierror.NotFound("recording")
	}
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer func() {
			if err := file.Close(); err != nil {
				a.Logger.ErrorContext(ctx.Context(), "recording not closed", "error", err)
			}
		}()
		request, w := humachi.Unwrap(ctx)
		w.Header().Set("Content-Type", "audio/wav")
		w.Header().Set("Cache-Control", "no-store") // it is deleted with its call
		if !strings.HasPrefix(request.Header.Get("Range"), "bytes=") {
			request.Header.Del("Range") // RFC 9110, section 14.2: other units are ignored
		}
		request.Header.Del("If-Match") // net/http would respond 412 without a body; a recording never changes
		request.Header.Del("If-Unmodified-Since")
		http.ServeContent(&rangeWriter{ResponseWriter: w}, request, "", *call.EndedAt, wav)
	}}, nil
}

// openRecording returns the stored file of a recording, and what it holds.
func (a *API) openRecording(ctx context.Context, call *dbsqlc.Call) (io.Closer, io.ReadSeeker, error) {
	secret, err := recordings.OpenSecret(a.Seal, call.ID, call.RecordingSecret)
	if err != nil {
		return nil, nil, err
	}
	file, err := sealed.Open(ctx, a.Files, *call.RecordingKey, secret)
	if err != nil {
		return nil, nil, err
	}
	wav, err := audio.FinishWAV(file, file.Size())
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, wav, nil
}

// rangeWriter replaces net/http's plain-text error for a Range by one in our shape.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (w *rangeWriter) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	w.Header().Set("Cache-Control", "no-store") // net/http removed it
	middleware.WriteJSON(w.ResponseWriter, status, apierror.New(status, "range_not_satisfiable", "The recording has no such part."))
}

// Write implements io.Writer.
func (w *rangeWriter) Write(text []byte) (int, error) {
	if w.refused {
		return len(text), nil
	}
	return w.ResponseWriter.Write(text)
}
