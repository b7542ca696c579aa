package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	firstCallTimeout = 90 * time.Second
	// checkEvery is how often the call is looked up besides: somebody else may delete it, or take its events away.
	checkEvery = 3 * time.Second
)

// firstCall does what a customer does, over the public API: make an assistant, give it a number, name a server for its
// events, place a call. It shows what arrives at that server, until the call's report.
type firstCall struct {
	out      *progress
	client   *devClient
	settings *devSettings
	file     string // of the settings
}

// place returns why the call did not complete.
func (f *firstCall) place(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("the first call did not complete: %w", err)
		}
	}()
	live, cancel := context.WithTimeoutCause(ctx, firstCallTimeout, fmt.Errorf("it did not end within %v", firstCallTimeout))
	defer cancel()
	giveBack, err := f.prepareAssistant(live)
	if err != nil {
		return err
	}
	receiver, err := newDevReceiver(live)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.leave(ctx, giveBack), receiver.close()) }()
	if err := f.client.setServer(live, f.settings.AssistantID, receiver); err != nil {
		return err
	}
	var call devCall
	err = f.client.do(live, http.MethodPost, "/v1/calls/direct", map[string]any{
		"assistant_id": f.settings.AssistantID, "contact_phone_number": devCallee,
	}, &call)
	if err != nil {
		return err
	}
	f.out.step("call", "placed to "+devCallee+" through POST /v1/calls/direct")
	return f.follow(live, call.ID, receiver)
}

// leave gives the account back as it was: the events of the assistant go to the account's own server from now on. Where the
// program is ending too, the next start does.
func (f *firstCall) leave(ctx context.Context, giveBack func(context.Context) error) error {
	if ctx.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := f.client.setServer(ctx, f.settings.AssistantID, nil)
	if isNotFound(err) { // somebody deleted it
		err = nil
	}
	return errors.Join(err, giveBack(ctx))
}

// follow shows the events of a call in their order, until its report. Whatever else the account does, and whoever takes the
// events away, it returns.
func (f *firstCall) follow(ctx context.Context, callID string, receiver *devReceiver) error {
	check := time.NewTicker(checkEvery)
	defer check.Stop()
	order, ended := newEventOrder(), 0
	for {
		for event, ok := order.next(time.Now()); ok; event, ok = order.next(time.Now()) {
			f.show(event)
			if event.Message.Type == "end-of-call-report" {
				return f.judge(ctx, callID, event.Message.CallStatus)
			}
		}
		select {
		case <-ctx.Done():
			return f.explain(callID, context.Cause(ctx))
		case event := <-receiver.events:
			if event.Message.Call.ID == callID {
				order.add(event, time.Now())
			}
		case <-order.due(time.Now()):
		case <-check.C:
			call, err := f.client.call(ctx, callID)
			if err != nil {
				return err
			}
			if call.EndedAt != nil {
				ended++
			}
			if ended > 1 {
				return fmt.Errorf("it is %s, but its report did not arrive at %s", call.Status, receiver.url)
			}
		}
	}
}

// judge returns why a call that is over did not complete.
func (f *firstCall) judge(ctx context.Context, callID, status string) error {
	if status == "completed" {
		return nil
	}
	call, err := f.client.call(ctx, callID)
	if err != nil {
		return err
	}
	return call.describe()
}

// explain adds to a failure how far the call is.
func (f *firstCall) explain(callID string, failure error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	call, err := f.client.call(ctx, callID)
	if err != nil {
		return failure
	}
	return fmt.Errorf("%w: %w", failure, call.describe())
}

func (f *firstCall) show(event devEvent) {
	message := event.Message
	switch message.Type {
	case "status-update":
		f.out.step("call", message.CallStatus)
	case "transcript":
		f.out.step(message.Role, message.Transcript)
	case "end-of-call-report":
		f.out.step("report", fmt.Sprintf("%s, %s, %.1f s, %d messages", message.CallStatus, message.EndedReason,
			message.DurationSeconds, len(message.Messages)))
		if message.RecordingURL != "" {
			f.out.step("report", "recording "+message.RecordingURL)
		}
	}
}
