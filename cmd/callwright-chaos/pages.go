//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

const (
	pageEvery    = 9                // calls: one of so many is a page's
	pagePatience = 15 * time.Second // for its connection
	pageStays    = 8 * time.Second  // at most
)

// pageCall is a page that called us, and what came of it.
type pageCall struct {
	ID        string // of the call; empty: it was refused, or never answered
	Connected bool
	Listener  bool // somebody listened in
}

// callIn has a page call, whatever the processes suffer, listen to the assistant and leave. To every other one a colleague
// listens.
func (d *driver) callIn(ctx context.Context, i int) {
	one := pageCall{}
	browser, answer := d.offer(ctx, "/v1/calls/web", map[string]any{"assistant_id": d.assistantID})
	if browser != nil {
		one.ID, one.Connected = answer.CallID, d.connected(ctx, browser, answer.SDP)
		if one.Connected && i%2 == 0 {
			if colleague, joined := d.offer(ctx, "/v1/calls/"+one.ID+"/listen", map[string]any{"mode": "listen"}); colleague != nil {
				one.Listener = d.connected(ctx, colleague, joined.SDP)
				defer func() { _ = colleague.Close() }()
			}
		}
		stays := time.NewTimer(time.Duration(rand.Int64N(int64(pageStays)))) //nolint:gosec // how long is no secret
		defer stays.Stop()
		select {
		case <-browser.Gone:
		case <-stays.C:
		case <-ctx.Done():
		}
		_ = browser.Close() // it may be gone
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pages = append(d.pages, one)
}

// answered is what a page is answered.
type answered struct {
	CallID string `json:"call_id"`
	SDP    string
}

// offer asks once for a connection; nil: there was none, or nobody answered.
func (d *driver) offer(ctx context.Context, path string, body map[string]any) (*webrtctest.Browser, *answered) {
	browser, err := webrtctest.New(webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	if err != nil {
		d.h.say("open page: %v", err)
		return nil, nil
	}
	answer := &answered{}
	if body["sdp"], err = browser.Offer(ctx); err == nil {
		err = d.do(ctx, http.MethodPost, path, "", body, answer)
	}
	if err != nil {
		_ = browser.Close()
		return nil, nil
	}
	return browser, answer
}

// connected reports whether a page comes through.
func (*driver) connected(ctx context.Context, browser *webrtctest.Browser, answer string) bool {
	if browser.Accept(answer) != nil {
		return false
	}
	patience := time.NewTimer(pagePatience)
	defer patience.Stop()
	select {
	case <-browser.Open:
		return true
	case <-patience.C: // the worker was lost meanwhile
	case <-ctx.Done():
	}
	return false
}

// opened are the pages that called so far.
func (d *driver) opened() []pageCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]pageCall(nil), d.pages...)
}
