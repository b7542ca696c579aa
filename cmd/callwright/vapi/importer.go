package vapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/callwright/callwright/db/jsonb"
)

// Importer makes an export anew here. What a run before has made is found and left as it is.
type Importer struct {
	To     *Client               // our API; nil, of a dry run alone: what is there already is not known
	SIP    map[string]SIPAccount // of numbers, in E.164
	DryRun bool

	export *Export
	there  *present
	rows   []Row
}

// Run moves the export and returns what became of it. What cannot be moved is a row; an error ends the run, and another run goes
// on from there.
func (i *Importer) Run(ctx context.Context, export *Export) ([]Row, error) {
	i.export, i.there, i.rows = export, newPresent(), nil
	if i.To != nil {
		if err := i.there.read(ctx, i.To); err != nil {
			return nil, err
		}
	}
	tools, used := map[string]Document{}, map[string]bool{}
	for _, tool := range export.Tools {
		tools[tool.text("id")] = tool
	}
	for _, assistant := range i.assistants() {
		said := &report{kind: "assistant", id: assistant.text("id"), name: nameOf(assistant)}
		if err := i.moveAssistant(ctx, convert(assistant, tools, used, said), said); err != nil {
			return i.rows, err
		}
	}
	for _, tool := range export.Tools {
		if !used[tool.text("id")] {
			said := &report{kind: "tool", id: tool.text("id"), name: toolName(tool)}
			i.add(said, Dropped, "no assistant of the export uses it, and tools are parts of assistants here")
		}
	}
	for _, number := range export.PhoneNumbers {
		if err := i.moveNumber(ctx, number); err != nil {
			return i.rows, err
		}
	}
	return i.rows, nil
}

func (i *Importer) add(said *report, outcome Outcome, why string) {
	i.rows = append(i.rows, said.finish(outcome, why)...)
}

// assistants returns those of the export and those that stand in squads, and says what became of the squads.
func (i *Importer) assistants() []Document {
	all := slices.Clone(i.export.Assistants)
	for _, squad := range i.export.Squads {
		said := &report{kind: "squad", id: squad.text("id"), name: nameOf(squad)}
		members := list(squad["members"])
		for n, item := range members {
			if member := squadMember(squad, n, object(item), i.export.Assistants, said); member != nil {
				all = append(all, member)
			}
		}
		if len(members) == 1 {
			i.add(said, Changed, "is the assistant that it consists of")
		} else {
			i.add(said, Dropped, "its members are assistants here, which do not hand over to each other")
		}
	}
	return all
}

// squadMember returns an assistant that only the squad has; nil: it is one of the export's own.
func squadMember(squad Document, n int, member map[string]any, known []Document, said *report) Document {
	at := fmt.Sprintf("members[%d]", n)
	if member["assistantDestinations"] != nil {
		said.say(at+".assistantDestinations", Dropped, "assistants do not hand over to each other")
	}
	base, overrides := Document(object(member["assistant"])), object(member["assistantOverrides"])
	if id, ok := member["assistantId"].(string); ok {
		i := slices.IndexFunc(known, func(d Document) bool { return d.text("id") == id })
		switch {
		case i < 0:
			said.say(at, Dropped, "the export has no assistant "+id)
			return nil
		case len(overrides) == 0:
			said.say(at, Kept, "")
			return nil
		}
		base = known[i]
	}
	if base == nil {
		said.say(at, Dropped, "names no assistant")
		return nil
	}
	own := Document{}
	for _, from := range []map[string]any{base, overrides} {
		maps.Copy(own, from)
	}
	own["id"], own["name"] = fmt.Sprintf("%s/%d", squad.text("id"), n), cmp.Or(own.text("name"), said.name)
	said.say(at, Changed, "is an assistant of its own")
	return own
}

func nameOf(d Document) string {
	id := d.text("id")
	return cmp.Or(d.text("name"), "From Vapi "+id[:min(len(id), 8)])
}

func toolName(d Document) string {
	name, _ := object(d["function"])["name"].(string)
	return cmp.Or(name, d.text("name"), d.text("type"))
}

// moveAssistant makes an assistant unless it is there.
func (i *Importer) moveAssistant(ctx context.Context, body map[string]any, said *report) error {
	if id := i.there.assistants[said.id]; id != "" {
		said.rows = nil
		i.add(said, Present, "as "+id)
		return nil
	}
	if i.DryRun {
		i.add(said, Planned, "vendors and limits are checked when it is made")
		return nil
	}
	id, err := i.create(ctx, body, said)
	refused, is := errors.AsType[*Refused](err)
	switch {
	case is && refused.Status == http.StatusBadRequest:
		i.add(said, Failed, refused.because())
	case err != nil:
		return fmt.Errorf("make assistant %s: %w", said.name, err)
	default:
		i.there.assistants[said.id] = id
		i.add(said, Made, "as "+id)
	}
	return nil
}

// mostRepairs bounds how often a body is sent again without what was refused.
const mostRepairs = 20

// create makes an assistant, without what this deployment refuses of it, which it says.
func (i *Importer) create(ctx context.Context, body map[string]any, said *report) (id string, err error) {
	if body, err = copied(body); err != nil { // tools may be parts of several
		return "", err
	}
	for range mostRepairs {
		id, err = i.post(ctx, body, said.id)
		refused, is := errors.AsType[*Refused](err)
		if !is || refused.Status != http.StatusBadRequest || !repair(body, refused.Details, said) {
			return id, err
		}
	}
	return "", err
}

// post makes one assistant of one body, however often it is asked for: unless what was made was deleted since.
func (i *Importer) post(ctx context.Context, body map[string]any, vapiID string) (string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("encode assistant: %w", err)
	}
	digest := sha256.Sum256(text)
	once := "vapi-" + hex.EncodeToString(digest[:16])
	for {
		var made struct {
			ID string `json:"assistant_id"`
		}
		if err := i.To.do(ctx, &request{method: http.MethodPost, path: "/v1/assistants", body: body, once: once}, &made); err != nil {
			return "", err
		}
		err := i.To.do(ctx, &request{method: http.MethodGet, path: "/v1/assistants/" + made.ID}, nil)
		if refused, is := errors.AsType[*Refused](err); is && refused.Status == http.StatusNotFound {
			once = "vapi-" + vapiID[:min(len(vapiID), 100)] + "-" + rand.Text()
			continue
		}
		return made.ID, err
	}
}

// copied returns a deep copy.
func copied(body map[string]any) (map[string]any, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode assistant: %w", err)
	}
	var made jsonb.Object
	if err := json.Unmarshal(text, &made); err != nil {
		return nil, fmt.Errorf("decode assistant: %w", err)
	}
	return made, nil
}
