package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// devSettings is what dev.env holds: what other commands and a newcomer's own programs need.
type devSettings struct {
	URL, APIKey, AssistantID, DatabaseURL, SealKeys, OperatorPassword, FilesDir, PublicURL, Mail string
}

// devSetting is a variable in dev.env.
type devSetting struct {
	name  string
	value *string
}

func (s *devSettings) list() []devSetting {
	return []devSetting{
		{"CALLWRIGHT_URL", &s.URL}, {"CALLWRIGHT_API_KEY", &s.APIKey}, {"CALLWRIGHT_ASSISTANT_ID", &s.AssistantID},
		{"DATABASE_URL", &s.DatabaseURL},
		{"CALLWRIGHT_SEAL_KEYS", &s.SealKeys}, {"CALLWRIGHT_OPERATOR_PASSWORD", &s.OperatorPassword},
		{"CALLWRIGHT_FILES_DIR", &s.FilesDir}, {"CALLWRIGHT_PUBLIC_URL", &s.PublicURL}, {"CALLWRIGHT_MAIL", &s.Mail},
	}
}

// prepareSettings keeps the keys of an earlier run, makes those that are missing, and writes them down.
func (d *dev) prepareSettings() error {
	settings, err := readDevSettings(d.folder.settings())
	if err != nil {
		return err
	}
	settings.DatabaseURL, settings.URL, settings.FilesDir = d.settings.DatabaseURL, d.url, filepath.Join(d.folder.path, "files")
	settings.PublicURL, settings.Mail = d.url, "log"
	if settings.SealKeys == "" {
		settings.SealKeys = newSealKey()
	}
	if settings.OperatorPassword == "" {
		settings.OperatorPassword = rand.Text()
	}
	d.settings = settings
	return d.settings.write(d.folder.settings())
}

func readDevSettings(path string) (devSettings, error) {
	var settings devSettings
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return settings, nil
	}
	if err != nil {
		return settings, fmt.Errorf("read settings of an earlier run: %w", err)
	}
	values, err := parseEnvFile(string(text))
	if err != nil {
		return settings, fmt.Errorf("%s: %w", path, err)
	}
	for _, setting := range settings.list() {
		*setting.value = values[setting.name]
	}
	return settings, nil
}

// write replaces the file; it holds keys, so only its owner reads it.
func (s *devSettings) write(path string) error {
	var text strings.Builder
	for _, setting := range s.list() {
		fmt.Fprintf(&text, "%s='%s'\n", setting.name, *setting.value)
	}
	if err := writeFile(path, text.String(), 0o600); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}
