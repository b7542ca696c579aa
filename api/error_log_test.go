package api_test

import (
	"log/slog"
	"strings"
	"sync"
)

// errorLog keeps what the API logs as an error, the latest of it.
type errorLog struct {
	mu    sync.Mutex
	lines []string
}

const keptLines = 3

func (l *errorLog) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelError}))
}

// Write implements io.Writer.
func (l *errorLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines[max(0, len(l.lines)-keptLines+1):], string(line))
	return len(line), nil
}

// String implements fmt.Stringer.
func (l *errorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "")
}
