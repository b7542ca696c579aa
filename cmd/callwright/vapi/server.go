package vapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxServerSeconds is how long a server may take here.
const maxServerSeconds = 20

// eventTypes are what a server may subscribe to here, by what that is called there.
var eventTypes = map[string]string{
	"status-update": "status-update", "end-of-call-report": "end-of-call-report", "tool-calls": "tool-calls",
	"speech-update": "speech-update",
	"transcript":    "transcript", `transcript[transcriptType="final"]`: "transcript",
	`transcript[transcriptType='final']`: "transcript",
	"user-interrupted":                   "user-interrupted", "hang": "hang", "transfer-update": "transfer-update",
}

// defaultEvents are what a server there gets that subscribes to nothing in particular, as far as there is such a thing here.
var defaultEvents = []any{"end-of-call-report", "hang", "speech-update", "status-update", "tool-calls", "user-interrupted"}

// moveServer makes the server of the assistant's events.
func moveServer(c *conversion, name string, value any) {
	server := c.convertServer(name, object(value))
	if server["url"] == nil {
		c.say(name, Dropped, "has no url")
		return
	}
	if seconds, given := server["timeoutSeconds"]; given { // which a tool's server has under this name
		server["timeout_seconds"] = seconds
		delete(server, "timeoutSeconds")
	}
	server["events"] = defaultEvents
	c.body["server"] = server
	c.say(name, Kept, "")
}

// convertServer keeps of a server what is used here.
func (c *conversion) convertServer(at string, from map[string]any) map[string]any {
	server := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(from)) {
		value := from[field]
		switch field {
		case "url", "headers":
			server[field] = value
		case "timeoutSeconds":
			seconds, _ := value.(float64)
			if server[field] = value; seconds > maxServerSeconds {
				server[field] = maxServerSeconds
				c.say(at+"."+field, Changed, fmt.Sprintf("is %d, the most here", maxServerSeconds))
			}
		case "secret":
			c.addHeader(server, value)
			c.say(at+"."+field, Changed, "is the header X-Vapi-Secret")
		case "backoffPlan":
			c.say(at+"."+field, Dropped, "reports and status updates are tried again for two days")
		default:
			c.say(at+"."+field, Dropped, "is not used here")
		}
	}
	return server
}

func (c *conversion) addHeader(server map[string]any, secret any) {
	headers := maps.Clone(object(server["headers"]))
	if headers == nil {
		headers = map[string]any{}
	}
	headers["X-Vapi-Secret"] = secret
	server["headers"] = headers
}

// moveServerURL moves the server of assistants that were made long ago.
func moveServerURL(c *conversion, name string, value any) {
	if c.body["server"] != nil {
		c.say(name, Dropped, "server.url goes before it")
		return
	}
	c.body["server"] = map[string]any{"url": value, "events": defaultEvents}
	c.say(name, Changed, "is server.url")
}

func moveServerSecret(c *conversion, name string, value any) {
	server := object(c.body["server"])
	if server == nil {
		c.say(name, Dropped, "there is no server")
		return
	}
	c.addHeader(server, value)
	c.say(name, Changed, "is the header X-Vapi-Secret of server")
}

// moveServerMessages subscribes the server.
func moveServerMessages(c *conversion, name string, value any) {
	server := object(c.body["server"])
	if server == nil {
		c.say(name, Dropped, "there is no server")
		return
	}
	types, _ := value.([]any)
	var events []any
	var missing []string
	for _, item := range types {
		text, _ := item.(string)
		event, known := eventTypes[text]
		switch {
		case !known:
			missing = append(missing, text)
		case !slices.Contains(events, any(event)):
			events = append(events, event)
		}
	}
	if len(missing) > 0 {
		c.say(name+": "+strings.Join(missing, ", "), Dropped, "there are no such events here")
	}
	if len(events) > 0 {
		server["events"] = events
		c.say(name, Kept, "")
	}
}
