package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

const pageTimeout = 20 * time.Second

// pages call an assistant, each for as long as talkFor.
type pages struct {
	pageOrder
	voice   []int16
	talkFor time.Duration

	mu      sync.Mutex
	talking map[*page]struct{}
	called  pagesCalled
}

// runPages is the child whose far ends are browsers: it carries out orders until there are no more.
func runPages(ctx context.Context, talkFor time.Duration) error {
	voice, err := speech(ctx, question)
	if err != nil {
		return err
	}
	fmt.Println(behaviorPages)
	orders, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		p := &pages{voice: voice, talkFor: talkFor, talking: map[*page]struct{}{}}
		if err := orders.Decode(&p.pageOrder); errors.Is(err, io.EOF) {
			return results.Encode(map[string]*notes{})
		} else if err != nil {
			return err
		}
		p.callAll(ctx)
		if err := results.Encode(p.called); err != nil {
			return err
		}
	}
}

func (p *pages) callAll(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go p.beat(ctx)
	tick := time.NewTicker(time.Second / webPerSecond)
	defer tick.Stop()
	var calls sync.WaitGroup
	for range p.Calls {
		calls.Go(func() {
			if err := p.call(ctx); err != nil {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.called.Failed = append(p.called.Failed, err.Error())
			}
		})
		<-tick.C
	}
	fmt.Println()
	calls.Wait()
}

// beat has all pages send their sound, every 20 ms.
func (p *pages) beat(ctx context.Context) {
	for due := time.Now(); ctx.Err() == nil; due = due.Add(audio.FrameDuration) {
		time.Sleep(time.Until(due))
		p.mu.Lock()
		for page := range p.talking {
			page.speak()
		}
		p.mu.Unlock()
	}
}

// call connects a page, has it talk and hangs up.
func (p *pages) call(ctx context.Context) (err error) {
	began := time.Now()
	browser, err := webrtctest.New(webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, browser.Close()) }()
	answered, err := p.connect(ctx, browser)
	if err != nil {
		return err
	}
	connected := time.Now()
	on := &page{browser: browser, incoming: make(chan audio.Incoming, 64)}
	go on.listen()
	p.mu.Lock()
	p.called.Connected = append(p.called.Connected, connected.Sub(began))
	p.called.Answered = append(p.called.Answered, answered.Sub(began))
	p.talking[on] = struct{}{}
	p.mu.Unlock()
	talker := &talker{leg: on, voice: p.voice, until: time.Now().Add(p.talkFor)}
	talker.talk()
	p.mu.Lock()
	p.called.Answers += len(talker.notes.Answers)
	delete(p.talking, on)
	p.mu.Unlock()
	if talker.gone {
		return errors.New("the assistant hung up")
	}
	return browser.Tell(map[string]string{"type": "hang-up"})
}

// connect offers the call, and returns when the page is connected, and when the answer had come.
func (p *pages) connect(ctx context.Context, browser *webrtctest.Browser) (answered time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	offer, err := browser.Offer(ctx)
	if err != nil {
		return answered, err
	}
	answer, err := p.offer(ctx, offer)
	if err != nil {
		return answered, err
	}
	answered = time.Now()
	if err := browser.Accept(answer); err != nil {
		return answered, err
	}
	for _, happened := range []<-chan struct{}{browser.Connected, browser.Open} {
		select {
		case <-happened:
		case <-ctx.Done():
			return answered, fmt.Errorf("the page did not connect: %w", ctx.Err())
		}
	}
	return answered, nil
}

func (p *pages) offer(ctx context.Context, sdp string) (answer string, err error) {
	body, err := json.Marshal(map[string]string{"assistant_id": p.Assistant, "sdp": sdp})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/v1/calls/web", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+p.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusCreated {
		err = fmt.Errorf("web call refused: %d %s", response.StatusCode, text)
	}
	var made struct{ SDP string }
	return made.SDP, errors.Join(err, json.Unmarshal(text, &made))
}

// page is the microphone and the loudspeaker of a browser. It implements handset.
type page struct {
	browser  *webrtctest.Browser
	incoming chan audio.Incoming
	mu       sync.Mutex
	queued   []int16
}

// listen hears the assistant until it has hung up.
func (p *page) listen() {
	defer close(p.incoming)
	for {
		select {
		case packet := <-p.browser.Sound:
			select {
			case p.incoming <- audio.Incoming{Frame: audio.Mu.Decode(nil, packet.Payload)}:
			default: // it hangs up, and hears no more
			}
		case <-p.browser.Gone:
			return
		}
	}
}

// Play implements handset.
func (p *page) Play(pcm []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queued = append(p.queued, pcm...)
}

// Queued implements handset.
func (p *page) Queued() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Duration(len(p.queued)) * time.Second / audio.Rate
}

// Incoming implements handset.
func (p *page) Incoming() <-chan audio.Incoming { return p.incoming }

// speak sends 20 ms of what is queued, and silence after it.
func (p *page) speak() {
	var frame [audio.FrameLen]int16
	p.mu.Lock()
	p.queued = p.queued[copy(frame[:], p.queued):]
	p.mu.Unlock()
	_ = p.browser.Speak(0, audio.Mu.Encode(nil, frame[:])) // when it is over, so is its sound
}
