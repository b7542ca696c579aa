package main

import (
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip/siptest"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

// deskPhone is the sound of a telephone whose signalling SIPp does: A-law.
type deskPhone struct {
	t      *testing.T
	conn   *net.UDPConn
	heard  chan []int16 // frames; those that nobody takes are dropped
	caller chan netip.AddrPort

	packets atomic.Int64 // that came, whatever they were
}

func openDeskPhone(t *testing.T) *deskPhone {
	t.Helper()
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	require.NoError(t, err)
	h := &deskPhone{t: t, conn: conn, heard: make(chan []int16, 100), caller: make(chan netip.AddrPort, 1)}
	var reading sync.WaitGroup
	reading.Go(h.read)
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		reading.Wait()
	})
	return h
}

func (h *deskPhone) port() string { return strconv.Itoa(h.conn.LocalAddr().(*net.UDPAddr).Port) }

func (h *deskPhone) read() {
	packet := make([]byte, 1500)
	for {
		n, from, err := h.conn.ReadFromUDPAddrPort(packet)
		if err != nil {
			return // closed
		}
		h.packets.Add(1)
		if n != rtpHeader+audio.FrameLen || packet[1]&0x7f != 8 {
			continue
		}
		select {
		case h.caller <- from:
		default:
		}
		select {
		case h.heard <- audio.A.Decode(nil, packet[rtpHeader:n]):
		default:
		}
	}
}

// hears reports whether half a second of a kind of sound comes within a minute.
func (h *deskPhone) hears(what func([]int16) bool) bool {
	h.t.Helper()
	for range len(h.heard) { // what came before
		<-h.heard
	}
	for matched, heard := 0, 0; heard < aMinute; heard++ {
		select {
		case frame := <-h.heard:
			if what(frame) {
				matched++
			}
		case <-time.After(30 * time.Second):
			require.FailNow(h.t, "the telephone hears nothing")
		}
		if matched == 25 {
			return true
		}
	}
	return false
}

const rtpHeader = 12

// hum sends a tone until stop is called.
func (h *deskPhone) hum(freq float64) (stop func()) {
	return h.play(audio.Tone(time.Second, -15, freq))
}

// play sends a sound over and over, until stop is called.
func (h *deskPhone) play(sound []int16) (stop func()) {
	to, done := <-h.caller, make(chan struct{})
	var playing sync.WaitGroup
	playing.Go(func() {
		looped := audio.A.Encode(nil, sound[:len(sound)/audio.FrameLen*audio.FrameLen])
		tick := time.NewTicker(audio.FrameDuration)
		defer tick.Stop()
		for n := 0; ; n++ {
			packet := make([]byte, rtpHeader, rtpHeader+audio.FrameLen)
			packet[0], packet[1], packet[11] = 0x80, 8, 7 // version 2, PCMA, the source
			stamp := uint32(n * audio.FrameLen)
			packet[2], packet[3] = byte(n>>8), byte(n)
			packet[4], packet[5], packet[6], packet[7] = byte(stamp>>24), byte(stamp>>16), byte(stamp>>8), byte(stamp)
			at := n * audio.FrameLen % len(looped)
			if _, err := h.conn.WriteToUDPAddrPort(append(packet, looped[at:at+audio.FrameLen]...), to); err != nil {
				return // closed
			}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		playing.Wait()
	}
}

// press sends a key as a telephone event (RFC 4733), its end three times.
func (h *deskPhone) press(key byte) {
	h.t.Helper()
	to := <-h.caller
	for n := range byte(6) {
		packet := []byte{0x80, 101, 0, n, 0, 0, 1, 0, 0, 0, 0, 7, key - '0', 10, 1, 160 * min(n, 1)}
		if n == 0 {
			packet[1] |= 0x80
		}
		if n > 2 {
			packet[13] |= 0x80
		}
		_, err := h.conn.WriteToUDPAddrPort(packet, to)
		require.NoError(h.t, err)
	}
}

// TestColleagueIsSipp puts callers through to SIPp, a telephone that nobody here wrote. One that answers hears the assistant,
// then the caller; from one that is busy or does not answer the caller comes back.
func TestColleagueIsSipp(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	for name, scenario := range map[string]string{
		"Joins": "testdata/uas_colleague.xml", "Busy": "../../voice/sip/testdata/uas_486.xml",
		"NoAnswer": "../../voice/sip/testdata/uas_noanswer.xml",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startPlatform(t, dbtest.DSN(t), false)
			desk, port := openDeskPhone(t), siptest.FreePort(t)
			proxy := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
			worker := p.startWorker(append(hearing(), "--trunk-proxy="+proxy, "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1",
				"--web-listen=127.0.0.1:0", "--web-tcp-listen=127.0.0.1:0")...)
			caller := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
			caller.call()
			p.waitStatus(caller.id, "in-progress")
			ended := runSipp(t, filepath.FromSlash(scenario), proxy, "-key", "rtp_port", desk.port())
			siptest.AwaitBound(t, "udp", port)
			told := p.tell(caller.id, map[string]any{"type": "transfer", "phone_number": deskNumber, "transfer_plan": map[string]any{
				"mode": "warm-transfer-say-summary", "dialTimeout": 3,
				"fallbackPlan": map[string]any{"message": "Nobody is there.", "endCallEnabled": false},
			}})
			if name == "Joins" {
				requireJoined(t, p, caller, desk, told.ID)
			} else {
				caller.see("transcript", "Nobody is there.")
				require.Equal(t, "in-progress", p.get(caller.id).Status)
				caller.tell(map[string]any{"type": "say", "text": "Are you open on Saturday?"})
				caller.see("transcript", "Are you open on Saturday?")
				caller.see("transcript", "Yes, from nine to one.")
			}
			require.NoError(t, caller.Tell(map[string]any{"type": "hang-up"}))
			require.NoError(t, <-ended, "sipp")
			p.waitStatus(caller.id, "completed")
			require.Equal(t, map[string]string{"Joins": "completed", "Busy": "busy", "NoAnswer": "no-answer"}[name],
				p.legs(caller.id)[0].Leg.Status)
			worker.stop()
		})
	}
}

// requireJoined has the desk hear the summary, and then desk and caller each other.
func requireJoined(t *testing.T, p *platform, caller *page, desk *deskPhone, command string) {
	t.Helper()
	require.True(t, desk.hears(isLoud), "the colleague hears no summary")
	require.Eventually(t, func() bool { return p.outcomes(caller.id)[command] == "done" }, time.Minute, 20*time.Millisecond)
	require.Equal(t, "forwarding", p.get(caller.id).Status)
	stop := caller.hum(callerTone)
	require.True(t, desk.hears(toneOf(callerTone)), "the colleague does not hear the caller")
	stop()
	stop = desk.hum(operatorTone)
	defer stop()
	require.True(t, caller.hears(toneOf(operatorTone)), "the caller does not hear the colleague")
}

// TestColleagueAtASIPURI has an assistant put callers through to the address of a telephone, past the trunk; and to one in a
// network that is not for customers, which gets no packet.
func TestColleagueAtASIPURI(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	desk, port := openDeskPhone(t), siptest.FreePort(t)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	toURI := func(uri string) {
		p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{"model": map[string]any{
			"provider": "scripted", "messages": []any{map[string]any{"role": "system",
				"content": `when colleague: call transfer {"destination": "desk"}`}},
			"tools": []any{map[string]any{"type": "transferCall", "destinations": []any{map[string]any{
				"type": "sip", "sipUri": uri, "name": "Desk", "transferPlan": map[string]any{"sipVerb": "dial"},
			}}}},
		}}, http.StatusOK, nil)
	}
	ask := func() *page {
		caller := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
		caller.call()
		caller.tell(map[string]any{"type": "say", "text": "May I talk to a colleague?"})
		return caller
	}
	flags := append(append(hearing(), outside.overCarrier()...), "--web-listen=127.0.0.1:0", "--web-tcp-listen=127.0.0.1:0")

	toURI("sip:desk@" + address)
	worker := p.startWorker(flags...)
	ended := runSipp(t, filepath.Join("testdata", "uas_colleague.xml"), address, "-key", "rtp_port", desk.port())
	siptest.AwaitBound(t, "udp", port)
	caller := ask()
	p.waitStatus(caller.id, "forwarding")
	stop := caller.hum(callerTone)
	require.True(t, desk.hears(toneOf(callerTone)), "the colleague does not hear the caller")
	stop()
	require.NoError(t, caller.Tell(map[string]any{"type": "hang-up"}))
	require.NoError(t, <-ended, "sipp")
	require.Equal(t, "completed", p.legs(caller.id)[0].Leg.Status)
	require.Empty(t, outside.Calls(), "the trunk was asked")
	worker.stop()

	hidden := openDeskPhone(t)
	toURI("sip:desk@127.0.0.1:" + hidden.port())
	guarded := p.startWorker(append(flags, "--allow-networks=192.0.2.0/24")...)
	caller = ask()
	caller.see("transcript", "Sorry, I could not put you through.")
	require.NoError(t, caller.Tell(map[string]any{"type": "hang-up"}))
	p.waitStatus(caller.id, "completed")
	require.Zero(t, hidden.packets.Load(), "something was sent into a network that is not for customers")
	guarded.stop()
}
