// Why calls end, in words, and what can be done about it. A reason that is newer than this page is shown as the API names it.
import { type Text, t, word } from "./text.js";

const reasons: Record<string, Text> = {
  "customer-ended-call": "the person hung up",
  "customer-ended-call-during-transfer": "the person hung up while being transferred",
  "customer-ended-call-before-answer": "the caller hung up while it rang",
  "customer-connection-lost": "the person's browser was closed, or lost its network",
  "customer-busy": "the line was busy",
  "customer-did-not-answer": "nobody answered",
  "customer-rejected-call": "the person rejected the call",
  "silence-timed-out": "nobody spoke for too long",
  "voicemail": "an answering machine took the call",
  "assistant-ended-call": "the assistant ended the call",
  "assistant-ended-call-after-message-spoken": "the last message was spoken",
  "assistant-said-end-call-phrase": "the assistant said its closing phrase",
  "assistant-forwarded-call": "the call was transferred",
  "exceeded-max-duration": "the call reached its longest length",
  "manually-canceled": "somebody of your account ended it",
  "call-deleted": "the call was deleted",
  "carrier-failed-to-connect-call": "the telephone network refused the call",
  "carrier-unavailable": "the telephone network was not available",
  "carrier-did-not-respond": "the telephone network did not respond",
  "carrier-reported-customer-misdialed": "the number does not exist",
  "carrier-refused-media": "the other side could carry no sound of ours",
  "carrier-dropped-call": "the telephone network dropped the call",
  "assistant-did-not-receive-customer-audio": "no sound came from the other side",
  "provider-llm-failed": "the language model failed",
  "provider-voice-failed": "the voice failed",
  "provider-transcriber-failed": "the speech recogniser failed",
  "worker-shutdown": "the server was stopped",
  "worker-lost": "the server was lost",
  "platform-error": "the server made an error",
};

const remedies: Record<string, Text> = {
  "customer-did-not-answer": "Schedule the call with retries, at another time of the day.",
  "customer-busy": "Schedule the call with retries.",
  "customer-connection-lost": "Nothing is wrong with the assistant. If it happens often to one person, their network or a firewall drops the call: let them try another network.",
  "voicemail": "Give the assistant a message for voicemail, or schedule the call with retries.",
  "silence-timed-out": "Let the assistant ask whether somebody is there, by its idle messages.",
  "exceeded-max-duration": "Raise the longest length of the assistant's calls.",
  "carrier-reported-customer-misdialed": "Correct the number of the contact.",
  "assistant-did-not-receive-customer-audio": "Test the SIP connection; a firewall may keep the sound back.",
};

const faults: Record<string, Text> = {
  assistant: "Look at the assistant's instructions and limits.",
  carrier: "Try again later; if it goes on, test the SIP connection or ask your carrier.",
  provider: "Try again later; name a stand-in for the vendor in the assistant.",
  config: "Look at the settings that the error names, and correct them.",
  platform: "Ask your operator, and name the id of the call.",
};

export const reasonOf = (reason: string) => (reasons[reason] ? t(reasons[reason]) : word(reason));

/** Returns what can be done; empty where nothing is wrong. */
export function remedyOf(reason: string | null, fault: string | null): string {
  const ended = ["assistant-ended-call", "assistant-ended-call-after-message-spoken", "assistant-said-end-call-phrase", "assistant-forwarded-call", "manually-canceled"];
  const what = remedies[reason ?? ""] ?? (ended.includes(reason ?? "") ? undefined : faults[fault ?? ""]);
  return what ? t(what) : "";
}
