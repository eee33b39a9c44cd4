// What the console says while its connection is lost, and what it has missed when it is back.
//
//	CHROMIUM=/usr/bin/chromium node outages.mjs http://ADDRESS
import { strict as assert } from "node:assert";
import { ask, occupy, open, play } from "./stage.mjs";

/** cable stands between a page and the gateway: it can be cut, and nothing comes through until it is mended. */
async function cable(page) {
  const ends = new Set();
  let broken = false;
  await page.routeWebSocket(/graphql/, (end) => {
    if (broken) return end.close({ code: 1012 });
    end.connectToServer();
    ends.add(end);
  });
  await page.reload();
  return {
    cut: async () => {
      broken = true;
      for (const end of ends) await end.close({ code: 1012 });
      ends.clear();
    },
    mend: () => (broken = false),
  };
}

async function boardSaysWhenItIsNotLive(browser) {
  const page = await open(browser, "seo");
  const row = (name) => page.getByRole("row").filter({ hasText: name });
  const line = await cable(page);
  await occupy("kim", "BEFORE-1");
  await row("BEFORE-1").waitFor();
  await line.cut();
  await page.getByRole("status").getByText("Connection lost").waitFor();
  await page.getByText(/Not live since/).waitFor();
  await occupy("lee", "MISSED-1");
  await ask("kim", `mutation { free(input: {itemType: "LOT", itemName: "BEFORE-1"}) { code } }`);
  line.mend();
  await row("MISSED-1").getByText("lee").waitFor();
  await row("BEFORE-1").waitFor({ state: "detached" });
  await page.getByRole("status").getByText("Live").waitFor();
}

async function okWaitsForTheConnection(browser) {
  const page = await open(browser, "kim", { path: "/screens" });
  const line = await cable(page);
  const sample = page.getByRole("region", { name: "ForceSampling", exact: true });
  const ok = sample.getByRole("button", { name: "OK", exact: true });
  await sample.getByLabel("LOT").fill("CUT-1");
  await sample.getByRole("button", { name: "Look up" }).click();
  await page.getByText("Yours: CUT-1").waitFor();
  await line.cut();
  await page.getByText(/Connection lost\. The lots are kept/).waitFor();
  assert.ok(await ok.isDisabled());
  line.mend();
  await page.getByText("Yours: CUT-1").waitFor();
  await ok.click();
  await page.getByText(/Saved.*CUT-1 \(1\)/).waitFor(); // by the token that it was granted with
}

await play([boardSaysWhenItIsNotLive, okWaitsForTheConnection]);
