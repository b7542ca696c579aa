package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/telco"
	simcarrier "github.com/callwright/callwright/providers/telco/simulated"
	"github.com/callwright/callwright/providers/telco/telnyx"
)

// carrierFlags choose who sells numbers. Test keys use the simulated carrier whatever is chosen.
type carrierFlags struct {
	NumberCarrier           string `help:"Who sells numbers: ${enum}." enum:"simulated,telnyx" default:"simulated" env:"CALLWRIGHT_CARRIER" group:"Numbers"`
	NumberCarrierKey        string `help:"Its API key." env:"CALLWRIGHT_CARRIER_KEY" group:"Numbers"`
	NumberCarrierURL        string `help:"Address of its API, where it is not the usual one." name:"number-carrier-url" env:"CALLWRIGHT_CARRIER_URL" placeholder:"URL" group:"Numbers"`
	NumberCarrierConnection string `help:"Id of the SIP connection there that bought numbers are bound to." env:"CALLWRIGHT_CARRIER_CONNECTION" group:"Numbers"`
}

func (f carrierFlags) carriers(pool *pgxpool.Pool) (telco.Carriers, error) {
	dutch := telco.NewDutch()
	carriers := telco.Carriers{Simulated: simcarrier.New(pool, time.Now, dutch)}
	carriers.Live = carriers.Simulated
	if f.NumberCarrier == "telnyx" {
		if f.NumberCarrierKey == "" {
			return carriers, errors.New("--number-carrier=telnyx: needs --number-carrier-key too")
		}
		carriers.Live = telnyx.New(telnyx.Config{
			BaseURL: f.NumberCarrierURL, APIKey: f.NumberCarrierKey, ConnectionID: f.NumberCarrierConnection, HTTP: openaihttp.NewClient(),
		}, dutch)
	}
	return carriers, nil
}

// carrierHookFlags are for the process that takes the webhooks of the carrier.
type carrierHookFlags struct {
	NumberCarrierPublicKey string `help:"Telnyx's public key, in base64; with it, its webhooks are taken at /carrier/telnyx/webhook." env:"CALLWRIGHT_CARRIER_PUBLIC_KEY" group:"Numbers"`
}

func (f carrierHookFlags) webhook() (*telnyx.Webhook, error) {
	if f.NumberCarrierPublicKey == "" {
		return nil, nil
	}
	webhook, err := telnyx.NewWebhook(f.NumberCarrierPublicKey, time.Now)
	if err != nil {
		return nil, fmt.Errorf("--number-carrier-public-key: %w", err)
	}
	return webhook, nil
}
