"""The operations of the API. Written by callwright-sdk from the OpenAPI document: not to be edited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal
from urllib.parse import quote

from . import types
from .pages import AsyncPages, Pages


def _quote(segment: str) -> str:
    return quote(segment, safe="")


class Operations(ABC):
    """The operations, each of which returns what the server responds."""

    @abstractmethod
    def _send(
        self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None, data: Any = None, files: Any = None,
        idempotency_key: str | None = None,
    ) -> Any: ...  # fmt: skip

    @abstractmethod
    def _download(self, method: str, path: str, *, query: dict[str, Any] | None = None) -> bytes: ...

    @abstractmethod
    def _pages(self, path: str, query: dict[str, Any]) -> Pages[Any]: ...

    def change_password(self, body: types.PasswordChange) -> None:
        """Change your password. Ends all other sessions of the person. 403 `wrong_password` when the current one is
        wrong; 429 `too_many_passwords` after ten within 15 minutes. Role `viewer`."""
        self._send(
            "PUT", "/v1/session/password", body=body
        )

    def check_link(self, body: types.SignInLinkCheck, *, idempotency_key: str | None = None) -> types.SignInLink:
        """Look at a link. Returns what a link is for, without using it. 404 when it was used or is too old."""
        result: types.SignInLink = self._send(
            "POST", "/v1/session/link/check", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_api_key(self, body: types.APIKeyInput, *, idempotency_key: str | None = None) -> types.NewAPIKey:
        """Create an API key. Returns the key's text, once. No key makes one that lives longer, may do more or asks
        faster than itself: 403 `exceeds_key`, which names the field. 409 `conflict` when you have 100 keys that
        work. Scope `admin`, role `developer`; not for test keys (403 `test_key`)."""
        result: types.NewAPIKey = self._send(
            "POST", "/v1/api-keys", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_assistant(self, body: types.AssistantInput, *, idempotency_key: str | None = None) -> types.Assistant:
        """Create an assistant. Only `assistant_name` is required; a number is linked afterwards. Scope `write`, role
        `developer`."""
        result: types.Assistant = self._send(
            "POST", "/v1/assistants", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_call_listener(self, call_id: str, body: types.CallListenInput, *, idempotency_key: str | None = None) -> types.CallListenerAnswer:
        """Listen in on a live call. Answers the WebRTC offer of a browser, as `POST /v1/calls/web` does: it hears the
        call. listen: you hear both sides, and nothing of yours goes anywhere. whisper: what you say, or type, is an
        instruction that the assistant follows from its next reply on; the caller hears nothing of it. barge: the
        assistant falls silent and the caller hears you; one listener at a time. Who listens is in the audit, and
        your server is told by call-listener-update. 409 `conflict` when the call is not answered or is over, when
        somebody else has barged in, and for a repeated Idempotency-Key: an offer is answered once. 429
        `limit_reached` when four listen to the call, or as many in all as your account may have calls. 503 when the
        worker of the call does not answer within 5 seconds. Scope `write`, role `developer`; test keys only for a
        call that a test key made (403 `test_key`)."""
        result: types.CallListenerAnswer = self._send(
            "POST", f"/v1/calls/{_quote(call_id)}/listen", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_contact(self, body: types.ContactInput, *, idempotency_key: str | None = None) -> types.Contact:
        """Create a contact. A phone number is unique among your contacts: 409 `conflict` when there is one with it.
        Scope `write`, role `developer`."""
        result: types.Contact = self._send(
            "POST", "/v1/contacts", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_direct_call(self, body: types.DirectCallInput, *, idempotency_key: str | None = None) -> types.Call:
        """Call now. Starts a call at once. The response comes before the telephone rings: follow the call by its
        events or at `/v1/calls/{call_id}`. 400 `no_phone_number` when the assistant has no number. 403
        `destination_not_allowed` when your account may not reach the number; `details.reason` is the rule:
        `country`, `number_type`, `own_number`, `calls_per_number` or `daily_minutes`. `GET /v1/user/limits` shows
        them. 402 `budget_exhausted` when the calls of this month have cost your budget (`GET /v1/user/budget`).
        Scope `write`, role `developer`."""
        result: types.Call = self._send(
            "POST", "/v1/calls/direct", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_instant_agent(self, body: types.InstantAgentInput, *, idempotency_key: str | None = None) -> types.InstantAgent:
        """Create an instant agent. Makes a complete assistant from a company's name, its website, its questions and
        answers and the other fields, links it to the number and responds when it can take calls. It speaks Dutch or
        English: the language of the website, else of the texts, else of the number's country. The website, the
        answers and the context become its knowledge base too.

        400 `already_in_use` when a custom number is linked to another assistant, 400 `invalid_request` too when
        `website_url` leads to no page that may be read, 502 `upstream_error` when the website failed, 504
        `upstream_timeout` when it did not answer in time or all took over 25 seconds, 409 `limit_reached` when the
        knowledge base has no room for what it is to know. After these nothing is left behind: no assistant, no
        link, no knowledge. A client that disconnects does not stop it; the same `Idempotency-Key` returns its
        outcome, errors included, and 409 `idempotency_in_progress` until then. At most 5 are made at once; more are
        429 `rate_limited`. Scope `write`, role `developer`."""
        result: types.InstantAgent = self._send(
            "POST", "/instant-agents", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_knowledge_document(self, body: types.KnowledgeDocumentInput, *, idempotency_key: str | None = None) -> types.KnowledgeDocument:
        """Add a document. Exactly one of `text`, `url`, and `question` with `answer`. Text can be found at once; a
        page is fetched first (`processing`, then `ready` or `failed`). robots.txt is honoured. 409 `limit_reached`
        when the knowledge base has as many documents as it may (`GET /v1/user/limits`). Scope `write`, role
        `developer`."""
        result: types.KnowledgeDocument = self._send(
            "POST", "/v1/knowledge-base/documents", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_phone_number_order(self, body: types.PhoneNumberOrderInput, *, idempotency_key: str | None = None) -> types.PhoneNumberOrder:
        """Order a number. Takes 10 credits and orders the number at the carrier; the order is `pending` until the
        carrier has decided. The credits of a failed order are refunded. Numbers do not renew: the price is paid
        once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402), `not_found` (404),
        `conflict` (409: the number is taken or being ordered). Scope `write`, role `developer`."""
        result: types.PhoneNumberOrder = self._send(
            "POST", "/v1/phone-number-orders", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_scheduled_call(self, body: types.ScheduledCallInput, *, idempotency_key: str | None = None) -> types.ScheduledCall:
        """Schedule a call. The call is placed at its time, also if processes end meanwhile; `processed` becomes true
        in the transaction that creates the call. With `retry`, an attempt that ends as one of `on` turns it false
        again until the next one; until then PUT changes the next attempt, PUT `processed` true or DELETE cancels
        it, and so does the contact's or the assistant's deletion. When its time comes the rules of destinations are
        applied again: a call that they forbid is not dialed, and `explanation` says why. 403
        `destination_not_allowed` when your account may not reach the number; `details.reason` is the rule:
        `country`, `number_type`, `own_number`, `calls_per_number` or `daily_minutes`. `GET /v1/user/limits` shows
        them. Scope `write`, role `developer`."""
        result: types.ScheduledCall = self._send(
            "POST", "/v1/scheduled-calls", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_sip_connection(self, body: types.SIPConnectionInput, *, idempotency_key: str | None = None) -> types.SIPConnection:
        """Create a SIP connection. Makes your number known as a custom number and registers the account at its
        provider, which is kept registered from then on. Calls from the number leave and calls to it arrive over
        this connection. The number is yours once the proxy has registered it: until then its status is `pending`,
        it takes no calls, and the first account whose proxy registers it gets it. 409 `conflict` when the number is
        in use; 409 `limit_reached` when you have 20 connections, or 5 at this proxy. Refused and unanswered
        registrations are tried again after ever longer pauses, up to an hour, and stop after a day with a
        `sip-connection-stopped` event. Connections made with a test key register at the simulated network. Scope
        `write`, role `developer`."""
        result: types.SIPConnection = self._send(
            "POST", "/v1/sip-connections", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_verification_group(self, body: types.VerificationGroupInput, *, idempotency_key: str | None = None) -> types.VerificationGroup:
        """Create a verification group. The group's address is sent to the carrier; then upload its documents and
        submit it. 409 `limit_reached` with 100 groups. Scope `write`, role `developer`."""
        result: types.VerificationGroup = self._send(
            "POST", "/v1/verification-groups", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_web_call(self, body: types.WebCallInput, *, idempotency_key: str | None = None) -> types.WebCall:
        """Talk in the browser. Answers the WebRTC offer of a browser: the person in it talks with the assistant. Takes
        JSON, or, as WHIP does (RFC 9725), an offer as `application/sdp` with the assistant in the query, and
        responds alike. 429 `limit_reached` at once when all calls are taken that your account may have at a time,
        and 503 when no worker takes the call within 5 seconds. A page calls this with a web token (`POST
        /v1/web-tokens`), a server with its key. 409 `conflict` when the Idempotency-Key was used before: an offer
        is answered once. Scope `write`, role `developer`."""
        result: types.WebCall = self._send(
            "POST", "/v1/calls/web", body=body, idempotency_key=idempotency_key
        )
        return result

    def create_web_token(self, body: types.WebTokenCreateInput, *, idempotency_key: str | None = None) -> types.NewWebToken:
        """Create a web token. Returns a token with which a page of yours begins web calls and leaves them, and does
        nothing else. Your server asks for one when it serves the page: it works for minutes, for the origins that
        you name. Scope `write`, role `developer`."""
        result: types.NewWebToken = self._send(
            "POST", "/v1/web-tokens", body=body, idempotency_key=idempotency_key
        )
        return result

    def delete_api_key(self, id: str) -> None:
        """Revoke an API key. The key stops working at once, everywhere, even if it is the calling key. Scope `admin`,
        role `developer`; not for test keys (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/api-keys/{_quote(id)}"
        )

    def delete_assistant(self, assistant_id: str) -> None:
        """Delete an assistant. Unlinks its number, cancels its scheduled calls and deletes the knowledge documents
        that only it uses. Past calls are kept; a call in progress goes on. Scope `write`, role `developer`; test
        keys only for a assistant that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/assistants/{_quote(assistant_id)}"
        )

    def delete_call(self, call_id: str) -> None:
        """Delete a call. Removes an ended call, what was said in it and its recording. A queued call is canceled
        first. 409 `conflict` while the call goes on. Its end-of-call-report is delivered all the same, and its
        events stay in the event log: erase the contact to remove those too. The scheduled call that made it still
        names it. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/calls/{_quote(call_id)}"
        )

    def delete_call_listener(self, call_id: str, listener_id: str) -> None:
        """Stop listening in. Ends a listener, yours or another's. 409 `conflict` when it has ended. Scope `write`,
        role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/calls/{_quote(call_id)}/listen/{_quote(listener_id)}"
        )

    def delete_contact(self, contact_id: str, *, erase: bool | None = None) -> None:
        """Delete a contact. Scheduled calls to the contact are canceled; past calls are kept. With `erase=true` the
        person is erased instead, also when the contact was deleted before: all fields of the contact and of others
        with its number, and of all calls with it or with its number what was said, recordings, names, numbers,
        variables, `custom_data`, analysis, stored events and what servers answered to them. Of those calls times
        and counts stay; events that were not delivered yet never are. This cannot be undone. 409 `conflict` while a
        call of the person goes on or its end-of-call-report is not written yet. Scope `write`, role `developer`;
        test keys only for a contact that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/contacts/{_quote(contact_id)}", query={"erase": erase}
        )

    def delete_knowledge_document(self, id: str) -> None:
        """Delete a document. It is no longer found. Scope `write`, role `developer`; test keys only for a document
        that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/knowledge-base/documents/{_quote(id)}"
        )

    def delete_member(self, id: str) -> None:
        """Remove a member. Ends the person's sessions in the account at once, and the invitation. Nobody removes
        somebody above them. 409 `conflict` when the account would have no owner left. Scope `admin`, role `admin`;
        not for test keys (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/members/{_quote(id)}"
        )

    def delete_phone_number(self, id: str) -> None:
        """Return a phone number. Returns an ordered number to the carrier. 409 `conflict` while an assistant is
        linked, and for a number of a SIP connection, which goes with its connection; 400 `invalid_parameters` for a
        default number. Scope `write`, role `developer`; test keys only for a phone number that a test key made (403
        `test_key`)."""
        self._send(
            "DELETE", f"/v1/phone-numbers/{_quote(id)}"
        )

    def delete_scheduled_call(self, id: str) -> None:
        """Cancel a scheduled call. 409 once it is processed, which may be one second before its time. Scope `write`,
        role `developer`; test keys only for a scheduled call that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/scheduled-calls/{_quote(id)}"
        )

    def delete_sip_connection(self, id: str) -> None:
        """Delete a SIP connection. Ends the registration and removes the number; past calls keep it. 409 `conflict`
        while an assistant is linked to the number. Scope `write`, role `developer`; test keys only for a SIP
        connection that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/sip-connections/{_quote(id)}"
        )

    def delete_verification_document(self, verification_group_id: str, document_id: str) -> None:
        """Delete a document. 409 while the group is under review. Scope `write`, role `developer`; test keys only for
        a verification group that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/verification-groups/{_quote(verification_group_id)}/documents/{_quote(document_id)}"
        )

    def delete_verification_group(self, verification_group_id: str) -> None:
        """Delete a verification group. 409 while it has documents (delete them first), is under review, or an order
        through it is pending. Personal data in it is erased. Scope `write`, role `developer`; test keys only for a
        verification group that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/verification-groups/{_quote(verification_group_id)}"
        )

    def delete_web_token(self, id: str) -> None:
        """Revoke a web token. No call is begun with it any more. Those that it has made go on. Scope `write`, role
        `developer`; test keys only for a web token that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/web-tokens/{_quote(id)}"
        )

    def end_call(self, call_id: str, *, idempotency_key: str | None = None) -> types.CallCommand:
        """End a call. Hangs up a live call, also while it rings, and cancels a queued one. 409 `conflict` when it is
        over. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        result: types.CallCommand = self._send(
            "POST", f"/v1/calls/{_quote(call_id)}/end", idempotency_key=idempotency_key
        )
        return result

    def end_other_sessions(self) -> None:
        """Sign out everywhere else. Ends all sessions of the person but the one that asks. Role `viewer`."""
        self._send(
            "DELETE", "/v1/sessions"
        )

    def end_session(self, id: str) -> None:
        """End a session. Signs the person out there, at once. Role `viewer`."""
        self._send(
            "DELETE", f"/v1/sessions/{_quote(id)}"
        )

    def generate_faqs(self, body: types.FAQGenerationInput, *, idempotency_key: str | None = None) -> types.GeneratedFAQs:
        """Generate frequently asked questions. Questions that callers are likely to ask, with answers, from a website
        or a text (one of the two). The deployment's language model writes them; where none is configured, they are
        those that the website has already. Nothing is stored. 502 `upstream_error` when nothing could be found or
        the website or the model failed, 504 `upstream_timeout` after 25 seconds. Scope `write`, role `developer`."""
        result: types.GeneratedFAQs = self._send(
            "POST", "/v1/faqs/generate", body=body, idempotency_key=idempotency_key
        )
        return result

    def get_assistant(self, assistant_id: str) -> types.Assistant:
        """Get an assistant. One assistant. Scope `read`, role `viewer`."""
        result: types.Assistant = self._send(
            "GET", f"/v1/assistants/{_quote(assistant_id)}"
        )
        return result

    def get_assistant_phone_number(self, id: str) -> types.PhoneNumberLink:
        """Get an assistant's number. The linked number, null when there is none. Scope `read`, role `viewer`."""
        result: types.PhoneNumberLink = self._send(
            "GET", f"/v1/assistants/{_quote(id)}/phone-number"
        )
        return result

    def get_budget(self) -> types.Budget:
        """Get your budget. What the calls of a month may cost, and what those of this month have cost. It has nothing
        to do with credits, which pay for numbers. Scope `read`, role `viewer`."""
        result: types.Budget = self._send(
            "GET", "/v1/user/budget"
        )
        return result

    def get_call(self, call_id: str) -> types.CallDetail:
        """Get a call. One call, with its transcript and every state. Scope `read`, role `viewer`."""
        result: types.CallDetail = self._send(
            "GET", f"/v1/calls/{_quote(call_id)}"
        )
        return result

    def get_call_recording(self, call_id: str) -> bytes:
        """Get a call's recording. A stereo WAV, the caller left and the assistant right. Supports Range requests.
        Scope `read`, role `viewer`."""
        result: bytes = self._download(
            "GET", f"/v1/calls/{_quote(call_id)}/recording"
        )
        return result

    def get_contact(self, contact_id: str) -> types.ContactDetail:
        """Get a contact. One contact, with its last ten calls. Scope `read`, role `viewer`."""
        result: types.ContactDetail = self._send(
            "GET", f"/v1/contacts/{_quote(contact_id)}"
        )
        return result

    def get_credits(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> types.CreditsBalance:
        """Get your credits. The balance and its ledger, newest entry first. The ledger is only ever added to, and the
        balance is its sum. Scope `read`, role `viewer`."""
        result: types.CreditsBalance = self._send(
            "GET", "/v1/user/credits", query={"limit": limit, "offset": offset, "cursor": cursor}
        )
        return result

    def get_extended_profile(self) -> types.ExtendedProfile:
        """Get your extended profile. The profile, how much of everything there is, your limits, your keys and your
        webhook, without any secret. Scope `read`, role `viewer`."""
        result: types.ExtendedProfile = self._send(
            "GET", "/v1/user/profile/extended"
        )
        return result

    def get_knowledge_document(self, id: str) -> types.KnowledgeDocument:
        """Get a document. One document of your knowledge base. Scope `read`, role `viewer`."""
        result: types.KnowledgeDocument = self._send(
            "GET", f"/v1/knowledge-base/documents/{_quote(id)}"
        )
        return result

    def get_legacy_profile(self) -> types.Profile:
        """Get your profile (legacy). The same as `/v1/user/profile`, which new clients use. Scope `read`, role
        `viewer`."""
        result: types.Profile = self._send(
            "GET", "/v1/profile"
        )
        return result

    def get_limits(self) -> types.Limits:
        """Get your limits. How many calls run at once and how many wait, your credits, how many documents your
        knowledge base may have, which numbers you may reach, how often, and for how much of a day, for how long
        things are kept, what was refused today, and the rate limit of this key. Scope `read`, role `viewer`."""
        result: types.Limits = self._send(
            "GET", "/v1/user/limits"
        )
        return result

    def get_phone_number(self, id: str) -> types.PhoneNumber:
        """Get a phone number. One of your own numbers or a default one. Scope `read`, role `viewer`."""
        result: types.PhoneNumber = self._send(
            "GET", f"/v1/phone-numbers/{_quote(id)}"
        )
        return result

    def get_phone_number_order(self, id: str) -> types.PhoneNumberOrder:
        """Get an order of a number. One order. Scope `read`, role `viewer`."""
        result: types.PhoneNumberOrder = self._send(
            "GET", f"/v1/phone-number-orders/{_quote(id)}"
        )
        return result

    def get_profile(self) -> types.Profile:
        """Get your profile. The user behind the API key. Scope `read`, role `viewer`."""
        result: types.Profile = self._send(
            "GET", "/v1/user/profile"
        )
        return result

    def get_scheduled_call(self, id: str) -> types.ScheduledCall:
        """Get a scheduled call. One scheduled call. Scope `read`, role `viewer`."""
        result: types.ScheduledCall = self._send(
            "GET", f"/v1/scheduled-calls/{_quote(id)}"
        )
        return result

    def get_session(self) -> types.Session:
        """Get your session. Who is signed in. Role `viewer`."""
        result: types.Session = self._send(
            "GET", "/v1/session"
        )
        return result

    def get_shared_recording(self, token: str) -> bytes:
        """Get a recording by its link. The recording that a link in an end-of-call-report, or in a mail after a call,
        opens, without a key, for 7 days. 404 when the link is not ours or no longer valid."""
        result: bytes = self._download(
            "GET", f"/v1/recordings/{_quote(token)}"
        )
        return result

    def get_sip_connection(self, id: str) -> types.SIPConnection:
        """Get a SIP connection. One connection. Scope `read`, role `viewer`."""
        result: types.SIPConnection = self._send(
            "GET", f"/v1/sip-connections/{_quote(id)}"
        )
        return result

    def get_usage(self, *, from_: str | None = None, to: str | None = None, group_by: Literal["day", "assistant", "number"] | None = None, tz: str | None = None, format: Literal["json", "csv"] | None = None) -> types.Usage:
        """Get your usage. What your calls used and cost, by day, by assistant or by number of yours. A call counts
        when it is over, at the time at which it was answered, at the prices of that time; one that was not answered
        at its end. Each thing that a call used is rounded by itself to a hundred-millionth of a dollar, and nothing
        is rounded after that: the sums are those of the calls. Calls that were deleted stay in them. Scope `read`,
        role `viewer`."""
        result: types.Usage = self._send(
            "GET", "/v1/usage", query={"from": from_, "to": to, "group_by": group_by, "tz": tz, "format": format}
        )
        return result

    def get_verification_document_file(self, verification_group_id: str, document_id: str) -> bytes:
        """Get a document's file. The file as it was uploaded. Scope `read`, role `viewer`."""
        result: bytes = self._download(
            "GET", f"/v1/verification-groups/{_quote(verification_group_id)}/documents/{_quote(document_id)}/file"
        )
        return result

    def get_verification_group(self, verification_group_id: str) -> types.VerificationGroup:
        """Get a verification group. One group with its documents. Scope `read`, role `viewer`."""
        result: types.VerificationGroup = self._send(
            "GET", f"/v1/verification-groups/{_quote(verification_group_id)}"
        )
        return result

    def get_webhook(self) -> types.Webhook:
        """Get your webhook. Where your events go. The secret is not shown again: rotate it for a new one. Scope
        `read`, role `viewer`."""
        result: types.Webhook = self._send(
            "GET", "/v1/user/webhook"
        )
        return result

    def inject_call_message(self, call_id: str, body: types.CallMessageInput, *, idempotency_key: str | None = None) -> types.CallCommand:
        """Send a message to a live call. `say` has the assistant speak a text, `add-message` adds a message to the
        conversation of its language model, `transfer` transfers the caller to another telephone and `end-call`
        hangs up. The response comes before it is done: the outcome is a `call-command-update` event with the
        command's id. A call that still rings gets the command once it is answered. 409 `conflict` when the call is
        not live; a command whose call ends first fails. A transfer rings a destination like any other call, and
        counts as one to it when it is made: the command fails where the rules forbid it by then. 403
        `destination_not_allowed` when your account may not reach the number; `details.reason` is the rule:
        `country`, `number_type`, `own_number`, `calls_per_number` or `daily_minutes`. `GET /v1/user/limits` shows
        them. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        result: types.CallCommand = self._send(
            "POST", f"/v1/calls/{_quote(call_id)}/messages", body=body, idempotency_key=idempotency_key
        )
        return result

    def invite_member(self, body: types.MemberInput, *, idempotency_key: str | None = None) -> types.Invitation:
        """Invite somebody. Mails a link by which the person joins. Whoever was invited before and has not joined gets
        a new link, with the role that is given now. 409 `conflict` when the person is a member, `limit_reached`
        with 200 members; 429 when an address is invited more than three times in 15 minutes. Scope `admin`, role
        `admin`; not for test keys (403 `test_key`)."""
        result: types.Invitation = self._send(
            "POST", "/v1/members", body=body, idempotency_key=idempotency_key
        )
        return result

    def leave_web_call(self, call_id: str) -> None:
        """Leave a web call. Hangs up as the person in the browser does: the call ends as customer-ended-call. 409
        `conflict` when it is over. A web token leaves the calls that it has made. Scope `write`, role `developer`;
        test keys only for a call that a test key made (403 `test_key`)."""
        self._send(
            "DELETE", f"/v1/calls/web/{_quote(call_id)}"
        )

    def link_assistant_phone_number(self, id: str, body: types.PhoneNumberLinkInput, *, idempotency_key: str | None = None) -> types.PhoneNumberLinkResult:
        """Link a number to an assistant. A number that was linked before is unlinked first. Linking a default number
        releases your other assistants from theirs. Codes: `invalid_parameters`, `already_linked`, `already_in_use`
        (400), `forbidden` (403), `not_found` (404). Scope `write`, role `developer`; test keys only for a assistant
        that a test key made (403 `test_key`)."""
        result: types.PhoneNumberLinkResult = self._send(
            "POST", f"/v1/assistants/{_quote(id)}/phone-number", body=body, idempotency_key=idempotency_key
        )
        return result

    def list_api_keys(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.APIKey]:
        """List API keys. Your keys, newest first, expired ones included; revoked ones are not listed. Scope `read`,
        role `viewer`."""
        return self._pages("/v1/api-keys", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_assistants(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.Assistant]:
        """List assistants. Your assistants, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/assistants", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_audit(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, actor: str | None = None, operation: str | None = None, resource_id: str | None = None, from_: str | None = None, to: str | None = None) -> Pages[types.AuditEntry]:
        """List the audit. Who changed what, when and from where, newest first: every request of a key or a person that
        changed something, signing in and out, and wrong passwords for people of the account. It never holds what
        was written. Scope `read`, role `admin`."""
        return self._pages("/v1/audit", {"limit": limit, "offset": offset, "cursor": cursor, "actor": actor, "operation": operation, "resource_id": resource_id, "from": from_, "to": to})

    def list_available_numbers(self, *, limit: int | None = None, offset: int | None = None, type: Literal["local", "mobile", "national"] | None = None, country: Literal["NL"] | None = None, locality: str | None = None) -> Pages[types.AvailablePhoneNumber]:
        """List available numbers. Numbers of one type that can be ordered now. The carrier is queried: 502 and 504
        when it fails. Scope `read`, role `viewer`."""
        return self._pages("/v1/available-phone-numbers", {"limit": limit, "offset": offset, "type": type, "country": country, "locality": locality})

    def list_available_numbers_legacy(self, *, limit: int | None = None, offset: int | None = None, country: Literal["NL"] | None = None, locality: str | None = None) -> Pages[types.AvailablePhoneNumber]:
        """List available numbers (legacy). Numbers of any type that can be ordered now. New clients use
        `/v1/available-phone-numbers`. The carrier is queried: 502 and 504 when it fails. Scope `read`, role
        `viewer`."""
        return self._pages("/v1/phone-numbers/available", {"limit": limit, "offset": offset, "country": country, "locality": locality})

    def list_call_listeners(self, call_id: str) -> types.CallListenerList:
        """List a call's listeners. Who listens in on a call, or did, the latest first. Scope `read`, role `viewer`."""
        result: types.CallListenerList = self._send(
            "GET", f"/v1/calls/{_quote(call_id)}/listen"
        )
        return result

    def list_calls(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, assistant_id: str | None = None, contact_id: str | None = None, call_status: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"] | None = None, start_date: str | None = None, end_date: str | None = None) -> Pages[types.Call]:
        """List calls. Your calls, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/calls", {"limit": limit, "offset": offset, "cursor": cursor, "assistant_id": assistant_id, "contact_id": contact_id, "call_status": call_status, "start_date": start_date, "end_date": end_date})

    def list_contacts(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, org_id: str | None = None, full_name: str | None = None, email: str | None = None, phone_number: str | None = None) -> Pages[types.Contact]:
        """List contacts. Your contacts, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/contacts", {"limit": limit, "offset": offset, "cursor": cursor, "org_id": org_id, "full_name": full_name, "email": email, "phone_number": phone_number})

    def list_event_deliveries(self, id: str, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.DeliveryAttempt]:
        """List the deliveries of an event. Every attempt, newest first. While a server fails, the oldest event that
        waits for it is sent about every 10 seconds, to see whether it is back. That counts as an attempt when the
        server accepts it or when an attempt was due, and is not listed otherwise. Scope `read`, role `viewer`."""
        return self._pages(f"/v1/events/{_quote(id)}/deliveries", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_events(self, *, after: int | None = None, limit: int | None = None, type: str | None = None, cursor: str | None = None, call_id: str | None = None) -> Pages[types.Event]:
        """List events. Your events in their order, oldest first, from the one that follows `after`; `total` counts
        those that follow. An event appears within 100 ms of what it reports. Scope `read`, role `viewer`."""
        return self._pages("/v1/events", {"after": after, "limit": limit, "type": type, "cursor": cursor, "call_id": call_id})

    def list_group_available_numbers(self, id: str, *, limit: int | None = None, offset: int | None = None) -> Pages[types.AvailablePhoneNumber]:
        """List numbers for a group. Local numbers of the area code of the group's city. The carrier is queried: 502
        and 504 when it fails. Scope `read`, role `viewer`."""
        return self._pages(f"/v1/verification-groups/{_quote(id)}/available-phone-numbers", {"limit": limit, "offset": offset})

    def list_knowledge_documents(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, assistant_id: str | None = None) -> Pages[types.KnowledgeDocument]:
        """List documents. The documents of your knowledge base, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/knowledge-base/documents", {"limit": limit, "offset": offset, "cursor": cursor, "assistant_id": assistant_id})

    def list_members(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.Member]:
        """List members. The people of the account, also those who were invited and have not joined. Scope `read`, role
        `viewer`."""
        return self._pages("/v1/members", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_phone_number_orders(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, status: Literal["pending", "completed", "failed"] | None = None) -> Pages[types.PhoneNumberOrder]:
        """List orders of numbers. Your orders in a state, newest first; pending ones unless `status` says otherwise.
        Scope `read`, role `viewer`."""
        return self._pages("/v1/phone-number-orders", {"limit": limit, "offset": offset, "cursor": cursor, "status": status})

    def list_phone_numbers(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.PhoneNumber]:
        """List phone numbers. Your own numbers and the shared default ones. A call that comes in on a shared number
        goes to the account whose answered call from it reached this caller last, within 30 days; else to the
        account to which the operator gave the number's inbound calls; else it is refused with 404. Scope `read`,
        role `viewer`."""
        return self._pages("/v1/phone-numbers", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_scheduled_calls(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, assistant_id: str | None = None, contact_id: str | None = None, processed: bool | None = None) -> Pages[types.ScheduledCall]:
        """List scheduled calls. Your scheduled calls, newest first; canceled ones are not listed. Scope `read`, role
        `viewer`."""
        return self._pages("/v1/scheduled-calls", {"limit": limit, "offset": offset, "cursor": cursor, "assistant_id": assistant_id, "contact_id": contact_id, "processed": processed})

    def list_sessions(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.OpenSession]:
        """List your sessions. The sessions of the person that work, in all accounts, newest first. Role `viewer`."""
        return self._pages("/v1/sessions", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_sip_connections(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.SIPConnection]:
        """List SIP connections. Your connections, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/sip-connections", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_verification_documents(self, verification_group_id: str, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.VerificationDocument]:
        """List documents. The documents of a group, newest first. Scope `read`, role `viewer`."""
        return self._pages(f"/v1/verification-groups/{_quote(verification_group_id)}/documents", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_verification_groups(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, status: Literal["pending", "approved", "rejected"] | None = None) -> Pages[types.VerificationGroup]:
        """List verification groups. Your groups, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/verification-groups", {"limit": limit, "offset": offset, "cursor": cursor, "status": status})

    def list_web_tokens(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> Pages[types.WebToken]:
        """List web tokens. Your tokens that work, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/web-tokens", {"limit": limit, "offset": offset, "cursor": cursor})

    def order_group_number(self, id: str, body: types.GroupNumberOrderInput, *, idempotency_key: str | None = None) -> types.PhoneNumberOrderResult:
        """Order a number through a verification group. Takes 10 credits and orders the number at the carrier; the
        order is `pending` until the carrier has decided. The credits of a failed order are refunded. Numbers do not
        renew: the price is paid once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits`
        (402), `not_found` (404), `conflict` (409: the number is taken or being ordered). Scope `write`, role
        `developer`."""
        result: types.PhoneNumberOrderResult = self._send(
            "POST", f"/v1/verification-groups/{_quote(id)}/order-number", body=body, idempotency_key=idempotency_key
        )
        return result

    def order_phone_number(self, body: types.PhoneNumberOrderInput, *, idempotency_key: str | None = None) -> types.PhoneNumberOrder:
        """Order a number with a subscription. Like an order, for accounts with an active subscription: 403
        `subscription_required` without one. Takes 10 credits and orders the number at the carrier; the order is
        `pending` until the carrier has decided. The credits of a failed order are refunded. Numbers do not renew:
        the price is paid once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402),
        `not_found` (404), `conflict` (409: the number is taken or being ordered). Scope `write`, role `developer`."""
        result: types.PhoneNumberOrder = self._send(
            "POST", "/v1/phone-numbers", body=body, idempotency_key=idempotency_key
        )
        return result

    def patch_assistant(self, assistant_id: str, body: types.AssistantUpdate) -> types.Assistant:
        """Patch an assistant. JSON merge patch (RFC 7396): changes the fields that the body names, null sets the
        default. Scope `write`, role `developer`; test keys only for a assistant that a test key made (403
        `test_key`)."""
        result: types.Assistant = self._send(
            "PATCH", f"/v1/assistants/{_quote(assistant_id)}", body=body
        )
        return result

    def patch_call_listener(self, call_id: str, listener_id: str, body: types.CallListenerPatchInput) -> types.CallListener:
        """Listen, whisper or barge in. Changes what you do with the call. listen: you hear both sides, and nothing of
        yours goes anywhere. whisper: what you say, or type, is an instruction that the assistant follows from its
        next reply on; the caller hears nothing of it. barge: the assistant falls silent and the caller hears you;
        one listener at a time. The change is on its way when the response comes: the data channel says when it is
        made, or why not. 404 when it is another's, 409 `conflict` when you have left, or somebody else has barged
        in. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        result: types.CallListener = self._send(
            "PATCH", f"/v1/calls/{_quote(call_id)}/listen/{_quote(listener_id)}", body=body
        )
        return result

    def patch_contact(self, contact_id: str, body: types.ContactUpdate) -> types.Contact:
        """Patch a contact. JSON merge patch (RFC 7396): changes the fields that the body names, null removes. Scope
        `write`, role `developer`; test keys only for a contact that a test key made (403 `test_key`)."""
        result: types.Contact = self._send(
            "PATCH", f"/v1/contacts/{_quote(contact_id)}", body=body
        )
        return result

    def patch_member(self, id: str, body: types.MemberUpdate) -> types.Member:
        """Change a role. Nobody gives a role above their own, or takes one from somebody above. 409 `conflict` when
        the account would have no owner left. Scope `admin`, role `admin`; not for test keys (403 `test_key`)."""
        result: types.Member = self._send(
            "PATCH", f"/v1/members/{_quote(id)}", body=body
        )
        return result

    def patch_profile(self, body: types.ProfileUpdate) -> types.Profile:
        """Update your profile. Changes the fields that the body names; null removes, but for `full_name`. Scope
        `admin`, role `admin`; not for test keys (403 `test_key`)."""
        result: types.Profile = self._send(
            "PATCH", "/v1/user/profile", body=body
        )
        return result

    def patch_session(self, body: types.SessionUpdate) -> types.Session:
        """Update yourself. Changes the fields that the body names. Role `viewer`."""
        result: types.Session = self._send(
            "PATCH", "/v1/session", body=body
        )
        return result

    def patch_sip_connection(self, id: str, body: types.SipConnectionPatchInput) -> types.SIPConnection:
        """Update a SIP connection. Changes the fields that the body names: how callers are put through, from the next
        transfer on. Scope `write`, role `developer`; test keys only for a SIP connection that a test key made (403
        `test_key`)."""
        result: types.SIPConnection = self._send(
            "PATCH", f"/v1/sip-connections/{_quote(id)}", body=body
        )
        return result

    def query_knowledge_base(self, body: types.KnowledgeQuery, *, idempotency_key: str | None = None) -> types.KnowledgeResults:
        """Query the knowledge base. The documents that match a question best, as the tool `query_knowledge_base` of an
        assistant with `knowledge_base_enabled` finds them. Dutch and English, with their inflections; misspelled
        words and parts of compounds are found too; and where the deployment has an embedding model, what means the
        same in other words. Scope `read`, role `viewer`."""
        result: types.KnowledgeResults = self._send(
            "POST", "/v1/knowledge-base/query", body=body, idempotency_key=idempotency_key
        )
        return result

    def redeliver_event(self, id: str, *, idempotency_key: str | None = None) -> types.Event:
        """Deliver an event again. Sends the event to the server that receives it now, at once, whatever its delivery
        was before, with all attempts. It keeps its webhook-id. Questions (`assistant-request`, `tool-calls`,
        `call.endpointing.request`) are 404: they are sent once. Scope `write`, role `developer`; not for test keys
        (403 `test_key`)."""
        result: types.Event = self._send(
            "POST", f"/v1/events/{_quote(id)}/redeliver", idempotency_key=idempotency_key
        )
        return result

    def refresh_knowledge_document(self, id: str, *, idempotency_key: str | None = None) -> types.KnowledgeDocument:
        """Read a document's page again. Fetches the `url` of a document again. What was read before is found until
        then, and stays when it fails. 409 `conflict` when the document has no `url`. Scope `write`, role
        `developer`; test keys only for a document that a test key made (403 `test_key`)."""
        result: types.KnowledgeDocument = self._send(
            "POST", f"/v1/knowledge-base/documents/{_quote(id)}/refresh", idempotency_key=idempotency_key
        )
        return result

    def replay_events(self, body: types.EventReplayInput, *, idempotency_key: str | None = None) -> types.EventReplay:
        """Deliver many events again. Sends the events of a time or of a call again, in their order and after new
        events: those that your server subscribes to now and that are not pending. They keep their webhook-ids. At
        most 100,000 at once: more are 400. Scope `write`, role `developer`; not for test keys (403 `test_key`)."""
        result: types.EventReplay = self._send(
            "POST", "/v1/events/replay", body=body, idempotency_key=idempotency_key
        )
        return result

    def request_reset(self, body: types.PasswordReset, *, idempotency_key: str | None = None) -> None:
        """Ask for a new password. Mails a link to the person, if there is one with this address; the response is the
        same if not. At most three in 15 minutes."""
        self._send(
            "POST", "/v1/session/reset", body=body, idempotency_key=idempotency_key
        )

    def rotate_api_key(self, id: str, body: types.APIKeyRotation | None = None, *, idempotency_key: str | None = None) -> types.NewAPIKey:
        """Rotate an API key. Makes a key with the name, mode, scopes and limit of this one and returns its text, once.
        The old key works for 24 hours more, or until it expires if that is sooner; with `revoke_now` it stops
        working at once. 403 `exceeds_key` when the new key would live longer, may do more or ask faster than the
        calling key; 409 `conflict` when the key was rotated before or has expired. Scope `admin`, role `developer`;
        not for test keys (403 `test_key`)."""
        result: types.NewAPIKey = self._send(
            "POST", f"/v1/api-keys/{_quote(id)}/rotate", body=body, idempotency_key=idempotency_key
        )
        return result

    def rotate_webhook_secret(self, body: types.WebhookSecretRotation | None = None, *, idempotency_key: str | None = None) -> types.WebhookSecret:
        """Rotate the webhook secret. Returns a new secret, once. For 24 hours events are signed with both; with
        `end_old` only with the new one, from now on. Scope `admin`, role `developer`; not for test keys (403
        `test_key`)."""
        result: types.WebhookSecret = self._send(
            "POST", "/v1/user/webhook/rotate-secret", body=body, idempotency_key=idempotency_key
        )
        return result

    def sign_in(self, body: types.SignInInput, *, idempotency_key: str | None = None) -> types.Session:
        """Sign in. Sets the cookie of a new session, and ends the session that came with the request. 401
        `unauthorized` when address and password do not belong together, 404 when the person is no member of the
        account; 429 `too_many_passwords` after ten wrong ones for the address from your network within 15 minutes."""
        result: types.Session = self._send(
            "POST", "/v1/session", body=body, idempotency_key=idempotency_key
        )
        return result

    def sign_out(self) -> None:
        """Sign out. Ends the session. Role `viewer`."""
        self._send(
            "DELETE", "/v1/session"
        )

    def submit_verification_group(self, verification_group_id: str, *, idempotency_key: str | None = None) -> types.VerificationGroup:
        """Submit a verification group. Submits the group for review. 400 `invalid_status` names each of the four
        external items that is missing; 409 when it is under review or approved. A rejected group can change its
        documents and submit again. Scope `write`, role `developer`; test keys only for a verification group that a
        test key made (403 `test_key`)."""
        result: types.VerificationGroup = self._send(
            "POST", f"/v1/verification-groups/{_quote(verification_group_id)}/submit-for-approval", idempotency_key=idempotency_key
        )
        return result

    def switch_account(self, body: types.AccountSwitch) -> types.Session:
        """Switch account. Has the session go on in another account of the person. Role `viewer`."""
        result: types.Session = self._send(
            "PUT", "/v1/session/account", body=body
        )
        return result

    def test_sip_connection(self, id: str, *, idempotency_key: str | None = None) -> types.SIPConnection:
        """Test a SIP connection. Registers again and returns the outcome: `status` is `registered`, or `failed` with
        the provider's `sip_code`. 502 `upstream_error` when the provider has trouble, 504 `upstream_timeout` when
        it does not answer within 20 seconds. Scope `write`, role `developer`; test keys only for a SIP connection
        that a test key made (403 `test_key`)."""
        result: types.SIPConnection = self._send(
            "POST", f"/v1/sip-connections/{_quote(id)}/test", idempotency_key=idempotency_key
        )
        return result

    def unlink_assistant_phone_number(self, id: str) -> types.PhoneNumberUnlinkResult:
        """Unlink an assistant's number. The number becomes available again. 400 `no_phone_number` when there is none.
        Scope `write`, role `developer`; test keys only for a assistant that a test key made (403 `test_key`)."""
        result: types.PhoneNumberUnlinkResult = self._send(
            "DELETE", f"/v1/assistants/{_quote(id)}/phone-number"
        )
        return result

    def update_assistant(self, assistant_id: str, body: types.AssistantReplacement) -> types.Assistant:
        """Replace an assistant. Replaces the whole configuration, omitted fields by their defaults, when the body has
        `assistant_name` and none of `llm_content`, `functions`, `phone_number_id` and `voice_id`. Any other body is
        the earlier form and changes only what it names; `phone_number_id` links a custom number and null unlinks.
        Scope `write`, role `developer`; test keys only for a assistant that a test key made (403 `test_key`)."""
        result: types.Assistant = self._send(
            "PUT", f"/v1/assistants/{_quote(assistant_id)}", body=body
        )
        return result

    def update_budget(self, body: types.BudgetInput) -> types.Budget:
        """Set your budget. Sets what the calls of a month may cost. At 80 and at 100 percent there is a
        `budget-reached` event, each once in a month; of another budget there are others, at once where the month's
        calls have cost so much already. Months that are over keep the costs that they were given. Scope `admin`,
        role `admin`; not for test keys (403 `test_key`)."""
        result: types.Budget = self._send(
            "PUT", "/v1/user/budget", body=body
        )
        return result

    def update_contact(self, contact_id: str, body: types.ContactUpdate) -> types.Contact:
        """Update a contact. Changes the fields that the body names. Scope `write`, role `developer`; test keys only
        for a contact that a test key made (403 `test_key`)."""
        result: types.Contact = self._send(
            "PUT", f"/v1/contacts/{_quote(contact_id)}", body=body
        )
        return result

    def update_scheduled_call(self, id: str, body: types.ScheduledCallUpdate) -> types.ScheduledCall:
        """Update a scheduled call. Changes the fields that the body names. 409 once it is processed, which may be one
        second before its time, except for `processed` itself. Scope `write`, role `developer`; test keys only for a
        scheduled call that a test key made (403 `test_key`)."""
        result: types.ScheduledCall = self._send(
            "PUT", f"/v1/scheduled-calls/{_quote(id)}", body=body
        )
        return result

    def update_webhook(self, body: types.WebhookInput) -> types.Webhook:
        """Set your webhook. Events are posted as `{"message": {"type", "timestamp", "call", "assistant", …,
        "eventId", "sequence"}}`, signed by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature).
        2xx within 15 s is delivered; anything else is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h,
        12 h and 24 h, or after the time in Retry-After. The same event has the same webhook-id each time and may
        come twice. Redirects are not followed. While your server gives no answer or 429, 502, 503 or 504, and after
        ten failures in a row, the oldest event that waits is sent about every 10 s besides; before its time that is
        no attempt when it fails. From the tenth failure in a row on nothing else is sent, and events wait, for up
        to 50 h. As soon as your server takes one, the others follow at its pace, those of a call in their order.
        410, or 50 events in a row that failed for good, disables the webhook. Setting it again enables it. Scope
        `admin`, role `developer`; not for test keys (403 `test_key`)."""
        result: types.Webhook = self._send(
            "PUT", "/v1/user/webhook", body=body
        )
        return result

    def upload_verification_document(self, verification_group_id: str, *, document_type: Literal["company-registration", "proof-of-address", "copy-id"], file: bytes, idempotency_key: str | None = None) -> types.VerificationDocument:
        """Upload a document. A PDF, JPG or PNG of at most 20 MiB, recognised by its content. It is stored encrypted
        and sent to the carrier. A group has one document of each type; 409 when it has this one, is under review or
        approved. Scope `write`, role `developer`; test keys only for a verification group that a test key made (403
        `test_key`)."""
        result: types.VerificationDocument = self._send(
            "POST", f"/v1/verification-groups/{_quote(verification_group_id)}/documents", data={"document_type": document_type}, files={"file": file}, idempotency_key=idempotency_key
        )
        return result

    def use_link(self, body: types.SignInLinkUse, *, idempotency_key: str | None = None) -> types.Session:
        """Sign in by a link. Uses a link that was printed or mailed, once, and sets the cookie of a new session. A new
        password ends all other sessions of the person. 404 when the link was used or is too old; an invitation of
        somebody who has a password takes that one: 401 `unauthorized` when it is wrong, 409 `conflict` when it was
        chosen over a link that somebody else saw."""
        result: types.Session = self._send(
            "POST", "/v1/session/link", body=body, idempotency_key=idempotency_key
        )
        return result


class AsyncOperations(ABC):
    """The operations, each of which returns what the server responds once it is awaited."""

    @abstractmethod
    async def _send(
        self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None, data: Any = None, files: Any = None,
        idempotency_key: str | None = None,
    ) -> Any: ...  # fmt: skip

    @abstractmethod
    async def _download(self, method: str, path: str, *, query: dict[str, Any] | None = None) -> bytes: ...

    @abstractmethod
    def _pages(self, path: str, query: dict[str, Any]) -> AsyncPages[Any]: ...

    async def change_password(self, body: types.PasswordChange) -> None:
        """Change your password. Ends all other sessions of the person. 403 `wrong_password` when the current one is
        wrong; 429 `too_many_passwords` after ten within 15 minutes. Role `viewer`."""
        await self._send(
            "PUT", "/v1/session/password", body=body
        )

    async def check_link(self, body: types.SignInLinkCheck, *, idempotency_key: str | None = None) -> types.SignInLink:
        """Look at a link. Returns what a link is for, without using it. 404 when it was used or is too old."""
        result: types.SignInLink = await self._send(
            "POST", "/v1/session/link/check", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_api_key(self, body: types.APIKeyInput, *, idempotency_key: str | None = None) -> types.NewAPIKey:
        """Create an API key. Returns the key's text, once. No key makes one that lives longer, may do more or asks
        faster than itself: 403 `exceeds_key`, which names the field. 409 `conflict` when you have 100 keys that
        work. Scope `admin`, role `developer`; not for test keys (403 `test_key`)."""
        result: types.NewAPIKey = await self._send(
            "POST", "/v1/api-keys", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_assistant(self, body: types.AssistantInput, *, idempotency_key: str | None = None) -> types.Assistant:
        """Create an assistant. Only `assistant_name` is required; a number is linked afterwards. Scope `write`, role
        `developer`."""
        result: types.Assistant = await self._send(
            "POST", "/v1/assistants", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_call_listener(self, call_id: str, body: types.CallListenInput, *, idempotency_key: str | None = None) -> types.CallListenerAnswer:
        """Listen in on a live call. Answers the WebRTC offer of a browser, as `POST /v1/calls/web` does: it hears the
        call. listen: you hear both sides, and nothing of yours goes anywhere. whisper: what you say, or type, is an
        instruction that the assistant follows from its next reply on; the caller hears nothing of it. barge: the
        assistant falls silent and the caller hears you; one listener at a time. Who listens is in the audit, and
        your server is told by call-listener-update. 409 `conflict` when the call is not answered or is over, when
        somebody else has barged in, and for a repeated Idempotency-Key: an offer is answered once. 429
        `limit_reached` when four listen to the call, or as many in all as your account may have calls. 503 when the
        worker of the call does not answer within 5 seconds. Scope `write`, role `developer`; test keys only for a
        call that a test key made (403 `test_key`)."""
        result: types.CallListenerAnswer = await self._send(
            "POST", f"/v1/calls/{_quote(call_id)}/listen", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_contact(self, body: types.ContactInput, *, idempotency_key: str | None = None) -> types.Contact:
        """Create a contact. A phone number is unique among your contacts: 409 `conflict` when there is one with it.
        Scope `write`, role `developer`."""
        result: types.Contact = await self._send(
            "POST", "/v1/contacts", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_direct_call(self, body: types.DirectCallInput, *, idempotency_key: str | None = None) -> types.Call:
        """Call now. Starts a call at once. The response comes before the telephone rings: follow the call by its
        events or at `/v1/calls/{call_id}`. 400 `no_phone_number` when the assistant has no number. 403
        `destination_not_allowed` when your account may not reach the number; `details.reason` is the rule:
        `country`, `number_type`, `own_number`, `calls_per_number` or `daily_minutes`. `GET /v1/user/limits` shows
        them. 402 `budget_exhausted` when the calls of this month have cost your budget (`GET /v1/user/budget`).
        Scope `write`, role `developer`."""
        result: types.Call = await self._send(
            "POST", "/v1/calls/direct", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_instant_agent(self, body: types.InstantAgentInput, *, idempotency_key: str | None = None) -> types.InstantAgent:
        """Create an instant agent. Makes a complete assistant from a company's name, its website, its questions and
        answers and the other fields, links it to the number and responds when it can take calls. It speaks Dutch or
        English: the language of the website, else of the texts, else of the number's country. The website, the
        answers and the context become its knowledge base too.

        400 `already_in_use` when a custom number is linked to another assistant, 400 `invalid_request` too when
        `website_url` leads to no page that may be read, 502 `upstream_error` when the website failed, 504
        `upstream_timeout` when it did not answer in time or all took over 25 seconds, 409 `limit_reached` when the
        knowledge base has no room for what it is to know. After these nothing is left behind: no assistant, no
        link, no knowledge. A client that disconnects does not stop it; the same `Idempotency-Key` returns its
        outcome, errors included, and 409 `idempotency_in_progress` until then. At most 5 are made at once; more are
        429 `rate_limited`. Scope `write`, role `developer`."""
        result: types.InstantAgent = await self._send(
            "POST", "/instant-agents", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_knowledge_document(self, body: types.KnowledgeDocumentInput, *, idempotency_key: str | None = None) -> types.KnowledgeDocument:
        """Add a document. Exactly one of `text`, `url`, and `question` with `answer`. Text can be found at once; a
        page is fetched first (`processing`, then `ready` or `failed`). robots.txt is honoured. 409 `limit_reached`
        when the knowledge base has as many documents as it may (`GET /v1/user/limits`). Scope `write`, role
        `developer`."""
        result: types.KnowledgeDocument = await self._send(
            "POST", "/v1/knowledge-base/documents", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_phone_number_order(self, body: types.PhoneNumberOrderInput, *, idempotency_key: str | None = None) -> types.PhoneNumberOrder:
        """Order a number. Takes 10 credits and orders the number at the carrier; the order is `pending` until the
        carrier has decided. The credits of a failed order are refunded. Numbers do not renew: the price is paid
        once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402), `not_found` (404),
        `conflict` (409: the number is taken or being ordered). Scope `write`, role `developer`."""
        result: types.PhoneNumberOrder = await self._send(
            "POST", "/v1/phone-number-orders", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_scheduled_call(self, body: types.ScheduledCallInput, *, idempotency_key: str | None = None) -> types.ScheduledCall:
        """Schedule a call. The call is placed at its time, also if processes end meanwhile; `processed` becomes true
        in the transaction that creates the call. With `retry`, an attempt that ends as one of `on` turns it false
        again until the next one; until then PUT changes the next attempt, PUT `processed` true or DELETE cancels
        it, and so does the contact's or the assistant's deletion. When its time comes the rules of destinations are
        applied again: a call that they forbid is not dialed, and `explanation` says why. 403
        `destination_not_allowed` when your account may not reach the number; `details.reason` is the rule:
        `country`, `number_type`, `own_number`, `calls_per_number` or `daily_minutes`. `GET /v1/user/limits` shows
        them. Scope `write`, role `developer`."""
        result: types.ScheduledCall = await self._send(
            "POST", "/v1/scheduled-calls", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_sip_connection(self, body: types.SIPConnectionInput, *, idempotency_key: str | None = None) -> types.SIPConnection:
        """Create a SIP connection. Makes your number known as a custom number and registers the account at its
        provider, which is kept registered from then on. Calls from the number leave and calls to it arrive over
        this connection. The number is yours once the proxy has registered it: until then its status is `pending`,
        it takes no calls, and the first account whose proxy registers it gets it. 409 `conflict` when the number is
        in use; 409 `limit_reached` when you have 20 connections, or 5 at this proxy. Refused and unanswered
        registrations are tried again after ever longer pauses, up to an hour, and stop after a day with a
        `sip-connection-stopped` event. Connections made with a test key register at the simulated network. Scope
        `write`, role `developer`."""
        result: types.SIPConnection = await self._send(
            "POST", "/v1/sip-connections", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_verification_group(self, body: types.VerificationGroupInput, *, idempotency_key: str | None = None) -> types.VerificationGroup:
        """Create a verification group. The group's address is sent to the carrier; then upload its documents and
        submit it. 409 `limit_reached` with 100 groups. Scope `write`, role `developer`."""
        result: types.VerificationGroup = await self._send(
            "POST", "/v1/verification-groups", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_web_call(self, body: types.WebCallInput, *, idempotency_key: str | None = None) -> types.WebCall:
        """Talk in the browser. Answers the WebRTC offer of a browser: the person in it talks with the assistant. Takes
        JSON, or, as WHIP does (RFC 9725), an offer as `application/sdp` with the assistant in the query, and
        responds alike. 429 `limit_reached` at once when all calls are taken that your account may have at a time,
        and 503 when no worker takes the call within 5 seconds. A page calls this with a web token (`POST
        /v1/web-tokens`), a server with its key. 409 `conflict` when the Idempotency-Key was used before: an offer
        is answered once. Scope `write`, role `developer`."""
        result: types.WebCall = await self._send(
            "POST", "/v1/calls/web", body=body, idempotency_key=idempotency_key
        )
        return result

    async def create_web_token(self, body: types.WebTokenCreateInput, *, idempotency_key: str | None = None) -> types.NewWebToken:
        """Create a web token. Returns a token with which a page of yours begins web calls and leaves them, and does
        nothing else. Your server asks for one when it serves the page: it works for minutes, for the origins that
        you name. Scope `write`, role `developer`."""
        result: types.NewWebToken = await self._send(
            "POST", "/v1/web-tokens", body=body, idempotency_key=idempotency_key
        )
        return result

    async def delete_api_key(self, id: str) -> None:
        """Revoke an API key. The key stops working at once, everywhere, even if it is the calling key. Scope `admin`,
        role `developer`; not for test keys (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/api-keys/{_quote(id)}"
        )

    async def delete_assistant(self, assistant_id: str) -> None:
        """Delete an assistant. Unlinks its number, cancels its scheduled calls and deletes the knowledge documents
        that only it uses. Past calls are kept; a call in progress goes on. Scope `write`, role `developer`; test
        keys only for a assistant that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/assistants/{_quote(assistant_id)}"
        )

    async def delete_call(self, call_id: str) -> None:
        """Delete a call. Removes an ended call, what was said in it and its recording. A queued call is canceled
        first. 409 `conflict` while the call goes on. Its end-of-call-report is delivered all the same, and its
        events stay in the event log: erase the contact to remove those too. The scheduled call that made it still
        names it. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/calls/{_quote(call_id)}"
        )

    async def delete_call_listener(self, call_id: str, listener_id: str) -> None:
        """Stop listening in. Ends a listener, yours or another's. 409 `conflict` when it has ended. Scope `write`,
        role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/calls/{_quote(call_id)}/listen/{_quote(listener_id)}"
        )

    async def delete_contact(self, contact_id: str, *, erase: bool | None = None) -> None:
        """Delete a contact. Scheduled calls to the contact are canceled; past calls are kept. With `erase=true` the
        person is erased instead, also when the contact was deleted before: all fields of the contact and of others
        with its number, and of all calls with it or with its number what was said, recordings, names, numbers,
        variables, `custom_data`, analysis, stored events and what servers answered to them. Of those calls times
        and counts stay; events that were not delivered yet never are. This cannot be undone. 409 `conflict` while a
        call of the person goes on or its end-of-call-report is not written yet. Scope `write`, role `developer`;
        test keys only for a contact that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/contacts/{_quote(contact_id)}", query={"erase": erase}
        )

    async def delete_knowledge_document(self, id: str) -> None:
        """Delete a document. It is no longer found. Scope `write`, role `developer`; test keys only for a document
        that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/knowledge-base/documents/{_quote(id)}"
        )

    async def delete_member(self, id: str) -> None:
        """Remove a member. Ends the person's sessions in the account at once, and the invitation. Nobody removes
        somebody above them. 409 `conflict` when the account would have no owner left. Scope `admin`, role `admin`;
        not for test keys (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/members/{_quote(id)}"
        )

    async def delete_phone_number(self, id: str) -> None:
        """Return a phone number. Returns an ordered number to the carrier. 409 `conflict` while an assistant is
        linked, and for a number of a SIP connection, which goes with its connection; 400 `invalid_parameters` for a
        default number. Scope `write`, role `developer`; test keys only for a phone number that a test key made (403
        `test_key`)."""
        await self._send(
            "DELETE", f"/v1/phone-numbers/{_quote(id)}"
        )

    async def delete_scheduled_call(self, id: str) -> None:
        """Cancel a scheduled call. 409 once it is processed, which may be one second before its time. Scope `write`,
        role `developer`; test keys only for a scheduled call that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/scheduled-calls/{_quote(id)}"
        )

    async def delete_sip_connection(self, id: str) -> None:
        """Delete a SIP connection. Ends the registration and removes the number; past calls keep it. 409 `conflict`
        while an assistant is linked to the number. Scope `write`, role `developer`; test keys only for a SIP
        connection that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/sip-connections/{_quote(id)}"
        )

    async def delete_verification_document(self, verification_group_id: str, document_id: str) -> None:
        """Delete a document. 409 while the group is under review. Scope `write`, role `developer`; test keys only for
        a verification group that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/verification-groups/{_quote(verification_group_id)}/documents/{_quote(document_id)}"
        )

    async def delete_verification_group(self, verification_group_id: str) -> None:
        """Delete a verification group. 409 while it has documents (delete them first), is under review, or an order
        through it is pending. Personal data in it is erased. Scope `write`, role `developer`; test keys only for a
        verification group that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/verification-groups/{_quote(verification_group_id)}"
        )

    async def delete_web_token(self, id: str) -> None:
        """Revoke a web token. No call is begun with it any more. Those that it has made go on. Scope `write`, role
        `developer`; test keys only for a web token that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/web-tokens/{_quote(id)}"
        )

    async def end_call(self, call_id: str, *, idempotency_key: str | None = None) -> types.CallCommand:
        """End a call. Hangs up a live call, also while it rings, and cancels a queued one. 409 `conflict` when it is
        over. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        result: types.CallCommand = await self._send(
            "POST", f"/v1/calls/{_quote(call_id)}/end", idempotency_key=idempotency_key
        )
        return result

    async def end_other_sessions(self) -> None:
        """Sign out everywhere else. Ends all sessions of the person but the one that asks. Role `viewer`."""
        await self._send(
            "DELETE", "/v1/sessions"
        )

    async def end_session(self, id: str) -> None:
        """End a session. Signs the person out there, at once. Role `viewer`."""
        await self._send(
            "DELETE", f"/v1/sessions/{_quote(id)}"
        )

    async def generate_faqs(self, body: types.FAQGenerationInput, *, idempotency_key: str | None = None) -> types.GeneratedFAQs:
        """Generate frequently asked questions. Questions that callers are likely to ask, with answers, from a website
        or a text (one of the two). The deployment's language model writes them; where none is configured, they are
        those that the website has already. Nothing is stored. 502 `upstream_error` when nothing could be found or
        the website or the model failed, 504 `upstream_timeout` after 25 seconds. Scope `write`, role `developer`."""
        result: types.GeneratedFAQs = await self._send(
            "POST", "/v1/faqs/generate", body=body, idempotency_key=idempotency_key
        )
        return result

    async def get_assistant(self, assistant_id: str) -> types.Assistant:
        """Get an assistant. One assistant. Scope `read`, role `viewer`."""
        result: types.Assistant = await self._send(
            "GET", f"/v1/assistants/{_quote(assistant_id)}"
        )
        return result

    async def get_assistant_phone_number(self, id: str) -> types.PhoneNumberLink:
        """Get an assistant's number. The linked number, null when there is none. Scope `read`, role `viewer`."""
        result: types.PhoneNumberLink = await self._send(
            "GET", f"/v1/assistants/{_quote(id)}/phone-number"
        )
        return result

    async def get_budget(self) -> types.Budget:
        """Get your budget. What the calls of a month may cost, and what those of this month have cost. It has nothing
        to do with credits, which pay for numbers. Scope `read`, role `viewer`."""
        result: types.Budget = await self._send(
            "GET", "/v1/user/budget"
        )
        return result

    async def get_call(self, call_id: str) -> types.CallDetail:
        """Get a call. One call, with its transcript and every state. Scope `read`, role `viewer`."""
        result: types.CallDetail = await self._send(
            "GET", f"/v1/calls/{_quote(call_id)}"
        )
        return result

    async def get_call_recording(self, call_id: str) -> bytes:
        """Get a call's recording. A stereo WAV, the caller left and the assistant right. Supports Range requests.
        Scope `read`, role `viewer`."""
        result: bytes = await self._download(
            "GET", f"/v1/calls/{_quote(call_id)}/recording"
        )
        return result

    async def get_contact(self, contact_id: str) -> types.ContactDetail:
        """Get a contact. One contact, with its last ten calls. Scope `read`, role `viewer`."""
        result: types.ContactDetail = await self._send(
            "GET", f"/v1/contacts/{_quote(contact_id)}"
        )
        return result

    async def get_credits(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> types.CreditsBalance:
        """Get your credits. The balance and its ledger, newest entry first. The ledger is only ever added to, and the
        balance is its sum. Scope `read`, role `viewer`."""
        result: types.CreditsBalance = await self._send(
            "GET", "/v1/user/credits", query={"limit": limit, "offset": offset, "cursor": cursor}
        )
        return result

    async def get_extended_profile(self) -> types.ExtendedProfile:
        """Get your extended profile. The profile, how much of everything there is, your limits, your keys and your
        webhook, without any secret. Scope `read`, role `viewer`."""
        result: types.ExtendedProfile = await self._send(
            "GET", "/v1/user/profile/extended"
        )
        return result

    async def get_knowledge_document(self, id: str) -> types.KnowledgeDocument:
        """Get a document. One document of your knowledge base. Scope `read`, role `viewer`."""
        result: types.KnowledgeDocument = await self._send(
            "GET", f"/v1/knowledge-base/documents/{_quote(id)}"
        )
        return result

    async def get_legacy_profile(self) -> types.Profile:
        """Get your profile (legacy). The same as `/v1/user/profile`, which new clients use. Scope `read`, role
        `viewer`."""
        result: types.Profile = await self._send(
            "GET", "/v1/profile"
        )
        return result

    async def get_limits(self) -> types.Limits:
        """Get your limits. How many calls run at once and how many wait, your credits, how many documents your
        knowledge base may have, which numbers you may reach, how often, and for how much of a day, for how long
        things are kept, what was refused today, and the rate limit of this key. Scope `read`, role `viewer`."""
        result: types.Limits = await self._send(
            "GET", "/v1/user/limits"
        )
        return result

    async def get_phone_number(self, id: str) -> types.PhoneNumber:
        """Get a phone number. One of your own numbers or a default one. Scope `read`, role `viewer`."""
        result: types.PhoneNumber = await self._send(
            "GET", f"/v1/phone-numbers/{_quote(id)}"
        )
        return result

    async def get_phone_number_order(self, id: str) -> types.PhoneNumberOrder:
        """Get an order of a number. One order. Scope `read`, role `viewer`."""
        result: types.PhoneNumberOrder = await self._send(
            "GET", f"/v1/phone-number-orders/{_quote(id)}"
        )
        return result

    async def get_profile(self) -> types.Profile:
        """Get your profile. The user behind the API key. Scope `read`, role `viewer`."""
        result: types.Profile = await self._send(
            "GET", "/v1/user/profile"
        )
        return result

    async def get_scheduled_call(self, id: str) -> types.ScheduledCall:
        """Get a scheduled call. One scheduled call. Scope `read`, role `viewer`."""
        result: types.ScheduledCall = await self._send(
            "GET", f"/v1/scheduled-calls/{_quote(id)}"
        )
        return result

    async def get_session(self) -> types.Session:
        """Get your session. Who is signed in. Role `viewer`."""
        result: types.Session = await self._send(
            "GET", "/v1/session"
        )
        return result

    async def get_shared_recording(self, token: str) -> bytes:
        """Get a recording by its link. The recording that a link in an end-of-call-report, or in a mail after a call,
        opens, without a key, for 7 days. 404 when the link is not ours or no longer valid."""
        result: bytes = await self._download(
            "GET", f"/v1/recordings/{_quote(token)}"
        )
        return result

    async def get_sip_connection(self, id: str) -> types.SIPConnection:
        """Get a SIP connection. One connection. Scope `read`, role `viewer`."""
        result: types.SIPConnection = await self._send(
            "GET", f"/v1/sip-connections/{_quote(id)}"
        )
        return result

    async def get_usage(self, *, from_: str | None = None, to: str | None = None, group_by: Literal["day", "assistant", "number"] | None = None, tz: str | None = None, format: Literal["json", "csv"] | None = None) -> types.Usage:
        """Get your usage. What your calls used and cost, by day, by assistant or by number of yours. A call counts
        when it is over, at the time at which it was answered, at the prices of that time; one that was not answered
        at its end. Each thing that a call used is rounded by itself to a hundred-millionth of a dollar, and nothing
        is rounded after that: the sums are those of the calls. Calls that were deleted stay in them. Scope `read`,
        role `viewer`."""
        result: types.Usage = await self._send(
            "GET", "/v1/usage", query={"from": from_, "to": to, "group_by": group_by, "tz": tz, "format": format}
        )
        return result

    async def get_verification_document_file(self, verification_group_id: str, document_id: str) -> bytes:
        """Get a document's file. The file as it was uploaded. Scope `read`, role `viewer`."""
        result: bytes = await self._download(
            "GET", f"/v1/verification-groups/{_quote(verification_group_id)}/documents/{_quote(document_id)}/file"
        )
        return result

    async def get_verification_group(self, verification_group_id: str) -> types.VerificationGroup:
        """Get a verification group. One group with its documents. Scope `read`, role `viewer`."""
        result: types.VerificationGroup = await self._send(
            "GET", f"/v1/verification-groups/{_quote(verification_group_id)}"
        )
        return result

    async def get_webhook(self) -> types.Webhook:
        """Get your webhook. Where your events go. The secret is not shown again: rotate it for a new one. Scope
        `read`, role `viewer`."""
        result: types.Webhook = await self._send(
            "GET", "/v1/user/webhook"
        )
        return result

    async def inject_call_message(self, call_id: str, body: types.CallMessageInput, *, idempotency_key: str | None = None) -> types.CallCommand:
        """Send a message to a live call. `say` has the assistant speak a text, `add-message` adds a message to the
        conversation of its language model, `transfer` transfers the caller to another telephone and `end-call`
        hangs up. The response comes before it is done: the outcome is a `call-command-update` event with the
        command's id. A call that still rings gets the command once it is answered. 409 `conflict` when the call is
        not live; a command whose call ends first fails. A transfer rings a destination like any other call, and
        counts as one to it when it is made: the command fails where the rules forbid it by then. 403
        `destination_not_allowed` when your account may not reach the number; `details.reason` is the rule:
        `country`, `number_type`, `own_number`, `calls_per_number` or `daily_minutes`. `GET /v1/user/limits` shows
        them. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        result: types.CallCommand = await self._send(
            "POST", f"/v1/calls/{_quote(call_id)}/messages", body=body, idempotency_key=idempotency_key
        )
        return result

    async def invite_member(self, body: types.MemberInput, *, idempotency_key: str | None = None) -> types.Invitation:
        """Invite somebody. Mails a link by which the person joins. Whoever was invited before and has not joined gets
        a new link, with the role that is given now. 409 `conflict` when the person is a member, `limit_reached`
        with 200 members; 429 when an address is invited more than three times in 15 minutes. Scope `admin`, role
        `admin`; not for test keys (403 `test_key`)."""
        result: types.Invitation = await self._send(
            "POST", "/v1/members", body=body, idempotency_key=idempotency_key
        )
        return result

    async def leave_web_call(self, call_id: str) -> None:
        """Leave a web call. Hangs up as the person in the browser does: the call ends as customer-ended-call. 409
        `conflict` when it is over. A web token leaves the calls that it has made. Scope `write`, role `developer`;
        test keys only for a call that a test key made (403 `test_key`)."""
        await self._send(
            "DELETE", f"/v1/calls/web/{_quote(call_id)}"
        )

    async def link_assistant_phone_number(self, id: str, body: types.PhoneNumberLinkInput, *, idempotency_key: str | None = None) -> types.PhoneNumberLinkResult:
        """Link a number to an assistant. A number that was linked before is unlinked first. Linking a default number
        releases your other assistants from theirs. Codes: `invalid_parameters`, `already_linked`, `already_in_use`
        (400), `forbidden` (403), `not_found` (404). Scope `write`, role `developer`; test keys only for a assistant
        that a test key made (403 `test_key`)."""
        result: types.PhoneNumberLinkResult = await self._send(
            "POST", f"/v1/assistants/{_quote(id)}/phone-number", body=body, idempotency_key=idempotency_key
        )
        return result

    def list_api_keys(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.APIKey]:
        """List API keys. Your keys, newest first, expired ones included; revoked ones are not listed. Scope `read`,
        role `viewer`."""
        return self._pages("/v1/api-keys", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_assistants(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.Assistant]:
        """List assistants. Your assistants, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/assistants", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_audit(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, actor: str | None = None, operation: str | None = None, resource_id: str | None = None, from_: str | None = None, to: str | None = None) -> AsyncPages[types.AuditEntry]:
        """List the audit. Who changed what, when and from where, newest first: every request of a key or a person that
        changed something, signing in and out, and wrong passwords for people of the account. It never holds what
        was written. Scope `read`, role `admin`."""
        return self._pages("/v1/audit", {"limit": limit, "offset": offset, "cursor": cursor, "actor": actor, "operation": operation, "resource_id": resource_id, "from": from_, "to": to})

    def list_available_numbers(self, *, limit: int | None = None, offset: int | None = None, type: Literal["local", "mobile", "national"] | None = None, country: Literal["NL"] | None = None, locality: str | None = None) -> AsyncPages[types.AvailablePhoneNumber]:
        """List available numbers. Numbers of one type that can be ordered now. The carrier is queried: 502 and 504
        when it fails. Scope `read`, role `viewer`."""
        return self._pages("/v1/available-phone-numbers", {"limit": limit, "offset": offset, "type": type, "country": country, "locality": locality})

    def list_available_numbers_legacy(self, *, limit: int | None = None, offset: int | None = None, country: Literal["NL"] | None = None, locality: str | None = None) -> AsyncPages[types.AvailablePhoneNumber]:
        """List available numbers (legacy). Numbers of any type that can be ordered now. New clients use
        `/v1/available-phone-numbers`. The carrier is queried: 502 and 504 when it fails. Scope `read`, role
        `viewer`."""
        return self._pages("/v1/phone-numbers/available", {"limit": limit, "offset": offset, "country": country, "locality": locality})

    async def list_call_listeners(self, call_id: str) -> types.CallListenerList:
        """List a call's listeners. Who listens in on a call, or did, the latest first. Scope `read`, role `viewer`."""
        result: types.CallListenerList = await self._send(
            "GET", f"/v1/calls/{_quote(call_id)}/listen"
        )
        return result

    def list_calls(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, assistant_id: str | None = None, contact_id: str | None = None, call_status: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"] | None = None, start_date: str | None = None, end_date: str | None = None) -> AsyncPages[types.Call]:
        """List calls. Your calls, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/calls", {"limit": limit, "offset": offset, "cursor": cursor, "assistant_id": assistant_id, "contact_id": contact_id, "call_status": call_status, "start_date": start_date, "end_date": end_date})

    def list_contacts(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, org_id: str | None = None, full_name: str | None = None, email: str | None = None, phone_number: str | None = None) -> AsyncPages[types.Contact]:
        """List contacts. Your contacts, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/contacts", {"limit": limit, "offset": offset, "cursor": cursor, "org_id": org_id, "full_name": full_name, "email": email, "phone_number": phone_number})

    def list_event_deliveries(self, id: str, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.DeliveryAttempt]:
        """List the deliveries of an event. Every attempt, newest first. While a server fails, the oldest event that
        waits for it is sent about every 10 seconds, to see whether it is back. That counts as an attempt when the
        server accepts it or when an attempt was due, and is not listed otherwise. Scope `read`, role `viewer`."""
        return self._pages(f"/v1/events/{_quote(id)}/deliveries", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_events(self, *, after: int | None = None, limit: int | None = None, type: str | None = None, cursor: str | None = None, call_id: str | None = None) -> AsyncPages[types.Event]:
        """List events. Your events in their order, oldest first, from the one that follows `after`; `total` counts
        those that follow. An event appears within 100 ms of what it reports. Scope `read`, role `viewer`."""
        return self._pages("/v1/events", {"after": after, "limit": limit, "type": type, "cursor": cursor, "call_id": call_id})

    def list_group_available_numbers(self, id: str, *, limit: int | None = None, offset: int | None = None) -> AsyncPages[types.AvailablePhoneNumber]:
        """List numbers for a group. Local numbers of the area code of the group's city. The carrier is queried: 502
        and 504 when it fails. Scope `read`, role `viewer`."""
        return self._pages(f"/v1/verification-groups/{_quote(id)}/available-phone-numbers", {"limit": limit, "offset": offset})

    def list_knowledge_documents(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, assistant_id: str | None = None) -> AsyncPages[types.KnowledgeDocument]:
        """List documents. The documents of your knowledge base, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/knowledge-base/documents", {"limit": limit, "offset": offset, "cursor": cursor, "assistant_id": assistant_id})

    def list_members(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.Member]:
        """List members. The people of the account, also those who were invited and have not joined. Scope `read`, role
        `viewer`."""
        return self._pages("/v1/members", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_phone_number_orders(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, status: Literal["pending", "completed", "failed"] | None = None) -> AsyncPages[types.PhoneNumberOrder]:
        """List orders of numbers. Your orders in a state, newest first; pending ones unless `status` says otherwise.
        Scope `read`, role `viewer`."""
        return self._pages("/v1/phone-number-orders", {"limit": limit, "offset": offset, "cursor": cursor, "status": status})

    def list_phone_numbers(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.PhoneNumber]:
        """List phone numbers. Your own numbers and the shared default ones. A call that comes in on a shared number
        goes to the account whose answered call from it reached this caller last, within 30 days; else to the
        account to which the operator gave the number's inbound calls; else it is refused with 404. Scope `read`,
        role `viewer`."""
        return self._pages("/v1/phone-numbers", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_scheduled_calls(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, assistant_id: str | None = None, contact_id: str | None = None, processed: bool | None = None) -> AsyncPages[types.ScheduledCall]:
        """List scheduled calls. Your scheduled calls, newest first; canceled ones are not listed. Scope `read`, role
        `viewer`."""
        return self._pages("/v1/scheduled-calls", {"limit": limit, "offset": offset, "cursor": cursor, "assistant_id": assistant_id, "contact_id": contact_id, "processed": processed})

    def list_sessions(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.OpenSession]:
        """List your sessions. The sessions of the person that work, in all accounts, newest first. Role `viewer`."""
        return self._pages("/v1/sessions", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_sip_connections(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.SIPConnection]:
        """List SIP connections. Your connections, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/sip-connections", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_verification_documents(self, verification_group_id: str, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.VerificationDocument]:
        """List documents. The documents of a group, newest first. Scope `read`, role `viewer`."""
        return self._pages(f"/v1/verification-groups/{_quote(verification_group_id)}/documents", {"limit": limit, "offset": offset, "cursor": cursor})

    def list_verification_groups(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None, status: Literal["pending", "approved", "rejected"] | None = None) -> AsyncPages[types.VerificationGroup]:
        """List verification groups. Your groups, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/verification-groups", {"limit": limit, "offset": offset, "cursor": cursor, "status": status})

    def list_web_tokens(self, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None) -> AsyncPages[types.WebToken]:
        """List web tokens. Your tokens that work, newest first. Scope `read`, role `viewer`."""
        return self._pages("/v1/web-tokens", {"limit": limit, "offset": offset, "cursor": cursor})

    async def order_group_number(self, id: str, body: types.GroupNumberOrderInput, *, idempotency_key: str | None = None) -> types.PhoneNumberOrderResult:
        """Order a number through a verification group. Takes 10 credits and orders the number at the carrier; the
        order is `pending` until the carrier has decided. The credits of a failed order are refunded. Numbers do not
        renew: the price is paid once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits`
        (402), `not_found` (404), `conflict` (409: the number is taken or being ordered). Scope `write`, role
        `developer`."""
        result: types.PhoneNumberOrderResult = await self._send(
            "POST", f"/v1/verification-groups/{_quote(id)}/order-number", body=body, idempotency_key=idempotency_key
        )
        return result

    async def order_phone_number(self, body: types.PhoneNumberOrderInput, *, idempotency_key: str | None = None) -> types.PhoneNumberOrder:
        """Order a number with a subscription. Like an order, for accounts with an active subscription: 403
        `subscription_required` without one. Takes 10 credits and orders the number at the carrier; the order is
        `pending` until the carrier has decided. The credits of a failed order are refunded. Numbers do not renew:
        the price is paid once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402),
        `not_found` (404), `conflict` (409: the number is taken or being ordered). Scope `write`, role `developer`."""
        result: types.PhoneNumberOrder = await self._send(
            "POST", "/v1/phone-numbers", body=body, idempotency_key=idempotency_key
        )
        return result

    async def patch_assistant(self, assistant_id: str, body: types.AssistantUpdate) -> types.Assistant:
        """Patch an assistant. JSON merge patch (RFC 7396): changes the fields that the body names, null sets the
        default. Scope `write`, role `developer`; test keys only for a assistant that a test key made (403
        `test_key`)."""
        result: types.Assistant = await self._send(
            "PATCH", f"/v1/assistants/{_quote(assistant_id)}", body=body
        )
        return result

    async def patch_call_listener(self, call_id: str, listener_id: str, body: types.CallListenerPatchInput) -> types.CallListener:
        """Listen, whisper or barge in. Changes what you do with the call. listen: you hear both sides, and nothing of
        yours goes anywhere. whisper: what you say, or type, is an instruction that the assistant follows from its
        next reply on; the caller hears nothing of it. barge: the assistant falls silent and the caller hears you;
        one listener at a time. The change is on its way when the response comes: the data channel says when it is
        made, or why not. 404 when it is another's, 409 `conflict` when you have left, or somebody else has barged
        in. Scope `write`, role `developer`; test keys only for a call that a test key made (403 `test_key`)."""
        result: types.CallListener = await self._send(
            "PATCH", f"/v1/calls/{_quote(call_id)}/listen/{_quote(listener_id)}", body=body
        )
        return result

    async def patch_contact(self, contact_id: str, body: types.ContactUpdate) -> types.Contact:
        """Patch a contact. JSON merge patch (RFC 7396): changes the fields that the body names, null removes. Scope
        `write`, role `developer`; test keys only for a contact that a test key made (403 `test_key`)."""
        result: types.Contact = await self._send(
            "PATCH", f"/v1/contacts/{_quote(contact_id)}", body=body
        )
        return result

    async def patch_member(self, id: str, body: types.MemberUpdate) -> types.Member:
        """Change a role. Nobody gives a role above their own, or takes one from somebody above. 409 `conflict` when
        the account would have no owner left. Scope `admin`, role `admin`; not for test keys (403 `test_key`)."""
        result: types.Member = await self._send(
            "PATCH", f"/v1/members/{_quote(id)}", body=body
        )
        return result

    async def patch_profile(self, body: types.ProfileUpdate) -> types.Profile:
        """Update your profile. Changes the fields that the body names; null removes, but for `full_name`. Scope
        `admin`, role `admin`; not for test keys (403 `test_key`)."""
        result: types.Profile = await self._send(
            "PATCH", "/v1/user/profile", body=body
        )
        return result

    async def patch_session(self, body: types.SessionUpdate) -> types.Session:
        """Update yourself. Changes the fields that the body names. Role `viewer`."""
        result: types.Session = await self._send(
            "PATCH", "/v1/session", body=body
        )
        return result

    async def patch_sip_connection(self, id: str, body: types.SipConnectionPatchInput) -> types.SIPConnection:
        """Update a SIP connection. Changes the fields that the body names: how callers are put through, from the next
        transfer on. Scope `write`, role `developer`; test keys only for a SIP connection that a test key made (403
        `test_key`)."""
        result: types.SIPConnection = await self._send(
            "PATCH", f"/v1/sip-connections/{_quote(id)}", body=body
        )
        return result

    async def query_knowledge_base(self, body: types.KnowledgeQuery, *, idempotency_key: str | None = None) -> types.KnowledgeResults:
        """Query the knowledge base. The documents that match a question best, as the tool `query_knowledge_base` of an
        assistant with `knowledge_base_enabled` finds them. Dutch and English, with their inflections; misspelled
        words and parts of compounds are found too; and where the deployment has an embedding model, what means the
        same in other words. Scope `read`, role `viewer`."""
        result: types.KnowledgeResults = await self._send(
            "POST", "/v1/knowledge-base/query", body=body, idempotency_key=idempotency_key
        )
        return result

    async def redeliver_event(self, id: str, *, idempotency_key: str | None = None) -> types.Event:
        """Deliver an event again. Sends the event to the server that receives it now, at once, whatever its delivery
        was before, with all attempts. It keeps its webhook-id. Questions (`assistant-request`, `tool-calls`,
        `call.endpointing.request`) are 404: they are sent once. Scope `write`, role `developer`; not for test keys
        (403 `test_key`)."""
        result: types.Event = await self._send(
            "POST", f"/v1/events/{_quote(id)}/redeliver", idempotency_key=idempotency_key
        )
        return result

    async def refresh_knowledge_document(self, id: str, *, idempotency_key: str | None = None) -> types.KnowledgeDocument:
        """Read a document's page again. Fetches the `url` of a document again. What was read before is found until
        then, and stays when it fails. 409 `conflict` when the document has no `url`. Scope `write`, role
        `developer`; test keys only for a document that a test key made (403 `test_key`)."""
        result: types.KnowledgeDocument = await self._send(
            "POST", f"/v1/knowledge-base/documents/{_quote(id)}/refresh", idempotency_key=idempotency_key
        )
        return result

    async def replay_events(self, body: types.EventReplayInput, *, idempotency_key: str | None = None) -> types.EventReplay:
        """Deliver many events again. Sends the events of a time or of a call again, in their order and after new
        events: those that your server subscribes to now and that are not pending. They keep their webhook-ids. At
        most 100,000 at once: more are 400. Scope `write`, role `developer`; not for test keys (403 `test_key`)."""
        result: types.EventReplay = await self._send(
            "POST", "/v1/events/replay", body=body, idempotency_key=idempotency_key
        )
        return result

    async def request_reset(self, body: types.PasswordReset, *, idempotency_key: str | None = None) -> None:
        """Ask for a new password. Mails a link to the person, if there is one with this address; the response is the
        same if not. At most three in 15 minutes."""
        await self._send(
            "POST", "/v1/session/reset", body=body, idempotency_key=idempotency_key
        )

    async def rotate_api_key(self, id: str, body: types.APIKeyRotation | None = None, *, idempotency_key: str | None = None) -> types.NewAPIKey:
        """Rotate an API key. Makes a key with the name, mode, scopes and limit of this one and returns its text, once.
        The old key works for 24 hours more, or until it expires if that is sooner; with `revoke_now` it stops
        working at once. 403 `exceeds_key` when the new key would live longer, may do more or ask faster than the
        calling key; 409 `conflict` when the key was rotated before or has expired. Scope `admin`, role `developer`;
        not for test keys (403 `test_key`)."""
        result: types.NewAPIKey = await self._send(
            "POST", f"/v1/api-keys/{_quote(id)}/rotate", body=body, idempotency_key=idempotency_key
        )
        return result

    async def rotate_webhook_secret(self, body: types.WebhookSecretRotation | None = None, *, idempotency_key: str | None = None) -> types.WebhookSecret:
        """Rotate the webhook secret. Returns a new secret, once. For 24 hours events are signed with both; with
        `end_old` only with the new one, from now on. Scope `admin`, role `developer`; not for test keys (403
        `test_key`)."""
        result: types.WebhookSecret = await self._send(
            "POST", "/v1/user/webhook/rotate-secret", body=body, idempotency_key=idempotency_key
        )
        return result

    async def sign_in(self, body: types.SignInInput, *, idempotency_key: str | None = None) -> types.Session:
        """Sign in. Sets the cookie of a new session, and ends the session that came with the request. 401
        `unauthorized` when address and password do not belong together, 404 when the person is no member of the
        account; 429 `too_many_passwords` after ten wrong ones for the address from your network within 15 minutes."""
        result: types.Session = await self._send(
            "POST", "/v1/session", body=body, idempotency_key=idempotency_key
        )
        return result

    async def sign_out(self) -> None:
        """Sign out. Ends the session. Role `viewer`."""
        await self._send(
            "DELETE", "/v1/session"
        )

    async def submit_verification_group(self, verification_group_id: str, *, idempotency_key: str | None = None) -> types.VerificationGroup:
        """Submit a verification group. Submits the group for review. 400 `invalid_status` names each of the four
        external items that is missing; 409 when it is under review or approved. A rejected group can change its
        documents and submit again. Scope `write`, role `developer`; test keys only for a verification group that a
        test key made (403 `test_key`)."""
        result: types.VerificationGroup = await self._send(
            "POST", f"/v1/verification-groups/{_quote(verification_group_id)}/submit-for-approval", idempotency_key=idempotency_key
        )
        return result

    async def switch_account(self, body: types.AccountSwitch) -> types.Session:
        """Switch account. Has the session go on in another account of the person. Role `viewer`."""
        result: types.Session = await self._send(
            "PUT", "/v1/session/account", body=body
        )
        return result

    async def test_sip_connection(self, id: str, *, idempotency_key: str | None = None) -> types.SIPConnection:
        """Test a SIP connection. Registers again and returns the outcome: `status` is `registered`, or `failed` with
        the provider's `sip_code`. 502 `upstream_error` when the provider has trouble, 504 `upstream_timeout` when
        it does not answer within 20 seconds. Scope `write`, role `developer`; test keys only for a SIP connection
        that a test key made (403 `test_key`)."""
        result: types.SIPConnection = await self._send(
            "POST", f"/v1/sip-connections/{_quote(id)}/test", idempotency_key=idempotency_key
        )
        return result

    async def unlink_assistant_phone_number(self, id: str) -> types.PhoneNumberUnlinkResult:
        """Unlink an assistant's number. The number becomes available again. 400 `no_phone_number` when there is none.
        Scope `write`, role `developer`; test keys only for a assistant that a test key made (403 `test_key`)."""
        result: types.PhoneNumberUnlinkResult = await self._send(
            "DELETE", f"/v1/assistants/{_quote(id)}/phone-number"
        )
        return result

    async def update_assistant(self, assistant_id: str, body: types.AssistantReplacement) -> types.Assistant:
        """Replace an assistant. Replaces the whole configuration, omitted fields by their defaults, when the body has
        `assistant_name` and none of `llm_content`, `functions`, `phone_number_id` and `voice_id`. Any other body is
        the earlier form and changes only what it names; `phone_number_id` links a custom number and null unlinks.
        Scope `write`, role `developer`; test keys only for a assistant that a test key made (403 `test_key`)."""
        result: types.Assistant = await self._send(
            "PUT", f"/v1/assistants/{_quote(assistant_id)}", body=body
        )
        return result

    async def update_budget(self, body: types.BudgetInput) -> types.Budget:
        """Set your budget. Sets what the calls of a month may cost. At 80 and at 100 percent there is a
        `budget-reached` event, each once in a month; of another budget there are others, at once where the month's
        calls have cost so much already. Months that are over keep the costs that they were given. Scope `admin`,
        role `admin`; not for test keys (403 `test_key`)."""
        result: types.Budget = await self._send(
            "PUT", "/v1/user/budget", body=body
        )
        return result

    async def update_contact(self, contact_id: str, body: types.ContactUpdate) -> types.Contact:
        """Update a contact. Changes the fields that the body names. Scope `write`, role `developer`; test keys only
        for a contact that a test key made (403 `test_key`)."""
        result: types.Contact = await self._send(
            "PUT", f"/v1/contacts/{_quote(contact_id)}", body=body
        )
        return result

    async def update_scheduled_call(self, id: str, body: types.ScheduledCallUpdate) -> types.ScheduledCall:
        """Update a scheduled call. Changes the fields that the body names. 409 once it is processed, which may be one
        second before its time, except for `processed` itself. Scope `write`, role `developer`; test keys only for a
        scheduled call that a test key made (403 `test_key`)."""
        result: types.ScheduledCall = await self._send(
            "PUT", f"/v1/scheduled-calls/{_quote(id)}", body=body
        )
        return result

    async def update_webhook(self, body: types.WebhookInput) -> types.Webhook:
        """Set your webhook. Events are posted as `{"message": {"type", "timestamp", "call", "assistant", …,
        "eventId", "sequence"}}`, signed by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature).
        2xx within 15 s is delivered; anything else is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h,
        12 h and 24 h, or after the time in Retry-After. The same event has the same webhook-id each time and may
        come twice. Redirects are not followed. While your server gives no answer or 429, 502, 503 or 504, and after
        ten failures in a row, the oldest event that waits is sent about every 10 s besides; before its time that is
        no attempt when it fails. From the tenth failure in a row on nothing else is sent, and events wait, for up
        to 50 h. As soon as your server takes one, the others follow at its pace, those of a call in their order.
        410, or 50 events in a row that failed for good, disables the webhook. Setting it again enables it. Scope
        `admin`, role `developer`; not for test keys (403 `test_key`)."""
        result: types.Webhook = await self._send(
            "PUT", "/v1/user/webhook", body=body
        )
        return result

    async def upload_verification_document(self, verification_group_id: str, *, document_type: Literal["company-registration", "proof-of-address", "copy-id"], file: bytes, idempotency_key: str | None = None) -> types.VerificationDocument:
        """Upload a document. A PDF, JPG or PNG of at most 20 MiB, recognised by its content. It is stored encrypted
        and sent to the carrier. A group has one document of each type; 409 when it has this one, is under review or
        approved. Scope `write`, role `developer`; test keys only for a verification group that a test key made (403
        `test_key`)."""
        result: types.VerificationDocument = await self._send(
            "POST", f"/v1/verification-groups/{_quote(verification_group_id)}/documents", data={"document_type": document_type}, files={"file": file}, idempotency_key=idempotency_key
        )
        return result

    async def use_link(self, body: types.SignInLinkUse, *, idempotency_key: str | None = None) -> types.Session:
        """Sign in by a link. Uses a link that was printed or mailed, once, and sets the cookie of a new session. A new
        password ends all other sessions of the person. 404 when the link was used or is too old; an invitation of
        somebody who has a password takes that one: 401 `unauthorized` when it is wrong, 409 `conflict` when it was
        chosen over a link that somebody else saw."""
        result: types.Session = await self._send(
            "POST", "/v1/session/link", body=body, idempotency_key=idempotency_key
        )
        return result

