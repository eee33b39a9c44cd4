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

/** Narrows a day, yyyy-MM-dd, both ends with. */
export type DateFilter = {
  /** This day or later. */
  gte?: InputMaybe<Scalars['String']['input']>;
  /** This day or earlier. */
  lte?: InputMaybe<Scalars['String']['input']>;
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
  /** This gateway carries out documents that it knows, and this is none of them. */
  | 'DOCUMENT_NOT_KNOWN'
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
  /** No document has the id or the hash that was sent. With a hash: send the text, too, and it is kept. */
  | 'PERSISTED_QUERY_NOT_FOUND'
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

/** Which of the caller's holds to give back. */
export type FreeAllInput = {
  /** Why; kept in the history. */
  how?: InputMaybe<FreeHow>;
  /** Only these types, at most 1,000. Absent: all but SLOT. */
  itemTypes?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The window whose items to give back. Absent: those held without a session. */
  session?: InputMaybe<Scalars['String']['input']>;
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

/** Names an item. */
export type ItemInput = {
  /** Its name; `lot1 ` and `LOT1` are one. */
  itemName: Scalars['String']['input'];
  /** LOT, PRODUCT, MASK, CST, … */
  itemType: Scalars['String']['input'];
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

/** How a draw went. */
export type NextValCode =
  /** They are yours. */
  | 'DRAWN';

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

/** Which end of a list comes first. */
export type OrderDirection =
  /** The smallest or oldest first. */
  | 'ASC'
  /** The largest or newest first. */
  | 'DESC';

/** Which slot lock to give back. */
export type ReleaseLockInput = {
  /** The one it was taken with. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** At most 200 characters. Its case counts. */
  slotKey: Scalars['String']['input'];
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

/** How a reset went. */
export type ResetSequenceCode =
  /** Refused: gateways have blocks out. */
  | 'BLOCKS_OUT'
  /** A new epoch has begun. */
  | 'RESET';

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

/** How setting a rule went. */
export type SetLotRuleCode =
  /** It is so from now on. */
  | 'RULE_SET';

/** How setting a cache went. */
export type SetSequenceCacheCode =
  /** It is so from now on. */
  | 'CACHE_SET';

/** Which slot lock, for how long, and for which instance. */
export type SlotInput = {
  /** This instance; draw it at random when the process starts. At most 100 characters. */
  session?: InputMaybe<Scalars['String']['input']>;
  /** At most 200 characters. Its case counts. */
  slotKey: Scalars['String']['input'];
  /** From 1 to the configured maximum; the configured default if absent. */
  ttlSeconds?: InputMaybe<Scalars['Int']['input']>;
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

/** How taking a slot lock went. */
export type TryLockCode =
  /** It is yours now. */
  | 'GRANTED'
  /** Refused: another holds it. */
  | 'HELD'
  /** It was yours already; what is left was extended, never shortened. */
  | 'REENTERED';

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