package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/callwright/callwright/worker"
)

const (
	listRounds = 30 // requests of each kind, of all kinds in turn
	listWarmUp = 3
)

// listsP95 measures the first page of every list, with each of its filters and with many together, over HTTP and with the
// total, in an account that has a million calls, 200,000 contacts, 100,000 scheduled calls and 300,000 events, beside
// fifty other accounts. Its figure is the list that is slowest. Beside it stand a page in the middle of the calls, and the sums
// of what calls used.
func listsP95(ctx context.Context, b *bench) error {
	c, err := newCustomer(ctx, b.pool, 1, greeter)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := loadLists(ctx, b.pool, c, b.listCalls); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	fmt.Fprintf(os.Stderr, "lists: loaded in %.0f s\n", time.Since(began).Seconds())
	if b.listHold {
		fmt.Fprintf(os.Stderr, "lists: DATABASE_URL=%s CALLWRIGHT_API_KEY=%s until Ctrl-C\n", b.pool.Config().ConnString(), c.keys[0].Text)
		<-ctx.Done()
		return nil
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	address, stop, err := serveAPI(ctx, b, inserter)
	if err != nil {
		return err
	}
	defer stop()
	kinds, err := listKinds(ctx, b.pool, c)
	if err != nil {
		return err
	}
	deep, err := deepPage(ctx, c, address)
	if err != nil {
		return err
	}
	kinds = append(kinds, deep)
	err = b.costOf(ctx, "list", (listWarmUp+listRounds)*len(kinds), func() error { return readLists(ctx, c, address, kinds) })
	if err != nil {
		return err
	}
	slices.SortFunc(kinds, func(a, b *listKind) int { return cmp.Compare(percentile(b.took, 0.95), percentile(a.took, 0.95)) })
	for _, kind := range kinds {
		fmt.Fprintf(
			os.Stderr,
			"lists: p95 %6.2f ms, p50 %6.2f ms  %s\n",
			percentile(kind.took, 0.95),
			percentile(kind.took, 0.5),
			kind.path,
		)
	}
	report("list_p95_ms", percentile(kinds[0].took, 0.95), "ms")
	report("list_deep_page_p95_ms", percentile(deep.took, 0.95), "ms")
	return usageP95(ctx, c, address)
}

// deepPage is a page of calls in the middle of the year, by its cursor.
func deepPage(ctx context.Context, c *customer, address string) (*listKind, error) {
	path := "/v1/calls?limit=100&end_date=" + time.Now().AddDate(0, 0, -180).Format(time.DateOnly)
	_, body, err := getList(ctx, address, c.keys[0].Text, path)
	if err != nil {
		return nil, err
	}
	var page struct {
		NextCursor string `json:"next_cursor"`
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	return &listKind{path: path + "&cursor=" + url.QueryEscape(page.NextCursor)}, nil
}

// usageP95 measures the sums of what a tenth of the calls used, and all of them, by what is slowest to sum up by.
func usageP95(ctx context.Context, c *customer, address string) error {
	for _, one := range []struct {
		name         string
		days, rounds int
	}{{"usage_tenth", 36, listRounds}, {"usage_all", 366, listRounds / 10}} {
		var slowest float64
		for _, by := range []string{"day", "assistant", "number"} {
			kind := &listKind{path: fmt.Sprintf("/v1/usage?from=%s&to=%s&group_by=%s",
				time.Now().AddDate(0, 0, -one.days).Format(time.DateOnly),
				time.Now().AddDate(0, 0, 1).Format(time.DateOnly), by)}
			for range one.rounds {
				took, _, err := getList(ctx, address, c.keys[0].Text, kind.path)
				if err != nil {
					return err
				}
				kind.took = append(kind.took, took)
			}
			slowest = max(slowest, percentile(kind.took, 0.95))
		}
		report(one.name+"_p95_ms", slowest, "ms")
	}
	return nil
}

func readLists(ctx context.Context, c *customer, address string, kinds []*listKind) error {
	for round := range listWarmUp + listRounds {
		for _, kind := range kinds {
			took, _, err := getList(ctx, address, c.keys[0].Text, kind.path)
			if err != nil {
				return err
			}
			if round >= listWarmUp {
				kind.took = append(kind.took, took)
			}
		}
	}
	return nil
}

// listKind is a list with filters, and how long its answers took.
type listKind struct {
	path string
	took []time.Duration
}

// getList asks for a page as a customer does, and reads all of it.
func getList(ctx context.Context, address, key, path string) (took time.Duration, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	began := time.Now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	body, err = io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %s", path, answer.Status, body)
	}
	return time.Since(began), body, err
}
