package webrtc

import (
	"fmt"
	"log/slog"

	"github.com/pion/logging"
)

// quiet is pion's logger: what browsers make go wrong is no news of this process, and fills no log.
type quiet struct{ log *slog.Logger }

// NewLogger implements logging.LoggerFactory.
func (q quiet) NewLogger(string) logging.LeveledLogger { return q }

func (quiet) Trace(string)          {}
func (quiet) Tracef(string, ...any) {}
func (quiet) Debug(string)          {}
func (quiet) Debugf(string, ...any) {}
func (quiet) Info(string)           {}
func (quiet) Infof(string, ...any)  {}
func (quiet) Warn(string)           {}
func (quiet) Warnf(string, ...any)  {}

func (q quiet) Error(message string)               { q.log.Debug("web call", "error", message) }
func (q quiet) Errorf(format string, about ...any) { q.Error(fmt.Sprintf(format, about...)) }
