package calendar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/providers/fault"
)

const (
	name         = "calendar"
	maxFeedBytes = 2 << 20
	maxKeptBytes = 32 << 20
	maxRedirects = 3
	timeout      = 10 * time.Second
	freshFor     = 30 * time.Second // then a feed is fetched again
	parallel     = 4                // feeds that are parsed concurrently, one of each owner
)

// Reader reads feeds, and caches the last ones. It is safe for concurrent use.
type Reader struct {
	http   *http.Client
	now    func() time.Time
	places *places

	mu   sync.Mutex
	kept map[string]*feed // by URL
	size int              // bytes kept
}

// feed is a server's response.
type feed struct {
	text         []byte
	at           time.Time
	etag         string
	lastModified string
}

// NewReader returns a reader that fetches with client, which must be safe for addresses from customers.
func NewReader(client *http.Client) *Reader {
	following := *client
	following.CheckRedirect = func(_ *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &Reader{http: &following, now: time.Now, places: newPlaces(parallel), kept: map[string]*feed{}}
}

// Busy returns when the calendar at the URL (https, http or webcal) is busy within the window: in order and merged.
// Whole days are days in local. The feeds of one owner are parsed one after the other. Its errors are *fault.Error unless ctx was canceled: Refused if the feed is invalid or
// too large. They never hold the URL, which is a secret.
func (r *Reader) Busy(ctx context.Context, owner uuid.UUID, feedURL string, window Interval,
	local *time.Location) ([]Interval, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text, err := r.read(limited, feedURL)
	if err != nil {
		return nil, err
	}
	leave, err := r.places.enter(limited, owner)
	if err != nil {
		return nil, fault.FromNet(name, err)
	}
	defer leave()
	busy, err := busyTimes(limited, text, window, local)
	if limited.Err() != nil {
		return nil, fault.FromNet(name, limited.Err())
	}
	if err != nil {
		return nil, &fault.Error{Kind: fault.Refused, Provider: name, Message: err.Error()}
	}
	return busy, nil
}

// read returns the feed, at most freshFor old.
func (r *Reader) read(ctx context.Context, feedURL string) ([]byte, error) {
	r.mu.Lock()
	known := r.kept[feedURL]
	r.mu.Unlock()
	if known != nil && r.now().Sub(known.at) < freshFor {
		return known.text, nil
	}
	fetched, err := r.fetch(ctx, feedURL, known)
	if err != nil {
		return nil, err
	}
	r.keep(feedURL, fetched)
	return fetched.text, nil
}

func (r *Reader) fetch(ctx context.Context, feedURL string, known *feed) (*feed, error) {
	if rest, ok := strings.CutPrefix(feedURL, "webcal://"); ok {
		feedURL = "https://" + rest
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, feedURL, nil)
	if err != nil {
		return nil, fault.New(fault.Refused, name, "the feed's address is no URL")
	}
	req.Header.Set("Accept", "text/calendar, */*;q=0.1")
	if known != nil && known.etag != "" {
		req.Header.Set("If-None-Match", known.etag)
	} else if known != nil && known.lastModified != "" {
		req.Header.Set("If-Modified-Since", known.lastModified)
	}
	at := r.now()
	resp, err := r.http.Do(req)
	if err != nil {
		return nil, fault.FromNet(name, unnamed(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && known != nil {
		return &feed{text: known.text, at: at, etag: known.etag, lastModified: known.lastModified}, nil
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fault.FromHTTP(name, resp, nil)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxFeedBytes+1))
	if err != nil {
		return nil, fault.FromNet(name, err)
	}
	if len(text) > maxFeedBytes {
		return nil, fault.New(fault.Refused, name, fmt.Sprintf("the feed is larger than %d bytes", maxFeedBytes))
	}
	return &feed{text: text, at: at, etag: resp.Header.Get("ETag"), lastModified: resp.Header.Get("Last-Modified")}, nil
}

// unnamed returns a client's error without the URL that the client puts into it.
func unnamed(err error) error {
	if named, ok := errors.AsType[*url.Error](err); ok {
		return named.Err
	}
	return err
}

// keep caches a feed, and evicts the oldest ones when the cache is too large.
func (r *Reader) keep(feedURL string, fetched *feed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(feedURL)
	r.kept[feedURL] = fetched
	r.size += cost(feedURL, fetched)
	for r.size > maxKeptBytes {
		oldest := feedURL
		for other, f := range r.kept {
			if f.at.Before(r.kept[oldest].at) {
				oldest = other
			}
		}
		r.forget(oldest)
	}
}

func (r *Reader) forget(feedURL string) {
	if known := r.kept[feedURL]; known != nil {
		r.size -= cost(feedURL, known)
		delete(r.kept, feedURL)
	}
}

// cost returns roughly the memory of a cached feed; small ones take more than their text.
func cost(feedURL string, f *feed) int { return len(f.text) + len(feedURL) + 1<<10 }
