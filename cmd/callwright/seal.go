package main

import (
	"fmt"
	"time"

	"github.com/callwright/callwright/db/seal"
)

// sealCommand manages the keys under which secrets are kept.
type sealCommand struct {
	Generate sealGenerateCommand `cmd:"" help:"Make a key for CALLWRIGHT_SEAL_KEYS. To rotate, put the new one first and keep the old ones."`
}

type sealGenerateCommand struct{}

// Run implements the command.
func (c *sealGenerateCommand) Run() error {
	_, err := fmt.Println(newSealKey())
	return err
}

// newSealKey makes a key that is named after its day, so that an operator can tell old from new.
func newSealKey() string {
	return seal.GenerateKey(time.Now().UTC().Format("20060102")).Format()
}
