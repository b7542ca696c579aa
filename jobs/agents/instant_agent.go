package agents

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/providers/website"
)

// Lengths in runes. What the model reads before each reply costs time in each, so it reads the beginnings; the rest it
// looks up in the knowledge base.
const (
	maxInstructions   = 50_000 // of an assistant's llm_content
	maxToldContext    = 12_000
	maxToldFAQs       = 8_000
	maxToldSite       = 6_000
	maxKnownSite      = 400_000
	maxKnowledgeTitle = 300
)

// agentMaker makes an assistant of what is known of a company.
type agentMaker struct {
	company string
	request *jsonb.InstantAgent
	pages   []website.Page
	texts   *agentTexts
	fill    *strings.Replacer // fills the texts

	language string
	known    []*knowledge.Document // what the assistant can look up
	summary  string                // of the pages, by a model; empty: none was made
}

func newAgentMaker(row *dbsqlc.InstantAgent, number string, pages []website.Page) *agentMaker {
	m := &agentMaker{company: row.CompanyName, request: &row.Request, pages: pages}
	m.language = m.detectLanguage(number)
	m.texts = textsIn(m.language)
	m.use(m.texts.unnamed)
	if m.request.AgentName != "" {
		m.use(m.texts.named)
	}
	m.known = m.knowledge()
	return m
}

// use makes who what the texts call the agent.
func (m *agentMaker) use(who string) {
	names := strings.NewReplacer("{company}", m.company, "{agent}", m.request.AgentName)
	m.fill = strings.NewReplacer("{company}", m.company, "{who}", names.Replace(who))
}

// detectLanguage returns the language of the website, else of what the customer wrote, else that of the number's country.
func (m *agentMaker) detectLanguage(number string) string {
	var site, written strings.Builder
	for i := range m.pages {
		if site.Len() < languageSample {
			site.WriteString(m.pages[i].Text + "\n")
		}
	}
	for _, faq := range m.request.FAQs {
		written.WriteString(faq.Question + "\n" + faq.Answer + "\n")
	}
	written.WriteString(m.request.AdditionalContext + "\n" + m.request.CustomInstructions)
	return cmp.Or(languageOf(site.String()), languageOf(written.String()), languageOfNumber(number))
}

// config returns the assistant's configuration.
func (m *agentMaker) config() jsonb.Assistant {
	say := m.fill.Replace
	config := jsonb.Assistant{
		LLMContent:             m.instructions(),
		FirstMessage:           say(m.texts.firstMessage),
		FirstMessageOutbound:   say(m.texts.firstMessageOutbound),
		EndCallMessage:         say(m.texts.endCallMessage),
		VoicemailMessage:       say(m.texts.voicemailMessage),
		BookingMessage:         say(m.texts.bookingMessage),
		Booking:                m.booking(),
		CallTransfers:          m.request.CallTransfers,
		EndCallFunctionEnabled: true,
		SMSMessage:             SMSText(m.request.SMSMessage, m.company),
		NotificationsEmail:     m.request.NotificationEmail,
		PostCallEmailEnabled:   m.request.NotificationEmail != "",
		Transcriber:            jsonb.Object{"language": m.language},
		KnowledgeBaseEnabled:   len(m.known) > 0,
	}
	config.SetDefaults()
	return config
}

// SMSText fills the company's name into a text message.
func SMSText(text, company string) string {
	return strings.ReplaceAll(text, "{company_name}", company)
}

// booking returns nil when nothing was said of appointments.
func (m *agentMaker) booking() *jsonb.Booking {
	r := m.request
	if !r.CanBookAppointments && r.CalendarICSURL == "" && r.MinimumBookingHours == 0 && len(r.AppointmentTypes) == 0 {
		return nil
	}
	return &jsonb.Booking{
		Enabled: r.CanBookAppointments, CalendarICSURL: r.CalendarICSURL, MinimumBookingHours: r.MinimumBookingHours,
		AppointmentTypes: r.AppointmentTypes,
	}
}

// instructions returns the rules, then what is known, as much of it as fits, then what the customer orders.
func (m *agentMaker) instructions() string {
	rules := m.fill.Replace(m.texts.role)
	for _, part := range []string{m.knowledgeRule(), m.transferRule(), m.bookingRule()} {
		if part != "" {
			rules += "\n\n" + part
		}
	}
	var custom string
	if m.request.CustomInstructions != "" {
		custom = "\n\n" + m.fill.Replace(m.texts.custom) + "\n" + m.request.CustomInstructions
	}
	if reference := m.reference(); reference != "" {
		left := maxInstructions - utf8.RuneCountInString(rules+custom) - 2
		rules += "\n\n" + clip(reference, left)
	}
	return rules + custom
}

func (m *agentMaker) knowledgeRule() string {
	if len(m.known) == 0 {
		return ""
	}
	return m.fill.Replace(m.texts.lookUp)
}

func (m *agentMaker) transferRule() string {
	var names []string
	for _, transfer := range m.request.CallTransfers {
		names = append(names, transfer.Name)
	}
	return m.listing(m.texts.transfers, names)
}

func (m *agentMaker) bookingRule() string {
	booking := m.booking()
	if booking == nil || !booking.Enabled {
		return ""
	}
	var kinds []string
	for _, kind := range booking.AppointmentTypes {
		kinds = append(kinds, fmt.Sprintf("%s (%d %s)", kind.Name, kind.Duration, m.texts.minutes))
	}
	if len(kinds) == 0 {
		kinds = []string{fmt.Sprintf("%d %s", booking.Types()[0].Duration, m.texts.minutes)}
	}
	rule := m.listing(m.texts.appointments, kinds)
	if hours := booking.MinimumBookingHours; hours > 0 {
		rule += " " + m.listing(m.texts.notice, []string{strconv.FormatFloat(hours, 'f', -1, 64)})
	}
	return rule
}

// listing returns a text with its list, empty when there is nothing to list.
func (m *agentMaker) listing(text string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	before, after, _ := strings.Cut(text, "{list}")
	return m.fill.Replace(before) + strings.Join(items, ", ") + m.fill.Replace(after)
}

// reference returns what is known of the company, empty when that is nothing.
func (m *agentMaker) reference() string {
	var questions, site strings.Builder
	for _, faq := range m.request.FAQs {
		questions.WriteString("\n" + knowledge.Tidy(faq.Question) + "\n" + knowledge.Tidy(faq.Answer))
	}
	site.WriteString(m.summary)
	for i := range m.pages {
		if m.summary == "" && site.Len() < maxToldSite { // bytes are at least as many as runes
			site.WriteString("\n" + knowledge.PageText(&m.pages[i]))
		}
	}
	var parts []string
	for _, part := range []struct {
		heading, text string
		most          int
		write         func(string) string
	}{
		{"", m.request.AdditionalContext, maxToldContext, asItIs},
		{m.texts.questions + "\n", questions.String(), maxToldFAQs, asItIs},
		{m.texts.site + "\n", literal(site.String()), maxToldSite, knowledge.Quote},
	} {
		if text := strings.TrimSpace(knowledge.Tidy(part.text)); text != "" {
			parts = append(parts, part.heading+part.write(clip(text, part.most)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return m.fill.Replace(m.texts.reference) + "\n" + strings.Join(parts, "\n\n")
}

func asItIs(text string) string { return text }

// literal takes the braces from others' text that would be filled with what is known of the caller.
func literal(text string) string {
	return strings.NewReplacer("{{", "{", "}}", "}").Replace(text)
}

// clip returns a text's beginning, of at most so many runes.
func clip(text string, most int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), max(most, 0))])
}

// knowledge returns what the assistant can look up. Everything in it has words.
func (m *agentMaker) knowledge() []*knowledge.Document {
	background := m.fill.Replace(m.texts.background)
	found := []*knowledge.Document{{Title: background, Text: m.request.AdditionalContext}}
	for _, faq := range m.request.FAQs {
		found = append(found, &knowledge.Document{Title: faq.Question, Question: faq.Question, Answer: faq.Answer})
	}
	left := maxKnownSite
	for i := range m.pages {
		page := &m.pages[i]
		text := clip(knowledge.PageText(page), left)
		left -= utf8.RuneCountInString(text)
		found = append(found, &knowledge.Document{Title: cmp.Or(page.Title, page.URL), Text: text})
	}
	worth := found[:0]
	for _, k := range found {
		k.Title = clip(strings.Join(strings.Fields(k.Title), " "), maxKnowledgeTitle)
		if len(knowledge.Words(k.Text+k.Question+k.Answer)) > 0 {
			worth = append(worth, k)
		}
	}
	return worth
}
