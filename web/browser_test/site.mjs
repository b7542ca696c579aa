// A customer's own site: pages of another origin than the product's.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import typescript from "typescript";

const read = (name) => readFile(new URL(`../../${name}`, import.meta.url), "utf8");
const compile = (source) => typescript.transpileModule(source, { compilerOptions: { target: "es2022", module: "esnext" } }).outputText;

/** Starts the site, which is made of the examples of docs/web-calls.md. Its pages get the token that is in their cookie. */
export async function startSite(product) {
  const guide = (await read("docs/web-calls.md")).replaceAll("https://api.example.com", product);
  const example = (language) => guide.split("```" + language + "\n")[1].split("\n```")[0];
  const sdk = compile(await read("sdk/typescript/src/web.ts"));
  const own = compile(example("ts").replace("@callwright/sdk/web", "/web.js"));
  const page = (body) => ["text/html", `<!DOCTYPE html><html lang="en"><title>Linden Dental</title><main><h1>Linden Dental</h1></main>${body}</html>`];
  const site = { tokenBody: JSON.parse(/ -d '(.*)'$/s.exec(example("sh"))[1].replace(/'"\$\w+"'/, "")) };
  const answers = {
    "/button": () => page(example("html")),
    "/example": () => page(`<button id="talk">Talk</button><script type="module">${own}</script>`),
    "/own": () => page('<script type="module">import { WebCall } from "/web.js"; window.WebCall = WebCall;</script>'),
    "/web.js": () => ["text/javascript", sdk],
    "/callwright-token": ({ headers }) => ["application/json", JSON.stringify({ token: headers.cookie.split("token=")[1] })],
  };
  const server = createServer((request, response) => {
    const [type, body] = answers[request.url]?.(request) ?? ["image/svg+xml", ""]; // browsers ask for an icon
    response.setHeader("Content-Type", type).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  site.origin = `http://127.0.0.1:${server.address().port}`;
  site.stop = () => server.close();
  return site;
}
