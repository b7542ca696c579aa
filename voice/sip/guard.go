package sip

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"
)

// SRTP tells whether the media of a call is to be encrypted, with keys agreed on in SDP (RFC 4568). Those are as secret
// as the SIP that carries them, so encryption belongs with TLS.
type SRTP string

// What a Dial can ask for. Calls that come in are encrypted where the caller offers it.
const (
	SRTPOff      SRTP = ""
	SRTPOptional SRTP = "optional" // offered, and left out where the far end does not want it
	SRTPRequired SRTP = "required" // a far end that does not encrypt is not talked to
)

func (s SRTP) check() error {
	switch s {
	case SRTPOff, SRTPOptional, SRTPRequired:
		return nil
	}
	return fmt.Errorf("%q is no encryption setting", string(s))
}

const (
	cryptoSuite = "AES_CM_128_HMAC_SHA1_80"
	masterLen   = 16 // bytes of a master key, which its salt follows
	saltLen     = 14
	replayDepth = 64 // packets, RFC 3711 section 3.3.2
)

var errNotEncrypted = errors.New("the far end does not encrypt its media")

// crypto is a crypto attribute: the key with which the one who writes it encrypts. nil: there is none.
type crypto struct {
	tag int
	key []byte // master key and salt
}

// parseCrypto reads the value of a crypto attribute. It is nil for suites and parameters that we do not do.
func parseCrypto(value string) *crypto {
	fields := strings.Fields(value)
	if len(fields) != 3 || !strings.EqualFold(fields[1], cryptoSuite) { // session parameters would have to be understood
		return nil
	}
	tag, err := strconv.ParseUint(fields[0], 10, 30)
	if err != nil {
		return nil
	}
	method, info, _ := strings.Cut(fields[2], ":")
	if !strings.EqualFold(method, "inline") || strings.ContainsAny(info, ";:") { // several keys, or a key identifier
		return nil
	}
	encoded, _, _ := strings.Cut(info, "|") // a lifetime may follow, which no call reaches
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != masterLen+saltLen {
		return nil
	}
	return &crypto{int(tag), key}
}

func (c *crypto) String() string {
	return fmt.Sprintf("%d %s inline:%s", c.tag, cryptoSuite, base64.StdEncoding.EncodeToString(c.key))
}

// keyring is what a call needs to encrypt over all of its offers and answers. Our key stays the same, as packet counters
// go with it; the far end may change its own.
type keyring struct {
	own, far []byte
	guard    *guard
}

// ownKey makes our key when it is first needed.
func (k *keyring) ownKey() []byte {
	if k.own == nil {
		k.own = make([]byte, masterLen+saltLen)
		rand.Read(k.own) // never fails
	}
	return k.own
}

// agree gives the guard for the far end's key.
func (k *keyring) agree(far []byte) (*guard, error) {
	if k.guard != nil && bytes.Equal(k.far, far) {
		return k.guard, nil
	}
	g := new(guard)
	var failed error
	context := func(key []byte, options ...srtp.ContextOption) *srtp.Context {
		c, err := srtp.CreateContext(key[:masterLen], key[masterLen:], srtp.ProtectionProfileAes128CmHmacSha1_80, options...)
		failed = errors.Join(failed, err)
		return c
	}
	if k.guard != nil {
		g.out = k.guard.out
	} else {
		g.out = context(k.ownKey())
	}
	g.in = context(far, srtp.SRTPReplayProtection(replayDepth), srtp.SRTCPReplayProtection(replayDepth))
	g.beside = context(far, srtp.SRTCPReplayProtection(replayDepth))
	if failed != nil {
		return nil, fmt.Errorf("set up encryption: %w", failed)
	}
	k.far, k.guard = bytes.Clone(far), g
	return g, nil
}

// guard encrypts what we send and decrypts what comes (SRTP, RFC 3711). nil does neither. Each context belongs to one
// goroutine: the one that sends, the one that receives, and the one that receives reports on their own port.
type guard struct {
	out, in, beside *srtp.Context
}

// seal encrypts a packet into b, if that has the room. header is scratch.
func (g *guard) seal(b, packet []byte, header *rtp.Header) ([]byte, error) {
	return g.out.EncryptRTP(b, packet, header)
}

func (g *guard) sealReport(plain []byte) ([]byte, error) {
	if g == nil {
		return plain, nil
	}
	return g.out.EncryptRTCP(nil, plain, nil)
}

// opener decrypts reports. The zero value takes them as they are.
type opener struct{ context *srtp.Context }

// control opens reports that come on their own port.
func (g *guard) control() opener {
	if g == nil {
		return opener{}
	}
	return opener{g.beside}
}

// shared opens reports that come on the port of the media.
func (g *guard) shared() opener {
	if g == nil {
		return opener{}
	}
	return opener{g.in}
}

func (o opener) report(datagram []byte) ([]byte, error) {
	if o.context == nil {
		return datagram, nil
	}
	return o.context.DecryptRTCP(nil, datagram, nil)
}
