package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/appointments"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/mail"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
)

const (
	toolAvailability = "check_availability"
	toolBook         = "book_appointment"

	lookAhead   = 14 // days that one question covers
	mostDays    = 4  // with free times that one answer shows: nobody wants to hear more
	maxName     = 200
	maxNotes    = 2000
	localMinute = "2006-01-02T15:04"
)

// booker makes the appointments of one call.
type booker struct {
	maker  *Tools
	call   *dbsqlc.Call
	config *jsonb.Booking
	zone   *time.Location
}

// booking returns the tools of an assistant that makes appointments.
func (m *Tools) booking(call *dbsqlc.Call) []tool {
	config := call.AssistantConfig.Booking
	if config == nil || !config.Enabled {
		return nil
	}
	zone, err := appointments.Zone(call)
	if err != nil { // the API checks it
		m.Logger.Error("assistant makes no appointments", "call_id", call.ID, "error", err)
		return nil
	}
	c := &booker{maker: m, call: call, config: config, zone: zone}
	kinds := map[string]any{"type": "string", "enum": c.kinds(), "description": c.directory()}
	today := "Today is " + m.Planner.Now().In(zone).Format("Monday 2006-01-02, 15:04") + " (" + zone.String() + "). "
	return []tool{
		{llm.Tool{
			Name: toolAvailability,
			Description: today +
				"Look up when appointments are free, from a day on. Use it before naming any time, and offer the caller two or three of the times that it answers.",
			Parameters: parameters(map[string]any{
				"appointment_type": kinds,
				"date": map[string]any{"type": "string", "format": "date",
					"description": "The first day to look at, YYYY-MM-DD; without it today."},
			}),
		}, c.availability},
		{llm.Tool{
			Name:        toolBook,
			Description: "Make an appointment at a free time that the caller has agreed to. Ask for the caller's name first. Only when it answers that the appointment is made is it made.",
			Parameters: parameters(map[string]any{
				"appointment_type": kinds,
				"start": map[string]any{"type": "string",
					"description": "When it begins, YYYY-MM-DDTHH:MM on the company's clock."},
				"name": map[string]any{"type": "string", "description": "The caller's name."},
				"email": map[string]any{"type": "string",
					"description": "The caller's e-mail address, where the caller spelled it. The company reads it; nothing is mailed to it."},
				"notes": map[string]any{"type": "string", "description": "What the appointment is about, in a few words."},
			}, "start"),
		}, c.book},
	}
}

// parameters is the JSON schema of a tool's arguments.
func parameters(properties map[string]any, required ...string) json.RawMessage {
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	text, err := json.Marshal(schema)
	if err != nil { // maps of strings always marshal
		panic(fmt.Sprintf("write schema of a tool: %v", err))
	}
	return text
}

func (c *booker) kinds() []string {
	var names []string
	for _, kind := range c.config.Types() {
		names = append(names, kind.Name)
	}
	return names
}

func (c *booker) directory() string {
	var lines []string
	for _, kind := range c.config.Types() {
		line := fmt.Sprintf("%s (%d minutes)", kind.Name, kind.Duration)
		if kind.Description != "" {
			line += ": " + kind.Description
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// kind finds a type by its name. Where there is one only it needs no name.
func (c *booker) kind(name string) (jsonb.AppointmentType, bool) {
	types := c.config.Types()
	for _, kind := range types {
		if strings.EqualFold(strings.TrimSpace(kind.Name), strings.TrimSpace(name)) {
			return kind, true
		}
	}
	return types[0], len(types) == 1 && strings.TrimSpace(name) == ""
}

type bookingArguments struct {
	AppointmentType string `json:"appointment_type"`
	Date            string `json:"date"`
	Start           string `json:"start"`
	Name            string `json:"name"`
	Email           string `json:"email"`
	Notes           string `json:"notes"`
}

// understand reads the arguments of either tool; problem is what the model is told to be wrong with them.
func (c *booker) understand(text string) (asked bookingArguments, kind jsonb.AppointmentType, problem string) {
	if text != "" && json.Unmarshal([]byte(text), &asked) != nil {
		return asked, kind, "The arguments are not a JSON object of texts."
	}
	kind, known := c.kind(asked.AppointmentType)
	if !known {
		return asked, kind, "Say which appointment_type is meant. There are:\n" + c.directory()
	}
	return asked, kind, ""
}

func (c *booker) availability(ctx context.Context, arguments string) voice.ToolResult {
	asked, kind, problem := c.understand(arguments)
	if problem != "" {
		return misused(toolAvailability, problem)
	}
	first := c.maker.Planner.Now()
	if asked.Date != "" {
		day, err := time.ParseInLocation(time.DateOnly, asked.Date, c.zone)
		if err != nil {
			return misused(toolAvailability, "The date is not YYYY-MM-DD.")
		}
		if day.After(first) {
			first = day
		}
	}
	free, err := c.maker.Planner.FreeTimes(ctx, c.call, kind, first, lookAhead)
	if err != nil {
		return c.unreachable(err)
	}
	return voice.ToolResult{Content: c.offer(kind, first, free)}
}

// unreachable returns a result that says that nothing can be looked up now. A calendar that cannot be read is as good as a full
// one: nobody is to be booked over somebody else.
func (c *booker) unreachable(err error) voice.ToolResult {
	content := "Appointments cannot be made now. Say so, and offer that a colleague calls back."
	if kind, outside := fault.Of(err); outside && kind != fault.Refused {
		content = "The calendar cannot be reached now. Say so; it may work again in a minute, or a colleague calls back."
	}
	return voice.ToolResult{Content: content, Err: err}
}

// offer is what the model reads of free times.
func (c *booker) offer(kind jsonb.AppointmentType, first time.Time, free []time.Time) string {
	head := fmt.Sprintf("%s, %d minutes, times in %s. ", kind.Name, kind.Duration, c.zone)
	if len(free) == 0 {
		return head + fmt.Sprintf("Nothing is free in the %d days from %s on. Ask for a later date.", lookAhead,
			first.In(c.zone).Format(time.DateOnly))
	}
	var days []string
	for _, start := range free {
		day := start.Format("Monday 2006-01-02")
		if last := len(days) - 1; last < 0 || !strings.HasPrefix(days[last], day) {
			if len(days) == mostDays {
				break
			}
			days = append(days, day+":")
		}
		days[len(days)-1] += start.Format(" 15:04")
	}
	return head + "Free are:\n" + strings.Join(days, "\n")
}

func (c *booker) book(ctx context.Context, arguments string) voice.ToolResult {
	asked, kind, problem := c.understand(arguments)
	if problem != "" {
		return misused(toolBook, problem)
	}
	start, err := c.parseStart(asked.Start)
	if err != nil {
		return misused(toolBook, "The start is not YYYY-MM-DDTHH:MM.")
	}
	email := strings.TrimSpace(asked.Email)
	if email != "" && mail.CheckAddress(email) != nil {
		return misused(toolBook, "The email is not an e-mail address. Ask the caller to spell it, or leave it out.")
	}
	made, err := c.maker.Planner.Book(ctx, c.maker.Jobs, c.call, &appointments.Request{
		Type: kind, Start: start, Name: db.Legible(asked.Name, maxName), Email: email, Notes: db.Legible(asked.Notes, maxNotes),
	})
	if refused, ok := errors.AsType[*appointments.RefusedError](err); ok {
		return c.refused(refused.Why)
	}
	switch {
	case errors.Is(err, appointments.ErrTooMany):
		return misused(toolBook, "This call has made as many appointments as one call may. Offer that a colleague calls back.")
	case err != nil:
		return c.unreachable(err)
	}
	return c.booked(made)
}

// parseStart reads a time on the company's clock, or one that names its offset.
func (c *booker) parseStart(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{localMinute, "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if start, err := time.ParseInLocation(layout, text, c.zone); err == nil {
			return start, nil
		}
	}
	start, err := time.Parse(time.RFC3339, text)
	return start.Truncate(time.Minute), err
}

func (c *booker) refused(why appointments.Why) voice.ToolResult {
	reason := map[appointments.Why]string{
		appointments.TooSoon: fmt.Sprintf("It is too soon: appointments begin at the earliest %g hours from now.",
			c.config.MinimumBookingHours),
		appointments.TooLate: "It is too far ahead: appointments are made for a year at most.",
		appointments.Closed:  "The company is not open for all of that time.",
		appointments.Taken:   "That time is not free any more.",
	}[why]
	return misused(toolBook, "No appointment was made. "+reason+" Look up what is free with "+toolAvailability+".")
}

func (c *booker) booked(made *dbsqlc.Appointment) voice.ToolResult {
	start := made.StartsAt.In(c.zone)
	result := voice.ToolResult{Content: fmt.Sprintf("The appointment is made: %s on %s (%s).", made.Type,
		start.Format("Monday 2 January 2006 at 15:04"), c.zone)}
	values := templateValues(c.call, c.maker.Planner.Now())
	language := text(c.call.AssistantConfig.Transcriber, "language")
	values["appointment_type"], values["appointment_date"], values["appointment_time"] = made.Type, messages.Day(language, start),
		start.Format("15:04")
	if message := strings.TrimSpace(filler(values)(c.call.AssistantConfig.BookingMessage)); message != "" {
		result.Content += " After your reply the caller hears this, so do not say the same: " + message
		result.Then = turn.Say{Content: message}
	}
	return result
}
