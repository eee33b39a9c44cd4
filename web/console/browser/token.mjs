// The console of a gateway that wants tokens.
//
//	CHROMIUM=/usr/bin/chromium node token.mjs http://ADDRESS TOKEN
import { strict as assert } from "node:assert";
import { base, launch } from "./stage.mjs";

const token = process.argv[3];
const browser = await launch();
const page = await (await browser.newContext({ locale: "en-US" })).newPage();
page.setDefaultTimeout(15_000);
await page.goto(base);
await page.getByLabel("Token").fill("nonsense");
await page.getByRole("button", { name: "Enter" }).click();
await page.getByText("the token is not valid").waitFor();
await page.getByLabel("Token").fill(`Bearer ${token}`);
await page.getByRole("button", { name: "Enter" }).click();
await page.getByRole("status").getByText("Live").waitFor(); // the socket has it, too
await page.getByRole("button", { name: /kim/ }).waitFor();
await page.reload();
await page.getByRole("status").getByText("Live").waitFor();
assert.deepEqual(await page.evaluate(() => Object.values(localStorage).filter((kept) => kept.includes("token"))), []);
await browser.close();
console.log("ok");
