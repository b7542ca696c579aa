package people

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckPassword(t *testing.T) {
	t.Parallel()

	const email = "jansen1234@example.com"
	for _, weak := range []string{
		"", "short", "123456789", "password123", "PASSWORD123", "Welkom2026", "aaaaaaaaaaaa", email, "Jansen1234", "jansen1234",
		strings.Repeat("long", 100),
	} {
		require.NotEmpty(t, CheckPassword(weak, email), weak)
	}
	for _, good := range []string{"correct horse battery", "Zé🐎quatre!mots", "x7#kQ2m!vR"} {
		require.Empty(t, CheckPassword(good, email), good)
	}
}

// A hash holds its own cost, and no more than two are made at once: whoever does not get a place leaves when nobody waits any
// more.
func TestPasswords(t *testing.T) {
	t.Parallel()

	passwords := NewPasswords()
	hash, err := passwords.Hash(t.Context(), "correct horse battery")
	require.NoError(t, err)
	require.Contains(t, hash, "$argon2id$v=19$m=19456,t=2,p=1$")
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse batterY": false, "": false} {
		same, err := passwords.Matches(t.Context(), password, &hash)
		require.NoError(t, err)
		require.Equal(t, want, same)
	}
	same, err := passwords.Matches(t.Context(), "", nil)
	require.NoError(t, err)
	require.False(t, same, "nobody has the empty password")

	for range hashesAtOnce {
		require.NoError(t, passwords.enter(t.Context()))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = passwords.Matches(gone, "", &hash)
	require.ErrorIs(t, err, context.Canceled)
}

func TestLinkMail(t *testing.T) {
	t.Parallel()

	for _, locale := range []string{"en", "nl"} {
		for _, purpose := range []string{PurposeInvite, PurposeReset} {
			mail := LinkMail{Account: "Linden\r\nBcc: a@example.com", Locale: locale, Purpose: purpose, Token: "TOKEN",
				PublicURL: "https://calls.example"}
			subject, text := mail.write()
			require.NotContains(t, subject, "\n")
			require.Contains(t, text, "\nhttps://calls.example/app/#/setup/TOKEN\n")
			require.Equal(t, purpose == PurposeInvite, strings.Contains(subject, "Linden"))
		}
	}
}
