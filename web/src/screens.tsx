// Which screen is at which path. A group in the pattern is the id of what it shows.
import type { VNode } from "preact";
import { Account } from "./screens/account.js";
import { Assistant } from "./screens/assistant.js";
import { Assistants } from "./screens/assistants.js";
import { Audit } from "./screens/audit.js";
import { Call } from "./screens/call.js";
import { Calls } from "./screens/calls.js";
import { Contact } from "./screens/contact.js";
import { Contacts } from "./screens/contacts.js";
import { Event } from "./screens/event.js";
import { Keys } from "./screens/keys.js";
import { Knowledge } from "./screens/knowledge.js";
import { Members } from "./screens/members.js";
import { Numbers } from "./screens/numbers.js";
import { Profile } from "./screens/profile.js";
import { Scheduled } from "./screens/scheduled.js";
import { SIPConnections } from "./screens/sip_connections.js";
import { Talk } from "./screens/talk.js";
import { Today } from "./screens/today.js";
import { UsageScreen } from "./screens/usage.js";
import { Verification } from "./screens/verification.js";
import { Webhooks } from "./screens/webhooks.js";

export const screens: readonly (readonly [RegExp, (id: string) => VNode])[] = [
  [/^\/$/, () => <Today />],
  [/^\/calls$/, () => <Calls />],
  [/^\/calls\/([\w-]+)$/, (id) => <Call id={id} />],
  [/^\/assistants$/, () => <Assistants />],
  [/^\/assistants\/([\w-]+)$/, (id) => <Assistant id={id} />],
  [/^\/assistants\/([\w-]+)\/talk$/, (id) => <Talk id={id} />],
  [/^\/contacts$/, () => <Contacts />],
  [/^\/contacts\/([\w-]+)$/, (id) => <Contact id={id} />],
  [/^\/scheduled$/, () => <Scheduled />],
  [/^\/numbers$/, () => <Numbers />],
  [/^\/verification$/, () => <Verification />],
  [/^\/sip$/, () => <SIPConnections />],
  [/^\/knowledge$/, () => <Knowledge />],
  [/^\/webhooks$/, () => <Webhooks />],
  [/^\/webhooks\/(\d+)$/, (sequence) => <Event sequence={Number(sequence)} />],
  [/^\/keys$/, () => <Keys />],
  [/^\/members$/, () => <Members />],
  [/^\/audit$/, () => <Audit />],
  [/^\/usage$/, () => <UsageScreen />],
  [/^\/account$/, () => <Account />],
  [/^\/you$/, () => <Profile />],
];
