package main

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// connection is a SIP connection as the API shows it.
type connection struct {
	ID            string
	PhoneNumberID string `json:"phone_number_id"`
	Status        string
	LastError     string `json:"last_error"`
	SIPCode       int    `json:"sip_code"`
}

// connect makes a SIP connection for a number and links it to the assistant.
func (p *platform) connect(username, proxy string) connection {
	p.t.Helper()
	var made connection
	p.call(http.MethodPost, "/v1/sip-connections", map[string]any{
		"phone_number": "31201234567", "sip_username": username, "sip_password": "s3cret", "sip_proxy": proxy,
		"provider_name": "Provider",
	}, http.StatusCreated, &made)
	p.call(http.MethodPost, "/v1/assistants/"+p.assistantID+"/phone-number", map[string]any{"phone_number_id": made.PhoneNumberID},
		http.StatusOK, nil)
	return made
}

func (p *platform) waitConnection(id, status string) connection {
	p.t.Helper()
	var shown connection
	require.Eventually(p.t, func() bool {
		p.call(http.MethodGet, "/v1/sip-connections/"+id, nil, http.StatusOK, &shown)
		return shown.Status == status
	}, time.Minute, 20*time.Millisecond, "the connection never became %s", status)
	return shown
}

// TestSIPConnectionAtKamailio brings a number from a registrar that nobody here wrote: calls to it arrive, also after the
// process that kept it registered was killed, and no more once it is deleted.
func TestSIPConnectionAtKamailio(t *testing.T) {
	t.Parallel()

	registrar := startKamailio(t)
	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	first := p.startWorker("--sip-listen=127.0.0.1:0")
	made := p.connect("alice", registrar)
	p.waitConnection(made.ID, "registered")
	talk := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := outside.Call(ctx, registrar, callerNumber, "alice",
			simnet.Script{Steps: []simnet.Step{{Wait: 300 * time.Millisecond}}})
		return err
	}
	require.NoError(t, talk())
	call := p.inbound("completed")
	require.Equal(t, callerNumber, call.ContactPhoneNumber)
	require.Equal(t, "+31201234567", call.PhoneNumber)

	var tested connection
	p.call(http.MethodPost, "/v1/sip-connections/"+made.ID+"/test", nil, http.StatusOK, &tested)
	require.Equal(t, "registered", tested.Status)

	second := p.startWorker("--sip-listen=127.0.0.1:0")
	first.kill()
	second.waitFor("SIP connection is registered")
	require.NoError(t, talk(), "a call finds its way past what the dead process had registered")

	p.call(http.MethodDelete, "/v1/sip-connections/"+made.ID, nil, http.StatusConflict, nil)
	p.call(http.MethodDelete, "/v1/assistants/"+p.assistantID+"/phone-number", nil, http.StatusOK, nil)
	p.call(http.MethodDelete, "/v1/sip-connections/"+made.ID, nil, http.StatusNoContent, nil)
	second.waitFor("SIP connection is taken back")
	second.stop()
}

// TestSIPConnectionOfAStoppingWorker stops the process that keeps a connection registered; another one takes it over.
func TestSIPConnectionOfAStoppingWorker(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	first := p.startWorker("--sip-listen=127.0.0.1:0")
	made := p.connect("alice", outside.Addr().String())
	p.waitConnection(made.ID, "registered")
	second := p.startWorker("--sip-listen=127.0.0.1:0")
	first.signal(syscall.SIGTERM)
	second.waitFor("SIP connection is registered")
	first.wait()

	id := p.direct("+31612345601") // leaves over the connection: there is no trunk
	require.Equal(t, "busy", p.waitStatus(id, "busy", "failed").Status)
	calls := outside.Calls()
	require.Equal(t, "alice", calls[len(calls)-1].From)
	second.stop()
}

// TestWaitingCallOfADeletedConnection has a call wait for its account's only place while its number goes with its SIP connection. It
// leaves by no other way: the operator's carrier would be told that number.
func TestWaitingCallOfADeletedConnection(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	p.run("limits", p.account, "--max-concurrent-calls=1")
	provider, trunk := startCarrier(t, nil), startCarrier(t, nil)
	worker := p.startWorker(trunk.overCarrier()...)
	made := p.connect("alice", provider.Addr().String())
	p.waitConnection(made.ID, "registered")
	first := p.direct("+31612345606")
	p.waitStatus(first, "in-progress")
	waiting := p.direct("+31612346606")
	p.call(http.MethodDelete, "/v1/assistants/"+p.assistantID+"/phone-number", nil, http.StatusOK, nil)
	p.call(http.MethodDelete, "/v1/sip-connections/"+made.ID, nil, http.StatusNoContent, nil)
	require.Equal(t, "queued", p.get(waiting).Status)
	p.hangUp(first)
	p.requireToldOnce(p.waitStatus(first, "completed"))
	ended := p.waitStatus(waiting, "failed", "completed")
	require.Equal(t, "call.start.error-get-transport", ended.EndedReason)
	require.Contains(t, ended.Error, "was given back")
	p.requireToldOnce(ended)
	require.Zero(t, trunk.times("+31612346606")+provider.times("+31612346606"))
	require.Equal(t, 1, provider.times("+31612345606"))
	worker.stop()
}

// TestSIPConnectionOutcomes has registrations refused, by the simulated network and by us.
func TestSIPConnectionOutcomes(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	worker := p.startWorker()
	made := p.connect("user03", "sip.provider.example")
	require.Equal(t, connection{made.ID, made.PhoneNumberID, "failed", "refused with 403 Forbidden", 403},
		p.waitConnection(made.ID, "failed"))
	var tested connection
	p.call(http.MethodPost, "/v1/sip-connections/"+made.ID+"/test", nil, http.StatusOK, &tested)
	require.Equal(t, 403, tested.SIPCode)
	p.call(http.MethodDelete, "/v1/assistants/"+p.assistantID+"/phone-number", nil, http.StatusOK, nil)
	p.call(http.MethodDelete, "/v1/sip-connections/"+made.ID, nil, http.StatusNoContent, nil)

	made = p.connect("user07", "sip.provider.example")
	p.waitConnection(made.ID, "failed")
	p.call(http.MethodPost, "/v1/sip-connections/"+made.ID+"/test", nil, http.StatusBadGateway, nil)
	worker.stop()
}

// TestSIPConnectionInside asks for a registration at an address that is nobody's business.
func TestSIPConnectionInside(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	p.env = append(p.env, "CALLWRIGHT_ALLOW_NETWORKS=203.0.113.0/24")
	worker := p.startWorker("--sip-listen=127.0.0.1:0")
	made := p.connect("alice", "127.0.0.1:9")
	require.Contains(t, p.waitConnection(made.ID, "failed").LastError, "may not be dialled")
	worker.stop()
}

// startKamailio runs a registrar with one account, alice, and returns its address.
func startKamailio(t *testing.T) string {
	t.Helper()
	path := peertest.Require(t, "kamailio")
	config, err := filepath.Abs(filepath.Join("..", "..", "voice", "sip", "testdata", "kamailio.cfg"))
	require.NoError(t, err)
	dir, port := t.TempDir(), strconv.Itoa(siptest.FreePort(t))
	cmd := exec.Command(path, "-f", config, "-A", "PORT="+port, "-DD", "-E", "-m", "16", "-M", "4", "-Y", dir, "-w", dir, "-P",
		filepath.Join(dir, "pid"))
	cmd.Dir = dir
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM)) // asked to end, it takes its children along
		_ = cmd.Wait()                                          // its status says how it was ended
	})
	address := net.JoinHostPort("127.0.0.1", port)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, 10*time.Second, 5*time.Millisecond)
	return address
}
