//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// post is insist for what makes a record.
func (d *driver) post(ctx context.Context, path, key string, in, out any) error {
	return d.insist(ctx, http.MethodPost, path, key, in, out)
}

// insist repeats a request at one API process and the next until one answers.
func (d *driver) insist(ctx context.Context, method, path, key string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	for {
		err := d.do(ctx, method, path, key, in, out)
		var refused *refusal
		if err == nil || errors.As(err, &refused) && refused.final() {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s %s was never answered: %w", method, path, err)
		}
		sleep(ctx, 200*time.Millisecond)
	}
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	body   string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.body) }

// final reports whether the same request will not succeed later.
func (r *refusal) final() bool {
	inProgress := r.status == http.StatusConflict && bytes.Contains([]byte(r.body), []byte("idempotency_in_progress"))
	return r.status < 500 && r.status != http.StatusTooManyRequests && !inProgress
}

// do makes a request once.
func (d *driver) do(ctx context.Context, method, path, key string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	return d.send(ctx, method, path, key, "application/json", body, out)
}

func (d *driver) send(ctx context.Context, method, path, key, contentType string, body io.Reader, out any) (err error) {
	defer func() { d.remember(method, path, err) }()
	req, err := http.NewRequestWithContext(ctx, method, d.api()+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+d.key)
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return &refusal{resp.StatusCode, string(answer)}
	}
	if out == nil || len(answer) == 0 {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// remember notes a request that was not answered as it should be, at once.
func (d *driver) remember(method, path string, err error) {
	refused, is := errors.AsType[*refusal](err)
	if err == nil || is && refused.status < 500 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed = append(d.failed, fmt.Sprintf("%s %s %s: %v", time.Now().Format(time.TimeOnly), method, path, err))
}

func (d *driver) failures() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.failed...)
}

// api is the balancer, or one API process after the other, whatever they suffer.
func (d *driver) api() string {
	if d.h.balancer != nil {
		return d.h.balancer.url
	}
	slot := fmt.Sprintf("api-%d", d.turn.Add(1)%apiProcesses+1)
	if p := d.h.find(func(p *process) bool { return p.slot == slot }); p != nil {
		return p.url
	}
	return "http://127.0.0.1:1" // there is none at the moment: nobody listens
}
