package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
)

// Main plays a part of the corpus and writes what was found to a file. It does not return: the virtual clock belongs to package
// testing, which ends the program.
func Main(ctx context.Context, part Part, folder, file string) error {
	calls, err := prepare(ctx, part, folder)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	checks := map[string][]Check{}
	tests := []testing.InternalTest{{Name: "corpus", F: func(t *testing.T) {
		for name, s := range calls {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					found := hold(t.Context(), s)
					mu.Lock()
					defer mu.Unlock()
					checks[name] = found
				})
			})
		}
	}}, {Name: "write", F: func(t *testing.T) {
		if err := write(file, checks); err != nil {
			t.Fatal(err)
		}
	}}}
	testing.Init()
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, tests, nil, nil)
	return errors.New("package testing has returned")
}

// prepare makes the sounds of all calls: under the virtual clock no program can be waited for.
func prepare(ctx context.Context, part Part, folder string) (calls map[string]scene, err error) {
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case unspeakable:
			err = failure
		default:
			panic(failure)
		}
	}()
	m, err := newMaterials(ctx, folder, part.Texts)
	if err != nil {
		return nil, err
	}
	calls = map[string]scene{}
	for _, c := range corpus(part) {
		m.rough = nil
		if c.rough {
			m.rough = rand.New(rand.NewPCG(c.seed, 1))
		}
		s := c.hold(m, rand.New(rand.NewPCG(c.seed, uint64(len(c.name)))))
		if c.rough {
			s.setting.rough, s.setting.punctuation = true, none
		}
		s.setting.waits = c.waits
		if c.late {
			s.setting.lateness = rand.New(rand.NewPCG(c.seed, 0))
		}
		calls[c.name] = s
	}
	return calls, nil
}

func write(file string, found map[string][]Check) error {
	var all []Check
	for name, checks := range found {
		for _, check := range checks {
			check.Call = name
			all = append(all, check)
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("write what was found: %w", err)
	}
	return os.WriteFile(file, data, 0o600)
}

// Read returns what Main has written.
func Read(file io.Reader) ([]Check, error) {
	var checks []Check
	if err := json.NewDecoder(file).Decode(&checks); err != nil {
		return nil, fmt.Errorf("read what was found: %w", err)
	}
	return checks, nil
}
