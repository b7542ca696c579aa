package sdp

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/callwright/callwright/voice/rtp"
)

const cryptoSuite = "AES_CM_128_HMAC_SHA1_80"

// crypto is a crypto attribute (RFC 4568): the key with which the one who writes it encrypts. nil: there is none.
type crypto struct {
	tag int
	key []byte // master key and salt
}

// parseCrypto parses the value of a crypto attribute. It returns nil for suites and parameters that we do not do.
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
	if err != nil || len(key) != rtp.KeyLen {
		return nil
	}
	return &crypto{int(tag), key}
}

func (c *crypto) String() string {
	return fmt.Sprintf("%d %s inline:%s", c.tag, cryptoSuite, base64.StdEncoding.EncodeToString(c.key))
}
