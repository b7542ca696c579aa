// Runs the whole product for a browser to be tested against, and asks its API as a customer's server does.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Starts `callwright dev` on a private Postgres, with settings, and resolves when its own first call is over. */
export async function startDev(settings = {}) {
  const program = process.env.CALLWRIGHT;
  assert.ok(program, "CALLWRIGHT does not name the program");
  const folder = await mkdtemp(join(tmpdir(), "web-"));
  await chmod(folder, 0o755); // the user that Postgres runs as goes in
  const child = spawn(program, ["dev", `--data-dir=${folder}`, "--listen=127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...settings } });
  const ended = once(child, "exit");
  const link = await ready(child, ended);
  const written = Object.fromEntries((await readFile(join(folder, "dev.env"), "utf8")).split("\n")
    .map((line) => /^(\w+)='?(.*?)'?$/.exec(line)).filter(Boolean).map(([, name, value]) => [name, value]));
  const operate = async (...command) => (await promisify(execFile)(program, [...command, `--env-file=${join(folder, "dev.env")}`])).stdout;
  return new Dev(written.CALLWRIGHT_URL, written.CALLWRIGHT_API_KEY, link, operate, async (signal = "SIGINT") => {
    child.kill(signal); // where it has ended nobody hears it
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }); // its Postgres goes with it, soon after
  });
}

/** Returns the link that signs the owner in. */
async function ready(child, ended) {
  let gone = false;
  let link = "";
  void ended.then(() => { gone = true; });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    link = /Dashboard +(\S+)/.exec(line)?.[1] ?? link;
    if (line.includes("Ctrl-C ends it")) {
      lines.close();
      child.stdout.resume();
      return link;
    }
  }
  assert.ok(!gone, "dev ended before it was ready");
}

class Dev {
  constructor(url, key, link, operate, stop) {
    Object.assign(this, { url, key, link, operate, stop });
  }

  /** Asks until the answer is as wanted, for at most a minute. */
  async until(path, wanted) {
    for (const end = Date.now() + 60_000; ;) {
      const answer = await this.ask("GET", path);
      if (wanted(answer)) {
        return answer;
      }
      assert.ok(Date.now() < end, `GET ${path} is not as wanted: ${JSON.stringify(answer)}`);
      await new Promise((again) => setTimeout(again, 100));
    }
  }

  async ask(method, path, body) {
    const response = await fetch(this.url + path, {
      method, headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" }, ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** Returns the address of a link by which the owner chooses a password. */
  async ownerLink() {
    const [link] = /http\S+/.exec(await this.operate("account", "link", "demo@callwright.local"));
    return new URL(new URL(link).hash, `${this.url}/app/`).href;
  }

  /** Invites somebody and returns the address of the link by which they join. */
  async invite(email, role) {
    const { link } = await this.ask("POST", "/v1/members", { email, role });
    return new URL(link, this.url).href;
  }
}
