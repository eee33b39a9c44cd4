/* eslint-disable */
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type MakeOptional<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]?: Maybe<T[SubKey]> };
export type MakeMaybe<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]: Maybe<T[SubKey]> };
export type MakeEmpty<T extends { [key: string]: unknown }, K extends keyof T> = { [_ in K]?: never };
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A whole number of 64 bits. It is answered as a string, since JavaScript's numbers have 53
   * bits; a string or a number is taken.
   */
  Long: { input: string; output: string; }
  /** An instant, RFC 3339, answered in UTC to the microsecond. Always by the database's clock. */
  Time: { input: string; output: string; }
};

/** Who or what was in the way, and how often. Of `userId`, `uiName`, `itemType` and `itemName` those are set that were asked for by `by`. */
export type Blocker = {
  __typename?: 'Blocker';
  /** How many users were refused. */
  askers: Scalars['Long']['output'];
  /** How often they asked. */
  attempts: Scalars['Long']['output'];
  /** How often somebody was refused for a hold, however often they asked. */
  denials: Scalars['Long']['output'];
  /** How many did not get it within a day. */
  gaveUp: Scalars['Long']['output'];
  /** The item that was wanted. */
  itemName: Maybe<Scalars['String']['output']>;
  /** Its item type. */
  itemType: Maybe<Scalars['String']['output']>;
  /** How many items that was about. */
  items: Scalars['Long']['output'];
  /** The screen that held them. */
  uiName: Maybe<Scalars['String']['output']>;
  /** The user who held them. */
  userId: Maybe<Scalars['String']['output']>;
  /** What those waited, together, who got the item within a day. */
  waitedSeconds: Scalars['Float']['output'];
};

/** What blockers are counted by. */
export type BlockerGroup =
  /** The items. */
  | 'ITEM'
  /** The screens they held them from. */
  | 'SCREEN'
  /** Who held the items. */
  | 'USER';

/** What a reset does while gateways have blocks of the sequence out. */
export type BlocksOut =
  /** Changes nothing if any gateway has some. */
  | 'REFUSE'
  /** Waits until they are given back or their leases are over. */
  | 'WAIT';

/** Who asks, as the credentials say. */
export type Caller = {
  __typename?: 'Caller';
  /**
   * Who does it: the same, or a SERVICE that acts for them. It says for whom by the header, or field
   * of connection_init, `X-On-Behalf-Of`, and may then do what an OPERATOR may, and nothing else.
   */
  actor: Scalars['String']['output'];
  /** That of the messages: `ko` or `en`. */
  language: Scalars['String']['output'];
  /** What they may do. */
  roles: Array<Role>;
  /** What is occupied is theirs. */
  userId: Scalars['String']['output'];
};

/** Each of the two denials' `blockerUserId` is the other one's `userId`. */
export type CrossedPair = {
  __typename?: 'CrossedPair';
  /** Who asked first. */
  one: Denial;
  /** Who asked second. */
  other: Denial;
  /** From when on both wanted what the other held. */
  since: Scalars['Time']['output'];
};

/** Narrows a day, yyyy-MM-dd, both ends with. */
export type DateFilter = {
  /** This day or later. */
  gte?: InputMaybe<Scalars['String']['input']>;
  /** This day or earlier. */
  lte?: InputMaybe<Scalars['String']['input']>;
};

/** All attempts of one user and session to get an item, while one hold was in the way. */
export type Denial = {
  __typename?: 'Denial';
  /** How often they asked. */
  attempts: Scalars['Long']['output'];
  /** The menu that they held it from. */
  blockerMenuName: Maybe<Scalars['String']['output']>;
  /** The holder's window; null if they named none. */
  blockerSession: Maybe<Scalars['String']['output']>;
  /** When their hold began. */
  blockerSince: Scalars['Time']['output'];
  /** The screen that they held it from. */
  blockerUiName: Maybe<Scalars['String']['output']>;
  /** Who held the item. */
  blockerUserId: Scalars['String']['output'];
  /** That of their hold, by which `history` finds it. */
  fencingToken: Scalars['Long']['output'];
  /** When they first asked. */
  firstAt: Scalars['Time']['output'];
  /** When they were granted the item after `firstAt`; null if they were not within a day. */
  gotItAt: Maybe<Scalars['Time']['output']>;
  /** Of the item that was wanted. */
  itemName: Scalars['String']['output'];
  /** Of the item that was wanted. */
  itemType: Scalars['String']['output'];
  /** When they last asked. */
  lastAt: Scalars['Time']['output'];
  /** The menu that they first asked from. */
  menuName: Maybe<Scalars['String']['output']>;
  /** The asker's window; null if they named none. */
  session: Maybe<Scalars['String']['output']>;
  /** The screen they first asked from. */
  uiName: Maybe<Scalars['String']['output']>;
  /** Who wanted the item. */
  userId: Scalars['String']['output'];
  /** From `firstAt` to `gotItAt`. */
  waitedSeconds: Maybe<Scalars['Float']['output']>;
};

/** A page of denials. */
export type DenialConnection = {
  __typename?: 'DenialConnection';
  /** The rows, each with its cursor. */
  edges: Array<DenialEdge>;
  /** The rows alone. */
  nodes: Array<Denial>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
  /** All that matches, counted only when asked for. */
  totalCount: Maybe<Scalars['Int']['output']>;
};

/** A denial and where it stands in the list. */
export type DenialEdge = {
  __typename?: 'DenialEdge';
  /** Where the row stands; for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Denial;
};

/** Narrows denials. All that is given must hold. */
export type DenialWhere = {
  /** When they first asked. */
  at?: InputMaybe<TimeFilter>;
  /** The screen they held it from. */
  blockerUiName?: InputMaybe<TextFilter>;
  /** Who held it. */
  blockerUserId?: InputMaybe<TextFilter>;
  /** The name. */
  itemName?: InputMaybe<TextFilter>;
  /** The item type. */
  itemType?: InputMaybe<TextFilter>;
  /** Only those who asked at least so often. */
  minAttempts?: InputMaybe<Scalars['Int']['input']>;
  /** Whether it was the asker's own other window that was in the way. */
  ownWindow?: InputMaybe<Scalars['Boolean']['input']>;
  /** The screen they first asked from. */
  uiName?: InputMaybe<TextFilter>;
  /** Who wanted the item. */
  userId?: InputMaybe<TextFilter>;
};

/**
 * The `extensions.code` of a GraphQL error. A refusal by the rules (held by another, expired)
 * is not an error but an answer with `ok: false`.
 */
export type ErrorCode =
  /** An argument is wrong; `extensions.argument` is its path, such as `input.ttlSeconds`. Nothing was changed. */
  | 'BAD_USER_INPUT'
  /** The caller has none of the roles that this needs. */
  | 'FORBIDDEN'
  /** The request could not be read: it is not GraphQL. */
  | 'GRAPHQL_PARSE_FAILED'
  /** The request does not fit this schema. */
  | 'GRAPHQL_VALIDATION_FAILED'
  /** A fault of the service; `extensions.requestId` finds it in its log. */
  | 'INTERNAL'
  /** The request is larger, or would cost more, than it may: `extensions.limit` says in what, `extensions.maximum` how much is allowed. */
  | 'LIMIT_EXCEEDED'
  /** The database went away at the commit and could not be asked since: look before you repeat. */
  | 'OUTCOME_UNKNOWN'
  /** Too many mutations, connections or subscriptions by one user or from one address. Nothing was done; try again in `extensions.retryAfterSeconds`. */
  | 'RATE_LIMITED'
  /** The subscription fell behind or can not be continued without a hole: subscribe again with a snapshot. */
  | 'RESYNC'
  /** Nobody is known to be asking. */
  | 'UNAUTHENTICATED'
  /** Nothing was changed; try again. */
  | 'UNAVAILABLE';

/** How an item came into the state of a history row. */
export type Event =
  /** Given back, or run out after a grace, as the connection was lost. */
  | 'CONNECTION_LOST'
  /** Time ran out: EXPIRED. */
  | 'EXPIRED'
  /** Ended by a supervisor; `comment` is the reason, `actor` the supervisor: FREE. */
  | 'FORCED'
  /** Given back, the work done: FREE. */
  | 'FREED'
  /** The longest allowed hold ran out: EXPIRED. */
  | 'MAX_HOLD'
  /** Granted: OCCUPIED. */
  | 'OCCUPIED'
  /** By its holder, from another UI or menu: OCCUPIED. */
  | 'REENTERED'
  /** Moved to another window of the same user, new token: OCCUPIED. */
  | 'TAKEN_OVER'
  /** Handed to another user, new token: OCCUPIED. */
  | 'TRANSFERRED'
  /** Given back as the window closed: FREE. */
  | 'WINDOW_CLOSED';

/** Narrows an event. All that is given must hold. */
export type EventFilter = {
  /** Exactly this. */
  eq?: InputMaybe<Event>;
  /** One of these. */
  in?: InputMaybe<Array<Event>>;
  /** Anything but this. */
  ne?: InputMaybe<Event>;
};

/** Something that is wrong with the history. */
export type Fault = {
  __typename?: 'Fault';
  /** Of the item whose history it is. */
  itemName: Scalars['String']['output'];
  /** Of the item whose history it is. */
  itemType: Scalars['String']['output'];
  /** What is wrong, in English. */
  problem: Scalars['String']['output'];
  /** Of the history row; the present version if it is the item that does not agree. */
  version: Scalars['Long']['output'];
};

/** How a forced end went. */
export type ForceFreeCode =
  /** Its time had run out already. */
  | 'ALREADY_EXPIRED'
  /** It was free already, or never held. */
  | 'ALREADY_FREE'
  /** It is free now. */
  | 'FREED'
  /** It has changed hands since. */
  | 'STALE_TOKEN';

/** Which hold to end, and why. */
export type ForceFreeInput = {
  /** That of the hold you saw. Refused if the item has changed hands since. */
  fencingToken: Scalars['Long']['input'];
  /** Its name; `lot1 ` and `LOT1` are one. */
  itemName: Scalars['String']['input'];
  /** LOT, PRODUCT, MASK, CST, … */
  itemType: Scalars['String']['input'];
  /** Kept in the history; at most 400 characters. */
  reason: Scalars['String']['input'];
};

/** How it went. */
export type ForceFreePayload = {
  __typename?: 'ForceFreePayload';
  /** How it went, for programs. */
  code: ForceFreeCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The item as it is now. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** Which of the caller's holds to give back. */
export type FreeAllInput = {
  /** Why; kept in the history. */
  how?: InputMaybe<FreeHow>;
  /** Only these types, at most 1,000. Absent: all but SLOT. */
  itemTypes?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The window whose items to give back. Absent: those held without a session. */
  session?: InputMaybe<Scalars['String']['input']>;
};

/** How it went. */
export type FreeAllPayload = {
  __typename?: 'FreeAllPayload';
  /** FREED, or ALREADY_FREE if there was nothing to give back. */
  code: FreeCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** What was given back. */
  occupancies: Array<Occupancy>;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** Refusals are judged in this order. */
export type FreeCode =
  /** Its time had run out already. */
  | 'ALREADY_EXPIRED'
  /** It was free already, or never held. */
  | 'ALREADY_FREE'
  /** It is free now. */
  | 'FREED'
  /** It is kept for `graceSeconds`, and free then. */
  | 'LEFT'
  /** Another user or another window holds it. */
  | 'NOT_HOLDER'
  /** The token is that of an earlier grant. */
  | 'STALE_TOKEN';

/** Why a holder gives an item back; kept in the history. */
export type FreeHow =
  /** The connection to the window was lost. */
  | 'CONNECTION_LOST'
  /** The work is done. */
  | 'OK'
  /** The window was closed. */
  | 'WINDOW_CLOSED';

/** Which item to give back. */
export type FreeInput = {
  /** If given, it must be the present one. */
  fencingToken?: InputMaybe<Scalars['Long']['input']>;
  /**
   * The item is not free at once, but when so long has passed: a window that is closed may be one that is
   * opened anew, and who occupies again by then with the same session still holds it. Never longer than it
   * would have lasted; from 1 second to the configured maximum of a TTL. The history says CONNECTION_LOST then.
   */
  graceSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** Why; kept in the history. */
  how?: InputMaybe<FreeHow>;
  /** Its name; `lot1 ` and `LOT1` are one. */
  itemName: Scalars['String']['input'];
  /** LOT, PRODUCT, MASK, CST, … */
  itemType: Scalars['String']['input'];
  /** A hold that has a session is given back by that session or by its token. */
  session?: InputMaybe<Scalars['String']['input']>;
};

/** How it went. */
export type FreePayload = {
  __typename?: 'FreePayload';
  /** How it went, for programs. */
  code: FreeCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The item as it is now. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** All but LOST are exact; LOST names all that may be missing, and with it what was given out in the last second before. */
export type GapReason =
  /** Its cache was switched off. */
  | 'CACHE_OFF'
  /** The gateway crashed, or lost its connection while it drew. */
  | 'LOST'
  /** The sequence was reset. */
  | 'RESET'
  /** The gateway shut down. */
  | 'STOPPED';

/** A page of the history. */
export type HistoryConnection = {
  __typename?: 'HistoryConnection';
  /** The rows, each with its cursor. */
  edges: Array<HistoryEdge>;
  /** The rows alone. */
  nodes: Array<HistoryEntry>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
  /** All that matches, counted only when asked for. */
  totalCount: Maybe<Scalars['Int']['output']>;
};

/** A history row and where it stands in the list. */
export type HistoryEdge = {
  __typename?: 'HistoryEdge';
  /** Where the row stands; for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: HistoryEntry;
};

/** One row of the history: the item as it was from then on, and how it came to that. Never changed. */
export type HistoryEntry = Node & {
  __typename?: 'HistoryEntry';
  /** Who caused the row: the holder, a service that acts for them, a supervisor, who found it expired, or `occupy`, the service itself. */
  actor: Scalars['String']['output'];
  /** When the row was written; in a FREE row, the end of the hold. */
  at: Scalars['Time']['output'];
  /** A supervisor's reason. */
  comment: Maybe<Scalars['String']['output']>;
  /** How the item came into this state. */
  event: Event;
  /** The planned end, which renewals move on without a row; in an EXPIRED row, the real one. */
  expireTime: Scalars['Time']['output'];
  /** That of the grant. */
  fencingToken: Scalars['Long']['output'];
  /** For `node`; the same for ever. */
  id: Scalars['ID']['output'];
  /** Folded, as it was compared. */
  itemName: Scalars['String']['output'];
  /** LOT, PRODUCT, MASK, CST, SLOT, … */
  itemType: Scalars['String']['output'];
  /** The menu that the holder took it from. */
  menuName: Maybe<Scalars['String']['output']>;
  /** How often the hold had been renewed or re-entered by then. */
  renewals: Scalars['Long']['output'];
  /** The holder's window; null if they named none. */
  session: Maybe<Scalars['String']['output']>;
  /** When the hold began. */
  startTime: Scalars['Time']['output'];
  /** The state of the item from then on. */
  state: State;
  /** Unique, and in order of writing: 20 digits of UTC to the microsecond, 12 of a sequence. */
  timeKey: Scalars['String']['output'];
  /** The screen that the holder took it from. */
  uiName: Maybe<Scalars['String']['output']>;
  /** The holder; in a FREE or EXPIRED row, who held it until then. */
  userId: Scalars['String']['output'];
  /** The item's versions are 1, 2, 3, … without a hole. */
  version: Scalars['Long']['output'];
};

/** A term of an order. What all terms leave equal follows by TIME, in the direction of the last term. */
export type HistoryOrder = {
  /** From which end. */
  direction?: OrderDirection;
  /** By what. */
  field?: HistoryOrderField;
};

/** What history rows can be ordered by. */
export type HistoryOrderField =
  /** How the item came into its state. */
  | 'EVENT'
  /** The planned end, as the row has it. */
  | 'EXPIRE_TIME'
  /** Item type, then name. */
  | 'ITEM'
  /** The menu it was taken from. */
  | 'MENU'
  /** When the hold began. */
  | 'START_TIME'
  /** The time of writing; within an item that is the order of its versions. */
  | 'TIME'
  /** The screen it was taken from. */
  | 'UI'
  /** The holder, or who held it until then. */
  | 'USER';

/** Figures, a row a group. */
export type HistoryStats = {
  __typename?: 'HistoryStats';
  /** How many there are in all. */
  rowCount: Scalars['Int']['output'];
  /** The first rows, in the order that was asked for. */
  rows: Array<HoldStats>;
};

/**
 * Narrows the history. All fields that are given must hold. At most 8 levels of `and`, `or` and `not`,
 * and 100 objects.
 *
 * So that every answer comes soon, a question has to say where to look: an `itemType` and an
 * `itemName` (eq or in), a `userId` (eq or in), or `at` from an instant on, over 92 days at most. Only
 * the plain list by TIME, without another filter and without `totalCount`, needs none of it.
 */
export type HistoryWhere = {
  /** All of these hold. */
  and?: InputMaybe<Array<HistoryWhere>>;
  /** When the row was written. */
  at?: InputMaybe<TimeFilter>;
  /** A supervisor's reason. */
  comment?: InputMaybe<TextFilter>;
  /** How the item came into its state. */
  event?: InputMaybe<EventFilter>;
  /** The planned end, as the row has it. */
  expireTime?: InputMaybe<TimeFilter>;
  /** How long the hold had lasted that a FREE or EXPIRED row ended; absent in an OCCUPIED row. */
  heldSeconds?: InputMaybe<SecondsFilter>;
  /** The name. */
  itemName?: InputMaybe<TextFilter>;
  /** The item type. */
  itemType?: InputMaybe<TextFilter>;
  /** The menu it was taken from. */
  menuName?: InputMaybe<TextFilter>;
  /** This does not hold. A row is found by a filter or by its `not`, never by both or neither. */
  not?: InputMaybe<HistoryWhere>;
  /** Any of these holds; of an empty list, none does. */
  or?: InputMaybe<Array<HistoryWhere>>;
  /** The window it was taken from. */
  session?: InputMaybe<TextFilter>;
  /** When the hold began. */
  startTime?: InputMaybe<TimeFilter>;
  /** The state it came into. */
  state?: InputMaybe<StateFilter>;
  /** The screen it was taken from. */
  uiName?: InputMaybe<TextFilter>;
  /** The holder, or who held it until then. */
  userId?: InputMaybe<TextFilter>;
};

/** One grant of an item, from its start to its end. */
export type Hold = {
  __typename?: 'Hold';
  /** The supervisor's reason to end it. */
  comment: Maybe<Scalars['String']['output']>;
  /** What ended it; null while it lasts. */
  endReason: Maybe<Event>;
  /** Who ended it: the holder, a supervisor, who found it expired, …; null while it lasts, or if nobody has looked since its time ran out. */
  endedBy: Maybe<Scalars['String']['output']>;
  /** That of the grant. With the item it names the hold. */
  fencingToken: Scalars['Long']['output'];
  /** When it began. */
  from: Scalars['Time']['output'];
  /** Folded, as it was compared. */
  itemName: Scalars['String']['output'];
  /** LOT, PRODUCT, MASK, CST, SLOT, … */
  itemType: Scalars['String']['output'];
  /** The menu that they held it from, the last one. */
  menuName: Maybe<Scalars['String']['output']>;
  /** How often it was renewed or re-entered; null if it was handed over or taken over, for nobody wrote that down. */
  renewals: Maybe<Scalars['Long']['output']>;
  /** How long it lasted, or has lasted. */
  seconds: Scalars['Float']['output'];
  /** Their window; null if they named none. */
  session: Maybe<Scalars['String']['output']>;
  /** When it ended, renewals and all; null while it lasts. */
  to: Maybe<Scalars['Time']['output']>;
  /** The screen that they held it from, the last one. */
  uiName: Maybe<Scalars['String']['output']>;
  /** Who held the item. */
  userId: Scalars['String']['output'];
};

/** A page of holds. */
export type HoldConnection = {
  __typename?: 'HoldConnection';
  /** The rows, each with its cursor. */
  edges: Array<HoldEdge>;
  /** The rows alone. */
  nodes: Array<Hold>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
  /** All that matches, counted only when asked for. */
  totalCount: Maybe<Scalars['Int']['output']>;
};

/** A hold and where it stands in the list. */
export type HoldEdge = {
  __typename?: 'HoldEdge';
  /** Where the row stands; for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Hold;
};

/** What becomes of an item that is held by a subscription. */
export type HoldEvent = {
  __typename?: 'HoldEvent';
  /** When that happened. */
  at: Scalars['Time']['output'];
  /** How the item came into this state; null in the first event, or if a renewal found it lost. */
  event: Maybe<Event>;
  /** That of the hold; null if it was refused. */
  fencingToken: Maybe<Scalars['Long']['output']>;
  /** What this event tells. */
  kind: HoldEventKind;
  /** The item as it is now. */
  occupancy: Occupancy;
  /** How the occupying ended; only in the first event. */
  payload: Maybe<OccupyPayload>;
};

/** What an event of a held item tells. */
export type HoldEventKind =
  /** It was changed, and is still yours. */
  | 'CHANGED'
  /** It was refused. The only event. */
  | 'DENIED'
  /** It is not yours any more. The last event. */
  | 'LOST'
  /** It is yours. Always the first event, unless it is DENIED. */
  | 'OCCUPIED';

/** A term of an order. What all terms leave equal follows by END, in the direction of the last term. */
export type HoldOrder = {
  /** From which end. */
  direction?: OrderDirection;
  /** By what. */
  field?: HoldOrderField;
};

/** What holds can be ordered by. */
export type HoldOrderField =
  /** When they ended; those that last come after all others. */
  | 'END'
  /** Item type, then name. */
  | 'ITEM'
  /** How long they lasted; those that last come after all others. */
  | 'SECONDS'
  /** When they began. */
  | 'START'
  /** Who held the item. */
  | 'USER';

/** The figures of some holds. Of the first nine fields those are set that were grouped by, and are known. */
export type HoldStats = {
  __typename?: 'HoldStats';
  /** How long they lasted on average. */
  avgSeconds: Scalars['Float']['output'];
  /** The plant's day, such as 2026-03-02. */
  day: Maybe<Scalars['String']['output']>;
  /** How often somebody was refused for one of them, however often they asked; own other windows do not count. */
  denials: Scalars['Long']['output'];
  /** What ended them. */
  endReason: Maybe<Event>;
  /** Those whose time ran out: EXPIRED or MAX_HOLD. */
  expired: Scalars['Long']['output'];
  /** `expired` of `holds`, from 0 to 1. */
  expiryRate: Scalars['Float']['output'];
  /** Those that a supervisor ended. */
  forced: Scalars['Long']['output'];
  /** `forced` of `holds`, from 0 to 1. */
  forcedRate: Scalars['Float']['output'];
  /** How many. */
  holds: Scalars['Long']['output'];
  /** From 0 to 23, by the plant's clock. */
  hour: Maybe<Scalars['Int']['output']>;
  /** The item. */
  itemName: Maybe<Scalars['String']['output']>;
  /** Their type. */
  itemType: Maybe<Scalars['String']['output']>;
  /** How long the longest lasted. */
  maxSeconds: Scalars['Float']['output'];
  /** The menu they were held from; null also if none was named. */
  menuName: Maybe<Scalars['String']['output']>;
  /** From when those were first refused to when the hold ended, together. */
  minutesLost: Scalars['Float']['output'];
  /** How long the middle one lasted. */
  p50Seconds: Scalars['Float']['output'];
  /** How long 95 of 100 lasted at most. */
  p95Seconds: Scalars['Float']['output'];
  /** 1 is the first of the day. */
  shift: Maybe<Scalars['Int']['output']>;
  /** How long they lasted together. */
  totalSeconds: Scalars['Float']['output'];
  /** The screen they were held from; null also if none was named. */
  uiName: Maybe<Scalars['String']['output']>;
  /** Who held the items. */
  userId: Maybe<Scalars['String']['output']>;
};

/**
 * Narrows holds. All fields that are given must hold. At most 8 levels of `and`, `or` and `not`, and
 * 100 objects.
 *
 * So that every answer comes soon, a question for `holds` has to say where to look: an `itemType` and an
 * `itemName` (eq or in), a `userId` (eq or in), `open: true`, or when they ended (`to`) or began
 * (`from`), from an instant on and over 92 days at most. Only the plain list by END, without another
 * filter and without `totalCount`, needs none of it. `heldAt` does not either.
 */
export type HoldWhere = {
  /** All of these hold. */
  and?: InputMaybe<Array<HoldWhere>>;
  /** The supervisor's reason to end it. */
  comment?: InputMaybe<TextFilter>;
  /** What ended it; nothing, while it lasts. */
  endReason?: InputMaybe<EventFilter>;
  /** Who ended it. */
  endedBy?: InputMaybe<TextFilter>;
  /** When it began. */
  from?: InputMaybe<TimeFilter>;
  /** The name. */
  itemName?: InputMaybe<TextFilter>;
  /** The item type. */
  itemType?: InputMaybe<TextFilter>;
  /** The menu it was held from, the last one. */
  menuName?: InputMaybe<TextFilter>;
  /** This does not hold. A hold is found by a filter or by its `not`, never by both or neither. */
  not?: InputMaybe<HoldWhere>;
  /** Whether it lasts. */
  open?: InputMaybe<Scalars['Boolean']['input']>;
  /** Any of these holds; of an empty list, none does. */
  or?: InputMaybe<Array<HoldWhere>>;
  /** How long it lasted, or has lasted. */
  seconds?: InputMaybe<SecondsFilter>;
  /** The window it was held from. */
  session?: InputMaybe<TextFilter>;
  /** When it ended; absent while it lasts. */
  to?: InputMaybe<TimeFilter>;
  /** The screen it was held from, the last one. */
  uiName?: InputMaybe<TextFilter>;
  /** Who held the item. */
  userId?: InputMaybe<TextFilter>;
};

/** Who occupies an item, from which screen, since when and until when. */
export type Holder = {
  __typename?: 'Holder';
  /** When the hold ends, or, asked of the past, when it ended. */
  expireTime: Scalars['Time']['output'];
  /** That of the hold. */
  fencingToken: Scalars['Long']['output'];
  /** The menu they took it from. */
  menuName: Maybe<Scalars['String']['output']>;
  /** Seconds left, rounded up. 0 when asked of the past. */
  remainingSeconds: Scalars['Int']['output'];
  /** Their window; null if they named none. */
  session: Maybe<Scalars['String']['output']>;
  /** When the hold began. */
  startTime: Scalars['Time']['output'];
  /** The screen they took it from. */
  uiName: Maybe<Scalars['String']['output']>;
  /** Who holds the item. */
  userId: Scalars['String']['output'];
};

/** Names an item. */
export type ItemInput = {
  /** Its name; `lot1 ` and `LOT1` are one. */
  itemName: Scalars['String']['input'];
  /** LOT, PRODUCT, MASK, CST, … */
  itemType: Scalars['String']['input'];
};

/** How a job of the service itself goes. */
export type JobState = {
  __typename?: 'JobState';
  /** What went wrong; null if it went well. */
  lastError: Maybe<Scalars['String']['output']>;
  /** When the last run began. Runs of a job that runs all the time are written down every ten seconds. */
  lastRunAt: Scalars['Time']['output'];
  /** The gateway that ran it. */
  lastRunBy: Scalars['String']['output'];
  /** How long it took. */
  lastSeconds: Scalars['Float']['output'];
  /** When the next run is due. */
  nextDueAt: Scalars['Time']['output'];
  /** Nobody ran it though it was due, for longer than another gateway needs to take over. */
  overdue: Scalars['Boolean']['output'];
  /** How often the job is to run. */
  periodSeconds: Scalars['Int']['output'];
};

/** What one business day of a rule used. */
export type LotDay = {
  __typename?: 'LotDay';
  /** yyyy-MM-dd. */
  date: Scalars['String']['output'];
  /** Numbers that were counted and are not in the ledger. One transaction writes both, so there is none unless somebody was at the tables. */
  gaps: Array<LotGap>;
  /** IDs that were given out. */
  issued: Scalars['Long']['output'];
  /** The counter. */
  last: Scalars['Long']['output'];
  /** The rule that the day is of. */
  rule: Scalars['String']['output'];
  /** How many of those are void. */
  voided: Scalars['Long']['output'];
};

/** Numbers that follow one another and are not in the ledger. */
export type LotGap = {
  __typename?: 'LotGap';
  /** The first of them. */
  first: Scalars['Long']['output'];
  /** The last of them. */
  last: Scalars['Long']['output'];
};

/** A LOT ID that was given out. */
export type LotId = {
  __typename?: 'LotId';
  /** The business day, yyyy-MM-dd. */
  date: Scalars['String']['output'];
  /** When it was given out. */
  issuedAt: Scalars['Time']['output'];
  /** The ID itself. */
  lotId: Scalars['String']['output'];
  /** The request it was given for; null if that had none. */
  requestId: Maybe<Scalars['String']['output']>;
  /** The rule it was made by. */
  rule: Scalars['String']['output'];
  /** Its number among the day's. */
  seq: Scalars['Long']['output'];
  /** Who got it. */
  userId: Scalars['String']['output'];
  /** Why it is void. */
  voidReason: Maybe<Scalars['String']['output']>;
  /** Whether it is not to be used. */
  voided: Scalars['Boolean']['output'];
  /** When it was made void. */
  voidedAt: Maybe<Scalars['Time']['output']>;
  /** Who made it void. */
  voidedBy: Maybe<Scalars['String']['output']>;
};

/** A page of LOT IDs. */
export type LotIdConnection = {
  __typename?: 'LotIdConnection';
  /** The rows, each with its cursor. */
  edges: Array<LotIdEdge>;
  /** The rows alone. */
  nodes: Array<LotId>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
  /** Counted only when asked for. */
  totalCount: Maybe<Scalars['Int']['output']>;
};

/** A LOT ID and where it stands in the list. */
export type LotIdEdge = {
  __typename?: 'LotIdEdge';
  /** Where the row stands; for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: LotId;
};

/** Narrows LOT IDs. All that is given must hold. */
export type LotIdWhere = {
  /** The business day. */
  date?: InputMaybe<DateFilter>;
  /** The ID itself. */
  lotId?: InputMaybe<TextFilter>;
  /** The request it was given for. */
  requestId?: InputMaybe<TextFilter>;
  /** The rule it was made by. */
  rule?: InputMaybe<TextFilter>;
  /** Who got it. */
  userId?: InputMaybe<TextFilter>;
  /** Only void ones, or only others. */
  voided?: InputMaybe<Scalars['Boolean']['input']>;
};

/** How LOT IDs are made: their format, and whose day they count by. */
export type LotRule = {
  __typename?: 'LotRule';
  /** How many business days back IDs may still be asked for. */
  backDays: Scalars['Int']['output'];
  /** Plain text with {date:yyyyMMdd} (of yyyy, yy, MM, dd, DDD), {seq:4}, {line}, {product}. */
  format: Scalars['String']['output'];
  /** By which `nextLotIds` asks for it. */
  name: Scalars['String']['output'];
  /** When the business day begins by the plant's clock, HH:mm. */
  shiftStart: Scalars['String']['output'];
  /** The plant's, such as Asia/Seoul. */
  timeZone: Scalars['String']['output'];
  /** When it was last set. */
  updatedAt: Scalars['Time']['output'];
  /** Who set it last. */
  updatedBy: Scalars['String']['output'];
};

/** A rule as it is to be. */
export type LotRuleInput = {
  /** How many business days back IDs may still be asked for. */
  backDays?: Scalars['Int']['input'];
  /** Plain text with {date:yyyyMMdd} (of yyyy, yy, MM, dd, DDD), {seq:4}, {line}, {product}. */
  format: Scalars['String']['input'];
  /** By which `nextLotIds` asks for it; at most 40 characters. */
  name: Scalars['String']['input'];
  /** When the business day begins by the plant's clock, HH:mm. */
  shiftStart?: Scalars['String']['input'];
  /** The plant's, such as Asia/Seoul. */
  timeZone: Scalars['String']['input'];
};

/** What is to be known of a day's numbers. */
export type LotWarning =
  /** Nine tenths of the day's numbers are used. */
  | 'NEAR_OVERFLOW'
  /** The day's IDs are longer than the format's width; none is cut. */
  | 'OVERFLOWN';

/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type Mutation = {
  __typename?: 'Mutation';
  /** Ends another's hold. Needs SUPERVISOR. */
  forceFree: Maybe<ForceFreePayload>;
  /** Gives an item back. Once received, it is done, even if the caller leaves. */
  free: Maybe<FreePayload>;
  /** Gives back all that the caller holds under one session; other windows keep theirs. */
  freeAll: Maybe<FreeAllPayload>;
  /**
   * Gives the next LOT IDs of a rule. Their numbers follow one another; the date in them is the
   * plant's business day, and so is that of the counter. With a `requestId` a retry gets the same
   * IDs again, through any gateway, also when the day has changed in between.
   */
  nextLotIds: Maybe<NextLotIdsPayload>;
  /** Draws the next values: 1, 2, 3, … `count` is from 1 to 10,000, and the values follow one another. */
  nextVal: Maybe<NextValPayload>;
  /** Takes an item, or, for its holder, takes it again: that extends it. */
  occupy: Maybe<OccupyPayload>;
  /** Takes several items, all or none. */
  occupyAll: Maybe<OccupyAllPayload>;
  /** Gives a slot lock back. Once received, it is done, even if the caller leaves. */
  releaseLock: Maybe<ReleaseLockPayload>;
  /** Extends a hold. Never revives one that has ended, even if the item is free. */
  renew: Maybe<RenewPayload>;
  /** Extends a slot lock. Never revives one that has ended. */
  renewLock: Maybe<RenewLockPayload>;
  /**
   * Begins a new epoch at 0. Needs SUPERVISOR or SERVICE. With caching it waits until no gateway
   * can give out a value of the epoch before, at most about three seconds, or, told to REFUSE,
   * refuses while gateways have blocks out.
   */
  resetSequence: Maybe<ResetSequencePayload>;
  /** Makes or changes a rule; numbers go on where they are. Needs SUPERVISOR. */
  setLotRule: Maybe<SetLotRulePayload>;
  /**
   * Has each gateway draw that many values ahead of need (0 to 10,000), so that a draw costs no
   * database call; 0 switches it off. Needs SUPERVISOR or SERVICE. Values are then not in order
   * between gateways, and what a gateway loses is a gap.
   */
  setSequenceCache: Maybe<SetSequenceCachePayload>;
  /** Hands an item to another user, without a moment in which a third could take it. */
  transfer: Maybe<TransferPayload>;
  /**
   * Takes a slot lock, or, for its holder, extends it. The holder is the user and the session
   * together, and no session equals only no session: two instances of one service account that
   * name their sessions are two holders. A key that starts with `job:` needs SERVICE.
   *
   * Refused: `HELD`, with the holder in `occupancy` and `retryAfterSeconds`; a service in front of
   * people answers 409 with that.
   */
  tryLock: Maybe<TryLockPayload>;
  /** Marks an ID as not to be used. Its number is never given again. Needs SUPERVISOR or SERVICE. */
  voidLotId: Maybe<VoidLotIdPayload>;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationForceFreeArgs = {
  input: ForceFreeInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationFreeArgs = {
  input: FreeInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationFreeAllArgs = {
  input: FreeAllInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationNextLotIdsArgs = {
  input: NextLotIdsInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationNextValArgs = {
  count?: Scalars['Int']['input'];
  name: Scalars['String']['input'];
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationOccupyArgs = {
  input: OccupyInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationOccupyAllArgs = {
  input: OccupyAllInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationReleaseLockArgs = {
  input: ReleaseLockInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationRenewArgs = {
  input: RenewInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationRenewLockArgs = {
  input: SlotInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationResetSequenceArgs = {
  blocksOut?: BlocksOut;
  name: Scalars['String']['input'];
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationSetLotRuleArgs = {
  input: LotRuleInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationSetSequenceCacheArgs = {
  name: Scalars['String']['input'];
  size?: Scalars['Int']['input'];
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationTransferArgs = {
  input: TransferInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationTryLockArgs = {
  input: SlotInput;
};


/** What changes something. Being refused is an answer with `ok: false`, not an error. */
export type MutationVoidLotIdArgs = {
  lotId: Scalars['String']['input'];
  reason: Scalars['String']['input'];
};

/** How a draw of LOT IDs went. */
export type NextLotIdsCode =
  /** They are new. */
  | 'ISSUED'
  /** The request had been answered before; these are the IDs it got. */
  | 'REPEATED';

/** How many LOT IDs, of which rule and day. */
export type NextLotIdsInput = {
  /** From 1 to 1,000. */
  count?: Scalars['Int']['input'];
  /** The business day, yyyy-MM-dd, as far back as the rule allows; the present one if absent. */
  date?: InputMaybe<Scalars['String']['input']>;
  /** For a rule whose format has {line}. */
  line?: InputMaybe<Scalars['String']['input']>;
  /** For a rule whose format has {product}. */
  product?: InputMaybe<Scalars['String']['input']>;
  /** Names this request among the caller's, at most 100 characters. The same again gives the same IDs again; with other arguments it is refused. */
  requestId?: InputMaybe<Scalars['String']['input']>;
  /** One of `lotRules`. */
  rule?: Scalars['String']['input'];
};

/** The LOT IDs that were given. */
export type NextLotIdsPayload = {
  __typename?: 'NextLotIdsPayload';
  /** How it went, for programs. */
  code: NextLotIdsCode;
  /** The business day, yyyy-MM-dd. */
  date: Scalars['String']['output'];
  /** The number of the first ID. */
  first: Scalars['Long']['output'];
  /** In order of their numbers. */
  ids: Array<Scalars['String']['output']>;
  /** The number of the last ID. */
  last: Scalars['Long']['output'];
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
  /** How many numbers of the day still fit the format's width. */
  remaining: Scalars['Long']['output'];
  /** The rule that they were made by. */
  rule: Scalars['String']['output'];
  /** Set when they run out. */
  warning: Maybe<LotWarning>;
};

/** How a draw went. */
export type NextValCode =
  /** They are yours. */
  | 'DRAWN';

/** The values that were given. */
export type NextValPayload = {
  __typename?: 'NextValPayload';
  /** How it went, for programs. */
  code: NextValCode;
  /** Which count it is of: 1, and one more at each reset. */
  epoch: Scalars['Long']['output'];
  /** The first value. */
  first: Scalars['Long']['output'];
  /** The last value; those between are yours, too. */
  last: Scalars['Long']['output'];
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** Anything with an id that `node` finds again. */
export type Node = {
  /** The same for ever. */
  id: Scalars['ID']['output'];
};

/** The row of an item: who holds it, or who held it last. */
export type Occupancy = Node & {
  __typename?: 'Occupancy';
  /** When the hold ends or was to end, by the database's clock. */
  expireTime: Maybe<Scalars['Time']['output']>;
  /** Rises at every new grant of the item, kept by renewals. Show it with your own save. */
  fencingToken: Scalars['Long']['output'];
  /** What has happened to the item; the newest first. */
  history: HistoryConnection;
  /** Who holds it; null if nobody does. */
  holder: Maybe<Holder>;
  /** For `node`; the same for ever. */
  id: Scalars['ID']['output'];
  /** Folded: `lot1 ` and `LOT1` are one item. */
  itemName: Scalars['String']['output'];
  /** LOT, PRODUCT, MASK, CST, SLOT, …; upper case. */
  itemType: Scalars['String']['output'];
  /** The menu that the holder took it from. */
  menuName: Maybe<Scalars['String']['output']>;
  /** When that was; null if it was never held. */
  registeredAt: Maybe<Scalars['Time']['output']>;
  /** Who occupied the item first: the `actor` of that row of the history. */
  registeredBy: Maybe<Scalars['String']['output']>;
  /** Seconds left, rounded up: 0 means that nobody holds it. */
  remainingSeconds: Scalars['Int']['output'];
  /** Renewals and re-entries of this hold; (version, renewals) orders all that happens to the item. */
  renewals: Scalars['Long']['output'];
  /** The holder's window; null if they named none. */
  session: Maybe<Scalars['String']['output']>;
  /** When the hold began, or the last one; null if it was never held. */
  startTime: Maybe<Scalars['Time']['output']>;
  /** As it is by the database's clock. */
  state: State;
  /** The screen that the holder took it from. */
  uiName: Maybe<Scalars['String']['output']>;
  /** When that was. */
  updatedAt: Maybe<Scalars['Time']['output']>;
  /** The `actor` of the last change or renewal. */
  updatedBy: Maybe<Scalars['String']['output']>;
  /** The holder, or the last one; null if it was never held. */
  userId: Maybe<Scalars['String']['output']>;
  /** Rises by one with every history row of the item: 1, 2, 3, … */
  version: Scalars['Long']['output'];
};


/** The row of an item: who holds it, or who held it last. */
export type OccupancyHistoryArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<Array<HistoryOrder>>;
};

/** A page of items. */
export type OccupancyConnection = {
  __typename?: 'OccupancyConnection';
  /** The rows, each with its cursor. */
  edges: Array<OccupancyEdge>;
  /** The rows alone. */
  nodes: Array<Occupancy>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
  /** All that matches, counted only when asked for. */
  totalCount: Maybe<Scalars['Int']['output']>;
};

/** An item and where it stands in the list. */
export type OccupancyEdge = {
  __typename?: 'OccupancyEdge';
  /** Where the row stands; for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Occupancy;
};

/** What a subscriber is told of an item. */
export type OccupancyEvent = {
  __typename?: 'OccupancyEvent';
  /** When the change was written; in a snapshot, when it was read. */
  at: Scalars['Time']['output'];
  /** To go on after this event, as `after`. Its text says nothing and is at most 1,200 characters. */
  cursor: Scalars['String']['output'];
  /** How the item came into this state; null in a snapshot and at a renewal. */
  event: Maybe<Event>;
  /** What this event tells. */
  kind: OccupancyEventKind;
  /** The item as it is from then on. */
  occupancy: Occupancy;
  /** The item one version before; null in a snapshot, at a renewal, at its first grant, or if that is no longer kept. Its `expireTime` is the one it was granted with. */
  previous: Maybe<Occupancy>;
};

/** What an event tells. */
export type OccupancyEventKind =
  /** A history row was written. */
  | 'CHANGED'
  /** A hold was extended, or a lost connection has brought its end nearer. */
  | 'RENEWED'
  /** So it is now. */
  | 'SNAPSHOT';

/** What a subscriber wants to hear of. An absent or empty list wants all; all that is given must hold. At most 1,000 values a list. */
export type OccupancyFilter = {
  /** What the name begins with. */
  itemNamePrefix?: InputMaybe<Scalars['String']['input']>;
  /** One of these names. */
  itemNames?: InputMaybe<Array<Scalars['String']['input']>>;
  /** One of these item types. */
  itemTypes?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Held from one of these menus. */
  menuNames?: InputMaybe<Array<Scalars['String']['input']>>;
  /** In one of these states. */
  states?: InputMaybe<Array<State>>;
  /** Held from one of these screens. */
  uiNames?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Held by one of these users. */
  userIds?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** A term of an order. What all terms leave equal follows by ITEM, in the direction of the last term. */
export type OccupancyOrder = {
  /** From which end. */
  direction?: OrderDirection;
  /** By what. */
  field: OccupancyOrderField;
};

/** What items can be ordered by. */
export type OccupancyOrderField =
  /** When the hold ends or was to end. */
  | 'EXPIRE_TIME'
  /** Item type, then name. */
  | 'ITEM'
  /** When the hold began. */
  | 'START_TIME'
  /** When the item was last changed. */
  | 'UPDATED_AT'
  /** The holder, or the last one. */
  | 'USER';

/** Narrows items. All fields that are given must hold. At most 8 levels of `and`, `or` and `not`, and 100 objects. */
export type OccupancyWhere = {
  /** All of these hold. */
  and?: InputMaybe<Array<OccupancyWhere>>;
  /** When the hold ends or was to end. */
  expireTime?: InputMaybe<TimeFilter>;
  /** The name. */
  itemName?: InputMaybe<TextFilter>;
  /** The item type. */
  itemType?: InputMaybe<TextFilter>;
  /** The menu it was taken from. */
  menuName?: InputMaybe<TextFilter>;
  /** This does not hold. An item is found by a filter or by its `not`, never by both or neither. */
  not?: InputMaybe<OccupancyWhere>;
  /** Any of these holds; of an empty list, none does. */
  or?: InputMaybe<Array<OccupancyWhere>>;
  /** The window it was taken from. */
  session?: InputMaybe<TextFilter>;
  /** When the hold began. */
  startTime?: InputMaybe<TimeFilter>;
  /** As it is by the database's clock. */
  state?: InputMaybe<StateFilter>;
  /** The screen it was taken from. */
  uiName?: InputMaybe<TextFilter>;
  /** The holder, or the last one. */
  userId?: InputMaybe<TextFilter>;
};

/** Which items to take, and from which screen. */
export type OccupyAllInput = {
  /** 1 to 1,000 items. One named twice counts once. */
  items: Array<ItemInput>;
  /** The menu, at most 80 characters. */
  menuName?: InputMaybe<Scalars['String']['input']>;
  /** This window, at most 100 characters, chosen by the caller. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** If another window of the same user holds one of them: move it here. */
  takeOver?: InputMaybe<Scalars['Boolean']['input']>;
  /** From 1 to the configured maximum; the configured default if absent. */
  ttlSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** The screen, at most 40 characters. */
  uiName?: InputMaybe<Scalars['String']['input']>;
};

/** How it went. */
export type OccupyAllPayload = {
  __typename?: 'OccupyAllPayload';
  /** Every item that stood in the way; empty if granted. */
  blockers: Array<Occupancy>;
  /** GRANTED if any item is newly yours, else TAKEN_OVER if any moved, else REENTERED. */
  code: OccupyCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The items, in the order asked for; empty if refused. */
  occupancies: Array<Occupancy>;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
  /** If refused: until the last of the blockers ends at the latest. */
  retryAfterSeconds: Maybe<Scalars['Int']['output']>;
};

/** How taking an item went. */
export type OccupyCode =
  /** It is yours now. */
  | 'GRANTED'
  /** Refused: another holds it. */
  | 'HELD'
  /** Refused: your other window holds it; `takeOver` moves it. */
  | 'HELD_IN_OTHER_WINDOW'
  /** It was yours already; what is left was extended, never shortened. */
  | 'REENTERED'
  /** It was moved here from your other window. */
  | 'TAKEN_OVER';

/** Which item to take, and from which screen. */
export type OccupyInput = {
  /** At most 200 characters. Folded to upper case, except for SLOT. */
  itemName: Scalars['String']['input'];
  /** At most 40 characters. Folded to upper case. */
  itemType: Scalars['String']['input'];
  /** The menu, at most 80 characters. */
  menuName?: InputMaybe<Scalars['String']['input']>;
  /** This window, at most 100 characters, chosen by the caller. Two windows of one user are told apart by it. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** If another window of the same user holds the item: move it here. The other window's renewals are refused from then on. */
  takeOver?: InputMaybe<Scalars['Boolean']['input']>;
  /** From 1 to the configured maximum; the configured default if absent. */
  ttlSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** The screen, at most 40 characters. */
  uiName?: InputMaybe<Scalars['String']['input']>;
};

/** How it went. */
export type OccupyPayload = {
  __typename?: 'OccupyPayload';
  /** How it went, for programs. */
  code: OccupyCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The item as it is now; if refused, with its present holder. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
  /** If refused: how long the present holder has left at most. */
  retryAfterSeconds: Maybe<Scalars['Int']['output']>;
};

/** Which end of a list comes first. */
export type OrderDirection =
  /** The smallest or oldest first. */
  | 'ASC'
  /** The largest or newest first. */
  | 'DESC';

/** Where a page lies in its list. */
export type PageInfo = {
  __typename?: 'PageInfo';
  /** The last row's cursor; null if the page is empty. */
  endCursor: Maybe<Scalars['String']['output']>;
  /** Whether there is more after this page; going backwards, whether it was reached from there. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether there is more before this page; going forwards, whether it was reached from there. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** The first row's cursor; null if the page is empty. */
  startCursor: Maybe<Scalars['String']['output']>;
};

/** What only reads. */
export type Query = {
  __typename?: 'Query';
  /**
   * Two users, each of whom held what the other wanted, while both wanted. `where` is about the denial
   * that came first; `where.at` must have both ends, at most 31 days apart. By time, the oldest first;
   * 50 unless `first` says otherwise, at most 1,000.
   */
  crossedPairs: Array<CrossedPair>;
  /**
   * The last value given, 0 if none was. With caching, the last one that this gateway gave, else
   * the end of the highest block out. It never writes.
   */
  currVal: Scalars['Long']['output'];
  /** Who was refused, by the first attempt, the newest first unless `direction` says otherwise. At most 1,000 a page, 50 if neither `first` nor `last` says otherwise. */
  denials: DenialConnection;
  /**
   * Who held what at an instant, by item: what `holderAt` says, of all items. At most 1,000 a page, 50
   * if neither `first` nor `last` says otherwise.
   */
  heldAt: HoldConnection;
  /** What has happened, the newest first unless `orderBy` says otherwise. At most 1,000 a page, 50 if neither `first` nor `last` says otherwise. */
  history: HistoryConnection;
  /**
   * Counts and measures the holds that have ended, by what `groupBy` says; without it there is one row of all.
   * At most 1,000 rows, 50 if `first` does not say otherwise, those with the most holds first unless `orderBy`
   * does. Days and shifts are the plant's (`OCCUPY_TIME_ZONE`, `OCCUPY_SHIFTS`), by when a hold ended.
   */
  historyStats: HistoryStats;
  /** Who holds an item now; null if nobody does. */
  holder: Maybe<Holder>;
  /** Who held an item at an instant; null if nobody did. */
  holderAt: Maybe<Holder>;
  /**
   * Who held what, from when to when, and how it ended; the last to end first, after those that last,
   * unless `orderBy` says otherwise. At most 1,000 a page, 50 if neither `first` nor `last` says otherwise.
   */
  holds: HoldConnection;
  /** What each business day of a rule used, the newest first; dates are yyyy-MM-dd, at most 400 days. */
  lotDays: Array<LotDay>;
  /** What was given out, to whom, when and for which request, voided ones too; by day, rule and number, the newest first unless `direction` says otherwise. */
  lotIds: LotIdConnection;
  /** The rules, by name. */
  lotRules: Array<LotRule>;
  /** Who asks, as the credentials say. */
  me: Caller;
  /** Finds an Occupancy or a HistoryEntry by its id; null if there is none. */
  node: Maybe<Node>;
  /** Items as they are now. At most 1,000 a page, 50 if neither `first` nor `last` says otherwise; by item unless `orderBy` says otherwise. */
  occupancies: OccupancyConnection;
  /** One item as it is now. */
  occupancy: Occupancy;
  /** The values of a sequence that nobody will get, by epoch and value. */
  sequenceGaps: SequenceGapConnection;
  /** The sequences that were ever used, by name. */
  sequences: SequenceConnection;
  /** A slot lock as it is now. */
  slotLock: Occupancy;
  /** The board: every slot lock that was ever taken, by key, with how the service's own jobs among them go. 50 unless `first` says otherwise, at most 1,000. */
  slotLocks: Array<SlotLock>;
  /**
   * Who or what was in the way most often, in a period of at most 31 days: `where.at` must have both
   * ends. Somebody's own other window does not count, unless `where.ownWindow` asks for it. 50 unless
   * `first` says otherwise, at most 1,000.
   */
  topBlockers: Array<Blocker>;
  /**
   * Looks at the history and says what is wrong with it: a version that is missing, a row that can
   * not follow the one before it, an item that does not agree with its last row. SUPERVISOR.
   *
   * It reads a day after the other, then item after item, for about twenty seconds. If `done` is
   * false there is more: go on with `after: next`. Once a night the service does the same by itself.
   */
  verify: Verification;
  /**
   * For a screen's own back end, before it saves: is this the present holder? Judged as a
   * renewal would be, on the primary.
   */
  verifyHolder: VerifyHolderAnswer;
};


/** What only reads. */
export type QueryCrossedPairsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  where: DenialWhere;
};


/** What only reads. */
export type QueryCurrValArgs = {
  name: Scalars['String']['input'];
};


/** What only reads. */
export type QueryDenialsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  direction?: OrderDirection;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<DenialWhere>;
};


/** What only reads. */
export type QueryHeldAtArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  at: Scalars['Time']['input'];
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<HoldWhere>;
};


/** What only reads. */
export type QueryHistoryArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<Array<HistoryOrder>>;
  where?: InputMaybe<HistoryWhere>;
};


/** What only reads. */
export type QueryHistoryStatsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  groupBy?: Array<StatsGroup>;
  orderBy?: InputMaybe<StatsOrder>;
  where: HoldWhere;
};


/** What only reads. */
export type QueryHolderArgs = {
  itemName: Scalars['String']['input'];
  itemType: Scalars['String']['input'];
};


/** What only reads. */
export type QueryHolderAtArgs = {
  at: Scalars['Time']['input'];
  itemName: Scalars['String']['input'];
  itemType: Scalars['String']['input'];
};


/** What only reads. */
export type QueryHoldsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<Array<HoldOrder>>;
  where?: InputMaybe<HoldWhere>;
};


/** What only reads. */
export type QueryLotDaysArgs = {
  from: Scalars['String']['input'];
  rule?: Scalars['String']['input'];
  to: Scalars['String']['input'];
};


/** What only reads. */
export type QueryLotIdsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  direction?: OrderDirection;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  where?: InputMaybe<LotIdWhere>;
};


/** What only reads. */
export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};


/** What only reads. */
export type QueryOccupanciesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<Array<OccupancyOrder>>;
  where?: InputMaybe<OccupancyWhere>;
};


/** What only reads. */
export type QueryOccupancyArgs = {
  itemName: Scalars['String']['input'];
  itemType: Scalars['String']['input'];
};


/** What only reads. */
export type QuerySequenceGapsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  name: Scalars['String']['input'];
};


/** What only reads. */
export type QuerySequencesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What only reads. */
export type QuerySlotLockArgs = {
  slotKey: Scalars['String']['input'];
};


/** What only reads. */
export type QuerySlotLocksArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  prefix?: Scalars['String']['input'];
};


/** What only reads. */
export type QueryTopBlockersArgs = {
  by?: BlockerGroup;
  first?: InputMaybe<Scalars['Int']['input']>;
  where: DenialWhere;
};


/** What only reads. */
export type QueryVerifyArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
};


/** What only reads. */
export type QueryVerifyHolderArgs = {
  fencingToken?: InputMaybe<Scalars['Long']['input']>;
  itemName: Scalars['String']['input'];
  itemType: Scalars['String']['input'];
  session?: InputMaybe<Scalars['String']['input']>;
  userId: Scalars['String']['input'];
};

/** Which slot lock to give back. */
export type ReleaseLockInput = {
  /** The one it was taken with. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** At most 200 characters. Its case counts. */
  slotKey: Scalars['String']['input'];
};

/** How it went. */
export type ReleaseLockPayload = {
  __typename?: 'ReleaseLockPayload';
  /** How it went, for programs. */
  code: FreeCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The item as it is now. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** Refusals are judged in this order. */
export type RenewCode =
  /** Its time ran out. */
  | 'EXPIRED'
  /** Another user or another window holds it. */
  | 'NOT_HOLDER'
  /** Never held, or free. */
  | 'NOT_OCCUPIED'
  /** It is yours for longer. */
  | 'RENEWED'
  /** The token is that of an earlier grant. */
  | 'STALE_TOKEN';

/** Which hold to extend. */
export type RenewInput = {
  /** If given, it must be the present one. */
  fencingToken?: InputMaybe<Scalars['Long']['input']>;
  /** Its name; `lot1 ` and `LOT1` are one. */
  itemName: Scalars['String']['input'];
  /** LOT, PRODUCT, MASK, CST, … */
  itemType: Scalars['String']['input'];
  /** A hold that has a session is renewed by that session or by its token. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** From 1 to the configured maximum; the configured default if absent. */
  ttlSeconds?: InputMaybe<Scalars['Int']['input']>;
};

/** How it went. */
export type RenewLockPayload = {
  __typename?: 'RenewLockPayload';
  /** How it went, for programs. */
  code: RenewCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The item as it is now. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** How it went. */
export type RenewPayload = {
  __typename?: 'RenewPayload';
  /** How it went, for programs. */
  code: RenewCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The item as it is now. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** How a reset went. */
export type ResetSequenceCode =
  /** Refused: gateways have blocks out. */
  | 'BLOCKS_OUT'
  /** A new epoch has begun. */
  | 'RESET';

/** How it went. */
export type ResetSequencePayload = {
  __typename?: 'ResetSequencePayload';
  /** What it was refused for. */
  blocksOut: Array<SequenceBlock>;
  /** How it went, for programs. */
  code: ResetSequenceCode;
  /** The new one; 0 if refused. */
  epoch: Scalars['Long']['output'];
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
  /** How long it took until no value of the epoch before could be given out any more. */
  waitedMs: Scalars['Int']['output'];
};

/** What a caller may do. */
export type Role =
  /** Looks, and changes nothing. */
  | 'ANALYST'
  /** Works at a screen: occupies, renews, frees, hands over. */
  | 'OPERATOR'
  /** A program: may also hold slot keys that start with `job:`, and act for a user. */
  | 'SERVICE'
  /** May also end another's hold. */
  | 'SUPERVISOR';

/** Narrows a duration in seconds. All that is given must hold; an absent one is found by `isNull` alone. */
export type SecondsFilter = {
  /** From one number to another, both included. */
  between?: InputMaybe<SecondsRange>;
  /** Longer than this. */
  gt?: InputMaybe<Scalars['Int']['input']>;
  /** This long or longer. */
  gte?: InputMaybe<Scalars['Int']['input']>;
  /** True: absent. False: there. */
  isNull?: InputMaybe<Scalars['Boolean']['input']>;
  /** Shorter than this. */
  lt?: InputMaybe<Scalars['Int']['input']>;
  /** This long or shorter. */
  lte?: InputMaybe<Scalars['Int']['input']>;
};

/** From a number of seconds up to, and with, another. */
export type SecondsRange = {
  /** The least. */
  from: Scalars['Int']['input'];
  /** The most. */
  to: Scalars['Int']['input'];
};

/** A named counter. */
export type Sequence = {
  __typename?: 'Sequence';
  /** What gateways have ahead of need. */
  blocks: Array<SequenceBlock>;
  /** How many values a gateway draws ahead of need; 0 = none. */
  cacheSize: Scalars['Int']['output'];
  /** Which count it is in: 1, and one more at each reset. */
  epoch: Scalars['Long']['output'];
  /** How many values of all epochs nobody will get; `sequenceGaps` lists them. */
  lost: Scalars['Long']['output'];
  /** Its case counts. */
  name: Scalars['String']['output'];
  /** When it was last drawn from or changed. */
  updatedAt: Maybe<Scalars['Time']['output']>;
  /** Who that was. */
  updatedBy: Maybe<Scalars['String']['output']>;
  /** The last value drawn in this epoch; with caching, the end of the last block drawn. */
  value: Scalars['Long']['output'];
};

/** Values that one gateway has drawn ahead of need. */
export type SequenceBlock = {
  __typename?: 'SequenceBlock';
  /** The epoch that the values are of. */
  epoch: Scalars['Long']['output'];
  /** The first value. */
  first: Scalars['Long']['output'];
  /** Who has them. */
  gateway: Scalars['String']['output'];
  /** The last value. */
  last: Scalars['Long']['output'];
  /** Until when the gateway may go on without asking again. */
  leaseUntil: Scalars['Time']['output'];
  /** The last value known to have been given out; first − 1 = none. It may lag behind by a second. */
  usedTo: Scalars['Long']['output'];
};

/** A page of sequences. */
export type SequenceConnection = {
  __typename?: 'SequenceConnection';
  /** The rows, each with its cursor. */
  edges: Array<SequenceEdge>;
  /** The rows alone. */
  nodes: Array<Sequence>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
  /** Counted only when asked for. */
  totalCount: Maybe<Scalars['Int']['output']>;
};

/** A sequence and where it stands in the list. */
export type SequenceEdge = {
  __typename?: 'SequenceEdge';
  /** Where the row stands; for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Sequence;
};

/** Values that follow one another and that nobody will get. */
export type SequenceGap = {
  __typename?: 'SequenceGap';
  /** When that was found. */
  at: Scalars['Time']['output'];
  /** The epoch that the values are of. */
  epoch: Scalars['Long']['output'];
  /** The first value. */
  first: Scalars['Long']['output'];
  /** The gateway that had drawn them. */
  gateway: Maybe<Scalars['String']['output']>;
  /** The last value. */
  last: Scalars['Long']['output'];
  /** How they were lost. */
  reason: GapReason;
};

/** A page of gaps. */
export type SequenceGapConnection = {
  __typename?: 'SequenceGapConnection';
  /** The rows, each with its cursor. */
  edges: Array<SequenceGapEdge>;
  /** The rows alone. */
  nodes: Array<SequenceGap>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
  /** Counted only when asked for. */
  totalCount: Maybe<Scalars['Int']['output']>;
};

/** A gap and where it stands in the list. */
export type SequenceGapEdge = {
  __typename?: 'SequenceGapEdge';
  /** Where the row stands; for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: SequenceGap;
};

/** How setting a rule went. */
export type SetLotRuleCode =
  /** It is so from now on. */
  | 'RULE_SET';

/** How it went. */
export type SetLotRulePayload = {
  __typename?: 'SetLotRulePayload';
  /** How it went, for programs. */
  code: SetLotRuleCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
  /** The rule as it is now. */
  rule: LotRule;
};

/** How setting a cache went. */
export type SetSequenceCacheCode =
  /** It is so from now on. */
  | 'CACHE_SET';

/** How it went. */
export type SetSequenceCachePayload = {
  __typename?: 'SetSequenceCachePayload';
  /** How many values a gateway draws ahead of need now. */
  cacheSize: Scalars['Int']['output'];
  /** How it went, for programs. */
  code: SetSequenceCacheCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** Which slot lock, for how long, and for which instance. */
export type SlotInput = {
  /** This instance; draw it at random when the process starts. At most 100 characters. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** At most 200 characters. Its case counts. */
  slotKey: Scalars['String']['input'];
  /** From 1 to the configured maximum; the configured default if absent. */
  ttlSeconds?: InputMaybe<Scalars['Int']['input']>;
};

/** A slot lock on the board. */
export type SlotLock = {
  __typename?: 'SlotLock';
  /** How the job goes; null if the lock is not that of one of the service's own jobs. */
  job: Maybe<JobState>;
  /** The occupancy that it is. */
  lock: Occupancy;
  /** At most 200 characters. Its case counts. */
  slotKey: Scalars['String']['output'];
};

/** The state of an item. An item never seen is FREE, with version 0. */
export type State =
  /** Its time ran out; it may be occupied by anybody. Seen at once, whether or not it is written yet. */
  | 'EXPIRED'
  /** Nobody holds it. */
  | 'FREE'
  /** Somebody holds it. */
  | 'OCCUPIED';

/** Narrows a state. All that is given must hold. */
export type StateFilter = {
  /** Exactly this. */
  eq?: InputMaybe<State>;
  /** One of these. */
  in?: InputMaybe<Array<State>>;
  /** Anything but this. */
  ne?: InputMaybe<State>;
};

/** What holds are counted by. */
export type StatsGroup =
  /** The plant's day on which it ended: from its first shift to the next day's. */
  | 'DAY'
  /** What ended it. */
  | 'END_REASON'
  /** The hour of the day in which it ended, of all days together. */
  | 'HOUR'
  /** Item type and name. */
  | 'ITEM'
  /** LOT, PRODUCT, MASK, CST, … */
  | 'ITEM_TYPE'
  /** The menu it was held from, the last one. */
  | 'MENU'
  /** The shift in which it ended, of all days together. */
  | 'SHIFT'
  /** The screen it was held from, the last one. */
  | 'UI'
  /** Who held the item. */
  | 'USER';

/** What statistics can be ordered by. */
export type StatsMeasure =
  /** How long on average. */
  | 'AVG_SECONDS'
  /** Who was refused for them. */
  | 'DENIALS'
  /** Whose time ran out. */
  | 'EXPIRED'
  /** That a supervisor ended. */
  | 'FORCED'
  /** What they are counted by, in the order of `groupBy`. */
  | 'GROUP'
  /** How many holds. */
  | 'HOLDS'
  /** How long the longest lasted. */
  | 'MAX_SECONDS'
  /** What those waited. */
  | 'MINUTES_LOST'
  /** How long the middle one lasted. */
  | 'P50_SECONDS'
  /** How long 95 of 100 lasted at most. */
  | 'P95_SECONDS'
  /** How long together. */
  | 'TOTAL_SECONDS';

/** The order of statistics. What it leaves equal follows by the groups. */
export type StatsOrder = {
  /** By what. */
  by: StatsMeasure;
  /** From which end. */
  direction?: OrderDirection;
};

/** What tells of changes as long as the client wants to hear. */
export type Subscription = {
  __typename?: 'Subscription';
  /**
   * Occupies an item for as long as this subscription lives: it is renewed meanwhile. The first
   * event says how the occupying ended; if it was refused, the subscription ends there. Then it
   * tells when the item changed, and, at last, when it was lost to somebody or something.
   *
   * The client's `complete` gives the item back at once. If the connection is lost, the item is
   * kept for `graceSeconds`: who subscribes again by then with the same session, on any
   * gateway, still holds it, with the same fencing token. A stream by SSE can not say that it
   * is complete, so it always leaves the grace; and what was renewed or occupied again by other
   * means since the last renewal of this subscription is left as it is. Give every window its
   * own `session`: without one, all windows of a user are one.
   */
  holdItem: HoldEvent;
  /**
   * Every change of the items that match, in order within an item, none missing. With
   * `snapshot`, first what there is now, each item once; then its changes. An item matches if
   * it did before or does after the change, so that a panel of occupied ones sees them leave.
   *
   * After a lost connection, give the `cursor` of the last event you got as `after`: what was
   * missed comes first, then what is new, on any gateway. Some may come again; drop what is not
   * later than the last you have of an item, by (`version`, `renewals`), and you have each once.
   *
   * A subscriber that falls too far behind is told `RESYNC` and the subscription ends. So is
   * one whose `after` can not be continued without a hole: too much has happened since, it is
   * no longer kept, or the database is another one. Subscribe again with `snapshot` then.
   */
  occupancyChanged: OccupancyEvent;
};


/** What tells of changes as long as the client wants to hear. */
export type SubscriptionHoldItemArgs = {
  graceSeconds?: InputMaybe<Scalars['Int']['input']>;
  input: OccupyInput;
};


/** What tells of changes as long as the client wants to hear. */
export type SubscriptionOccupancyChangedArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<OccupancyFilter>;
  renewals?: Scalars['Boolean']['input'];
  snapshot?: Scalars['Boolean']['input'];
};

/**
 * Narrows a text. All that is given must hold. Item types and names are folded as occupying folds
 * them; other texts are compared as they are, trimmed, upper and lower case apart. `%`, `_` and `\\`
 * stand for themselves. An absent text counts as an empty one.
 */
export type TextFilter = {
  /** Has this somewhere. No index helps here: name a period, an item or a user, too. */
  contains?: InputMaybe<Scalars['String']['input']>;
  /** Exactly this. */
  eq?: InputMaybe<Scalars['String']['input']>;
  /** One of these, at most 1,000. */
  in?: InputMaybe<Array<Scalars['String']['input']>>;
  /** True: absent, or empty. False: neither. */
  isNull?: InputMaybe<Scalars['Boolean']['input']>;
  /** Anything but this. */
  ne?: InputMaybe<Scalars['String']['input']>;
  /** Begins with this. */
  startsWith?: InputMaybe<Scalars['String']['input']>;
};

/** Narrows an instant. All that is given must hold; an absent one is found by `isNull` alone. */
export type TimeFilter = {
  /** From one instant to another, both included. */
  between?: InputMaybe<TimeRange>;
  /** After then. */
  gt?: InputMaybe<Scalars['Time']['input']>;
  /** Then or later. */
  gte?: InputMaybe<Scalars['Time']['input']>;
  /** True: absent. False: there. */
  isNull?: InputMaybe<Scalars['Boolean']['input']>;
  /** Earlier than then. */
  lt?: InputMaybe<Scalars['Time']['input']>;
  /** Then or earlier. */
  lte?: InputMaybe<Scalars['Time']['input']>;
};

/** From an instant up to, and with, another. */
export type TimeRange = {
  /** The first instant. */
  from: Scalars['Time']['input'];
  /** The last instant. */
  to: Scalars['Time']['input'];
};

/** How handing over went. Refusals are judged in this order. */
export type TransferCode =
  /** Its time ran out. */
  | 'EXPIRED'
  /** Another user or another window holds it. */
  | 'NOT_HOLDER'
  /** Never held, or free. */
  | 'NOT_OCCUPIED'
  /** The token is that of an earlier grant. */
  | 'STALE_TOKEN'
  /** The new user holds it now. */
  | 'TRANSFERRED';

/** Which item to hand over, and to whom. */
export type TransferInput = {
  /** If given, it must be the present one. */
  fencingToken?: InputMaybe<Scalars['Long']['input']>;
  /** Its name; `lot1 ` and `LOT1` are one. */
  itemName: Scalars['String']['input'];
  /** LOT, PRODUCT, MASK, CST, … */
  itemType: Scalars['String']['input'];
  /** A hold that has a session is handed over by that session or by its token. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** The new holder's window, if known; else their first re-entry names it. */
  toSession?: InputMaybe<Scalars['String']['input']>;
  /** Who is to hold it. */
  toUserId: Scalars['String']['input'];
  /** The new hold's; the configured default if absent. */
  ttlSeconds?: InputMaybe<Scalars['Int']['input']>;
};

/** How it went. */
export type TransferPayload = {
  __typename?: 'TransferPayload';
  /** How it went, for programs. */
  code: TransferCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** With the new holder and a new fencing token. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** How taking a slot lock went. */
export type TryLockCode =
  /** It is yours now. */
  | 'GRANTED'
  /** Refused: another holds it. */
  | 'HELD'
  /** It was yours already; what is left was extended, never shortened. */
  | 'REENTERED';

/** How it went. */
export type TryLockPayload = {
  __typename?: 'TryLockPayload';
  /** How it went, for programs. */
  code: TryLockCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** With the present holder if refused. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
  /** If refused: how long the present holder has left at most. */
  retryAfterSeconds: Maybe<Scalars['Int']['output']>;
};

/** What a look at the history found. */
export type Verification = {
  __typename?: 'Verification';
  /** Everything was looked at, by this call and those before it. */
  done: Scalars['Boolean']['output'];
  /** Exactly how many rows and items have something wrong with them. */
  faultCount: Scalars['Long']['output'];
  /** The first of them, at most 1,000. */
  faults: Array<Fault>;
  /** Items that this call held against their last row. */
  items: Scalars['Long']['output'];
  /** Where to go on; null when done. */
  next: Maybe<Scalars['String']['output']>;
  /** History rows that this call looked at. */
  rows: Scalars['Long']['output'];
};

/** Whether the one asked about is the present holder. */
export type VerifyHolderAnswer = {
  __typename?: 'VerifyHolderAnswer';
  /** How it went, for programs. */
  code: VerifyHolderCode;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** The item as it is now. */
  occupancy: Occupancy;
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

/** The answer. Refusals are judged in this order. */
export type VerifyHolderCode =
  /** Its time ran out. */
  | 'EXPIRED'
  /** Another user or another window holds it. */
  | 'NOT_HOLDER'
  /** Never held, or free. */
  | 'NOT_OCCUPIED'
  /** The token is that of an earlier grant. */
  | 'STALE_TOKEN'
  /** They hold the item. */
  | 'VERIFIED';

/** How voiding went. */
export type VoidLotIdCode =
  /** It was void before, for the reason that `entry` has. */
  | 'ALREADY_VOID'
  /** It is void now. */
  | 'VOIDED';

/** How it went. */
export type VoidLotIdPayload = {
  __typename?: 'VoidLotIdPayload';
  /** How it went, for programs. */
  code: VoidLotIdCode;
  /** The ID as the ledger has it now. */
  entry: LotId;
  /** What to show, in the caller's language. */
  message: Scalars['String']['output'];
  /** Whether that is what was asked for. */
  ok: Scalars['Boolean']['output'];
};

export type ItemFieldsFragment = { __typename?: 'Occupancy', id: string, itemType: string, itemName: string, state: State, userId: string | null, session: string | null, startTime: string | null, expireTime: string | null, remainingSeconds: number, uiName: string | null, menuName: string | null, fencingToken: string, version: string, renewals: string };

export type HoldItemSubscriptionVariables = Exact<{
  input: OccupyInput;
  graceSeconds?: InputMaybe<Scalars['Int']['input']>;
}>;


export type HoldItemSubscription = { __typename?: 'Subscription', holdItem: { __typename?: 'HoldEvent', kind: HoldEventKind, event: Event | null, fencingToken: string | null, at: string, payload: { __typename?: 'OccupyPayload', ok: boolean, code: OccupyCode, message: string } | null, occupancy: { __typename?: 'Occupancy', id: string, itemType: string, itemName: string, state: State, userId: string | null, session: string | null, startTime: string | null, expireTime: string | null, remainingSeconds: number, uiName: string | null, menuName: string | null, fencingToken: string, version: string, renewals: string } } };

export type OccupancyChangedSubscriptionVariables = Exact<{
  filter?: InputMaybe<OccupancyFilter>;
  snapshot: Scalars['Boolean']['input'];
  renewals: Scalars['Boolean']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type OccupancyChangedSubscription = { __typename?: 'Subscription', occupancyChanged: { __typename?: 'OccupancyEvent', kind: OccupancyEventKind, event: Event | null, cursor: string, at: string, occupancy: { __typename?: 'Occupancy', id: string, itemType: string, itemName: string, state: State, userId: string | null, session: string | null, startTime: string | null, expireTime: string | null, remainingSeconds: number, uiName: string | null, menuName: string | null, fencingToken: string, version: string, renewals: string } } };

export type OccupyMutationVariables = Exact<{
  input: OccupyInput;
}>;


export type OccupyMutation = { __typename?: 'Mutation', occupy: { __typename?: 'OccupyPayload', ok: boolean, code: OccupyCode, message: string, occupancy: { __typename?: 'Occupancy', id: string, itemType: string, itemName: string, state: State, userId: string | null, session: string | null, startTime: string | null, expireTime: string | null, remainingSeconds: number, uiName: string | null, menuName: string | null, fencingToken: string, version: string, renewals: string } } | null };

export type RenewMutationVariables = Exact<{
  input: RenewInput;
}>;


export type RenewMutation = { __typename?: 'Mutation', renew: { __typename?: 'RenewPayload', ok: boolean, code: RenewCode, message: string, occupancy: { __typename?: 'Occupancy', id: string, itemType: string, itemName: string, state: State, userId: string | null, session: string | null, startTime: string | null, expireTime: string | null, remainingSeconds: number, uiName: string | null, menuName: string | null, fencingToken: string, version: string, renewals: string } } | null };

export type FreeMutationVariables = Exact<{
  input: FreeInput;
}>;


export type FreeMutation = { __typename?: 'Mutation', free: { __typename?: 'FreePayload', ok: boolean, code: FreeCode, message: string, occupancy: { __typename?: 'Occupancy', id: string, itemType: string, itemName: string, state: State, userId: string | null, session: string | null, startTime: string | null, expireTime: string | null, remainingSeconds: number, uiName: string | null, menuName: string | null, fencingToken: string, version: string, renewals: string } } | null };

export type HistoryQueryVariables = Exact<{
  where?: InputMaybe<HistoryWhere>;
  orderBy?: InputMaybe<Array<HistoryOrder> | HistoryOrder>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type HistoryQuery = { __typename?: 'Query', history: { __typename?: 'HistoryConnection', nodes: Array<{ __typename?: 'HistoryEntry', id: string, timeKey: string, itemType: string, itemName: string, state: State, event: Event, userId: string, session: string | null, startTime: string, expireTime: string, uiName: string | null, menuName: string | null, fencingToken: string, version: string, renewals: string, comment: string | null, actor: string, at: string }>, pageInfo: { __typename?: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type HoldsQueryVariables = Exact<{
  where?: InputMaybe<HoldWhere>;
  orderBy?: InputMaybe<Array<HoldOrder> | HoldOrder>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type HoldsQuery = { __typename?: 'Query', holds: { __typename?: 'HoldConnection', nodes: Array<{ __typename?: 'Hold', itemType: string, itemName: string, userId: string, session: string | null, uiName: string | null, menuName: string | null, fencingToken: string, renewals: string | null, from: string, to: string | null, seconds: number, endReason: Event | null, endedBy: string | null, comment: string | null }>, pageInfo: { __typename?: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const ItemFieldsFragmentDoc = new TypedDocumentString(`
    fragment ItemFields on Occupancy {
  id
  itemType
  itemName
  state
  userId
  session
  startTime
  expireTime
  remainingSeconds
  uiName
  menuName
  fencingToken
  version
  renewals
}
    `, {"fragmentName":"ItemFields"}) as unknown as TypedDocumentString<ItemFieldsFragment, unknown>;
export const HoldItemDocument = new TypedDocumentString(`
    subscription HoldItem($input: OccupyInput!, $graceSeconds: Int) {
  holdItem(input: $input, graceSeconds: $graceSeconds) {
    kind
    event
    fencingToken
    at
    payload {
      ok
      code
      message
    }
    occupancy {
      ...ItemFields
    }
  }
}
    fragment ItemFields on Occupancy {
  id
  itemType
  itemName
  state
  userId
  session
  startTime
  expireTime
  remainingSeconds
  uiName
  menuName
  fencingToken
  version
  renewals
}`) as unknown as TypedDocumentString<HoldItemSubscription, HoldItemSubscriptionVariables>;
export const OccupancyChangedDocument = new TypedDocumentString(`
    subscription OccupancyChanged($filter: OccupancyFilter, $snapshot: Boolean!, $renewals: Boolean!, $after: String) {
  occupancyChanged(
    filter: $filter
    snapshot: $snapshot
    renewals: $renewals
    after: $after
  ) {
    kind
    event
    cursor
    at
    occupancy {
      ...ItemFields
    }
  }
}
    fragment ItemFields on Occupancy {
  id
  itemType
  itemName
  state
  userId
  session
  startTime
  expireTime
  remainingSeconds
  uiName
  menuName
  fencingToken
  version
  renewals
}`) as unknown as TypedDocumentString<OccupancyChangedSubscription, OccupancyChangedSubscriptionVariables>;
export const OccupyDocument = new TypedDocumentString(`
    mutation Occupy($input: OccupyInput!) {
  occupy(input: $input) {
    ok
    code
    message
    occupancy {
      ...ItemFields
    }
  }
}
    fragment ItemFields on Occupancy {
  id
  itemType
  itemName
  state
  userId
  session
  startTime
  expireTime
  remainingSeconds
  uiName
  menuName
  fencingToken
  version
  renewals
}`) as unknown as TypedDocumentString<OccupyMutation, OccupyMutationVariables>;
export const RenewDocument = new TypedDocumentString(`
    mutation Renew($input: RenewInput!) {
  renew(input: $input) {
    ok
    code
    message
    occupancy {
      ...ItemFields
    }
  }
}
    fragment ItemFields on Occupancy {
  id
  itemType
  itemName
  state
  userId
  session
  startTime
  expireTime
  remainingSeconds
  uiName
  menuName
  fencingToken
  version
  renewals
}`) as unknown as TypedDocumentString<RenewMutation, RenewMutationVariables>;
export const FreeDocument = new TypedDocumentString(`
    mutation Free($input: FreeInput!) {
  free(input: $input) {
    ok
    code
    message
    occupancy {
      ...ItemFields
    }
  }
}
    fragment ItemFields on Occupancy {
  id
  itemType
  itemName
  state
  userId
  session
  startTime
  expireTime
  remainingSeconds
  uiName
  menuName
  fencingToken
  version
  renewals
}`) as unknown as TypedDocumentString<FreeMutation, FreeMutationVariables>;
export const HistoryDocument = new TypedDocumentString(`
    query History($where: HistoryWhere, $orderBy: [HistoryOrder!], $first: Int, $after: String) {
  history(where: $where, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      id
      timeKey
      itemType
      itemName
      state
      event
      userId
      session
      startTime
      expireTime
      uiName
      menuName
      fencingToken
      version
      renewals
      comment
      actor
      at
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<HistoryQuery, HistoryQueryVariables>;
export const HoldsDocument = new TypedDocumentString(`
    query Holds($where: HoldWhere, $orderBy: [HoldOrder!], $first: Int, $after: String) {
  holds(where: $where, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      itemType
      itemName
      userId
      session
      uiName
      menuName
      fencingToken
      renewals
      from
      to
      seconds
      endReason
      endedBy
      comment
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<HoldsQuery, HoldsQueryVariables>;