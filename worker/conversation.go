package worker

import (
	"context"
	"log/slog"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/cache"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/worker/assistant"
	"github.com/callwright/callwright/worker/recording"
)

// conversation is one that waits for its call to be answered.
type conversation struct {
	call    *dbsqlc.Call
	session *voice.Session
	speaker *cache.Provider
	sound   *assistant.Sound
	logger  *slog.Logger

	recordingSecret string
}

// prepare makes ready, while it rings, what the conversation will need at once.
func (p *Phone) prepare(ctx context.Context, call *dbsqlc.Call, logger *slog.Logger) *conversation {
	session, speaker := p.newSession(call)
	fixed := session.Script.FixedSpeech(audio.Narrow) // what nearly all far ends choose
	p.asking.Go(func() { warm(ctx, speaker, fixed, logger) })
	sound := p.sounds.Find(p.live, &p.asking, call.AccountID, call.AssistantConfig.BackgroundSound)
	return &conversation{call: call, session: session, speaker: speaker, sound: sound, logger: logger}
}

// warm makes the sound of fixed sentences, one after the other. A voice that broke off is asked once more: what stands in for it
// is known by then. One that fails again will be asked when its words are needed.
func warm(ctx context.Context, speaker *cache.Provider, fixed []tts.Request, logger *slog.Logger) {
	for _, request := range fixed {
		err := speaker.Warm(ctx, request)
		if err != nil && ctx.Err() == nil {
			err = speaker.Warm(ctx, request)
		}
		if err != nil {
			if ctx.Err() == nil {
				logger.WarnContext(ctx, "fixed messages not made beforehand", "error", err)
			}
			return
		}
	}
}

// warmWideband makes the fixed sentences of a wideband call once more. Until they are there, and in this call the first of
// them, it hears those of the other calls.
func (p *Phone) warmWideband(ctx context.Context, talk *conversation, band audio.Band) {
	if band == audio.Narrow {
		return
	}
	fixed := talk.session.Script.FixedSpeech(band)
	p.asking.Go(func() { warm(ctx, talk.speaker, fixed, talk.logger) })
}

// begin is the session, with the background that is there by now.
func (c *conversation) begin(ctx context.Context) *voice.Session {
	sound, err := c.sound.Wait(ctx)
	if err != nil {
		c.logger.WarnContext(ctx, "call without its background sound", "error", err)
	}
	c.session.Script.Background = voice.Background{Sound: sound, Gain: voice.DefaultBackgroundGain}
	return c.session
}

// record is nil where the assistant is to leave no recording of a call of that band.
func (c *conversation) record(store files.Store, writers *recording.Writers, processID string,
	band audio.Band) (*recording.Recorder, error) {
	if c.call.AssistantConfig.Unrecorded() {
		return nil, nil
	}
	return recording.New(store, writers, recording.DraftName(c.call, processID), c.recordingSecret, band)
}

// newSession chooses who thinks, listens and speaks. The names of models and voices mean something only to the vendor
// that the assistant names with them.
func (p *Phone) newSession(call *dbsqlc.Call) (*voice.Session, *cache.Provider) {
	script, vendors := assistant.NewScript(call, p.clock.Now()), assistant.VendorsOf(call.AssistantConfig)
	model, known := p.cfg.Speech.LLM(vendors.Model)
	if !known {
		script.Model.Name = ""
	}
	transcriber, known := p.cfg.Speech.STT(vendors.Transcriber)
	if !known {
		script.Transcriber.Model = ""
	}
	speaker, known := p.cfg.Speech.TTS(vendors.Voice)
	if !known {
		script.Voice = voice.Voice{}
	}
	return &voice.Session{
		LLM: model, STT: transcriber, TTS: speaker, Script: script, Tools: p.tools.Of(call), Endpointer: p.tools.Endpointer(call),
	}, speaker
}
