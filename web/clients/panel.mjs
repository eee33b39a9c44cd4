// A live panel as an MES would build one, on the npm clients, with no more than they
// offer. It comes back whatever happens, and begins anew where it can not go on. It prints a line for each thing it is told, and goes on until it is killed.
//
//	node panel.mjs ws|sse ADDRESS
import { createClient as createSocket } from "graphql-ws";
import { createClient as createStream } from "graphql-sse";
import WebSocket from "ws";

const [, , transport, address] = process.argv;
const say = (...words) => console.log(...words);
const user = { "X-User-Id": "panel" };
// A gateway that is away must not end a panel, and all panels must not come at once.
const coming = {
  shouldRetry: () => true,
  retryAttempts: Infinity,
  retryWait: () => new Promise((go) => setTimeout(go, 50 + Math.random() * 100)),
};

const client =
  transport === "ws"
    ? createSocket({ url: `ws://${address}/graphql`, webSocketImpl: WebSocket, connectionParams: user, ...coming })
    : createStream({ url: `http://${address}/graphql`, headers: user, retryAttempts: Infinity, retry: coming.retryWait });

// The clients send this anew whenever they come back, so that it goes on where it was.
const variables = { snapshot: true, after: null };
const query = `subscription($snapshot: Boolean!, $after: String) {
  occupancyChanged(filter: {itemTypes: ["LOT"]}, snapshot: $snapshot, after: $after) {
    kind cursor occupancy { itemName userId version } } }`;

const last = new Map(); // of each item, the version

// ended is told what a subscription ended with, over a connection that lives: the
// clients take that for final.
function ended(code) {
  if (code === "UNAVAILABLE") return setTimeout(follow, 50 + Math.random() * 100); // the database is away
  if (code !== "RESYNC") return say("ended", code);
  say("RESYNC"); // what is known may be of another database
  last.clear();
  Object.assign(variables, { snapshot: true, after: null });
  follow();
}

function follow() {
  client.subscribe(
    { query, variables },
    {
      next({ data, errors }) {
        if (errors) return ended(errors[0].extensions.code);
        const { kind, cursor, occupancy } = data.occupancyChanged;
        // Half a snapshot has a cursor, too: who comes back with it hears RESYNC.
        Object.assign(variables, { snapshot: false, after: cursor });
        if (occupancy.version <= (last.get(occupancy.itemName) ?? 0)) return;
        last.set(occupancy.itemName, Number(occupancy.version));
        say(kind, occupancy.itemName, occupancy.version, occupancy.userId);
      },
      error: (e) => ended(Array.isArray(e) ? e[0].extensions.code : e),
      complete() {},
    },
  );
}

follow();
