package main

import (
	"fmt"
	"os"

	"github.com/callwright/callwright/api"
)

// openAPICommand prints the OpenAPI document.
type openAPICommand struct{}

// Run implements the command.
func (c *openAPICommand) Run() error {
	document, err := api.OpenAPIYAML()
	if err != nil {
		return fmt.Errorf("render OpenAPI document: %w", err)
	}
	_, err = os.Stdout.Write(document)
	return err
}
