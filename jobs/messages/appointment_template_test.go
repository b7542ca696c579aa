package messages

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAppointment(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	appointment := AppointmentTemplate{
		Language: "nl", Company: "Linden Tandartsen", Type: "Controle\r\nBcc: a@example.com",
		Start:   time.Date(2026, 11, 24, 9, 0, 0, 0, zone),
		Contact: "Jan", Number: "+31612345678", Notes: "Links\nachter",
	}
	subject, text := appointment.Write()
	require.Equal(t, "Afspraak: Controle Bcc: a@example.com, dinsdag 24 november 2026 09:00", subject)
	require.Equal(t,
		"Afspraak bij: Linden Tandartsen\nAfspraak: Controle Bcc: a@example.com\nWanneer: dinsdag 24 november 2026 09:00 (Europe/Amsterdam)\n"+
			"Naam: Jan\nTelefoon: +31612345678\nOpmerking: Links achter\n\nDe uitnodiging voor uw agenda is bijgevoegd.\n", text)

	appointment.Language = "en-GB"
	subject, text = appointment.Write()
	require.Equal(t, "Appointment: Controle Bcc: a@example.com, Tuesday 24 November 2026 09:00", subject)
	require.Contains(t, text, "Appointment with: Linden Tandartsen\n")
}
