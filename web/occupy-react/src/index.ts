export { type ClientOptions, type Connection, OccupyClient, type Sink } from "./client.js";
export { Clock } from "./clock.js";
export { Feed, type FeedOptions, type FeedState, type FeedView } from "./feed.js";
export { Hold, type HoldView, type OccupyOptions } from "./hold.js";
export { type Occupied, useConnection, useOccupancies, useOccupy, useSecondsLeft } from "./hooks.js";
export { type Document, OccupyError, type RequestOptions, type ServiceError } from "./http.js";
export { isLater, type Item, keyOf, matches, type Occupancy } from "./item.js";
export { type HistoryEntry, type HoldEntry, type PageOptions, type Pages, useHistory, useHolds } from "./pages.js";
export { OccupyProvider, type OccupyProviderProps, useOccupyClient } from "./provider.js";
export type {
  Event, FreeHow, HistoryOrder, HistoryWhere, HoldOrder, HoldWhere, OccupancyFilter, OccupyCode, State,
} from "./graph/graphql.js";
