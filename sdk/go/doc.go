// Package callwright is the client of the Callwright API: AI phone assistants that answer and place calls.
//
// [New] returns a [Client] with a method for every operation; package api has those and the types, as oapi-codegen makes them of
// the OpenAPI document. Requests are sent again where that is safe, a response that is no success is an error, an [*APIError],
// and lists have iterators. [Client.Events] reads events as they happen; [VerifyWebhook] checks and decodes those that arrive at
// a server.
package callwright
