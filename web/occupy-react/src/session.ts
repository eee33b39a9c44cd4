// One session a tab, kept over reloads. A duplicated tab begins with a copy of the first one's
// sessionStorage; both would be one holder then, and closing either would end the other's work.
//
// A page that is left says so beside its session. Whoever finds a session with that mark is the
// next page of the same tab. Without it, the tab was duplicated, or it crashed: the other tabs
// are asked, and if one has that session this one draws its own.
import { Store } from "./store.js";

const kept = "occupy.session";
const left = "occupy.left";
/** How long another tab may take to say that the session is its own. */
const answerWithin = 250;

type Word = { kind: "whose" | "mine"; session: string; page: string };

/** The places where tabs leave things for themselves and for each other. */
export interface Places {
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  channel: Pick<BroadcastChannel, "postMessage" | "close"> & { onmessage: ((e: MessageEvent) => void) | null };
  page: Pick<Window, "addEventListener" | "removeEventListener">;
}

/** Draws what nobody else draws. Also where the page came by plain http: crypto.randomUUID is not there. */
export function draw(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

export class TabSession {
  /** Undefined until it is known that no other tab has it. */
  readonly current = new Store<string | undefined>(undefined);
  readonly #places: Places;
  readonly #page = draw();
  #candidate: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(places: Places = ofThisTab()) {
    this.#places = places;
    places.channel.onmessage = (e: MessageEvent) => this.#hear(e.data as Word);
    places.page.addEventListener("pagehide", this.#leave);
    places.page.addEventListener("pageshow", this.#comeBack);
    const { storage } = places;
    const found = storage.getItem(kept);
    const isNext = found !== null && storage.getItem(left) === found;
    this.#candidate = found ?? draw();
    storage.removeItem(left);
    if (found !== null && !isNext) {
      this.#say("whose");
      this.#timer = setTimeout(() => this.#settle(), answerWithin);
    } else {
      this.#settle();
      if (found !== null) this.#say("whose"); // a tab that was duplicated as this page was left
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#leave();
    this.#places.page.removeEventListener("pagehide", this.#leave);
    this.#places.page.removeEventListener("pageshow", this.#comeBack);
    this.#places.channel.close();
  }

  readonly #leave = (): void => {
    if (this.current.get()) this.#places.storage.setItem(left, this.#candidate);
  };

  readonly #comeBack = (): void => this.#places.storage.removeItem(left);

  #hear(word: Word): void {
    if (word.session !== this.#candidate || word.page === this.#page) return;
    if (word.kind === "mine") {
      this.#candidate = draw();
      this.#settle();
    } else {
      // Of two that ask at once, one has to give way; the other asks again to be told so.
      this.#say(this.current.get() !== undefined || this.#page < word.page ? "mine" : "whose");
    }
  }

  #say(kind: Word["kind"]): void {
    this.#places.channel.postMessage({ kind, session: this.#candidate, page: this.#page } satisfies Word);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#places.storage.setItem(kept, this.#candidate);
    this.current.set(this.#candidate);
  }
}

function ofThisTab(): Places {
  return { storage: sessionStorage, channel: new BroadcastChannel("occupy"), page: window };
}
