// The console as people see it, in a real browser and on a real gateway.
//
//	CHROMIUM=/usr/bin/chromium node console.mjs http://ADDRESS
import { strict as assert } from "node:assert";
import { readFile } from "node:fs/promises";
import { accessible, ask, base, free, occupy, open, play } from "./stage.mjs";

const row = (page, name) => page.getByRole("row").filter({ hasText: name });

async function asksWhoOneIs(browser) {
  const page = await open(browser);
  await accessible(page, "sign-in");
  await page.getByLabel("User ID").fill("seo");
  await page.getByRole("button", { name: "Service" }).click();
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByRole("heading", { name: /held/ }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /seo/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Who are you?" }).waitFor();
}

async function speaksBothLanguages(browser) {
  const page = await open(browser, "seo");
  await page.getByRole("button", { name: "한국어" }).click();
  await page.getByRole("heading", { name: /점유 중/ }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "ko");
  await page.reload();
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("heading", { name: /held/ }).waitFor();
  const korean = await open(browser, "seo", { locale: "ko-KR" });
  await korean.getByRole("heading", { name: /점유 중/ }).waitFor();
}

async function showsWhatHappens(browser) {
  const page = await open(browser, "seo");
  await page.getByRole("status").getByText("Live").waitFor();
  await occupy("kim", "LIVE-1");
  await row(page, "LIVE-1").getByText("kim").waitFor();
  const left = await row(page, "LIVE-1").locator(".remaining").innerText();
  assert.match(left, /^(10:00|9:5\d)$/);
  await page.waitForFunction((before) => document.querySelector(".remaining")?.textContent !== before, left);
  await page.getByRole("searchbox", { name: "User ID" }).fill("lee");
  await row(page, "LIVE-1").waitFor({ state: "detached" });
  assert.match(page.url(), /user=lee/);
  await page.getByRole("button", { name: "Clear" }).click();
  await free("kim", "LIVE-1");
  await row(page, "LIVE-1").getByText("Free").waitFor();
  await row(page, "LIVE-1").waitFor({ state: "detached" });
}

async function showsThousandsWithFewRows(browser) {
  for (let i = 0; i < 5; i++) {
    const items = Array.from({ length: 1000 }, (_, n) => ({ itemType: "CST", itemName: `C-${i}-${n}` }));
    await ask("kim", `mutation($items: [ItemInput!]!) { occupyAll(input: {items: $items, ttlSeconds: 3000}) { code } }`, { items });
  }
  const page = await open(browser, "seo", { path: "/?types=CST&sort=item" });
  await page.getByRole("heading", { name: "5,000 held" }).waitFor();
  await page.getByRole("row").nth(1).getByRole("button").focus();
  await page.keyboard.press("End");
  await row(page, "C-4-999").getByRole("button").and(page.locator(":focus")).waitFor();
  assert.ok((await page.getByRole("row").count()) < 60);
  await ask("kim", `mutation { freeAll(input: {itemTypes: ["CST"]}) { code } }`);
  await page.getByRole("heading", { name: "0 held" }).waitFor();
}

async function supervisorEndsAHold(browser) {
  await occupy("kim", "FORCE-1");
  const operator = await open(browser, "lee", { roles: ["OPERATOR"] });
  await row(operator, "FORCE-1").click();
  await operator.getByRole("dialog").getByText("What happened").waitFor();
  assert.equal(await operator.getByRole("button", { name: "Free it by force" }).count(), 0);

  const page = await open(browser, "seo");
  await row(page, "FORCE-1").click();
  await page.getByRole("button", { name: "Free it by force" }).click();
  const dialog = page.getByRole("dialog", { name: "Free FORCE-1 by force" });
  await dialog.getByText(/kim loses the item/).waitFor();
  const end = dialog.getByRole("button", { name: "Free it by force" });
  assert.ok(await end.isDisabled());
  await dialog.getByLabel(/Reason/).fill("kim went home");
  await accessible(page, "force-free");
  await end.click();
  await page.getByText("kim went home").waitFor();
  await page.getByText("by seo").waitFor();
  const { occupancy } = await ask("lee", `{ occupancy(itemType: "LOT", itemName: "FORCE-1") { state } }`);
  assert.equal(occupancy.state, "FREE");
}

async function forceFreeHitsWhatWasSeen(browser) {
  await occupy("kim", "FORCE-2");
  const page = await open(browser, "seo", { path: "/?open=LOT/FORCE-2" });
  await page.getByRole("button", { name: "Free it by force" }).click();
  await page.getByLabel(/Reason/).fill("too late");
  let done = false;
  await page.route("**/graphql", async (route) => {
    if (done || !route.request().postData()?.includes("mutation")) return route.continue();
    done = true;
    // While the supervisor's click is on its way the item changes hands.
    await free("kim", "FORCE-2");
    await occupy("lee", "FORCE-2");
    await route.continue();
  });
  await page.getByRole("dialog", { name: /by force/ }).getByRole("button", { name: "Free it by force" }).click();
  await page.getByRole("alert").waitFor();
  const { holder } = await ask("lee", `{ holder(itemType: "LOT", itemName: "FORCE-2") { userId } }`);
  assert.equal(holder.userId, "lee");
}

async function asksTheHistory(browser) {
  await occupy("kim", "PAST-1", { uiName: "Track In" });
  await free("kim", "PAST-1");
  await occupy("lee", "PAST-1");
  await occupy("kim", "PAST-1"); // refused
  const page = await open(browser, "seo", { path: "/history?last=1h" });
  await page.getByRole("button", { name: "Condition", exact: true }).click();
  await page.getByLabel("With what").fill("PAST-");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("3 rows").waitFor();
  assert.match(page.url(), /w=itemName%7EstartsWith%7EPAST-/);
  await page.getByRole("button", { name: "Condition", exact: true }).click();
  await page.getByLabel("Field").last().selectOption("event");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("1 row", { exact: true }).waitFor();
  await accessible(page, "history");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split(/\r?\n/);
  assert.equal(lines.length, 2, lines.join("\n"));
  assert.match(lines[1], /PAST-1.*kim/);
  // What is in the address is the whole question.
  const colleague = await open(browser, "lee", { path: page.url().slice(base.length) });
  await colleague.getByText("1 row", { exact: true }).waitFor();
  await row(colleague, "Done").getByText("kim").waitFor();

  await page.getByRole("button", { name: "Figures" }).click();
  await page.getByText("1 hold, 0 ran out (0%)").first().waitFor();
  await accessible(page, "figures");
  await page.getByRole("button", { name: "Who was in the way" }).click();
  await page.getByRole("listitem").filter({ hasText: "lee" }).getByText("1 refusal, 1 attempt of 1 user").waitFor();
  await page.getByRole("button", { name: "Who held it at …" }).click();
  await page.getByLabel("Item name").fill("PAST-1");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("lee", { exact: true }).waitFor();
  assert.equal(await (await open(browser, "kim", { path: "/history", roles: ["OPERATOR"] })).getByRole("button", { name: "Who was in the way" }).count(), 0);
}

async function drawsHoldsAsBars(browser) {
  await occupy("kim", "LANE-1");
  await free("kim", "LANE-1");
  await occupy("lee", "LANE-1");
  const page = await open(browser, "seo", { path: "/timeline?span=10m&item=LANE" });
  await page.getByRole("button", { name: /^kim, ForceSampling, .*Done$/ }).waitFor();
  const lasting = page.getByRole("button", { name: /^lee, ForceSampling, .*Held$/ });
  const width = (await lasting.boundingBox()).width;
  await occupy("park", "LANE-2");
  await page.getByRole("button", { name: /^park/ }).waitFor(); // it goes on by itself
  await page.waitForFunction(({ before }) => document.querySelector(".bar-hold.lasts").getBoundingClientRect().width > before, { before: width });
  await accessible(page, "timeline");
  await page.getByRole("button", { name: "Earlier" }).click();
  assert.match(page.url(), /end=2/);
  await page.getByText("Nothing was held in this time.").or(page.getByRole("button", { name: /^kim/ })).first().waitFor();
  await page.getByRole("button", { name: "Live", exact: true }).click();
  await page.getByRole("button", { name: /^lee/ }).click();
  await page.getByRole("dialog").getByText("What happened").waitFor();
}

const sample = (page, name) => page.getByRole("region", { name, exact: true });
const ok = (page, name) => sample(page, name).getByRole("button", { name: "OK", exact: true });

async function lookUp(page, lot) {
  await sample(page, "ForceSampling").getByLabel("LOT").fill(lot);
  await sample(page, "ForceSampling").getByRole("button", { name: "Look up" }).click();
}

// Of two users in two browsers one gets the lot; the other is told who has it, and gets it afterwards.
async function twoRaceForOneLot(browser) {
  const pages = [await open(browser, "kim", { path: "/screens" }), await open(browser, "lee", { path: "/screens" })];
  await Promise.all(pages.map((page) => lookUp(page, "RACE-1")));
  const told = await Promise.all(
    pages.map(async (page) => {
      await page.locator(".note.bad, [role=status].good").first().waitFor();
      return (await page.getByText("Yours: RACE-1").count()) === 1;
    }),
  );
  assert.deepEqual(told.toSorted(), [false, true]);
  const [winner, loser] = told[0] ? pages : pages.toReversed();
  await sample(loser, "ForceSampling").getByRole("alert").getByText(told[0] ? /kim/ : /lee/).waitFor();
  assert.ok(await ok(loser, "ForceSampling").isDisabled());
  await ok(winner, "ForceSampling").click();
  await winner.getByText(/Saved.*RACE-1 \(1\)/).waitFor();
  await lookUp(loser, "RACE-1");
  await loser.getByText("Yours: RACE-1").waitFor();
  await sample(loser, "ForceSampling").getByRole("button", { name: "Cancel" }).click();
}

async function okIsDisabledWhenTheLotIsLost(browser) {
  const page = await open(browser, "kim", { path: "/screens" });
  await lookUp(page, "LOST-1");
  await page.getByText("Yours: LOST-1").waitFor();
  assert.ok(await ok(page, "ForceSampling").isEnabled());
  const { holder } = await ask("seo", `{ holder(itemType: "LOT", itemName: "LOST-1") { fencingToken } }`);
  await ask("seo", `mutation($token: Long!) { forceFree(input: {itemType: "LOT", itemName: "LOST-1", reason: "test", fencingToken: $token}) { ok } }`, {
    token: holder.fencingToken,
  });
  await page.getByText("You have lost LOST-1").waitFor();
  assert.ok(await ok(page, "ForceSampling").isDisabled());
}

async function severalLotsAreAllOrNone(browser) {
  await occupy("lee", "MANY-2");
  const page = await open(browser, "kim", { path: "/screens" });
  const many = sample(page, "CompleteForceSampling");
  await many.getByLabel("Add lots").fill("MANY-1, MANY-2");
  await many.getByRole("button", { name: "Add", exact: true }).click();
  await many.getByRole("button", { name: "Occupy 2 lots" }).click();
  await many.getByRole("alert").getByText(/lee/).waitFor();
  const { holder } = await ask("kim", `{ holder(itemType: "LOT", itemName: "MANY-1") { userId } }`);
  assert.equal(holder, null);
  await accessible(page, "screens");
  await free("lee", "MANY-2");
  await many.getByRole("button", { name: "Occupy 2 lots" }).click();
  await many.getByText("Yours: MANY-1, MANY-2").waitFor();
  // Closing the window leaves the grace, leaving the view gives back at once.
  await page.getByRole("link", { name: "Numbers" }).click();
  await page.getByText("job:census").waitFor();
  for (let held = true; held; ) held = (await ask("kim", `{ a: holder(itemType: "LOT", itemName: "MANY-1") { userId } b: holder(itemType: "LOT", itemName: "MANY-2") { userId } }`)).a !== null;
}

async function answersAnyQuestion(browser) {
  const page = await open(browser, "seo", { path: "/graphiql" });
  await page.getByLabel("Examples").selectOption("Who am I?");
  await page.getByRole("button", { name: /Execute/ }).click();
  await page.locator(".graphiql-response").getByText('"userId": "seo"').waitFor();
  await page.getByLabel("Examples").selectOption("Watch the floor live");
  await page.getByRole("button", { name: /Execute/ }).click();
  await page.locator(".graphiql-response").getByText(/"(SNAPSHOT|CHANGED)"/).waitFor(); // it shows the last event only
  await occupy("kim", "ASKED-1");
  await page.locator(".graphiql-response").getByText('"ASKED-1"').waitFor();
  await page.getByRole("button", { name: /Stop/ }).click();
}

async function isAccessible(browser) {
  await occupy("kim", "AXE-1");
  const seen = [
    ["/", "light"],
    ["/?open=LOT/AXE-1", "dark"],
    ["/?wall=1", "dark"],
    ["/numbers", "light"],
    ["/nowhere", "dark"],
  ];
  for (const [path, colorScheme] of seen) {
    const page = await open(browser, "seo", { path, colorScheme, locale: "ko-KR" });
    if (path === "/numbers") await page.getByText("job:census").waitFor();
    else if (path !== "/nowhere") await page.getByText("AXE-1").first().waitFor();
    await accessible(page, `${path} ${colorScheme}`);
    await page.context().close();
  }
}

await play([asksWhoOneIs, speaksBothLanguages, showsWhatHappens, showsThousandsWithFewRows, supervisorEndsAHold, forceFreeHitsWhatWasSeen, asksTheHistory, drawsHoldsAsBars, twoRaceForOneLot, okIsDisabledWhenTheLotIsLost, severalLotsAreAllOrNone, answersAnyQuestion, isAccessible]);
