package rtp

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"
)

const (
	masterLen   = 16 // bytes of a master key, which its salt follows
	saltLen     = 14
	replayDepth = 64 // packets, RFC 3711 section 3.3.2
)

// KeyLen is the length of a master key and its salt for AES_CM_128_HMAC_SHA1_80, in bytes.
const KeyLen = masterLen + saltLen

// Keyring is what a call needs to encrypt over all of its offers and answers. Our key stays the same, as packet counters
// go with it; the far end may change its own.
type Keyring struct {
	own, far []byte
	cipher   *Cipher
}

// Own returns our key, which is made when it is first needed.
func (k *Keyring) Own() []byte {
	if k.own == nil {
		k.own = make([]byte, KeyLen)
		rand.Read(k.own) // never fails
	}
	return k.own
}

// Agree returns the cipher for the far end's key of KeyLen bytes.
func (k *Keyring) Agree(far []byte) (*Cipher, error) {
	if k.cipher != nil && bytes.Equal(k.far, far) {
		return k.cipher, nil
	}
	c := new(Cipher)
	var failed error
	context := func(key []byte, options ...srtp.ContextOption) *srtp.Context {
		created, err := srtp.CreateContext(key[:masterLen], key[masterLen:], srtp.ProtectionProfileAes128CmHmacSha1_80, options...)
		failed = errors.Join(failed, err)
		return created
	}
	if k.cipher != nil {
		c.out = k.cipher.out
	} else {
		c.out = context(k.Own())
	}
	c.in = context(far, srtp.SRTPReplayProtection(replayDepth), srtp.SRTCPReplayProtection(replayDepth))
	c.beside = context(far, srtp.SRTCPReplayProtection(replayDepth))
	if failed != nil {
		return nil, fmt.Errorf("set up encryption: %w", failed)
	}
	k.far, k.cipher = bytes.Clone(far), c
	return c, nil
}

// Cipher encrypts what we send and decrypts what comes (SRTP, RFC 3711). nil does neither. Each context belongs to one
// goroutine: the one that sends, the one that receives, and the one that receives reports on their own port.
type Cipher struct {
	out, in, beside *srtp.Context
}

// seal encrypts a packet into b, if that has the room. header is scratch.
func (c *Cipher) seal(b, packet []byte, header *rtp.Header) ([]byte, error) {
	return c.out.EncryptRTP(b, packet, header)
}

func (c *Cipher) sealReport(plain []byte) ([]byte, error) {
	if c == nil {
		return plain, nil
	}
	return c.out.EncryptRTCP(nil, plain, nil)
}

// opener decrypts reports. The zero value takes them as they are.
type opener struct{ context *srtp.Context }

// control opens reports that come on their own port.
func (c *Cipher) control() opener {
	if c == nil {
		return opener{}
	}
	return opener{c.beside}
}

// shared opens reports that come on the port of the media.
func (c *Cipher) shared() opener {
	if c == nil {
		return opener{}
	}
	return opener{c.in}
}

func (o opener) report(datagram []byte) ([]byte, error) {
	if o.context == nil {
		return datagram, nil
	}
	return o.context.DecryptRTCP(nil, datagram, nil)
}
