package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed" // of what recognisers hear
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/scan"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

// slowAnswer is what a caller hears as a pause too long.
const slowAnswer = 1500 * time.Millisecond

// Settings name what an operator may have to correct of a vendor, by variable.
type Settings struct {
	Key     string // what proves our account
	Use     string // what is used there, such as a model
	Address string
}

// Speech returns the settings of a vendor whose variables begin with prefix.
func Speech(prefix string) Settings {
	return Settings{Key: prefix + "_KEY", Use: prefix + "_MODEL", Address: prefix + "_BASE_URL"}
}

// refused is the finding of a vendor that failed.
func refused(set Settings, err error) Finding {
	if _, unnamed := errors.AsType[*net.DNSError](err); unnamed {
		return fail("correct "+set.Address+", or look at /etc/resolv.conf", "%v", err)
	}
	switch kind, _ := fault.Of(err); kind {
	case fault.Denied:
		return fail("correct "+set.Key+", and look at the account there: its balance, its limits, what it may use", "%v", err)
	case fault.Refused:
		return fail("correct "+set.Use+" or "+set.Address, "%v", err)
	}
	return fail("look at the vendor's status page, at "+set.Address+" and at the way there", "%v", err)
}

// swift says how long a vendor took to begin.
func swift(name string, took time.Duration, what string) Finding {
	if took > slowAnswer {
		return warn("choose a faster model or vendor, or one that is closer", "%s %s after %s: callers wait", name, what, millis(took))
	}
	return ok("%s %s after %s", name, what, millis(took))
}

// Model returns the check of a language model: it is asked for a word.
func Model(name string, set Settings, model llm.Provider) Check {
	return Check{name, func(ctx context.Context) Finding {
		request := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "Reply with the word: ready"}}, MaxTokens: 16}
		began := time.Now()
		var first time.Duration
		for delta, err := range model.Stream(ctx, request) {
			if err != nil {
				return refused(set, err)
			}
			if first == 0 && (delta.Text != "" || delta.Finish != "") {
				first = time.Since(began)
			}
		}
		return swift(model.Name(), first, "begins to answer")
	}}
}

// Recogniser returns the check of a speech recogniser: it hears some words.
func Recogniser(name string, set Settings, recogniser stt.Provider) Check {
	return Check{name, func(ctx context.Context) Finding {
		stream, err := recogniser.Open(ctx, stt.Options{Language: "en"})
		if err != nil {
			return refused(set, err)
		}
		defer func() { _ = stream.Close() }() // of a question that is answered, or was not
		if err := stream.Write(audio.Mu.Decode(nil, spoken)); err != nil {
			return refused(set, err)
		}
		stream.EndOfSpeech()
		began := time.Now()
		text, err := heard(stream)
		switch {
		case err != nil:
			return refused(set, err)
		case text == "":
			return warn("try another model: "+set.Use, "%s understood nothing of “%s”", recogniser.Name(), sample)
		}
		return swift(recogniser.Name(), time.Since(began), fmt.Sprintf("understands “%s”", text))
	}}
}

// sample is what spoken has in µ-law, in the voice Slt of Flite: made here, it would take longer than the answer.
const sample = "I would like to make an appointment on Monday."

//go:embed appointment.ulaw
var spoken []byte

// heard returns the text up to the first final event.
func heard(stream stt.Stream) (string, error) {
	var words []string
	for event := range stream.Events() {
		if !event.Final {
			continue
		}
		words = append(words, event.Text)
		return strings.TrimSpace(strings.Join(words, " ")), nil
	}
	if err := stream.Err(); err != nil {
		return "", err
	}
	return "", errors.New("the recogniser ended without a word")
}

// Voice returns the check of a speech synthesiser: it says a word.
func Voice(name string, set Settings, voice tts.Provider) Check {
	return Check{name, func(ctx context.Context) Finding {
		began := time.Now()
		for _, err := range voice.Speak(ctx, tts.Request{Text: "Hello."}) {
			if err != nil {
				return refused(set, err)
			}
			return swift(voice.Name(), time.Since(began), "begins to speak")
		}
		return fail("correct "+set.Use, "%s makes no sound", voice.Name())
	}}
}

// Embedder returns the check of an embedding model.
func Embedder(model embed.Provider) Check {
	return Check{"embeddings", func(ctx context.Context) Finding {
		vectors, err := model.Embed(ctx, []string{"When are you open?"})
		if err != nil {
			return refused(Speech("CALLWRIGHT_EMBED"), err)
		}
		return ok("%s has %d dimensions", model.Model(), len(vectors[0]))
	}}
}

// Accountable is a vendor that can tell whether our account is accepted, without sending anything.
type Accountable interface {
	Check(ctx context.Context) error
}

// Account returns the check of such a vendor.
func Account(name string, set Settings, vendor Accountable) Check {
	return Check{name, func(ctx context.Context) Finding {
		if err := vendor.Check(ctx); err != nil {
			return refused(set, err)
		}
		return ok("the account is accepted")
	}}
}

// Carrier returns the check of who sells numbers: it is asked what there is.
func Carrier(carrier telco.Carrier) Check {
	return Check{"carrier", func(ctx context.Context) Finding {
		stock, err := carrier.Search(ctx, telco.Search{Country: "NL", Type: telco.Local, Limit: 1})
		if err != nil {
			return refused(Settings{"CALLWRIGHT_CARRIER_KEY", "CALLWRIGHT_CARRIER", "CALLWRIGHT_CARRIER_URL"}, err)
		}
		return ok("the account is accepted; %d number found", len(stock.Numbers))
	}}
}

// eicar is the test file of scanners, but for a word: they would find it in this program.
const eicar = `X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-#-TEST-FILE!$H+H*`

// Scanner returns the check of the virus scanner: it looks at the file that all of them know (EICAR).
func Scanner(scanner scan.Scanner) Check {
	return Check{"virus scanner", func(ctx context.Context) Finding {
		err := scanner.Scan(ctx, strings.NewReader(strings.Replace(eicar, "#", "ANTIVIRUS", 1)))
		kind, _ := fault.Of(err)
		switch {
		case kind == fault.Refused:
			return ok("finds the test file")
		case err != nil:
			return fail("start clamd, or correct CALLWRIGHT_CLAMD: documents wait for it", "%v", err)
		}
		return warn("run freshclam", "the scanner does not find the test file")
	}}
}

// Files returns the check of the store of recordings: a file is written, read and deleted. remedy is of all but a full disk.
func Files(store files.Store, remedy string) Check {
	return Check{"files", func(ctx context.Context) Finding {
		key, content := "doctor-"+rand.Text(), []byte(rand.Text())
		began := time.Now()
		err := store.Put(ctx, key, bytes.NewReader(content))
		if errors.Is(err, syscall.ENOSPC) {
			return fail("make room, or move CALLWRIGHT_FILES_DIR to a larger disk", "write a file: %v", err)
		}
		if err != nil {
			return fail(remedy, "write a file: %v", err)
		}
		read, err := readBack(ctx, store, key)
		if failed := store.Delete(context.WithoutCancel(ctx), key); failed != nil {
			return fail(remedy, "delete a file: %v", failed)
		}
		switch {
		case err != nil:
			return fail(remedy, "read a file: %v", err)
		case !bytes.Equal(read, content):
			return fail(remedy, "a file that was written is read as another one")
		}
		return ok("a file is written, read and deleted in %s", millis(time.Since(began)))
	}}
}

func readBack(ctx context.Context, store files.Store, key string) ([]byte, error) {
	file, _, err := store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	return content, errors.Join(err, file.Close())
}
