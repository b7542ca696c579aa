// Makes a program of received events, which compiles if the types of @vapi-ai/server-sdk accept them:
// node events.mjs FOLDER OUTPUT. As JSON they would lose their literal types. One of each shape is enough.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, output] = process.argv.slice(2);
const ours = ["call-command-update", "call-listener-update", "scheduled-call-failed", "sip-connection-stopped", "budget-reached"]; // which that SDK does not know
const wanted = ["status-update", "end-of-call-report", "transcript", "speech-update", "user-interrupted", "tool-calls", "assistant-request"];

const shapeOf = (value) =>
  Array.isArray(value) ? `[${[...new Set(value.map(shapeOf))].sort()}]`
  : value && typeof value === "object" ? `{${Object.keys(value).sort().map((key) => `${key}:${shapeOf(value[key])}`)}}`
  : value === null ? "null" : typeof value;

const events = new Map();
for (const name of readdirSync(folder).sort()) {
  const event = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const { type, status } = event.message;
  if (!ours.includes(type)) events.set(`${type} ${status} ${shapeOf(event)}`, event);
}
const types = new Set([...events.values()].map((event) => event.message.type));
const missing = wanted.filter((type) => !types.has(type));
if (missing.length) throw new Error(`no event of type ${missing.join(", ")} in ${folder}`);

writeFileSync(output, `import type { Vapi } from "@vapi-ai/server-sdk";

// What is read has its literal types, and may have more fields than the SDK knows.
type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };
declare function read<const T>(event: T): Mutable<T>;

export const events: Vapi.ServerMessage[] = [];
${[...events.values()].map((event, i) => `const event${i} = read(${JSON.stringify(event, null, 2)});\nevents.push(event${i});`).join("\n")}
`);
console.log(`${events.size} events of ${types.size} types`);
