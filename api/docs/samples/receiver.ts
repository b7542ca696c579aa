import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.WEBHOOK_SECRET!.replace("whsec_", ""), "base64");

// verified reports whether a webhook is from Callwright and no older than five minutes.
function verified(headers: Record<string, unknown>, body: string): boolean {
  const id = String(headers["webhook-id"]);
  const time = String(headers["webhook-timestamp"]);
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest();
  return String(headers["webhook-signature"]).split(" ").some((signature) => {
    const [version, text] = signature.split(",");
    const given = Buffer.from(text ?? "", "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  if (!verified(request.headers, body)) {
    response.writeHead(401).end();
    return;
  }
  const { message } = JSON.parse(body);
  if (message.type === "end-of-call-report") {
    console.log(message.call.id, message.endedReason, message.summary);
  }
  response.writeHead(204).end(); // taken: it is not sent again
}).listen(Number(process.env.PORT ?? 3000));
