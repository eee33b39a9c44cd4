// What the npm clients make of the service, one transport after the other.
//
//	node clients.mjs ADDRESS
import assert from "node:assert/strict";
import { createClient as createSocket } from "graphql-ws";
import { createClient as createStream } from "graphql-sse";
import WebSocket from "ws";

const address = process.argv[2];
const socket = (options) => createSocket({ url: `ws://${address}/graphql`, webSocketImpl: WebSocket, ...options });
const stream = (options) => createStream({ url: `http://${address}/graphql`, ...options });

// first gives the first result, or the error, and how it went on.
const first = (client, request) =>
  new Promise((resolve, reject) => {
    let result;
    client.subscribe(request, { next: (r) => (result ??= r), error: reject, complete: () => resolve(result) });
  });

const kim = { "X-User-Id": "kim", "X-Roles": "OPERATOR", "Accept-Language": "ko" };
const occupy = (name) => `mutation { occupy(input: {itemType: "LOT", itemName: "${name}"}) { code message } }`;
const watch = `subscription { occupancyChanged { occupancy { itemName } } }`;

async function common(client, name) {
  assert.deepEqual(await first(client, { query: "{ me { userId language } }" }), { data: { me: { userId: "kim", language: "ko" } } });
  assert.equal((await first(client, { query: occupy(name) })).data.occupy.code, "GRANTED");
  // Two that are equal, one of which leaves; the other one is told.
  const one = client.iterate({ query: watch });
  const other = client.iterate({ query: watch });
  const told = Promise.all([one.next(), other.next()]);
  let n = 0;
  const more = async () => {
    await first(client, { query: occupy(`${name}-${n++}`) });
    await new Promise((go) => setTimeout(go, 20));
  };
  const until = async (promise) => {
    let done = false;
    promise.finally(() => (done = true));
    while (!done) await more();
    return promise;
  };
  for (const { value } of await until(told)) assert.match(value.data.occupancyChanged.occupancy.itemName, new RegExp(`^${name}`, "i"));
  await one.return();
  assert.ok((await until(other.next())).value.data);
  await other.return();
}

// A refusal before anything is carried out, and one by the resolver: both are errors.
async function errorsOverSocket(client) {
  const code = (query) => first(client, { query }).then(assert.fail, (errors) => errors[0].extensions.code);
  assert.equal(await code("{ nobody }"), "GRAPHQL_VALIDATION_FAILED");
  assert.equal(await code(`subscription { occupancyChanged(after: "nonsense") { kind } }`), "BAD_USER_INPUT");
}

async function errorsOverStream(client) {
  const code = async (query) => (await first(client, { query })).errors[0].extensions.code;
  assert.equal(await code("{ nobody }"), "GRAPHQL_VALIDATION_FAILED");
  assert.equal(await code(`subscription { occupancyChanged(after: "nonsense") { kind } }`), "BAD_USER_INPUT");
}

// Case W4: whoever is refused is refused once, if the client takes 4403 for final.
async function refusedOnce() {
  let opened = 0;
  const client = socket({
    connectionParams: { "X-User-Id": " " },
    retryAttempts: Infinity,
    retryWait: async () => {},
    shouldRetry: (e) => e.code !== 4403,
    on: { opened: () => opened++ },
  });
  const closed = await first(client, { query: "{ me { userId } }" }).then(assert.fail, (e) => e);
  assert.equal(closed.code, 4403);
  assert.match(closed.reason, /X-User-Id/);
  assert.equal(opened, 1);
}

// The client's own pings, and its leaving when it has nothing more to ask.
async function keepsAlive() {
  let pongs = 0;
  const client = socket({ connectionParams: kim, keepAlive: 10, lazy: false, on: { pong: () => pongs++ } });
  while (pongs < 3) await new Promise((go) => setTimeout(go, 10));
  await client.dispose();
}

const overSocket = socket({ connectionParams: kim });
await common(overSocket, "socket");
await errorsOverSocket(overSocket);
await refusedOnce();
await keepsAlive();
const overStream = stream({ headers: kim });
await common(overStream, "stream");
await errorsOverStream(overStream);
await overSocket.dispose();
overStream.dispose();
console.log("ok");
