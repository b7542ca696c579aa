package vapi

import (
	"fmt"
	"maps"
	"slices"

	"github.com/callwright/callwright/db/jsonb"
)

// toolTypes are the tools that are used here.
var toolTypes = []string{"function", "transferCall", "endCall", "dtmf", "query"}

// moveModel moves the model, with its tools in it: here tools have no life of their own.
func moveModel(c *conversion, name string, value any) {
	model := maps.Clone(object(value))
	tools, _ := model["tools"].([]any)
	var kept []any
	for i, item := range tools {
		if tool := c.convertTool(fmt.Sprintf("%s.tools[%d]", name, i), object(item)); tool != nil {
			kept = append(kept, tool)
		}
	}
	ids, _ := model["toolIds"].([]any)
	for _, item := range ids {
		id, _ := item.(string)
		at := fmt.Sprintf("%s.toolIds: %s", name, id)
		stored, known := c.tools[id]
		if !known {
			c.say(at, Dropped, "the export has no such tool")
			continue
		}
		c.used[id] = true
		if tool := c.convertTool(at, stored); tool != nil {
			kept = append(kept, tool)
			c.say(at, Changed, "is one of model.tools")
		}
	}
	delete(model, "toolIds")
	delete(model, "tools")
	if len(kept) > 0 {
		model["tools"] = kept
	}
	for _, field := range []string{"knowledgeBase", "knowledgeBaseId"} {
		if model[field] != nil {
			c.say(name+"."+field, Dropped, "upload the documents: POST /v1/knowledge-base/documents")
			delete(model, field)
		}
	}
	if prompt, ok := model["systemPrompt"].(string); ok {
		delete(model, "systemPrompt")
		c.body["llm_content"] = prompt
		c.say(name+".systemPrompt", Changed, "is llm_content")
	}
	c.body["model"] = model
	c.say(name, Kept, "")
}

// convertTool returns a tool as it is here; nil: there is nothing like it.
func (c *conversion) convertTool(at string, from map[string]any) map[string]any {
	kind, _ := from["type"].(string)
	if !slices.Contains(toolTypes, kind) {
		c.say(at, Dropped, fmt.Sprintf("there are no tools of type %q here; a function of your server can do the same", kind))
		return nil
	}
	tool := map[string]any{"type": kind}
	for _, field := range slices.Sorted(maps.Keys(from)) {
		value := from[field]
		switch field {
		case "function", "async", "messages":
			tool[field] = value
		case "server":
			tool[field] = c.convertServer(at+".server", object(value))
		case "destinations":
			tool[field] = c.destinations(at, value)
		case "knowledgeBases":
			c.body["knowledge_base_enabled"] = true
			c.say(at+"."+field, Dropped, "upload the documents: POST /v1/knowledge-base/documents")
		case "type", "id", "orgId", "createdAt", "updatedAt", "name", "latestVersion":
		default:
			c.say(at+"."+field, Dropped, "is not used here")
		}
	}
	if kind == "transferCall" && len(list(tool["destinations"])) == 0 {
		c.say(at, Dropped, "it has no telephone as its destination")
		return nil
	}
	return tool
}

// destinations keeps the telephones that a transfer may go to.
func (c *conversion) destinations(at string, value any) []any {
	var kept []any
	for i, item := range list(value) {
		from, path := object(item), fmt.Sprintf("%s.destinations[%d]", at, i)
		if from["number"] == nil && from["sipUri"] == nil {
			c.say(path, Dropped, "assistants do not hand over to each other")
			continue
		}
		to := map[string]any{}
		for _, field := range slices.Sorted(maps.Keys(from)) {
			if field == "transferPlan" {
				if plan := c.transferPlan(path+"."+field, object(from[field])); len(plan) > 0 {
					to[field] = plan
				}
				continue
			}
			switch value := from[field].(type) {
			case nil:
			case string:
				if slices.Contains([]string{"number", "sipUri", "name", "description", "message"}, field) {
					to[field] = value
				} else if field != "type" {
					c.say(path+"."+field, Dropped, "is not used here")
				}
			default:
				c.say(path+"."+field, Dropped, "is not used here")
			}
		}
		kept = append(kept, to)
	}
	return kept
}

// transferPlan keeps what is used here of how a caller is put through.
func (c *conversion) transferPlan(path string, plan map[string]any) map[string]any {
	kept := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(plan)) {
		alone, fine := jsonb.Object{field: plan[field]}, true
		if field == "transferAssistant" { // belongs to a mode
			alone["mode"] = plan["mode"]
		}
		jsonb.ReadTransferPlan(path, alone, func(at, why string) {
			fine = false
			c.say(at, Dropped, why)
		})
		if fine {
			kept[field] = plan[field]
		}
	}
	return kept
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}
