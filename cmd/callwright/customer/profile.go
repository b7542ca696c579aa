package customer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/callwright/callwright/api/client"
)

// defaultProfile is the one that is used where none is named.
const defaultProfile = "default"

// attempts is how often a request is sent that may be repeated.
const attempts = 4

// connection is where requests go and with which key. What is not given is the profile's.
type connection struct {
	API       string `name:"api" help:"Address of the server." env:"CALLWRIGHT_API,CALLWRIGHT_URL" placeholder:"URL"`
	APIKey    string `name:"api-key" help:"API key." env:"CALLWRIGHT_API_KEY" placeholder:"KEY"`
	Profile   string `help:"Profile whose server and key are used." env:"CALLWRIGHT_PROFILE" placeholder:"NAME"`
	ConfigDir string `help:"Folder of the profiles." default:"${config_dir}" type:"path" hidden:""`
}

// profile is what login keeps: a file for each, so that two of them are written independently.
type profile struct {
	API    string `json:"api"`
	APIKey string `json:"api_key"`
}

var profileName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (c *connection) file() (string, error) {
	name := c.Profile
	if name == "" {
		name = defaultProfile
	}
	if !profileName.MatchString(name) {
		return "", wrongInput("--profile: a name has 1 to 64 letters, digits, - and _")
	}
	return filepath.Join(c.ConfigDir, "profiles", name+".json"), nil
}

// load returns the profile, an empty one where there is none.
func (c *connection) load() (*profile, error) {
	path, err := c.file()
	if err != nil {
		return nil, err
	}
	read, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if c.Profile != "" && (c.API == "" || c.APIKey == "") {
			return nil, wrongInput("there is no profile %s: callwright login --profile %s makes it", c.Profile, c.Profile)
		}
		return &profile{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	var kept profile
	if err := json.Unmarshal(read, &kept); err != nil {
		return nil, fmt.Errorf("read profile %s: %w", path, err)
	}
	return &kept, nil
}

// open returns the client that requests are made with. A profile's key goes to no other server than its own.
func (c *connection) open(k *kong.Kong) (*client.Client, error) {
	kept, err := c.load()
	if err != nil {
		return nil, err
	}
	api, key := c.API, c.APIKey
	if api == "" {
		api = kept.API
	}
	if key == "" && strings.TrimSuffix(api, "/") == kept.API {
		key = kept.APIKey
	}
	if api == "" {
		return nil, wrongInput("no server is known: run callwright login, or give --api or CALLWRIGHT_API")
	}
	if key == "" {
		return nil,
			&Failure{statusKey, fmt.Errorf("no key for %s is known: run callwright login, or give --api-key or CALLWRIGHT_API_KEY", api)}
	}
	return newClient(k, api, key)
}

func newClient(k *kong.Kong, api, key string) (*client.Client, error) {
	address, err := url.Parse(api)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, wrongInput("--api: %s is not an address such as https://calls.example.com", api)
	}
	api = strings.TrimSuffix(strings.TrimSuffix(api, "/"), "/v1")
	return &client.Client{URL: api, Key: key, UserAgent: "callwright-cli/" + k.Model.Vars()["version"], Attempts: attempts}, nil
}

// writePrivate replaces a file that only its owner reads, at once: whoever reads it has the old or the new one.
func writePrivate(path string, content []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
