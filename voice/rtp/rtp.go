// Package rtp carries the sound of a leg over the network: RTP and RTCP on pairs of UDP ports (RFC 3550), encrypted with SRTP
// where that was agreed on (RFC 3711). It learns where the far end really sends from, as far as that is trusted, reports how the
// streams arrive, and ignores what an unknown source sends.
//
// It must not know how a call is signalled, nor what its sound means: whoever negotiates gives it a Route, and the stream of
// voice/media makes and takes the packets.
package rtp
