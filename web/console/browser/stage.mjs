// What the browser's tests share: a browser, pages that are watched, and the gateway asked beside them.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

export const base = process.argv[2];

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });

/** ask sends a request as somebody, past the console. */
export async function ask(userId, query, variables) {
  const response = await fetch(`${base}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-User-Id": userId },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

export const occupy = (userId, itemName, more = {}) =>
  ask(userId, `mutation($input: OccupyInput!) { occupy(input: $input) { code } }`, {
    input: { itemType: "LOT", itemName, uiName: "ForceSampling", ttlSeconds: 600, ...more },
  });

export const free = (userId, itemName) => ask(userId, `mutation { free(input: {itemType: "LOT", itemName: "${itemName}"}) { code } }`);

/** open opens a window of a user. Whatever it asks of another origin, and every error that it logs, fails. */
export async function open(browser, userId, { path = "/", roles = ["OPERATOR", "SUPERVISOR", "ANALYST"], ...options } = {}) {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  watch(page);
  if (userId) await page.addInitScript((caller) => (localStorage["occupy.caller"] ??= caller), JSON.stringify({ userId, roles }));
  await page.goto(base + path);
  return page;
}

const faults = [];

function watch(page) {
  const own = (url) => /^(data|blob):/.test(url) || new URL(url).host === new URL(base).host;
  page.on("request", (request) => own(request.url()) || faults.push(`a request to ${request.url()}`));
  page.on("websocket", (socket) => own(socket.url()) || faults.push(`a socket to ${socket.url()}`));
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && faults.push(`${page.url()}: ${message.text()}`));
}

export const noFaults = () => assert.deepEqual(faults, []);

const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** accessible fails if axe finds something serious. */
export async function accessible(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious.map((v) => `${where}: ${v.id}: ${v.nodes.map((n) => n.html).join(" ")}`), []);
}

/** play runs the scenes one after the other, and says which of them fails. */
export async function play(scenes) {
  const browser = await launch();
  const [only] = process.argv.slice(3); // one scene, by its name
  for (const scene of scenes.filter(({ name }) => !only || name === only)) {
    try {
      await scene(browser);
      noFaults();
    } catch (error) {
      console.log(`${scene.name}: ${error.stack}`);
      for (const page of browser.contexts().flatMap((context) => context.pages())) console.log(page.url(), await page.locator("body").innerText());
      await browser.close();
      process.exit(1);
    }
    for (const context of browser.contexts()) await context.close();
  }
  await browser.close();
  console.log("ok");
}
