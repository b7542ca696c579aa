// What the server refuses, as people read it, in their language. The server says it in English, to programs: what stands in no table here
// is shown as it came.
import type { APIError } from "../sdk.js";
import { type Text, t } from "./text.js";

const number: Text = "This is no phone number. Write it with its country, such as +31612345678.";

// What is wrong with a field. A named group is a value of the text.
const mistakes: readonly (readonly [RegExp, Text])[] = [
  [/^(is required|is empty|is blank|is missing|must not be (null|empty)|expected length >= 1|has no words)$/, "Fill this in."],
  [/^expected length >= (?<least>\d+)$/, "This is too short: it takes {least} characters or more."],
  [/^(expected length <=|is longer than) (?<most>\d+)( characters)?$/, "This is too long: {most} characters at most."],
  [/^(expected number >=?) (?<least>-?[\d.]+)$/, "This is too little: {least} at least."],
  [/^(expected number <=?) (?<most>-?[\d.]+)$/, "This is too much: {most} at most."],
  [/^is not a (whole )?number from (?<least>-?[\d.]+) to (?<most>-?[\d.]+)$/, "Write a number from {least} to {most}."],
  [/^expected integer$/, "Write a whole number."],
  [/^expected number$/, "Write a number."],
  [/^(is not a phone number in E\.164|is dialed as digits that are no number|is a number whose country cannot be told)/, number],
  [/^is not a valid Dutch phone number$/, "This is no Dutch phone number."],
  [/^is not a Dutch local, mobile or national number/, "This is no Dutch number that can be ordered."],
  [/^is not four digits and two letters/, "Write four digits and two letters, such as 1012LG."],
  [/^(is not an e-mail address|expected string to be RFC 5322 email)/, "This is no e-mail address."],
  [/^is not an absolute http or https URL$/, "Write the whole address, such as https://example.com/events."],
  [/^is not a host name or an IP address/, "This is no host name and no IP address."],
  [/^holds characters that no SIP user name has$/, "This has characters that no SIP user name has."],
  [/^is in (?<country>\S+), which is not among the allowed countries/, "Your account may not call this country: {country}."],
  [/^is a number of this account, or one that all accounts share/, "This number is your own, or one that all share: the call would come back."],
  [/number: these are not called$/, "Numbers of this kind are not called."],
  [/^(is another contact's)$/, "Another contact has this number."],
  [/^is a member's$/, "This person is a member already."],
  [/^(is in use|is not available)$/, "This is taken."],
  [/^not found$/, "This is not there, or no longer."],
  [/^is wrong$/, "This is not your password."],
  [/^has fewer than (?<least>\d+) characters$/, "This is too short: it takes {least} characters or more."],
  [/^has more than \d+ bytes$/, "This is too long."],
  [/^is one of those that are tried first$/, "This is one of the passwords that are tried first."],
  [/^is not a PDF, JPG or PNG$/, "This is no PDF, JPG or PNG."],
  [/^is there already$/, "There is a document of this kind: delete it first."],
  [/^is larger than/, "This is too large."],
  [/^is required, or url, or question and answer$/, "Fill this in."],
  [/^is more than two years ahead$/, "This is more than two years ahead."],
  [/^is not behind from|^is not after from$/, "This is not after the beginning."],
  [/^is not an amount of US dollars/, "Write an amount of dollars, with 8 decimals at most."],
];

// What is wrong with all of a request, by the server's sentence or, where many are alike, its code.
const refusals: Readonly<Record<string, Text>> = {
  "The address and the password do not belong together.": "The address and the password do not belong together.",
  "The request is not valid.": "This is not right.",
  "The verification group is not complete.": "This is still missing:",
  "The verification group is under review.": "The business is under review.",
  "The verification group is approved.": "The business is approved already.",
  "The verification group has a document of this type: delete it first.": "There is a document of this kind: delete it first.",
  "The verification group has documents: delete them first.": "The business has documents: delete them first.",
  "An order through the verification group is pending.": "A number is being ordered for this business.",
  "An assistant is linked to this phone number.": "An assistant has this number: unlink it first.",
  "An assistant is linked to the connection's number; unlink it first.": "An assistant has this number: unlink it first.",
  "The call is not live.": "The call is over.",
  "The call is over.": "The call is over.",
  "The call is not answered, or is over.": "The call is not answered yet, or is over.",
  "The call still goes on.": "The call still goes on.",
  "A call of this person is not over, or not reported yet.": "A call with this person still goes on.",
  "There is a contact with this phone number.": "Another contact has this number.",
  "This phone number is in use.": "This number is taken.",
  "This number is taken, or being ordered.": "This number is taken.",
  "This person is a member.": "This person is a member already.",
  "The scheduled call is already processed.": "This call was placed already.",
  "The scheduled call was already placed.": "This call was placed already.",
  "The account's last owner stays one. Make somebody else an owner first.": "The last owner stays one. Make somebody else an owner first.",
  "The current password is wrong.": "This is not your password.",
  already_in_use: "Another assistant has this number.",
  already_linked: "The assistant has this number already.",
  insufficient_credits: "There are too few credits for this.",
  budget_exhausted: "The budget of this month is spent.",
  subscription_required: "This takes a subscription. Ask your operator.",
  rate_limited: "That was too often. Try again in a minute.",
  too_many_passwords: "Too many wrong passwords. Try again later.",
  no_worker: "No server takes calls of browsers now. Try again in a moment.",
  limit_reached: "Your account has as many of these as it may.",
  unavailable: "This is not possible now. Try again in a moment.",
  internal_error: "Something went wrong on our side. Try again in a moment.",
};

// What people call the fields that no form has.
const names: Readonly<Record<string, Text>> = {
  external_company_registration_file_id: "company registration",
  external_proof_of_address_file_id: "proof of address",
  external_identification_file_id: "copy of an identity document",
  external_address_id: "address",
};

/** Returns what is wrong with a field. */
export function mistake(said: string): string {
  for (const [pattern, text] of mistakes) {
    const found = pattern.exec(said);
    if (found) {
      return t(text, found.groups);
    }
  }
  return said;
}

/** Returns why a request was refused, and what is wrong in it but for the fields that show it themselves. */
export function refusal(error: APIError, shown: (field: string) => boolean = () => false): string {
  const details = Object.entries(error.details);
  const whole = error.message.replace(/^\d+ \S+: /, "").replace(/ \(request [^)]*\)$/, "");
  const listed = details.map(([field, what]) => `; ${field}: ${what}`).join(""); // as the SDK adds them
  const said = whole.endsWith(listed) ? whole.slice(0, whole.length - listed.length) : whole;
  const known = refusals[said] ?? refusals[error.code];
  const rest = details.filter(([field]) => !shown(field)).map(([field, what]) => {
    const name = names[field] ? t(names[field]) : field;
    return what === "is missing" ? name : `${name}: ${mistake(what)}`;
  });
  return [known ? t(known) : said, rest.join("; ")].filter(Boolean).join(" ");
}
