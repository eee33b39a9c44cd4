import { createClient, type Client } from "graphql-ws";
import { useCallback, useEffect, useRef, useState } from "react";
import { useClient } from "urql";
import { headersOf } from "../app/caller";
import { socketAddress } from "../app/client";
import { follow } from "../app/follow";
import { useSession } from "../app/session";
import { graphql } from "../graph";
import type { OccupyLotsMutation } from "../graph/graphql";
import { useSpoken } from "../words";

const occupyLots = graphql(`
  mutation OccupyLots($input: OccupyAllInput!) {
    occupyAll(input: $input) {
      ok
      code
      message
      occupancies {
        itemName
        fencingToken
      }
      blockers {
        itemName
        userId
        uiName
        expireTime
      }
    }
  }
`);

const keepLot = graphql(`
  subscription KeepLot($input: OccupyInput!) {
    holdItem(input: $input, graceSeconds: 30) {
      kind
      fencingToken
      event
      occupancy {
        userId
        state
      }
    }
  }
`);

const verifyLot = graphql(`
  query VerifyLot($itemName: String!, $userId: String!, $session: String!, $fencingToken: Long!) {
    verifyHolder(itemType: "LOT", itemName: $itemName, userId: $userId, session: $session, fencingToken: $fencingToken) {
      ok
      message
    }
  }
`);

type Payload = NonNullable<OccupyLotsMutation["occupyAll"]>;
export type Lot = Payload["occupancies"][number];
export type Blocker = Payload["blockers"][number];

export type Holds =
  | { phase: "idle" | "asking" }
  | { phase: "denied"; message: string; blockers: readonly Blocker[]; inOtherWindow: boolean }
  | { phase: "held"; lots: readonly Lot[]; connected: boolean }
  | { phase: "lost"; itemName: string; to: string | null }
  | { phase: "failed"; message: string }
  | { phase: "saved"; lots: readonly Lot[] };

const drawSession = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("");

/**
 * Lots that a screen works on: taken all or none, kept as long as the screen lives, given back when it is done.
 * Each keeping is a subscription: the gateway renews it, and tells at once if the lot is lost.
 */
export function useHolds(uiName: string) {
  const { caller, userId } = useSession();
  const { language } = useSpoken();
  const client = useClient();
  const [holds, setHolds] = useState<Holds>({ phase: "idle" });
  const [session] = useState(drawSession); // each window has its own
  const keeping = useRef<{ socket: Client; ends: (() => void)[] }>(undefined);

  const letGo = useCallback(() => {
    for (const end of keeping.current?.ends ?? []) end();
    void keeping.current?.socket.dispose();
    keeping.current = undefined;
  }, []);
  useEffect(() => letGo, [letGo]);

  const lose = useCallback(
    (itemName: string, to: string | null) => {
      letGo();
      setHolds({ phase: "lost", itemName, to });
    },
    [letGo],
  );

  const keep = useCallback(
    (lots: readonly Lot[]) => {
      const connected = (yes: boolean) => setHolds((now) => (now.phase === "held" ? { ...now, connected: yes } : now));
      const socket = createClient({ url: socketAddress(), connectionParams: headersOf(caller, language), retryAttempts: 0, keepAlive: 10_000 });
      const ends = lots.map(({ itemName, fencingToken }) =>
        follow(socket, {
          document: keepLot,
          variables: () => ({ input: { itemType: "LOT", itemName, uiName, session } }),
          hear: ({ holdItem }) => {
            // A grant with another token is a new one: somebody else may have had the lot meanwhile.
            const ours = holdItem.kind !== "LOST" && holdItem.fencingToken === fencingToken;
            if (ours) connected(true);
            else lose(itemName, holdItem.occupancy.state === "OCCUPIED" ? holdItem.occupancy.userId : null);
          },
          failed: () => false,
          away: () => connected(false),
          refused: () => lose(itemName, null),
        }),
      );
      keeping.current = { socket, ends };
      setHolds({ phase: "held", lots, connected: true });
    },
    [caller, language, lose, session, uiName],
  );

  const occupy = useCallback(
    async (names: readonly string[], takeOver = false) => {
      setHolds({ phase: "asking" });
      const items = names.map((itemName) => ({ itemType: "LOT", itemName }));
      const { data, error } = await client.mutation(occupyLots, { input: { items, uiName, session, takeOver, ttlSeconds: 60 } });
      const payload = data?.occupyAll;
      if (!payload) return setHolds({ phase: "failed", message: error?.graphQLErrors[0]?.message ?? "" });
      if (payload.ok) return keep(payload.occupancies);
      setHolds({ phase: "denied", message: payload.message, blockers: payload.blockers, inOtherWindow: payload.code === "HELD_IN_OTHER_WINDOW" });
    },
    [client, keep, session, uiName],
  );

  /** Saves as a screen should: its back end asks, with the token, whether the lot is still held, and then writes. */
  const save = useCallback(
    async (lots: readonly Lot[]) => {
      for (const { itemName, fencingToken } of lots) {
        const { data, error } = await client.query(verifyLot, { itemName, userId, session, fencingToken });
        if (!data?.verifyHolder.ok) return setHolds({ phase: "failed", message: data?.verifyHolder.message ?? error?.graphQLErrors[0]?.message ?? "" });
      }
      letGo();
      setHolds({ phase: "saved", lots });
    },
    [client, letGo, session, userId],
  );

  const cancel = useCallback(() => {
    letGo();
    setHolds({ phase: "idle" });
  }, [letGo]);
  return { holds, occupy, save, cancel };
}
