// Takes the pictures of README.
//
//	CHROMIUM=/usr/bin/chromium node screenshots.mjs http://ADDRESS FOLDER
import { ask, launch, noFaults, open } from "./stage.mjs";

const folder = process.argv[3];
const users = ["kim", "lee", "park", "choi", "jung", "kang", "yoon", "jang"];
const screens = ["ForceSampling", "CompleteForceSampling", "Track In", "Track Out", "Hold Release", "Recipe Change"];
const kinds = ["LOT", "LOT", "LOT", "LOT", "CST", "CST", "MASK", "PRODUCT"];

let state = 20261201;
const pick = (list) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return list[(state >>> 0) % list.length];
};

// A floor at work: some hold, some are done, some let their time run out.
for (let i = 0; i < 150; i++) {
  const itemType = pick(kinds);
  const item = { itemType, itemName: `${itemType}-${1000 + ((i * 37) % 60)}` };
  const user = pick(users);
  const ttlSeconds = pick([2, 40, 140, 280, 500, 900, 2400]);
  await ask(user, `mutation($input: OccupyInput!) { occupy(input: $input) { code } }`, { input: { ...item, uiName: pick(screens), ttlSeconds, session: `${i}` } });
  if (pick([true, true, false]))
    await ask(user, `mutation($input: FreeInput!) { free(input: $input) { code } }`, { input: { ...item, session: `${i}`, how: pick(["OK", "OK", "OK", "WINDOW_CLOSED", "CONNECTION_LOST"]) } });
  await new Promise((go) => setTimeout(go, 120));
}

const browser = await launch();
async function take(name, options) {
  const page = await open(browser, "seo", { viewport: { width: 1280, height: 720 }, ...options });
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(3500); // what has just changed has calmed down
  await page.screenshot({ path: `${folder}/${name}.png` });
}
await take("live", { path: "/", colorScheme: "light" });
await take("wall", { path: "/?wall=1", colorScheme: "dark" });
await take("phone", { path: "/", colorScheme: "dark", locale: "ko-KR", viewport: { width: 390, height: 720 } });
noFaults();
await browser.close();
console.log("ok");
