//go:build !unix

package embedded

import (
	"context"
	"fmt"
	"runtime"
)

// Server is a running Postgres. There is none where this package knows no way to keep one private.
type Server struct{}

func unsupported() error {
	return fmt.Errorf("no private Postgres runs on %s: set DATABASE_URL to the URL of a PostgreSQL server", runtime.GOOS)
}

// Start fails: unix sockets that only one user can open, and locks that end with their holder, make a server private.
func Start(context.Context, Config) (*Server, error) { return nil, unsupported() }

// DSN is empty.
func (*Server) DSN() string { return "" }

// Attached reports false.
func (*Server) Attached() bool { return false }

// Stop has nothing to stop.
func (*Server) Stop(context.Context) error { return nil }

// Remove fails as Start does.
func Remove(context.Context, string) error { return unsupported() }
