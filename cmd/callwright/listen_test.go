package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

// The tones of those who talk.
const (
	callerTone   = 500.0
	operatorTone = 1000.0
)

// hum sends a tone until stop is called.
func (b *page) hum(freq float64) (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	over := make(chan struct{})
	whole := audio.Mu.Encode(nil, audio.Tone(time.Second, -15, freq))
	go func() {
		defer close(over)
		tick := time.NewTicker(audio.FrameDuration)
		defer tick.Stop()
		for tone := whole; ctx.Err() == nil; tone = tone[audio.FrameLen:] {
			if len(tone) == 0 {
				tone = whole
			}
			if b.Speak(0, tone[:audio.FrameLen]) != nil { // it is closed
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// frames returns the next frames that the page hears.
func (b *page) frames(wanted int, take func(frame []int16) bool) (took bool) {
	b.t.Helper()
	for range len(b.Sound) { // what came before
		<-b.Sound
	}
	for range wanted {
		select {
		case p := <-b.Sound:
			if take(audio.Mu.Decode(nil, p.Payload)) {
				return true
			}
		case <-time.After(30 * time.Second):
			require.FailNow(b.t, "the page hears nothing")
		}
	}
	return false
}

func toneOf(freq float64) func([]int16) bool {
	return func(frame []int16) bool { return isLoud(frame) && audio.Purity(frame, freq) > 0.9 }
}

const aMinute = int(time.Minute / audio.FrameDuration)

// hears reports whether half a second of a kind of sound comes within a minute.
func (b *page) hears(what func([]int16) bool) bool {
	b.t.Helper()
	heard := 0
	return b.frames(aMinute, func(frame []int16) bool {
		if what(frame) {
			heard++
		}
		return heard == 25
	})
}

// listen has a page listen in on a call.
func (p *platform) listen(t *testing.T, callID, mode string) *page {
	t.Helper()
	return p.listenAs(t, "", callID, mode)
}

// listenAs is listen with another key, or a session.
func (p *platform) listenAs(t *testing.T, credential, callID, mode string) *page {
	t.Helper()
	b := p.openPage(t, credential, webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	offer := b.offer()
	offer["mode"] = mode
	status, body, header := b.ask(http.MethodPost, "/v1/calls/"+callID+"/listen", "", offer)
	require.Equal(t, http.StatusCreated, status, "%s", body)
	var made struct{ ID, SDP string }
	require.NoError(t, json.Unmarshal(body, &made))
	require.Equal(t, "/v1/calls/"+callID+"/listen/"+made.ID, header.Get("Location"))
	b.id = made.ID
	require.NoError(t, b.Accept(made.SDP))
	<-b.Connected
	<-b.Open
	p.waitListener(callID, b.id, "joined")
	return b
}

func (b *page) mode(callID, mode string) {
	b.t.Helper()
	status, body, _ := b.ask(http.MethodPatch, "/v1/calls/"+callID+"/listen/"+b.id, "", map[string]any{"mode": mode})
	require.Equal(b.t, http.StatusOK, status, "%s", body)
	b.see("mode", `"mode":"`+mode+`"`)
}

type listenerRecord struct{ ID, Mode, Status string }

func (p *platform) listeners(callID string) map[string]listenerRecord {
	p.t.Helper()
	var list struct{ Data []listenerRecord }
	p.call(http.MethodGet, "/v1/calls/"+callID+"/listen", nil, http.StatusOK, &list)
	byID := map[string]listenerRecord{}
	for _, one := range list.Data {
		byID[one.ID] = one
	}
	return byID
}

func (p *platform) waitListener(callID, id, status string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.listeners(callID)[id].Status == status }, time.Minute, 20*time.Millisecond,
		"listener never %s", status)
}

// TestListeningIn has colleagues hear a call, whisper to its assistant and barge in, where another worker than that of the call
// is idle.
func TestListeningIn(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	worker := webWorker(p)
	caller := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	caller.call()
	p.waitStatus(caller.id, "in-progress")
	idle := webWorker(p)
	listener := p.listen(t, caller.id, "listen")

	stop := caller.hum(callerTone)
	require.True(t, listener.hears(toneOf(callerTone)), "the caller is not heard")
	muted := listener.hum(operatorTone)
	require.False(t, caller.frames(100, toneOf(operatorTone)), "who only listens is heard")
	stop()
	caller.tell(map[string]any{"type": "say", "text": "Yes, speaking."})
	require.True(t, listener.hears(func(frame []int16) bool { return isLoud(frame) && !toneOf(operatorTone)(frame) }),
		"the assistant is not heard")
	listener.tell(map[string]any{"type": "say", "text": "when zebra: This was typed by nobody."})

	listener.mode(caller.id, "whisper")
	require.False(t, caller.frames(100, toneOf(operatorTone)), "who whispers is heard by the caller")
	listener.tell(map[string]any{"type": "say", "text": "when zebra: We have two zebras."})
	caller.see("transcript", "Which day suits you?")
	caller.tell(map[string]any{"type": "say", "text": "Have you a zebra?"})
	caller.see("transcript", "We have two zebras.")

	listener.mode(caller.id, "barge")
	require.True(t, caller.hears(toneOf(operatorTone)), "who barges in is not heard")
	second := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	offer := second.offer()
	offer["mode"] = "barge"
	status, body, _ := second.ask(http.MethodPost, "/v1/calls/"+caller.id+"/listen", "", offer)
	require.Equal(t, http.StatusConflict, status, "%s", body)
	listener.tell(map[string]any{"type": "caption", "text": "This is the manager.\n"})
	caller.tell(map[string]any{"type": "say", "text": "Are you open on Saturday?"})
	caller.see("transcript", "Are you open on Saturday?")
	muted()
	caller.see("transcript", "This is the manager.")
	listener.mode(caller.id, "listen")
	caller.tell(map[string]any{"type": "say", "text": "Saturday?"})
	caller.see("transcript", "Yes, from nine to one.")

	status, body, _ = listener.ask(http.MethodDelete, "/v1/calls/"+caller.id+"/listen/"+listener.id, "", nil)
	require.Equal(t, http.StatusNoContent, status, "%s", body)
	listener.see("hang-up", "")
	require.Equal(t, "left", p.listeners(caller.id)[listener.id].Status)
	require.Equal(t, []string{"delete-call-listener", "patch-call-listener", "patch-call-listener", "patch-call-listener",
		"create-call-listener", "create-web-call"}, p.audited(caller.id))
	require.NoError(t, caller.Tell(map[string]any{"type": "hang-up"}))
	require.Equal(t, "customer-ended-call", p.waitStatus(caller.id, "completed").EndedReason)
	recorded := p.recording(caller.id).Channels
	require.Greater(t, sounding(recorded[1], toneOf(operatorTone)), 400*time.Millisecond, "who barged in is recorded")
	requireOperator(t, p, caller.id)
	var told struct {
		Data []struct {
			Message struct{ Listener listenerRecord }
		}
	}
	p.call(http.MethodGet, "/v1/events?type=call-listener-update&call_id="+caller.id, nil, http.StatusOK, &told)
	var steps []string
	for _, event := range told.Data {
		require.Equal(t, listener.id, event.Message.Listener.ID)
		steps = append(steps, event.Message.Listener.Status+" "+event.Message.Listener.Mode)
	}
	require.Equal(t, "joined listen, joined whisper, joined barge, joined listen, left listen", strings.Join(steps, ", "))
	worker.stop()
	idle.stop()
}

// audited returns what was done to a resource, the latest first.
func (p *platform) audited(resourceID string) []string {
	p.t.Helper()
	var list struct{ Data []struct{ Operation string } }
	p.call(http.MethodGet, "/v1/audit?resource_id="+resourceID, nil, http.StatusOK, &list)
	operations := make([]string, 0, len(list.Data))
	for _, entry := range list.Data {
		operations = append(operations, entry.Operation)
	}
	return operations
}

// requireOperator checks who said what in a call on which somebody has barged in.
func requireOperator(t *testing.T, p *platform, callID string) {
	t.Helper()
	var call struct {
		Transcript []struct{ Role, Speaker, Text string }
	}
	p.call(http.MethodGet, "/v1/calls/"+callID, nil, http.StatusOK, &call)
	said := map[string]string{}
	for _, turn := range call.Transcript {
		said[turn.Text] = turn.Role + turn.Speaker
		require.NotContains(t, turn.Text, "typed by nobody")
	}
	require.Equal(t, "assistantoperator", said["This is the manager."], "%+v", call.Transcript)
	require.Equal(t, "user", said["Are you open on Saturday?"])
}

// TestListenersOfACallThatEnds has listeners of a simulated call vanish, come in too great a number, and see the call end.
func TestListenersOfACallThatEnds(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	worker := webWorker(p)
	queued := p.direct("+31612345602") // it rings and rings
	refused := func(callID string, offer map[string]any, wanted int) {
		t.Helper()
		b := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
		if offer == nil {
			offer = b.offer()
		}
		status, body, _ := b.ask(http.MethodPost, "/v1/calls/"+callID+"/listen", "", offer)
		require.Equal(t, wanted, status, "%s", body)
	}
	p.waitStatus(queued, "ringing")
	refused(queued, nil, http.StatusConflict)
	id := p.direct("+31612345606")
	p.waitStatus(id, "in-progress")
	refused(id, map[string]any{"sdp": brokenOffer}, http.StatusBadRequest)

	vanishes := p.listen(t, id, "barge")
	vanishes.see("mode", "barge")
	require.NoError(t, vanishes.Cut())
	p.waitListener(id, vanishes.id, "left")
	leaves := p.listen(t, id, "listen")
	leaves.tell(map[string]any{"type": "hang-up"})
	p.waitListener(id, leaves.id, "left")
	var others []*page
	for range 4 {
		others = append(others, p.listen(t, id, "listen"))
	}
	refused(id, nil, http.StatusTooManyRequests)
	p.hangUp(id)
	p.waitStatus(id, "completed", "failed")
	for _, other := range others {
		other.see("hang-up", "")
		require.Equal(t, "left", p.listeners(id)[other.id].Status)
	}
	refused(id, nil, http.StatusConflict)
	p.requireListenersAudited(id, "call-listener-left")

	lost := p.direct("+31612345606")
	p.waitStatus(lost, "in-progress")
	left := p.listen(t, lost, "listen")
	worker.kill()
	webWorker(p)
	require.Equal(t, "worker-lost", p.waitStatus(lost, "completed", "failed").EndedReason)
	require.Equal(t, "left", p.listeners(lost)[left.id].Status)
	p.requireListenersAudited(lost, "call-listener-left")
}

// requireListenersAudited checks that each listener of a call began once, and ended once in a way.
func (p *platform) requireListenersAudited(callID, end string) {
	p.t.Helper()
	audited := map[string]int{}
	for _, operation := range p.audited(callID) {
		audited[operation]++
	}
	listeners := len(p.listeners(callID))
	require.Equal(p.t, listeners, audited["create-call-listener"], audited)
	require.Equal(p.t, map[string]int{end: listeners}, map[string]int{end: audited["call-listener-left"] + audited["delete-call-listener"]}, audited)
}

// TestWhoSignsOutHearsNoMore has a key that is revoked and a person who signs out while they listen.
func TestWhoSignsOutHearsNoMore(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	worker := webWorker(p)
	pool, err := pgxpool.New(t.Context(), dsn)
	require.NoError(t, err)
	defer pool.Close()
	account := uuid.MustParse(p.account)
	person := dbfactory.Member(t, pool, account, "developer")
	session, _ := dbfactory.Session(t, pool, account, person.ID)
	text, key := dbfactory.APIKey(t, pool, account)
	id := p.direct("+31612345606")
	p.waitStatus(id, "in-progress")

	stays := p.listen(t, id, "listen")
	byKey, byPerson := p.listenAs(t, text, id, "listen"), p.listenAs(t, session, id, "listen")
	p.admin.call(http.MethodDelete, "/v1/api-keys/"+key.ID.String(), nil, http.StatusNoContent, nil)
	byKey.see("hang-up", "")
	status, body, _ := byPerson.ask(http.MethodDelete, "/v1/session", "", nil)
	require.Equal(t, http.StatusNoContent, status, "%s", body)
	byPerson.see("hang-up", "")
	for _, gone := range []*page{byKey, byPerson} {
		p.waitListener(id, gone.id, "left")
	}
	require.Equal(t, "joined", p.listeners(id)[stays.id].Status)
	p.hangUp(id)
	worker.stop()
}
