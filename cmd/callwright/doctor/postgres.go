package doctor

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/db"
)

const moreConnections = "raise max_connections of Postgres, or lower CALLWRIGHT_DATABASE_CONNS: an API process takes 10, a worker 12"

// refusals are what to do about what Postgres says no to.
var refusals = map[string]string{
	pgerrcode.InvalidPassword:                   "correct user and password in DATABASE_URL",
	pgerrcode.InvalidAuthorizationSpecification: "correct the user in DATABASE_URL, or let it in from here: pg_hba.conf",
	pgerrcode.InvalidCatalogName:                "correct the name of the database in DATABASE_URL, or make it: createdb",
	pgerrcode.TooManyConnections:                moreConnections,
	pgerrcode.CannotConnectNow:                  "wait until Postgres has started: its log says how far it is",
	pgerrcode.InsufficientPrivilege:             "make the user in DATABASE_URL the owner of the database and of its tables",
}

// Unreachable returns the check of a Postgres that could not be opened.
func Unreachable(err error) Check {
	return Check{"database", func(context.Context) Finding { return unreadable(err) }}
}

// unreadable is the finding of a question that Postgres did not answer.
func unreadable(err error) Finding {
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok {
		if remedy, known := refusals[refusal.Code]; known {
			return fail(remedy, "Postgres says: %s (%s)", refusal.Message, refusal.Code)
		}
		return fail("look into Postgres's log", "Postgres says: %s (%s)", refusal.Message, refusal.Code)
	}
	if encoding, ok := errors.AsType[*db.EncodingError](err); ok {
		return fail("make a database with createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0, and name it in DATABASE_URL",
			"the encoding of the database is %s and must be UTF8", encoding.Encoding)
	}
	reason := lastTry(err)
	_, unparsed := errors.AsType[*pgconn.ParseConfigError](err)
	_, unnamed := errors.AsType[*net.DNSError](err)
	switch {
	case unparsed:
		return fail("write DATABASE_URL as postgres://USER:PASSWORD@HOST:PORT/NAME, with % and @ of a password as %25 and %40", "%s",
			reason)
	case unnamed:
		return fail("correct the host in DATABASE_URL, or look at /etc/resolv.conf", "%s", reason)
	case strings.Contains(reason, "refused TLS"):
		return fail("turn on ssl in Postgres, or say ?sslmode=disable in DATABASE_URL where the network is yours alone", "%s", reason)
	}
	return fail("start Postgres, or correct host and port in DATABASE_URL; a firewall may stand between", "%s", reason)
}

// lastTry is what the last of the attempts that an error lists came to: the others were made with TLS, or at other addresses.
func lastTry(err error) string {
	if attempts, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		err = attempts
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
