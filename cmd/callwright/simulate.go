package main

import (
	"context"
	"fmt"
	"os"

	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/voice/simnet"
)

// simulateCommand runs the simulated phone network by itself.
type simulateCommand struct {
	logFlags
	speechFlags
	File   string `arg:"" optional:"" help:"Scripts in YAML; without it the built-in ones." type:"existingfile"`
	Listen string `help:"Address and UDP port to answer SIP on; default: ${default}." default:"127.0.0.1:5070" placeholder:"HOST:PORT"`
}

// Run implements the command.
func (c *simulateCommand) Run(ctx context.Context) error {
	logger := c.logger()
	config := simnet.Config{Listen: c.Listen, Logger: logger}
	if c.File != "" {
		text, err := os.ReadFile(c.File)
		if err != nil {
			return fmt.Errorf("read scripts: %w", err)
		}
		if config.Scripts, err = simnet.ParseScripts(text); err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
	}
	speech, err := c.providers(logger)
	if err != nil {
		return err
	}
	config.TTS = all.FarEndVoice(logger)
	if c.TTS != (voiceFlags{}) {
		config.TTS, _ = speech.TTS("")
	}
	port := listening{"--listen", "udp", c.Listen}
	if err := port.check(); err != nil {
		return err
	}
	network, err := simnet.Start(ctx, config)
	if port.is(err) {
		return port.failed(err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("The simulated phone network answers at %s. Point --trunk-proxy there.\n", network.Addr())
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	return network.Close(stopping)
}
