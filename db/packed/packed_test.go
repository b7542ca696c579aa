package packed_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/packed"
)

const ringing = `{"type":"status-update","timestamp":1795472570419,"call":{"id":"01a20a81-387d-714b-afe4-cd31f81efd3c",` +
	`"orgId":"01a20a81-3833-7cad-8757-3928f1a9d1ce","type":"outboundPhoneCall","status":"ringing","callStatus":"ringing",` +
	`"createdAt":"2026-11-23T22:22:50.419645Z","updatedAt":"2026-11-23T22:22:50.419645Z","assistantId":"01a20a81-3843-7817-96a7-850258f410f7",` +
	`"phoneNumberId":"01a20a81-3848-7441-8bd4-e6e1e97a8233","customData":{},"phoneCallTransport":"sip"},` +
	`"assistant":{"id":"01a20a81-3843-7817-96a7-850258f410f7","name":"Ava"},"customer":{"number":"+31612345600","name":"Jan"},` +
	`"phoneNumber":{"id":"01a20a81-3848-7441-8bd4-e6e1e97a8233","number":"+31201234567","provider":"byo-phone-number",` +
	`"credentialId":"01a20a81-3848-7441-8bd4-e6e1e97a8233"},"status":"ringing","callStatus":"ringing"}`

func TestRoundTrip(t *testing.T) {
	t.Parallel()

	random := make([]byte, 100_000)
	for i := range random {
		random[i] = byte(i * i >> 3)
	}
	messages := []string{"{}", ringing, `{"transcript":"Jürgen ☎ \u0000"}`, `{"said":"` + hex.EncodeToString(random) + `"}`}
	var working sync.WaitGroup
	for range 4 { // writers and readers are shared
		working.Go(func() {
			for _, message := range messages {
				made, err := packed.Pack([]byte(message))
				var read packed.Message
				if err == nil {
					err = read.ScanBytes(made)
				}
				if err != nil || string(read) != message {
					t.Errorf("%.40s: %v, %.40s", message, err, read)
				}
			}
		})
	}
	working.Wait()

	made, err := packed.Pack([]byte(ringing))
	require.NoError(t, err)
	require.Less(t, len(made), len(ringing)/3, "%d of %d bytes", len(made), len(ringing))
}

func TestRead(t *testing.T) {
	t.Parallel()

	made, err := packed.Pack([]byte(ringing))
	require.NoError(t, err)
	text := base64.StdEncoding.EncodeToString(made)
	for _, text := range []string{ringing, text, text[:76] + "\n" + text[76:]} { // Postgres breaks lines
		read, err := packed.Read(text)
		require.NoError(t, err)
		require.True(t, bytes.Equal([]byte(ringing), read), "%s", read)
	}
	read, err := packed.Read("")
	require.NoError(t, err)
	require.Empty(t, read)

	var message packed.Message
	require.NoError(t, message.ScanBytes(nil))
	require.Nil(t, message, "NULL")
	damaged := bytes.Clone(made)
	damaged[0] = 99
	for name, wrong := range map[string][]byte{"nothing": {}, "later dictionary": damaged, "half": made[:len(made)/2]} {
		require.Error(t, message.ScanBytes(wrong), name)
	}
	_, err = packed.Read("!" + text)
	require.Error(t, err)
	_, err = packed.Read(strings.Repeat("A", 8))
	require.Error(t, err)
}

// What is packed with a dictionary needs that one, unchanged.
func TestDictionariesAreFrozen(t *testing.T) {
	t.Parallel()

	content, err := os.ReadFile("dictionary_1.txt")
	require.NoError(t, err)
	sum := sha256.Sum256(content)
	require.Equal(t, "5fc697f3123f5c43eaada219b2939d1ca89920e5a770aa52b8e1ca045af3d8a8", hex.EncodeToString(sum[:]))
}

func BenchmarkPack(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := packed.Pack([]byte(ringing))
		require.NoError(b, err)
	}
}

func BenchmarkOpen(b *testing.B) {
	made, err := packed.Pack([]byte(ringing))
	require.NoError(b, err)
	var message packed.Message
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, message.ScanBytes(made))
	}
}
