// Package wire sends and receives SIP messages: sockets and connections, the transactions of sipgo, requests inside dialogs,
// and digest authentication. It knows which sources may send requests, and where others reach us.
//
// It must not know calls or registrations: what a request means, and whom it belongs to, is decided by voice/sip.
package wire
