package dbtest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main is the TestMain of a package whose tests use this one and must leave no goroutine behind. Those of the server, which
// lasts as long as the process, do not count.
func Main(m *testing.M) {
	server, err := thisProcess()
	if err == nil {
		_, err = server.shared()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "start test database server:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}
