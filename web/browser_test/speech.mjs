// Something to say into a browser's microphone, and who understands it.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";

const rate = 8000;
const loud = 600; // of 32767
const pause = rate / 2; // samples

/** The sides of a recording, as samples. */
export function sides(wav) {
  const view = new DataView(wav);
  let at = 12;
  while (view.getUint32(at) !== 0x64617461) { // "data"
    at += 8 + view.getUint32(at + 4, true);
  }
  const samples = new Int16Array(wav.slice(at + 8, at + 8 + 4 * Math.floor((wav.byteLength - at - 8) / 4)));
  return [0, 1].map((side) => samples.filter((_, i) => i % 2 === side));
}

/** How many samples are loud. */
export const loudness = (samples) => samples.reduce((count, x) => count + (Math.abs(x) > loud), 0);

/** The first sentence of a side: up to a pause. */
function sentence(samples) {
  const from = samples.findIndex((x) => Math.abs(x) > loud);
  let last = from;
  for (let i = from; i < samples.length && i < last + pause; i++) {
    if (Math.abs(samples[i]) > loud) {
      last = i;
    }
  }
  return samples.slice(from, last);
}

/** Writes what one side of a call said first as what a microphone hears, a while after it is opened. */
export async function writeMicrophone(file, recording) {
  const said = sentence(sides(recording)[0]);
  const samples = new Int16Array(60 * rate);
  samples.set(said, 4 * rate);
  const header = new DataView(new ArrayBuffer(44));
  const words = [[0, 0x52494646], [8, 0x57415645], [12, 0x666d7420], [36, 0x64617461]]; // RIFF WAVE "fmt " data
  words.forEach(([at, word]) => header.setUint32(at, word));
  [[4, 36 + samples.byteLength], [16, 16], [20, 0x10001], [24, rate], [28, 2 * rate], [32, 0x100002], [40, samples.byteLength]]
    .forEach(([at, value]) => header.setUint32(at, value, true));
  await writeFile(file, Buffer.concat([Buffer.from(header.buffer), Buffer.from(samples.buffer)]));
}

/** Starts a server that speaks as recognisers of the OpenAI kind do: whatever is loud is words to it. */
export async function startRecogniser(words) {
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) {
      parts.push(part);
    }
    const form = Buffer.concat(parts);
    const wav = form.subarray(form.indexOf("RIFF") + 44);
    const heard = loudness(new Int16Array(new Uint8Array(wav.subarray(0, wav.length & ~1)).buffer)) > rate / 20;
    response.setHeader("Content-Type", "application/json").end(JSON.stringify({ text: heard ? words : "" }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}
