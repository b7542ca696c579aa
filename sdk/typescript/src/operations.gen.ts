// The operations of the API. Written by callwright-sdk from the OpenAPI document: not to be edited.
import type { Pages } from "./pages.js";
import type { Body, CreateOptions, Item, Query, RequestOptions, Requester, Result, Upload } from "./request.js";

/** The operations, each of which resolves to what the server responds. */
export abstract class Operations {
  protected abstract readonly requester: Requester;

  /**
   * Change your password. Ends all other sessions of the person. 403 `wrong_password` when the current one is wrong; 429
   * `too_many_passwords` after ten within 15 minutes. Role `viewer`.
   */
  changePassword(body: Body<"change-password">, options?: RequestOptions): Promise<Result<"change-password">> {
    return this.requester.send("PUT", "/v1/session/password", { body, options });
  }

  /**
   * Look at a link. Returns what a link is for, without using it. 404 when it was used or is too old.
   */
  checkLink(body: Body<"check-link">, options?: CreateOptions): Promise<Result<"check-link">> {
    return this.requester.send("POST", "/v1/session/link/check", { body, options });
  }

  /**
   * Create an API key. Returns the key's text, once. No key makes one that lives longer, may do more or asks faster than
   * itself: 403 `exceeds_key`, which names the field. 409 `conflict` when you have 100 keys that work. Scope `admin`,
   * role `developer`; not for test keys (403 `test_key`).
   */
  createApiKey(body: Body<"create-api-key">, options?: CreateOptions): Promise<Result<"create-api-key">> {
    return this.requester.send("POST", "/v1/api-keys", { body, options });
  }

  /**
   * Create an assistant. Only `assistant_name` is required; a number is linked afterwards. Scope `write`, role
   * `developer`.
   */
  createAssistant(body: Body<"create-assistant">, options?: CreateOptions): Promise<Result<"create-assistant">> {
    return this.requester.send("POST", "/v1/assistants", { body, options });
  }

  /**
   * Listen in on a live call. Answers the WebRTC offer of a browser, as `POST /v1/calls/web` does: it hears the call.
   * listen: you hear both sides, and nothing of yours goes anywhere. whisper: what you say, or type, is an instruction
   * that the assistant follows from its next reply on; the caller hears nothing of it. barge: the assistant falls silent
   * and the caller hears you; one listener at a time. Who listens is in the audit, and your server is told by
   * call-listener-update. 409 `conflict` when the call is not answered or is over, when somebody else has barged in, and
   * for a repeated Idempotency-Key: an offer is answered once. 429 `limit_reached` when four listen to the call, or as
   * many in all as your account may have calls. 503 when the worker of the call does not answer within 5 seconds. Scope
   * `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`).
   */
  createCallListener(call_id: string, body: Body<"create-call-listener">, options?: CreateOptions): Promise<Result<"create-call-listener">> {
    return this.requester.send("POST", `/v1/calls/${encodeURIComponent(call_id)}/listen`, { body, options });
  }

  /**
   * Create a contact. A phone number is unique among your contacts: 409 `conflict` when there is one with it. Scope
   * `write`, role `developer`.
   */
  createContact(body: Body<"create-contact">, options?: CreateOptions): Promise<Result<"create-contact">> {
    return this.requester.send("POST", "/v1/contacts", { body, options });
  }

  /**
   * Call now. Starts a call at once. The response comes before the telephone rings: follow the call by its events or at
   * `/v1/calls/{call_id}`. 400 `no_phone_number` when the assistant has no number. 403 `destination_not_allowed` when
   * your account may not reach the number; `details.reason` is the rule: `country`, `number_type`, `own_number`,
   * `calls_per_number` or `daily_minutes`. `GET /v1/user/limits` shows them. 402 `budget_exhausted` when the calls of
   * this month have cost your budget (`GET /v1/user/budget`). Scope `write`, role `developer`.
   */
  createDirectCall(body: Body<"create-direct-call">, options?: CreateOptions): Promise<Result<"create-direct-call">> {
    return this.requester.send("POST", "/v1/calls/direct", { body, options });
  }

  /**
   * Create an instant agent. Makes a complete assistant from a company's name, its website, its questions and answers
   * and the other fields, links it to the number and responds when it can take calls. It speaks Dutch or English: the
   * language of the website, else of the texts, else of the number's country. The website, the answers and the context
   * become its knowledge base too.
   * 
   * 400 `already_in_use` when a custom number is linked to another assistant, 400 `invalid_request` too when
   * `website_url` leads to no page that may be read, 502 `upstream_error` when the website failed, 504
   * `upstream_timeout` when it did not answer in time or all took over 25 seconds, 409 `limit_reached` when the
   * knowledge base has no room for what it is to know. After these nothing is left behind: no assistant, no link, no
   * knowledge. A client that disconnects does not stop it; the same `Idempotency-Key` returns its outcome, errors
   * included, and 409 `idempotency_in_progress` until then. At most 5 are made at once; more are 429 `rate_limited`.
   * Scope `write`, role `developer`.
   */
  createInstantAgent(body: Body<"create-instant-agent">, options?: CreateOptions): Promise<Result<"create-instant-agent">> {
    return this.requester.send("POST", "/instant-agents", { body, options });
  }

  /**
   * Add a document. Exactly one of `text`, `url`, and `question` with `answer`. Text can be found at once; a page is
   * fetched first (`processing`, then `ready` or `failed`). robots.txt is honoured. 409 `limit_reached` when the
   * knowledge base has as many documents as it may (`GET /v1/user/limits`). Scope `write`, role `developer`.
   */
  createKnowledgeDocument(body: Body<"create-knowledge-document">, options?: CreateOptions): Promise<Result<"create-knowledge-document">> {
    return this.requester.send("POST", "/v1/knowledge-base/documents", { body, options });
  }

  /**
   * Order a number. Takes 10 credits and orders the number at the carrier; the order is `pending` until the carrier has
   * decided. The credits of a failed order are refunded. Numbers do not renew: the price is paid once. Codes:
   * `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402), `not_found` (404), `conflict` (409: the
   * number is taken or being ordered). Scope `write`, role `developer`.
   */
  createPhoneNumberOrder(body: Body<"create-phone-number-order">, options?: CreateOptions): Promise<Result<"create-phone-number-order">> {
    return this.requester.send("POST", "/v1/phone-number-orders", { body, options });
  }

  /**
   * Schedule a call. The call is placed at its time, also if processes end meanwhile; `processed` becomes true in the
   * transaction that creates the call. With `retry`, an attempt that ends as one of `on` turns it false again until the
   * next one; until then PUT changes the next attempt, PUT `processed` true or DELETE cancels it, and so does the
   * contact's or the assistant's deletion. When its time comes the rules of destinations are applied again: a call that
   * they forbid is not dialed, and `explanation` says why. 403 `destination_not_allowed` when your account may not reach
   * the number; `details.reason` is the rule: `country`, `number_type`, `own_number`, `calls_per_number` or
   * `daily_minutes`. `GET /v1/user/limits` shows them. Scope `write`, role `developer`.
   */
  createScheduledCall(body: Body<"create-scheduled-call">, options?: CreateOptions): Promise<Result<"create-scheduled-call">> {
    return this.requester.send("POST", "/v1/scheduled-calls", { body, options });
  }

  /**
   * Create a SIP connection. Makes your number known as a custom number and registers the account at its provider, which
   * is kept registered from then on. Calls from the number leave and calls to it arrive over this connection. The number
   * is yours once the proxy has registered it: until then its status is `pending`, it takes no calls, and the first
   * account whose proxy registers it gets it. 409 `conflict` when the number is in use; 409 `limit_reached` when you
   * have 20 connections, or 5 at this proxy. Refused and unanswered registrations are tried again after ever longer
   * pauses, up to an hour, and stop after a day with a `sip-connection-stopped` event. Connections made with a test key
   * register at the simulated network. Scope `write`, role `developer`.
   */
  createSipConnection(body: Body<"create-sip-connection">, options?: CreateOptions): Promise<Result<"create-sip-connection">> {
    return this.requester.send("POST", "/v1/sip-connections", { body, options });
  }

  /**
   * Create a verification group. The group's address is sent to the carrier; then upload its documents and submit it.
   * 409 `limit_reached` with 100 groups. Scope `write`, role `developer`.
   */
  createVerificationGroup(body: Body<"create-verification-group">, options?: CreateOptions): Promise<Result<"create-verification-group">> {
    return this.requester.send("POST", "/v1/verification-groups", { body, options });
  }

  /**
   * Talk in the browser. Answers the WebRTC offer of a browser: the person in it talks with the assistant. Takes JSON,
   * or, as WHIP does (RFC 9725), an offer as `application/sdp` with the assistant in the query, and responds alike. 429
   * `limit_reached` at once when all calls are taken that your account may have at a time, and 503 when no worker takes
   * the call within 5 seconds. A page calls this with a web token (`POST /v1/web-tokens`), a server with its key. 409
   * `conflict` when the Idempotency-Key was used before: an offer is answered once. Scope `write`, role `developer`.
   */
  createWebCall(body: Body<"create-web-call">, options?: CreateOptions): Promise<Result<"create-web-call">> {
    return this.requester.send("POST", "/v1/calls/web", { body, options });
  }

  /**
   * Create a web token. Returns a token with which a page of yours begins web calls and leaves them, and does nothing
   * else. Your server asks for one when it serves the page: it works for minutes, for the origins that you name. Scope
   * `write`, role `developer`.
   */
  createWebToken(body: Body<"create-web-token">, options?: CreateOptions): Promise<Result<"create-web-token">> {
    return this.requester.send("POST", "/v1/web-tokens", { body, options });
  }

  /**
   * Revoke an API key. The key stops working at once, everywhere, even if it is the calling key. Scope `admin`, role
   * `developer`; not for test keys (403 `test_key`).
   */
  deleteApiKey(id: string, options?: RequestOptions): Promise<Result<"delete-api-key">> {
    return this.requester.send("DELETE", `/v1/api-keys/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Delete an assistant. Unlinks its number, cancels its scheduled calls and deletes the knowledge documents that only
   * it uses. Past calls are kept; a call in progress goes on. Scope `write`, role `developer`; test keys only for a
   * assistant that a test key made (403 `test_key`).
   */
  deleteAssistant(assistant_id: string, options?: RequestOptions): Promise<Result<"delete-assistant">> {
    return this.requester.send("DELETE", `/v1/assistants/${encodeURIComponent(assistant_id)}`, { options });
  }

  /**
   * Delete a call. Removes an ended call, what was said in it and its recording. A queued call is canceled first. 409
   * `conflict` while the call goes on. Its end-of-call-report is delivered all the same, and its events stay in the
   * event log: erase the contact to remove those too. The scheduled call that made it still names it. Scope `write`,
   * role `developer`; test keys only for a call that a test key made (403 `test_key`).
   */
  deleteCall(call_id: string, options?: RequestOptions): Promise<Result<"delete-call">> {
    return this.requester.send("DELETE", `/v1/calls/${encodeURIComponent(call_id)}`, { options });
  }

  /**
   * Stop listening in. Ends a listener, yours or another's. 409 `conflict` when it has ended. Scope `write`, role
   * `developer`; test keys only for a call that a test key made (403 `test_key`).
   */
  deleteCallListener(call_id: string, listener_id: string, options?: RequestOptions): Promise<Result<"delete-call-listener">> {
    return this.requester.send("DELETE", `/v1/calls/${encodeURIComponent(call_id)}/listen/${encodeURIComponent(listener_id)}`, { options });
  }

  /**
   * Delete a contact. Scheduled calls to the contact are canceled; past calls are kept. With `erase=true` the person is
   * erased instead, also when the contact was deleted before: all fields of the contact and of others with its number,
   * and of all calls with it or with its number what was said, recordings, names, numbers, variables, `custom_data`,
   * analysis, stored events and what servers answered to them. Of those calls times and counts stay; events that were
   * not delivered yet never are. This cannot be undone. 409 `conflict` while a call of the person goes on or its
   * end-of-call-report is not written yet. Scope `write`, role `developer`; test keys only for a contact that a test key
   * made (403 `test_key`).
   */
  deleteContact(contact_id: string, query?: Query<"delete-contact">, options?: RequestOptions): Promise<Result<"delete-contact">> {
    return this.requester.send("DELETE", `/v1/contacts/${encodeURIComponent(contact_id)}`, { query, options });
  }

  /**
   * Delete a document. It is no longer found. Scope `write`, role `developer`; test keys only for a document that a test
   * key made (403 `test_key`).
   */
  deleteKnowledgeDocument(id: string, options?: RequestOptions): Promise<Result<"delete-knowledge-document">> {
    return this.requester.send("DELETE", `/v1/knowledge-base/documents/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Remove a member. Ends the person's sessions in the account at once, and the invitation. Nobody removes somebody
   * above them. 409 `conflict` when the account would have no owner left. Scope `admin`, role `admin`; not for test keys
   * (403 `test_key`).
   */
  deleteMember(id: string, options?: RequestOptions): Promise<Result<"delete-member">> {
    return this.requester.send("DELETE", `/v1/members/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Return a phone number. Returns an ordered number to the carrier. 409 `conflict` while an assistant is linked, and
   * for a number of a SIP connection, which goes with its connection; 400 `invalid_parameters` for a default number.
   * Scope `write`, role `developer`; test keys only for a phone number that a test key made (403 `test_key`).
   */
  deletePhoneNumber(id: string, options?: RequestOptions): Promise<Result<"delete-phone-number">> {
    return this.requester.send("DELETE", `/v1/phone-numbers/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Cancel a scheduled call. 409 once it is processed, which may be one second before its time. Scope `write`, role
   * `developer`; test keys only for a scheduled call that a test key made (403 `test_key`).
   */
  deleteScheduledCall(id: string, options?: RequestOptions): Promise<Result<"delete-scheduled-call">> {
    return this.requester.send("DELETE", `/v1/scheduled-calls/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Delete a SIP connection. Ends the registration and removes the number; past calls keep it. 409 `conflict` while an
   * assistant is linked to the number. Scope `write`, role `developer`; test keys only for a SIP connection that a test
   * key made (403 `test_key`).
   */
  deleteSipConnection(id: string, options?: RequestOptions): Promise<Result<"delete-sip-connection">> {
    return this.requester.send("DELETE", `/v1/sip-connections/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Delete a document. 409 while the group is under review. Scope `write`, role `developer`; test keys only for a
   * verification group that a test key made (403 `test_key`).
   */
  deleteVerificationDocument(verification_group_id: string, document_id: string, options?: RequestOptions): Promise<Result<"delete-verification-document">> {
    return this.requester.send("DELETE", `/v1/verification-groups/${encodeURIComponent(verification_group_id)}/documents/${encodeURIComponent(document_id)}`, { options });
  }

  /**
   * Delete a verification group. 409 while it has documents (delete them first), is under review, or an order through it
   * is pending. Personal data in it is erased. Scope `write`, role `developer`; test keys only for a verification group
   * that a test key made (403 `test_key`).
   */
  deleteVerificationGroup(verification_group_id: string, options?: RequestOptions): Promise<Result<"delete-verification-group">> {
    return this.requester.send("DELETE", `/v1/verification-groups/${encodeURIComponent(verification_group_id)}`, { options });
  }

  /**
   * Revoke a web token. No call is begun with it any more. Those that it has made go on. Scope `write`, role
   * `developer`; test keys only for a web token that a test key made (403 `test_key`).
   */
  deleteWebToken(id: string, options?: RequestOptions): Promise<Result<"delete-web-token">> {
    return this.requester.send("DELETE", `/v1/web-tokens/${encodeURIComponent(id)}`, { options });
  }

  /**
   * End a call. Hangs up a live call, also while it rings, and cancels a queued one. 409 `conflict` when it is over.
   * Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`).
   */
  endCall(call_id: string, options?: CreateOptions): Promise<Result<"end-call">> {
    return this.requester.send("POST", `/v1/calls/${encodeURIComponent(call_id)}/end`, { options });
  }

  /**
   * Sign out everywhere else. Ends all sessions of the person but the one that asks. Role `viewer`.
   */
  endOtherSessions(options?: RequestOptions): Promise<Result<"end-other-sessions">> {
    return this.requester.send("DELETE", "/v1/sessions", { options });
  }

  /**
   * End a session. Signs the person out there, at once. Role `viewer`.
   */
  endSession(id: string, options?: RequestOptions): Promise<Result<"end-session">> {
    return this.requester.send("DELETE", `/v1/sessions/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Generate frequently asked questions. Questions that callers are likely to ask, with answers, from a website or a
   * text (one of the two). The deployment's language model writes them; where none is configured, they are those that
   * the website has already. Nothing is stored. 502 `upstream_error` when nothing could be found or the website or the
   * model failed, 504 `upstream_timeout` after 25 seconds. Scope `write`, role `developer`.
   */
  generateFaqs(body: Body<"generate-faqs">, options?: CreateOptions): Promise<Result<"generate-faqs">> {
    return this.requester.send("POST", "/v1/faqs/generate", { body, options });
  }

  /**
   * Get an assistant. One assistant. Scope `read`, role `viewer`.
   */
  getAssistant(assistant_id: string, options?: RequestOptions): Promise<Result<"get-assistant">> {
    return this.requester.send("GET", `/v1/assistants/${encodeURIComponent(assistant_id)}`, { options });
  }

  /**
   * Get an assistant's number. The linked number, null when there is none. Scope `read`, role `viewer`.
   */
  getAssistantPhoneNumber(id: string, options?: RequestOptions): Promise<Result<"get-assistant-phone-number">> {
    return this.requester.send("GET", `/v1/assistants/${encodeURIComponent(id)}/phone-number`, { options });
  }

  /**
   * Get your budget. What the calls of a month may cost, and what those of this month have cost. It has nothing to do
   * with credits, which pay for numbers. Scope `read`, role `viewer`.
   */
  getBudget(options?: RequestOptions): Promise<Result<"get-budget">> {
    return this.requester.send("GET", "/v1/user/budget", { options });
  }

  /**
   * Get a call. One call, with its transcript and every state. Scope `read`, role `viewer`.
   */
  getCall(call_id: string, options?: RequestOptions): Promise<Result<"get-call">> {
    return this.requester.send("GET", `/v1/calls/${encodeURIComponent(call_id)}`, { options });
  }

  /**
   * Get a call's recording. A stereo WAV, the caller left and the assistant right. Supports Range requests. Scope
   * `read`, role `viewer`.
   */
  getCallRecording(call_id: string, options?: RequestOptions): Promise<Blob> {
    return this.requester.download("GET", `/v1/calls/${encodeURIComponent(call_id)}/recording`, { options });
  }

  /**
   * Get a contact. One contact, with its last ten calls. Scope `read`, role `viewer`.
   */
  getContact(contact_id: string, options?: RequestOptions): Promise<Result<"get-contact">> {
    return this.requester.send("GET", `/v1/contacts/${encodeURIComponent(contact_id)}`, { options });
  }

  /**
   * Get your credits. The balance and its ledger, newest entry first. The ledger is only ever added to, and the balance
   * is its sum. Scope `read`, role `viewer`.
   */
  getCredits(query?: Query<"get-credits">, options?: RequestOptions): Promise<Result<"get-credits">> {
    return this.requester.send("GET", "/v1/user/credits", { query, options });
  }

  /**
   * Get your extended profile. The profile, how much of everything there is, your limits, your keys and your webhook,
   * without any secret. Scope `read`, role `viewer`.
   */
  getExtendedProfile(options?: RequestOptions): Promise<Result<"get-extended-profile">> {
    return this.requester.send("GET", "/v1/user/profile/extended", { options });
  }

  /**
   * Get a document. One document of your knowledge base. Scope `read`, role `viewer`.
   */
  getKnowledgeDocument(id: string, options?: RequestOptions): Promise<Result<"get-knowledge-document">> {
    return this.requester.send("GET", `/v1/knowledge-base/documents/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Get your profile (legacy). The same as `/v1/user/profile`, which new clients use. Scope `read`, role `viewer`.
   */
  getLegacyProfile(options?: RequestOptions): Promise<Result<"get-legacy-profile">> {
    return this.requester.send("GET", "/v1/profile", { options });
  }

  /**
   * Get your limits. How many calls run at once and how many wait, your credits, how many documents your knowledge base
   * may have, which numbers you may reach, how often, and for how much of a day, for how long things are kept, what was
   * refused today, and the rate limit of this key. Scope `read`, role `viewer`.
   */
  getLimits(options?: RequestOptions): Promise<Result<"get-limits">> {
    return this.requester.send("GET", "/v1/user/limits", { options });
  }

  /**
   * Get a phone number. One of your own numbers or a default one. Scope `read`, role `viewer`.
   */
  getPhoneNumber(id: string, options?: RequestOptions): Promise<Result<"get-phone-number">> {
    return this.requester.send("GET", `/v1/phone-numbers/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Get an order of a number. One order. Scope `read`, role `viewer`.
   */
  getPhoneNumberOrder(id: string, options?: RequestOptions): Promise<Result<"get-phone-number-order">> {
    return this.requester.send("GET", `/v1/phone-number-orders/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Get your profile. The user behind the API key. Scope `read`, role `viewer`.
   */
  getProfile(options?: RequestOptions): Promise<Result<"get-profile">> {
    return this.requester.send("GET", "/v1/user/profile", { options });
  }

  /**
   * Get a scheduled call. One scheduled call. Scope `read`, role `viewer`.
   */
  getScheduledCall(id: string, options?: RequestOptions): Promise<Result<"get-scheduled-call">> {
    return this.requester.send("GET", `/v1/scheduled-calls/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Get your session. Who is signed in. Role `viewer`.
   */
  getSession(options?: RequestOptions): Promise<Result<"get-session">> {
    return this.requester.send("GET", "/v1/session", { options });
  }

  /**
   * Get a recording by its link. The recording that a link in an end-of-call-report, or in a mail after a call, opens,
   * without a key, for 7 days. 404 when the link is not ours or no longer valid.
   */
  getSharedRecording(token: string, options?: RequestOptions): Promise<Blob> {
    return this.requester.download("GET", `/v1/recordings/${encodeURIComponent(token)}`, { options });
  }

  /**
   * Get a SIP connection. One connection. Scope `read`, role `viewer`.
   */
  getSipConnection(id: string, options?: RequestOptions): Promise<Result<"get-sip-connection">> {
    return this.requester.send("GET", `/v1/sip-connections/${encodeURIComponent(id)}`, { options });
  }

  /**
   * Get your usage. What your calls used and cost, by day, by assistant or by number of yours. A call counts when it is
   * over, at the time at which it was answered, at the prices of that time; one that was not answered at its end. Each
   * thing that a call used is rounded by itself to a hundred-millionth of a dollar, and nothing is rounded after that:
   * the sums are those of the calls. Calls that were deleted stay in them. Scope `read`, role `viewer`.
   */
  getUsage(query?: Query<"get-usage">, options?: RequestOptions): Promise<Result<"get-usage">> {
    return this.requester.send("GET", "/v1/usage", { query, options });
  }

  /**
   * Get a document's file. The file as it was uploaded. Scope `read`, role `viewer`.
   */
  getVerificationDocumentFile(verification_group_id: string, document_id: string, options?: RequestOptions): Promise<Blob> {
    return this.requester.download("GET", `/v1/verification-groups/${encodeURIComponent(verification_group_id)}/documents/${encodeURIComponent(document_id)}/file`, { options });
  }

  /**
   * Get a verification group. One group with its documents. Scope `read`, role `viewer`.
   */
  getVerificationGroup(verification_group_id: string, options?: RequestOptions): Promise<Result<"get-verification-group">> {
    return this.requester.send("GET", `/v1/verification-groups/${encodeURIComponent(verification_group_id)}`, { options });
  }

  /**
   * Get your webhook. Where your events go. The secret is not shown again: rotate it for a new one. Scope `read`, role
   * `viewer`.
   */
  getWebhook(options?: RequestOptions): Promise<Result<"get-webhook">> {
    return this.requester.send("GET", "/v1/user/webhook", { options });
  }

  /**
   * Send a message to a live call. `say` has the assistant speak a text, `add-message` adds a message to the
   * conversation of its language model, `transfer` transfers the caller to another telephone and `end-call` hangs up.
   * The response comes before it is done: the outcome is a `call-command-update` event with the command's id. A call
   * that still rings gets the command once it is answered. 409 `conflict` when the call is not live; a command whose
   * call ends first fails. A transfer rings a destination like any other call, and counts as one to it when it is made:
   * the command fails where the rules forbid it by then. 403 `destination_not_allowed` when your account may not reach
   * the number; `details.reason` is the rule: `country`, `number_type`, `own_number`, `calls_per_number` or
   * `daily_minutes`. `GET /v1/user/limits` shows them. Scope `write`, role `developer`; test keys only for a call that a
   * test key made (403 `test_key`).
   */
  injectCallMessage(call_id: string, body: Body<"inject-call-message">, options?: CreateOptions): Promise<Result<"inject-call-message">> {
    return this.requester.send("POST", `/v1/calls/${encodeURIComponent(call_id)}/messages`, { body, options });
  }

  /**
   * Invite somebody. Mails a link by which the person joins. Whoever was invited before and has not joined gets a new
   * link, with the role that is given now. 409 `conflict` when the person is a member, `limit_reached` with 200 members;
   * 429 when an address is invited more than three times in 15 minutes. Scope `admin`, role `admin`; not for test keys
   * (403 `test_key`).
   */
  inviteMember(body: Body<"invite-member">, options?: CreateOptions): Promise<Result<"invite-member">> {
    return this.requester.send("POST", "/v1/members", { body, options });
  }

  /**
   * Leave a web call. Hangs up as the person in the browser does: the call ends as customer-ended-call. 409 `conflict`
   * when it is over. A web token leaves the calls that it has made. Scope `write`, role `developer`; test keys only for
   * a call that a test key made (403 `test_key`).
   */
  leaveWebCall(call_id: string, options?: RequestOptions): Promise<Result<"leave-web-call">> {
    return this.requester.send("DELETE", `/v1/calls/web/${encodeURIComponent(call_id)}`, { options });
  }

  /**
   * Link a number to an assistant. A number that was linked before is unlinked first. Linking a default number releases
   * your other assistants from theirs. Codes: `invalid_parameters`, `already_linked`, `already_in_use` (400),
   * `forbidden` (403), `not_found` (404). Scope `write`, role `developer`; test keys only for a assistant that a test
   * key made (403 `test_key`).
   */
  linkAssistantPhoneNumber(id: string, body: Body<"link-assistant-phone-number">, options?: CreateOptions): Promise<Result<"link-assistant-phone-number">> {
    return this.requester.send("POST", `/v1/assistants/${encodeURIComponent(id)}/phone-number`, { body, options });
  }

  /**
   * List API keys. Your keys, newest first, expired ones included; revoked ones are not listed. Scope `read`, role
   * `viewer`.
   */
  listApiKeys(query?: Query<"list-api-keys">, options?: RequestOptions): Pages<Item<"list-api-keys">> {
    return this.requester.pages("/v1/api-keys", { query, options });
  }

  /**
   * List assistants. Your assistants, newest first. Scope `read`, role `viewer`.
   */
  listAssistants(query?: Query<"list-assistants">, options?: RequestOptions): Pages<Item<"list-assistants">> {
    return this.requester.pages("/v1/assistants", { query, options });
  }

  /**
   * List the audit. Who changed what, when and from where, newest first: every request of a key or a person that changed
   * something, signing in and out, and wrong passwords for people of the account. It never holds what was written. Scope
   * `read`, role `admin`.
   */
  listAudit(query?: Query<"list-audit">, options?: RequestOptions): Pages<Item<"list-audit">> {
    return this.requester.pages("/v1/audit", { query, options });
  }

  /**
   * List available numbers. Numbers of one type that can be ordered now. The carrier is queried: 502 and 504 when it
   * fails. Scope `read`, role `viewer`.
   */
  listAvailableNumbers(query?: Query<"list-available-numbers">, options?: RequestOptions): Pages<Item<"list-available-numbers">> {
    return this.requester.pages("/v1/available-phone-numbers", { query, options });
  }

  /**
   * List available numbers (legacy). Numbers of any type that can be ordered now. New clients use
   * `/v1/available-phone-numbers`. The carrier is queried: 502 and 504 when it fails. Scope `read`, role `viewer`.
   */
  listAvailableNumbersLegacy(query?: Query<"list-available-numbers-legacy">, options?: RequestOptions): Pages<Item<"list-available-numbers-legacy">> {
    return this.requester.pages("/v1/phone-numbers/available", { query, options });
  }

  /**
   * List a call's listeners. Who listens in on a call, or did, the latest first. Scope `read`, role `viewer`.
   */
  listCallListeners(call_id: string, options?: RequestOptions): Promise<Result<"list-call-listeners">> {
    return this.requester.send("GET", `/v1/calls/${encodeURIComponent(call_id)}/listen`, { options });
  }

  /**
   * List calls. Your calls, newest first. Scope `read`, role `viewer`.
   */
  listCalls(query?: Query<"list-calls">, options?: RequestOptions): Pages<Item<"list-calls">> {
    return this.requester.pages("/v1/calls", { query, options });
  }

  /**
   * List contacts. Your contacts, newest first. Scope `read`, role `viewer`.
   */
  listContacts(query?: Query<"list-contacts">, options?: RequestOptions): Pages<Item<"list-contacts">> {
    return this.requester.pages("/v1/contacts", { query, options });
  }

  /**
   * List the deliveries of an event. Every attempt, newest first. While a server fails, the oldest event that waits for
   * it is sent about every 10 seconds, to see whether it is back. That counts as an attempt when the server accepts it
   * or when an attempt was due, and is not listed otherwise. Scope `read`, role `viewer`.
   */
  listEventDeliveries(id: string, query?: Query<"list-event-deliveries">, options?: RequestOptions): Pages<Item<"list-event-deliveries">> {
    return this.requester.pages(`/v1/events/${encodeURIComponent(id)}/deliveries`, { query, options });
  }

  /**
   * List events. Your events in their order, oldest first, from the one that follows `after`; `total` counts those that
   * follow. An event appears within 100 ms of what it reports. Scope `read`, role `viewer`.
   */
  listEvents(query?: Query<"list-events">, options?: RequestOptions): Pages<Item<"list-events">> {
    return this.requester.pages("/v1/events", { query, options });
  }

  /**
   * List numbers for a group. Local numbers of the area code of the group's city. The carrier is queried: 502 and 504
   * when it fails. Scope `read`, role `viewer`.
   */
  listGroupAvailableNumbers(id: string, query?: Query<"list-group-available-numbers">, options?: RequestOptions): Pages<Item<"list-group-available-numbers">> {
    return this.requester.pages(`/v1/verification-groups/${encodeURIComponent(id)}/available-phone-numbers`, { query, options });
  }

  /**
   * List documents. The documents of your knowledge base, newest first. Scope `read`, role `viewer`.
   */
  listKnowledgeDocuments(query?: Query<"list-knowledge-documents">, options?: RequestOptions): Pages<Item<"list-knowledge-documents">> {
    return this.requester.pages("/v1/knowledge-base/documents", { query, options });
  }

  /**
   * List members. The people of the account, also those who were invited and have not joined. Scope `read`, role
   * `viewer`.
   */
  listMembers(query?: Query<"list-members">, options?: RequestOptions): Pages<Item<"list-members">> {
    return this.requester.pages("/v1/members", { query, options });
  }

  /**
   * List orders of numbers. Your orders in a state, newest first; pending ones unless `status` says otherwise. Scope
   * `read`, role `viewer`.
   */
  listPhoneNumberOrders(query?: Query<"list-phone-number-orders">, options?: RequestOptions): Pages<Item<"list-phone-number-orders">> {
    return this.requester.pages("/v1/phone-number-orders", { query, options });
  }

  /**
   * List phone numbers. Your own numbers and the shared default ones. A call that comes in on a shared number goes to
   * the account whose answered call from it reached this caller last, within 30 days; else to the account to which the
   * operator gave the number's inbound calls; else it is refused with 404. Scope `read`, role `viewer`.
   */
  listPhoneNumbers(query?: Query<"list-phone-numbers">, options?: RequestOptions): Pages<Item<"list-phone-numbers">> {
    return this.requester.pages("/v1/phone-numbers", { query, options });
  }

  /**
   * List scheduled calls. Your scheduled calls, newest first; canceled ones are not listed. Scope `read`, role `viewer`.
   */
  listScheduledCalls(query?: Query<"list-scheduled-calls">, options?: RequestOptions): Pages<Item<"list-scheduled-calls">> {
    return this.requester.pages("/v1/scheduled-calls", { query, options });
  }

  /**
   * List your sessions. The sessions of the person that work, in all accounts, newest first. Role `viewer`.
   */
  listSessions(query?: Query<"list-sessions">, options?: RequestOptions): Pages<Item<"list-sessions">> {
    return this.requester.pages("/v1/sessions", { query, options });
  }

  /**
   * List SIP connections. Your connections, newest first. Scope `read`, role `viewer`.
   */
  listSipConnections(query?: Query<"list-sip-connections">, options?: RequestOptions): Pages<Item<"list-sip-connections">> {
    return this.requester.pages("/v1/sip-connections", { query, options });
  }

  /**
   * List documents. The documents of a group, newest first. Scope `read`, role `viewer`.
   */
  listVerificationDocuments(verification_group_id: string, query?: Query<"list-verification-documents">, options?: RequestOptions): Pages<Item<"list-verification-documents">> {
    return this.requester.pages(`/v1/verification-groups/${encodeURIComponent(verification_group_id)}/documents`, { query, options });
  }

  /**
   * List verification groups. Your groups, newest first. Scope `read`, role `viewer`.
   */
  listVerificationGroups(query?: Query<"list-verification-groups">, options?: RequestOptions): Pages<Item<"list-verification-groups">> {
    return this.requester.pages("/v1/verification-groups", { query, options });
  }

  /**
   * List web tokens. Your tokens that work, newest first. Scope `read`, role `viewer`.
   */
  listWebTokens(query?: Query<"list-web-tokens">, options?: RequestOptions): Pages<Item<"list-web-tokens">> {
    return this.requester.pages("/v1/web-tokens", { query, options });
  }

  /**
   * Order a number through a verification group. Takes 10 credits and orders the number at the carrier; the order is
   * `pending` until the carrier has decided. The credits of a failed order are refunded. Numbers do not renew: the price
   * is paid once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402), `not_found` (404),
   * `conflict` (409: the number is taken or being ordered). Scope `write`, role `developer`.
   */
  orderGroupNumber(id: string, body: Body<"order-group-number">, options?: CreateOptions): Promise<Result<"order-group-number">> {
    return this.requester.send("POST", `/v1/verification-groups/${encodeURIComponent(id)}/order-number`, { body, options });
  }

  /**
   * Order a number with a subscription. Like an order, for accounts with an active subscription: 403
   * `subscription_required` without one. Takes 10 credits and orders the number at the carrier; the order is `pending`
   * until the carrier has decided. The credits of a failed order are refunded. Numbers do not renew: the price is paid
   * once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402), `not_found` (404),
   * `conflict` (409: the number is taken or being ordered). Scope `write`, role `developer`.
   */
  orderPhoneNumber(body: Body<"order-phone-number">, options?: CreateOptions): Promise<Result<"order-phone-number">> {
    return this.requester.send("POST", "/v1/phone-numbers", { body, options });
  }

  /**
   * Patch an assistant. JSON merge patch (RFC 7396): changes the fields that the body names, null sets the default.
   * Scope `write`, role `developer`; test keys only for a assistant that a test key made (403 `test_key`).
   */
  patchAssistant(assistant_id: string, body: Body<"patch-assistant">, options?: RequestOptions): Promise<Result<"patch-assistant">> {
    return this.requester.send("PATCH", `/v1/assistants/${encodeURIComponent(assistant_id)}`, { body, options });
  }

  /**
   * Listen, whisper or barge in. Changes what you do with the call. listen: you hear both sides, and nothing of yours
   * goes anywhere. whisper: what you say, or type, is an instruction that the assistant follows from its next reply on;
   * the caller hears nothing of it. barge: the assistant falls silent and the caller hears you; one listener at a time.
   * The change is on its way when the response comes: the data channel says when it is made, or why not. 404 when it is
   * another's, 409 `conflict` when you have left, or somebody else has barged in. Scope `write`, role `developer`; test
   * keys only for a call that a test key made (403 `test_key`).
   */
  patchCallListener(call_id: string, listener_id: string, body: Body<"patch-call-listener">, options?: RequestOptions): Promise<Result<"patch-call-listener">> {
    return this.requester.send("PATCH", `/v1/calls/${encodeURIComponent(call_id)}/listen/${encodeURIComponent(listener_id)}`, { body, options });
  }

  /**
   * Patch a contact. JSON merge patch (RFC 7396): changes the fields that the body names, null removes. Scope `write`,
   * role `developer`; test keys only for a contact that a test key made (403 `test_key`).
   */
  patchContact(contact_id: string, body: Body<"patch-contact">, options?: RequestOptions): Promise<Result<"patch-contact">> {
    return this.requester.send("PATCH", `/v1/contacts/${encodeURIComponent(contact_id)}`, { body, options });
  }

  /**
   * Change a role. Nobody gives a role above their own, or takes one from somebody above. 409 `conflict` when the
   * account would have no owner left. Scope `admin`, role `admin`; not for test keys (403 `test_key`).
   */
  patchMember(id: string, body: Body<"patch-member">, options?: RequestOptions): Promise<Result<"patch-member">> {
    return this.requester.send("PATCH", `/v1/members/${encodeURIComponent(id)}`, { body, options });
  }

  /**
   * Update your profile. Changes the fields that the body names; null removes, but for `full_name`. Scope `admin`, role
   * `admin`; not for test keys (403 `test_key`).
   */
  patchProfile(body: Body<"patch-profile">, options?: RequestOptions): Promise<Result<"patch-profile">> {
    return this.requester.send("PATCH", "/v1/user/profile", { body, options });
  }

  /**
   * Update yourself. Changes the fields that the body names. Role `viewer`.
   */
  patchSession(body: Body<"patch-session">, options?: RequestOptions): Promise<Result<"patch-session">> {
    return this.requester.send("PATCH", "/v1/session", { body, options });
  }

  /**
   * Update a SIP connection. Changes the fields that the body names: how callers are put through, from the next transfer
   * on. Scope `write`, role `developer`; test keys only for a SIP connection that a test key made (403 `test_key`).
   */
  patchSipConnection(id: string, body: Body<"patch-sip-connection">, options?: RequestOptions): Promise<Result<"patch-sip-connection">> {
    return this.requester.send("PATCH", `/v1/sip-connections/${encodeURIComponent(id)}`, { body, options });
  }

  /**
   * Query the knowledge base. The documents that match a question best, as the tool `query_knowledge_base` of an
   * assistant with `knowledge_base_enabled` finds them. Dutch and English, with their inflections; misspelled words and
   * parts of compounds are found too; and where the deployment has an embedding model, what means the same in other
   * words. Scope `read`, role `viewer`.
   */
  queryKnowledgeBase(body: Body<"query-knowledge-base">, options?: CreateOptions): Promise<Result<"query-knowledge-base">> {
    return this.requester.send("POST", "/v1/knowledge-base/query", { body, options });
  }

  /**
   * Deliver an event again. Sends the event to the server that receives it now, at once, whatever its delivery was
   * before, with all attempts. It keeps its webhook-id. Questions (`assistant-request`, `tool-calls`,
   * `call.endpointing.request`) are 404: they are sent once. Scope `write`, role `developer`; not for test keys (403
   * `test_key`).
   */
  redeliverEvent(id: string, options?: CreateOptions): Promise<Result<"redeliver-event">> {
    return this.requester.send("POST", `/v1/events/${encodeURIComponent(id)}/redeliver`, { options });
  }

  /**
   * Read a document's page again. Fetches the `url` of a document again. What was read before is found until then, and
   * stays when it fails. 409 `conflict` when the document has no `url`. Scope `write`, role `developer`; test keys only
   * for a document that a test key made (403 `test_key`).
   */
  refreshKnowledgeDocument(id: string, options?: CreateOptions): Promise<Result<"refresh-knowledge-document">> {
    return this.requester.send("POST", `/v1/knowledge-base/documents/${encodeURIComponent(id)}/refresh`, { options });
  }

  /**
   * Deliver many events again. Sends the events of a time or of a call again, in their order and after new events: those
   * that your server subscribes to now and that are not pending. They keep their webhook-ids. At most 100,000 at once:
   * more are 400. Scope `write`, role `developer`; not for test keys (403 `test_key`).
   */
  replayEvents(body: Body<"replay-events">, options?: CreateOptions): Promise<Result<"replay-events">> {
    return this.requester.send("POST", "/v1/events/replay", { body, options });
  }

  /**
   * Ask for a new password. Mails a link to the person, if there is one with this address; the response is the same if
   * not. At most three in 15 minutes.
   */
  requestReset(body: Body<"request-reset">, options?: CreateOptions): Promise<Result<"request-reset">> {
    return this.requester.send("POST", "/v1/session/reset", { body, options });
  }

  /**
   * Rotate an API key. Makes a key with the name, mode, scopes and limit of this one and returns its text, once. The old
   * key works for 24 hours more, or until it expires if that is sooner; with `revoke_now` it stops working at once. 403
   * `exceeds_key` when the new key would live longer, may do more or ask faster than the calling key; 409 `conflict`
   * when the key was rotated before or has expired. Scope `admin`, role `developer`; not for test keys (403 `test_key`).
   */
  rotateApiKey(id: string, body?: Body<"rotate-api-key">, options?: CreateOptions): Promise<Result<"rotate-api-key">> {
    return this.requester.send("POST", `/v1/api-keys/${encodeURIComponent(id)}/rotate`, { body, options });
  }

  /**
   * Rotate the webhook secret. Returns a new secret, once. For 24 hours events are signed with both; with `end_old` only
   * with the new one, from now on. Scope `admin`, role `developer`; not for test keys (403 `test_key`).
   */
  rotateWebhookSecret(body?: Body<"rotate-webhook-secret">, options?: CreateOptions): Promise<Result<"rotate-webhook-secret">> {
    return this.requester.send("POST", "/v1/user/webhook/rotate-secret", { body, options });
  }

  /**
   * Sign in. Sets the cookie of a new session, and ends the session that came with the request. 401 `unauthorized` when
   * address and password do not belong together, 404 when the person is no member of the account; 429
   * `too_many_passwords` after ten wrong ones for the address from your network within 15 minutes.
   */
  signIn(body: Body<"sign-in">, options?: CreateOptions): Promise<Result<"sign-in">> {
    return this.requester.send("POST", "/v1/session", { body, options });
  }

  /**
   * Sign out. Ends the session. Role `viewer`.
   */
  signOut(options?: RequestOptions): Promise<Result<"sign-out">> {
    return this.requester.send("DELETE", "/v1/session", { options });
  }

  /**
   * Submit a verification group. Submits the group for review. 400 `invalid_status` names each of the four external
   * items that is missing; 409 when it is under review or approved. A rejected group can change its documents and submit
   * again. Scope `write`, role `developer`; test keys only for a verification group that a test key made (403
   * `test_key`).
   */
  submitVerificationGroup(verification_group_id: string, options?: CreateOptions): Promise<Result<"submit-verification-group">> {
    return this.requester.send("POST", `/v1/verification-groups/${encodeURIComponent(verification_group_id)}/submit-for-approval`, { options });
  }

  /**
   * Switch account. Has the session go on in another account of the person. Role `viewer`.
   */
  switchAccount(body: Body<"switch-account">, options?: RequestOptions): Promise<Result<"switch-account">> {
    return this.requester.send("PUT", "/v1/session/account", { body, options });
  }

  /**
   * Test a SIP connection. Registers again and returns the outcome: `status` is `registered`, or `failed` with the
   * provider's `sip_code`. 502 `upstream_error` when the provider has trouble, 504 `upstream_timeout` when it does not
   * answer within 20 seconds. Scope `write`, role `developer`; test keys only for a SIP connection that a test key made
   * (403 `test_key`).
   */
  testSipConnection(id: string, options?: CreateOptions): Promise<Result<"test-sip-connection">> {
    return this.requester.send("POST", `/v1/sip-connections/${encodeURIComponent(id)}/test`, { options });
  }

  /**
   * Unlink an assistant's number. The number becomes available again. 400 `no_phone_number` when there is none. Scope
   * `write`, role `developer`; test keys only for a assistant that a test key made (403 `test_key`).
   */
  unlinkAssistantPhoneNumber(id: string, options?: RequestOptions): Promise<Result<"unlink-assistant-phone-number">> {
    return this.requester.send("DELETE", `/v1/assistants/${encodeURIComponent(id)}/phone-number`, { options });
  }

  /**
   * Replace an assistant. Replaces the whole configuration, omitted fields by their defaults, when the body has
   * `assistant_name` and none of `llm_content`, `functions`, `phone_number_id` and `voice_id`. Any other body is the
   * earlier form and changes only what it names; `phone_number_id` links a custom number and null unlinks. Scope
   * `write`, role `developer`; test keys only for a assistant that a test key made (403 `test_key`).
   */
  updateAssistant(assistant_id: string, body: Body<"update-assistant">, options?: RequestOptions): Promise<Result<"update-assistant">> {
    return this.requester.send("PUT", `/v1/assistants/${encodeURIComponent(assistant_id)}`, { body, options });
  }

  /**
   * Set your budget. Sets what the calls of a month may cost. At 80 and at 100 percent there is a `budget-reached`
   * event, each once in a month; of another budget there are others, at once where the month's calls have cost so much
   * already. Months that are over keep the costs that they were given. Scope `admin`, role `admin`; not for test keys
   * (403 `test_key`).
   */
  updateBudget(body: Body<"update-budget">, options?: RequestOptions): Promise<Result<"update-budget">> {
    return this.requester.send("PUT", "/v1/user/budget", { body, options });
  }

  /**
   * Update a contact. Changes the fields that the body names. Scope `write`, role `developer`; test keys only for a
   * contact that a test key made (403 `test_key`).
   */
  updateContact(contact_id: string, body: Body<"update-contact">, options?: RequestOptions): Promise<Result<"update-contact">> {
    return this.requester.send("PUT", `/v1/contacts/${encodeURIComponent(contact_id)}`, { body, options });
  }

  /**
   * Update a scheduled call. Changes the fields that the body names. 409 once it is processed, which may be one second
   * before its time, except for `processed` itself. Scope `write`, role `developer`; test keys only for a scheduled call
   * that a test key made (403 `test_key`).
   */
  updateScheduledCall(id: string, body: Body<"update-scheduled-call">, options?: RequestOptions): Promise<Result<"update-scheduled-call">> {
    return this.requester.send("PUT", `/v1/scheduled-calls/${encodeURIComponent(id)}`, { body, options });
  }

  /**
   * Set your webhook. Events are posted as `{"message": {"type", "timestamp", "call", "assistant", …, "eventId",
   * "sequence"}}`, signed by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature). 2xx within 15 s is
   * delivered; anything else is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h and 24 h, or after
   * the time in Retry-After. The same event has the same webhook-id each time and may come twice. Redirects are not
   * followed. While your server gives no answer or 429, 502, 503 or 504, and after ten failures in a row, the oldest
   * event that waits is sent about every 10 s besides; before its time that is no attempt when it fails. From the tenth
   * failure in a row on nothing else is sent, and events wait, for up to 50 h. As soon as your server takes one, the
   * others follow at its pace, those of a call in their order. 410, or 50 events in a row that failed for good, disables
   * the webhook. Setting it again enables it. Scope `admin`, role `developer`; not for test keys (403 `test_key`).
   */
  updateWebhook(body: Body<"update-webhook">, options?: RequestOptions): Promise<Result<"update-webhook">> {
    return this.requester.send("PUT", "/v1/user/webhook", { body, options });
  }

  /**
   * Upload a document. A PDF, JPG or PNG of at most 20 MiB, recognised by its content. It is stored encrypted and sent
   * to the carrier. A group has one document of each type; 409 when it has this one, is under review or approved. Scope
   * `write`, role `developer`; test keys only for a verification group that a test key made (403 `test_key`).
   */
  uploadVerificationDocument(verification_group_id: string, body: Upload<"upload-verification-document">, options?: CreateOptions): Promise<Result<"upload-verification-document">> {
    return this.requester.upload("POST", `/v1/verification-groups/${encodeURIComponent(verification_group_id)}/documents`, { body, options });
  }

  /**
   * Sign in by a link. Uses a link that was printed or mailed, once, and sets the cookie of a new session. A new
   * password ends all other sessions of the person. 404 when the link was used or is too old; an invitation of somebody
   * who has a password takes that one: 401 `unauthorized` when it is wrong, 409 `conflict` when it was chosen over a
   * link that somebody else saw.
   */
  useLink(body: Body<"use-link">, options?: CreateOptions): Promise<Result<"use-link">> {
    return this.requester.send("POST", "/v1/session/link", { body, options });
  }
}
