//go:build unix

package embedded

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	superuser  = "postgres"
	socketPort = "5432" // only part of the socket's file name
	// maxSocketFolder keeps folder + "/.s.PGSQL.5432" + NUL within sun_path: 104 bytes on macOS, 108 on Linux.
	maxSocketFolder = 88
)

// place is where the parts of one server are. Every process that names the same folder computes the same place.
type place struct {
	dir     string // absolute, without symlinks
	cluster string // the data directory; appears complete or not at all
	socket  string // the folder of the unix socket: in dir, or in /tmp when dir is unfit
	lock    string // held with flock by the owner, for as long as it lives
}

func openPlace(dir string) (place, error) {
	if dir == "" {
		return place{}, errors.New("embedded postgres needs a folder")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return place{}, fmt.Errorf("find embedded postgres folder: %w", err)
	}
	if err := makeFolder(dir); err != nil {
		return place{}, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return place{}, fmt.Errorf("find embedded postgres folder: %w", err)
	}
	p := place{
		dir:     dir,
		cluster: filepath.Join(dir, "cluster"),
		socket:  filepath.Join(dir, "socket"),
		lock:    filepath.Join(dir, "lock"),
	}
	// Postgres takes a list of socket folders, so a comma or a quote in the path would have to be escaped.
	if len(p.socket) > maxSocketFolder || strings.ContainsAny(p.socket, `,"`) {
		p.socket = farSocket(dir)
	}
	return p, nil
}

// farSocket is a short path that depends on dir alone: os.TempDir may differ between the processes that attach.
func farSocket(dir string) string {
	hash := fnv.New64a()
	hash.Write([]byte(dir))
	return fmt.Sprintf("/tmp/callwright-%016x", hash.Sum64())
}

// makeFolder makes dir so that another user can pass through it, whatever the umask. An existing folder stays as it is.
func makeFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make embedded postgres folder: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return fmt.Errorf("open embedded postgres folder: %w", err)
	}
	return nil
}

// tryLock returns nil, nil when another process holds the lock.
func (p place) tryLock() (*os.File, error) {
	if err := makeFolder(p.dir); err != nil { // another process may just have removed it
		return nil, err
	}
	file, err := TryLock(p.lock)
	if errors.Is(err, fs.ErrPermission) {
		return nil,
			fmt.Errorf("the embedded postgres in %s belongs to another user: run as that user, or choose another folder, or set DATABASE_URL: %w", p.dir, err)
	}
	return file, err
}

// makeSocketFolder makes the socket's folder for the user Postgres runs as. A folder in /tmp that somebody else made
// there is refused: whoever owns the folder could put his own socket in it.
func (p place) makeSocketFolder(as account) error {
	if err := os.Mkdir(p.socket, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make socket folder: %w", err)
	}
	info, err := os.Lstat(p.socket)
	if err != nil {
		return fmt.Errorf("look at socket folder: %w", err)
	}
	if uid, _ := owner(info); !info.IsDir() || (uid != as.uid && uid != os.Geteuid()) {
		return fmt.Errorf("socket folder %s belongs to another user", p.socket)
	}
	if err := os.Chmod(p.socket, 0o700); err != nil {
		return fmt.Errorf("close socket folder: %w", err)
	}
	return as.give(p.socket)
}

// removeStaleSocket removes what a killed postmaster left in the socket folder. Postgres would refuse to start when the
// process id in the socket's lock file belongs to any living process. The caller holds the lock.
func (p place) removeStaleSocket() error {
	socket := filepath.Join(p.socket, ".s.PGSQL."+socketPort)
	for _, path := range []string{socket, socket + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove stale socket: %w", err)
		}
	}
	return nil
}

// removeFarSocket removes the socket folder when it is outside dir. Leftovers of a crashed server go with it.
func (p place) removeFarSocket() error {
	if filepath.Dir(p.socket) == p.dir {
		return nil
	}
	if err := os.RemoveAll(p.socket); err != nil {
		return fmt.Errorf("remove socket folder: %w", err)
	}
	return nil
}

// clusterVersion is the Postgres major that made the cluster in a server's folder, 0 when there is none.
func clusterVersion(cluster string) (int, error) {
	text, err := os.ReadFile(filepath.Join(cluster, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read version of cluster: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read version of cluster in %s: %w", cluster, err)
	}
	return major, nil
}

// dsn writes a space as %20: to libpq, and so to pgx, a plus sign in a URL is a plus sign.
func (p place) dsn(database string) string {
	query := url.Values{"host": {p.socket}, "port": {socketPort}}.Encode()
	dsn := url.URL{
		Scheme:   "postgres",
		User:     url.User(superuser),
		Path:     "/" + database,
		RawQuery: strings.ReplaceAll(query, "+", "%20"),
	}
	return dsn.String()
}

// ensureDatabase connects to the running server and makes the database when it is missing.
func (p place) ensureDatabase(ctx context.Context, database string) (err error) {
	conn, err := pgx.Connect(ctx, p.dsn("postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()

	var there bool
	const query = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
	if err := conn.QueryRow(ctx, query, database).Scan(&there); err != nil {
		return fmt.Errorf("look for database %s: %w", database, err)
	}
	if there {
		return nil
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{database}.Sanitize())
	if code := pgCode(err); code == pgerrcode.DuplicateDatabase || code == pgerrcode.UniqueViolation {
		return nil // another process was faster
	}
	if err != nil {
		return fmt.Errorf("create database %s: %w", database, err)
	}
	return nil
}

// notYet reports whether a server that is starting, or about to be started again, explains the error.
func notYet(err error) bool {
	switch pgCode(err) {
	case pgerrcode.CannotConnectNow, pgerrcode.AdminShutdown, pgerrcode.CrashShutdown:
		return true
	case "":
		var connect *pgconn.ConnectError
		return errors.As(err, &connect) && !errors.Is(err, fs.ErrPermission)
	}
	return false
}

func pgCode(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Code
	}
	return ""
}
