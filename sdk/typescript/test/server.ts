// A server that responds as a test says: with what is left of its list, each time the next.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Answer {
  status?: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** The connection breaks before all of the body is sent. */
  cut?: boolean;
}

/** Returns an error as the API has it. */
export function refusal(status: number, code: string, wait?: string): Answer {
  const body = { error: { code, message: "No.", details: { field: "is wrong" } } };
  return { status, body, headers: { "X-Request-Id": "request-1", ...(wait === undefined ? {} : { "Retry-After": wait }) } };
}

export interface Asked {
  line: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export async function serve(answers: Answer[], act: (url: string) => Promise<void>): Promise<Asked[]> {
  const asked: Asked[] = [];
  const rest = [...answers];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("latin1")) {
      body += chunk;
    }
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    const answer = rest.shift() ?? refusal(418, "unexpected_request");
    const text = Buffer.from(answer.text ?? JSON.stringify(answer.body ?? {}));
    const length = text.length + (answer.cut ? 100 : 0);
    response.writeHead(answer.status ?? 200, { "Content-Type": "application/json", "Content-Length": length, ...answer.headers });
    if (answer.cut) {
      response.write(text, () => response.destroy());
    } else {
      response.end(text);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return asked;
}
