package seal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const where = "webhook_endpoint.secret:0198"

func box(t *testing.T, keys ...Key) *Box {
	t.Helper()
	box, err := New(keys...)
	require.NoError(t, err)
	return box
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	b := box(t, GenerateKey("one"))
	for _, plaintext := range []string{"", "whsec_abc", "é\x00\n", strings.Repeat("long ", 10_000)} {
		sealed := b.Seal(plaintext, where)
		require.True(t, strings.HasPrefix(sealed, "v1.one."), sealed)
		if len(plaintext) > 4 {
			require.NotContains(t, sealed, plaintext)
		}
		opened, err := b.Open(sealed, where)
		require.NoError(t, err)
		require.Equal(t, plaintext, opened)
	}
	one, two := b.Seal("same", where), b.Seal("same", where)
	require.NotEqual(t, one, two, "equal secrets must not look equal")
}

func TestOpenRefusesAnotherContext(t *testing.T) {
	t.Parallel()
	b := box(t, GenerateKey("one"))
	sealed := b.Seal("secret", where)
	for _, context := range []string{"", where + "0", "sip.password:0198"} {
		_, err := b.Open(sealed, context)
		require.ErrorIs(t, err, ErrForged, context)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	old, fresh := GenerateKey("old"), GenerateKey("fresh")
	before := box(t, old).Seal("secret", where)
	rotating := box(t, fresh, old)

	opened, err := rotating.Open(before, where)
	require.NoError(t, err)
	require.Equal(t, "secret", opened)

	after := rotating.Seal(opened, where)
	require.True(t, strings.HasPrefix(after, Prefix(rotating.KeyID())))
	_, err = box(t, fresh).Open(after, where)
	require.NoError(t, err)
	_, err = box(t, fresh).Open(before, where)
	require.ErrorIs(t, err, ErrUnknownKey, "the old key was dropped too early")
}

func TestOpenRefusesAnotherKeyOfTheSameName(t *testing.T) {
	t.Parallel()
	sealed := box(t, GenerateKey("one")).Seal("secret", where)
	_, err := box(t, GenerateKey("one")).Open(sealed, where)
	require.ErrorIs(t, err, ErrForged)
}

// Every single character matters, the key id included.
func TestOpenRefusesEveryChange(t *testing.T) {
	t.Parallel()
	twin := GenerateKey("one")
	other := twin
	other.ID = "two"
	b := box(t, twin, other)
	sealed := b.Seal("secret", where)
	for i := range sealed {
		for _, replacement := range []byte("A_.\n") {
			if sealed[i] == replacement {
				continue
			}
			_, err := b.Open(sealed[:i]+string(replacement)+sealed[i+1:], where)
			require.Error(t, err, "character %d", i)
		}
		_, err := b.Open(sealed[:i], where)
		require.Error(t, err, "cut at %d", i)
		_, err = b.Open(sealed[:i]+"\n"+sealed[i:], where)
		require.Error(t, err, "line break at %d", i)
	}
	_, err := b.Open(strings.Replace(sealed, ".one.", ".two.", 1), where)
	require.ErrorIs(t, err, ErrForged, "the key id is part of what is authenticated")
	_, err = b.Open(sealed+"A", where)
	require.ErrorIs(t, err, ErrForged)
}

func TestKeysAsText(t *testing.T) {
	t.Parallel()
	one, two := GenerateKey("2026-11"), GenerateKey("b_2")
	keys, err := ParseKeys(one.Format() + ", " + two.Format())
	require.NoError(t, err)
	require.Equal(t, []Key{one, two}, keys)
	require.NotEqual(t, one.Secret, two.Secret)

	secret := strings.TrimPrefix(one.Format(), "2026-11:")
	for _, text := range []string{"", "one", "one:", ":" + secret, "one:" + secret + ",", "a b:" + secret, "one:" + secret[4:],
		"one:" + secret + "AAAA", "one:*" + secret[1:]} {
		_, err := ParseKeys(text)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), secret[8:20])
	}
}

func TestKeysStayOutOfLogs(t *testing.T) {
	t.Parallel()
	key := GenerateKey("one")
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		require.Equal(t, "seal key one", fmt.Sprintf(format, key))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]Key{
		"no keys":        {},
		"an empty id":    {GenerateKey("")},
		"a dot in an id": {GenerateKey("a.b")},
		"a long id":      {GenerateKey(strings.Repeat("a", 33))},
		"one id twice":   {GenerateKey("one"), GenerateKey("one")},
	} {
		_, err := New(keys...)
		require.Error(t, err, name)
	}
}
