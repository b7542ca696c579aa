package customer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/callwright/callwright/api/client"
)

// localServer is where dev and api serve unless told otherwise.
const localServer = "http://127.0.0.1:8080"

// loginCommand keeps a key. It is read from standard input unless it is given, so that it stands in no list of processes.
type loginCommand struct {
	connection
}

// Run implements the command.
func (c *loginCommand) Run(ctx context.Context, k *kong.Kong, operations Operations) error {
	path, err := c.file()
	if err != nil {
		return err
	}
	if c.API == "" {
		c.API = localServer
	}
	if c.APIKey == "" {
		if c.APIKey, err = readKey(os.Stdin, k.Stderr); err != nil {
			return err
		}
	}
	api, err := newClient(k, c.API, c.APIKey)
	if err != nil {
		return err
	}
	answer, err := api.Call(ctx, operations["get-profile"], client.Arguments{})
	if err != nil {
		return failed(err)
	}
	var owner struct{ Email string }
	if err := json.Unmarshal(answer, &owner); err != nil {
		return fmt.Errorf("read profile: %w", err)
	}
	kept, err := json.Marshal(profile{API: api.URL, APIKey: c.APIKey})
	if err != nil {
		return fmt.Errorf("encode profile: %w", err)
	}
	if err := writePrivate(path, append(kept, '\n')); err != nil {
		return fmt.Errorf("keep profile: %w", err)
	}
	_, err = fmt.Fprintf(k.Stdout, "The key of %s at %s is kept in %s.\n", owner.Email, api.URL, path)
	return err
}

// readKey asks for a key, which a terminal does not show.
func readKey(in *os.File, out io.Writer) (string, error) {
	if !term.IsTerminal(int(in.Fd())) {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read key: %w", err)
		}
		return trimKey(line)
	}
	if _, err := fmt.Fprint(out, "API key: "); err != nil {
		return "", err
	}
	line, err := term.ReadPassword(int(in.Fd()))
	if err != nil {
		return "", fmt.Errorf("read key: %w", err)
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return "", err
	}
	return trimKey(string(line))
}

func trimKey(line string) (string, error) {
	key := strings.TrimSpace(line)
	if key == "" {
		return "", &Failure{statusKey, errors.New("no key was given: write it to standard input, or give CALLWRIGHT_API_KEY")}
	}
	return key, nil
}

// logoutCommand deletes a profile. The key itself goes on: api-keys delete revokes it.
type logoutCommand struct {
	connection
}

// Run implements the command.
func (c *logoutCommand) Run(k *kong.Kong) error {
	path, err := c.file()
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete profile: %w", err)
	}
	_, err = fmt.Fprintln(k.Stdout, "The profile is deleted. Its key still works: callwright api-keys delete revokes it.")
	return err
}
