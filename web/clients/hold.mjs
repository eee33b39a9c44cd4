// A window that holds an item for as long as it is open, on the npm client. It prints a
// line for each thing it is told. An end to its input closes it as a user does; killed,
// it is a browser that has crashed.
//
//	node hold.mjs ADDRESS ITEM SESSION GRACE
import { createClient } from "graphql-ws";
import WebSocket from "ws";

const [, , address, itemName, session, grace] = process.argv;
const client = createClient({
  url: `ws://${address}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: { "X-User-Id": "kim" },
  retryAttempts: Infinity,
  shouldRetry: () => true,
  retryWait: () => new Promise((go) => setTimeout(go, 50 + Math.random() * 100)),
});

const query = `subscription($input: OccupyInput!, $grace: Int) {
  holdItem(input: $input, graceSeconds: $grace) { kind event fencingToken payload { code } } }`;
const variables = { input: { itemType: "LOT", itemName, session, ttlSeconds: 60 }, grace: Number(grace) };

const close = client.subscribe(
  { query, variables },
  {
    next({ data: { holdItem: told } }) {
      console.log(told.kind, told.payload?.code ?? told.event, told.fencingToken);
    },
    error: (e) => console.log("error", Array.isArray(e) ? e[0].extensions.code : e),
    complete() {},
  },
);
process.stdin.on("end", close).resume();
