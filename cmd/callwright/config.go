package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/callwright/callwright/worker"
)

// The files config*.go are the only readers of the environment: every setting is a flag here, with its variable beside it.

// settleRuntime adjusts Go's runtime to what a worker does, where the operator does not with Go's own variables.
func settleRuntime() {
	if _, chosen := os.LookupEnv("GOGC"); !chosen {
		debug.SetGCPercent(worker.CollectorPercent)
	}
	if _, chosen := os.LookupEnv("GOMAXPROCS"); !chosen {
		runtime.GOMAXPROCS(worker.Threads(runtime.GOMAXPROCS(0)))
	}
}

// stateDir is where a program of this user keeps its state.
func stateDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/callwright"
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "callwright")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "callwright")
	}
	return filepath.Join(home, ".local", "state", "callwright")
}

// configDir is where a customer's commands keep profiles.
func configDir() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return filepath.Join(stateDir(), "config")
	}
	return filepath.Join(dir, "callwright")
}

// decodeNetwork reads a network of a setting. An address is the network of it alone.
func decodeNetwork(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("network", &text); err != nil {
		return err
	}
	network, err := netip.ParsePrefix(text)
	if address, notOne := netip.ParseAddr(text); notOne == nil {
		network, err = netip.PrefixFrom(address, address.BitLen()), nil
	}
	if err != nil {
		return fmt.Errorf("%q is not a network, such as 10.1.0.0/16, and not an address", text)
	}
	target.Set(reflect.ValueOf(network))
	return nil
}

// envFileFlag names a file such as dev.env, whose settings stand in for those that the environment does not give.
type envFileFlag string

// BeforeResolve has the flags take what the file gives.
func (envFileFlag) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path := fmt.Sprint(ctx.FlagValue(trace.Flag))
	values, err := readEnvFile(kong.ExpandPath(path))
	if err != nil {
		return fmt.Errorf("--env-file: %s: %w", path, err)
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if value, ok := values[name]; ok && os.Getenv(name) == "" {
				return value, nil
			}
		}
		return nil, nil
	}))
	return nil
}

func readEnvFile(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return nil, failed.Err // whoever asked names the path
	}
	if err != nil {
		return nil, err
	}
	return parseEnvFile(string(text))
}

// parseEnvFile reads lines of NAME='value'. What is wrong in a line is not repeated: it may be a secret.
func parseEnvFile(text string) (map[string]string, error) {
	values := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !found {
			return nil, fmt.Errorf("line %d is not NAME=VALUE", i+1)
		}
		values[name] = strings.Trim(value, `'"`)
	}
	return values, nil
}

// ipAddress is an IP address of a setting, or none.
type ipAddress struct{ netip.Addr }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *ipAddress) UnmarshalText(text []byte) error {
	if err := a.Addr.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is not an IP address, such as 203.0.113.7", text)
	}
	return nil
}

func defaultQueues() string {
	var text []string
	for name, size := range worker.DefaultQueues() {
		text = append(text, fmt.Sprintf("%s=%d", name, size))
	}
	slices.Sort(text)
	return strings.Join(text, ",")
}

// parseQueues reads NAME=SIZE pairs.
func parseQueues(sizes map[string]int) (map[string]int, error) {
	known := worker.DefaultQueues()
	if len(sizes) == 0 {
		return known, nil
	}
	for name, size := range sizes {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("--queues: there is no queue %q; there are analysis, calls, default, knowledge, schedule and webhooks",
				name)
		}
		if size < 1 || size > 10_000 {
			return nil, fmt.Errorf("--queues: size of %s must be 1 to 10000", name)
		}
	}
	return sizes, nil
}

// shutdownTimeout is what HTTP requests in progress get when a process stops.
const shutdownTimeout = 10 * time.Second
