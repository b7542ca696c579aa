package db

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// OldestPostgres is the oldest major version whose SQL the schema and the queries keep to.
const OldestPostgres = 15

// ServerVersion returns the major version of the Postgres that conn leads to, as it introduced itself: no search_path and no
// function of a database changes that.
func ServerVersion(conn *pgx.Conn) (int, error) {
	said := conn.PgConn().ParameterStatus("server_version") // such as "16.4 (Debian 16.4-1)" and "17beta1"
	digits := said[:len(said)-len(strings.TrimLeft(said, "0123456789"))]
	version, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("read version of Postgres: it says %q", said)
	}
	return version, nil
}

// checkVersion fails where Postgres is too old: in place of a syntax error somewhere within a migration.
func checkVersion(conn *pgx.Conn) error {
	version, err := ServerVersion(conn)
	if err == nil && version < OldestPostgres {
		err = fmt.Errorf("this is Postgres %d, which is older than %d: move to a newer one, with pg_upgrade or a dump", version, OldestPostgres)
	}
	return err
}
