//go:build unix

package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// startVar in the environment makes the test binary a process that starts the server in the folder it names, prints
// what became of it, and stops it when standard input ends.
const startVar = "EMBEDDED_TEST_START"

func TestMain(m *testing.M) {
	if dir := os.Getenv(startVar); dir != "" {
		os.Exit(beServerProcess(dir))
	}
	dir, err := copyProgram()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	for _, dir := range append(used.dirs, dir) {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// program is a copy of the test binary that every user can run.
var program string

// copyProgram makes it before there are tests: a file that is open for writing cannot be run, and a child that another
// test forks meanwhile holds it open for a moment longer.
func copyProgram() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "embedded-"); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "embedded.test")
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	return dir, errors.Join(os.WriteFile(program, binary, 0o755), os.Chmod(program, 0o755), os.Chmod(dir, 0o755))
}

func beServerProcess(dir string) int {
	server, err := Start(context.Background(), Config{Dir: dir, Settings: fast()})
	if err != nil {
		fmt.Println("error", strings.ReplaceAll(err.Error(), "\n", " "))
		return 1
	}
	pid := 0
	if !server.Attached() {
		pid = server.process.cmd.Process.Pid
	}
	fmt.Println("ready", server.Attached(), pid)
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := server.Stop(context.Background()); err != nil {
		fmt.Println("error", err)
		return 1
	}
	return 0
}

func fast() map[string]string { return map[string]string{"fsync": "off", "shared_buffers": "16MB"} }

// used are the folders of servers that earlier tests have stopped.
var used struct {
	mu   sync.Mutex
	dirs []string
}

// usedDir is a folder for a server that may hold the cluster of an earlier test, which saves making another one. No
// two tests have it at the same time.
func usedDir(t *testing.T) string {
	t.Helper()
	used.mu.Lock()
	defer used.mu.Unlock()
	var dir string
	if last := len(used.dirs) - 1; last >= 0 {
		dir, used.dirs = used.dirs[last], used.dirs[:last]
	} else {
		var err error
		dir, err = os.MkdirTemp("", "embedded-")
		require.NoError(t, err)
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	t.Cleanup(func() {
		used.mu.Lock()
		defer used.mu.Unlock()
		used.dirs = append(used.dirs, dir)
	})
	return dir
}

// openDir is a temporary folder that every user can enter: t.TempDir is open to its maker alone.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "embedded-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
}

// run starts a server and stops it with the test.
func run(t *testing.T, cfg Config) *Server {
	t.Helper()
	if cfg.Settings == nil {
		cfg.Settings = fast()
	}
	server, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return server
}

func query(t *testing.T, server *Server, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.DSN())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	var answer string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func execute(t *testing.T, server *Server, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.DSN())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// process is a test process that starts a server.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout io.Reader
	answer string // its first line
}

func startProcess(t *testing.T, dir string, credential *syscall.Credential) *process {
	t.Helper()
	p := launchProcess(t, dir, credential)
	var err error
	p.answer, err = bufio.NewReader(p.stdout).ReadString('\n')
	require.NoError(t, err)
	return p
}

// launchProcess does not wait for the server.
func launchProcess(t *testing.T, dir string, credential *syscall.Credential) *process {
	t.Helper()
	p := &process{cmd: exec.Command(program)}
	p.cmd.Dir = "/"
	p.cmd.Env = append(os.Environ(), startVar+"="+dir)
	if credential != nil {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	}
	var err error
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	p.stdout, err = p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill)
	return p
}

func (p *process) ready(t *testing.T) (attached bool, postmaster int) {
	t.Helper()
	_, err := fmt.Sscanf(p.answer, "ready %t %d", &attached, &postmaster)
	require.NoError(t, err, p.answer)
	return attached, postmaster
}

// kill ends the process without a chance to clean up. It does nothing the second time.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
