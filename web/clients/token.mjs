// A live panel whose tokens end. It prints a line for each thing it is told, and goes on
// until it is killed.
//
//	node token.mjs ADDRESS TOKENS fresh|anew
//
// TOKENS is an address that gives a token. Told fresh, it sends one before the last one
// ends; told anew, it lets the connection end and comes back with another.
import { createClient } from "graphql-ws";
import WebSocket from "ws";

const [, , address, tokens, way] = process.argv;
const say = (...words) => console.log(...words);
const freshToken = async () => (await fetch(tokens)).text();
let timer;

const client = createClient({
  url: `ws://${address}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: async () => ({ token: await freshToken() }), // asked at each connection
  retryAttempts: Infinity,
  retryWait: () => new Promise((go) => setTimeout(go, 50)),
  shouldRetry: (e) => e.code !== 4403 || e.reason === "the token has expired",
  on: {
    connected(socket) {
      say("connected");
      if (way !== "fresh") return;
      timer = setInterval(async () => {
        socket.send(JSON.stringify({ type: "ping", payload: { token: await freshToken() } }));
      }, 500);
    },
    closed(e) {
      say("closed", e.code, e.reason);
      clearInterval(timer);
    },
  },
});

client.subscribe(
  { query: `subscription { occupancyChanged { occupancy { itemName } } }` },
  {
    next: ({ data, errors }) => say(errors ? errors[0].extensions.code : data.occupancyChanged.occupancy.itemName),
    error: (e) => say("error", e.code ?? e),
    complete: () => say("complete"),
  },
);
