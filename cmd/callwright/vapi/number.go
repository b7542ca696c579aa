package vapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// SIPAccount is where a number is registered. Vapi answers no passwords, so it comes from elsewhere.
type SIPAccount struct {
	Username string `json:"sip_username"`
	Password string `json:"sip_password"`
	Proxy    string `json:"sip_proxy"`
	Provider string `json:"provider_name"`
}

// ReadSIP reads SIP accounts by number.
func ReadSIP(from io.Reader) (map[string]SIPAccount, error) {
	var accounts map[string]SIPAccount
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&accounts); err != nil {
		return nil, fmt.Errorf("read SIP accounts: %w", err)
	}
	plain := make(map[string]SIPAccount, len(accounts))
	for number, account := range accounts {
		if account.Username == "" || account.Password == "" || account.Proxy == "" {
			return nil, fmt.Errorf("the SIP account of %s lacks sip_username, sip_password or sip_proxy", number)
		}
		plain[e164(number)] = account
	}
	return plain, nil
}

// e164 writes the number with its plus, which either side may leave out.
func e164(number string) string { return "+" + strings.TrimPrefix(strings.TrimSpace(number), "+") }

// numberReasons are why fields of numbers are dropped.
var numberReasons = map[string]string{
	"server":              "numbers have no server here: of a number without an assistant your account's webhook is asked (assistant-request)",
	"hooks":               "are not run here",
	"fallbackDestination": "answer assistant-request with a destination",
	"squadId":             "link one of its assistants",
	"workflowId":          "there are no workflows here; link an assistant",
}

// moveNumber makes a number a SIP connection, and links its assistant.
func (i *Importer) moveNumber(ctx context.Context, from Document) error {
	number := from.text("number")
	said := &report{kind: "phone number", id: from.text("id"), name: cmp.Or(number, nameOf(from))}
	if number == "" {
		i.add(said, Dropped, "it has no telephone number")
		return nil
	}
	number = e164(number)
	for field, why := range numberReasons {
		if from[field] != nil {
			said.say(field, Dropped, why)
		}
	}
	account, given := i.SIP[number]
	switch there := i.there.numbers[number]; {
	case there != "":
		i.add(said, Present, "as "+there)
		return i.link(ctx, from, number)
	case !given:
		said.rows = nil
		i.add(said, Dropped, "its SIP account is not known: give it with --sip, or make it with POST /v1/sip-connections")
		return nil
	case i.DryRun:
		i.add(said, Planned, "as a SIP connection to "+account.Proxy)
		return nil
	}
	return i.connect(ctx, from, number, account, said)
}

func (i *Importer) connect(ctx context.Context, from Document, number string, account SIPAccount, said *report) error {
	var made struct {
		NumberID string `json:"phone_number_id"`
	}
	err := i.To.do(ctx, &request{method: http.MethodPost, path: "/v1/sip-connections", body: map[string]any{
		"phone_number": number, "sip_username": account.Username, "sip_password": account.Password, "sip_proxy": account.Proxy,
		"provider_name": cmp.Or(account.Provider, from.text("name"), from.text("provider"), account.Proxy),
	}}, &made)
	if refused, is := errors.AsType[*Refused](err); is &&
		(refused.Status == http.StatusBadRequest || refused.Status == http.StatusConflict) {
		i.add(said, Failed, refused.because())
		return nil
	}
	if err != nil {
		return fmt.Errorf("make SIP connection of %s: %w", number, err)
	}
	i.there.numbers[number] = made.NumberID
	i.add(said, Made, "as "+made.NumberID)
	return i.link(ctx, from, number)
}

// link has the number answered by its assistant, where that has no other number.
func (i *Importer) link(ctx context.Context, from Document, number string) error {
	vapiID := from.text("assistantId")
	if vapiID == "" || i.DryRun {
		return nil
	}
	said := &report{kind: "phone number", id: from.text("id"), name: number}
	id, numberID := i.there.assistants[vapiID], i.there.numbers[number]
	switch linked := i.there.links[id]; {
	case id == "":
		said.say("assistantId", Dropped, "the assistant is not here")
	case linked == numberID:
		return nil
	case linked != "":
		said.say("assistantId", Dropped, "the assistant has another number here, and may have one")
	default:
		err := i.To.do(ctx, &request{method: http.MethodPost, path: "/v1/assistants/" + id + "/phone-number",
			body: map[string]any{"phone_number_id": numberID}}, nil)
		refused, is := errors.AsType[*Refused](err)
		switch {
		case is && refused.Status < http.StatusInternalServerError:
			said.say("assistantId", Dropped, refused.because()+"; link it when the number is registered")
		case err != nil:
			return fmt.Errorf("link %s: %w", number, err)
		default:
			i.there.links[id] = numberID
			said.say("assistantId", Kept, "")
		}
	}
	i.rows = append(i.rows, said.rows...)
	return nil
}
