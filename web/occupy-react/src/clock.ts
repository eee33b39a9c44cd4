// The database's clock, as this window knows it. Everything that is answered was so at some
// instant of that clock, which bounds it: it is at least as late by now, and no later than the
// time since we asked allows. The clock of this machine is never looked at: it may be minutes off.

/** When the window was opened is 0; it only ever rises, whatever the machine's clock does. */
export type Ticks = () => number;

export class Clock {
  readonly #ticks: Ticks;
  #ahead: number | undefined; // of ticks, in milliseconds

  constructor(ticks: Ticks = () => performance.now()) {
    this.#ticks = ticks;
  }

  /** Notes that it was `instant`, or up to `slack` milliseconds later, somewhen before now and, if given, after `asked`. */
  note(instant: string, slack = 0, asked?: number): void {
    const ticks = this.#ticks();
    const least = Date.parse(instant) - ticks;
    if (Number.isNaN(least)) return;
    this.#ahead = Math.max(this.#ahead ?? least, least);
    if (asked !== undefined) this.#ahead = Math.min(this.#ahead, least + slack + (ticks - asked));
  }

  /** Notes what an answer says by `remainingSeconds`, which is rounded up. */
  noteRemaining(o: { expireTime: string | null; remainingSeconds: number }, asked?: number): void {
    if (!o.expireTime || o.remainingSeconds <= 0) return;
    this.note(new Date(Date.parse(o.expireTime) - o.remainingSeconds * 1000).toISOString(), 1000, asked);
  }

  /** Seconds until an instant, not below 0; 0 if nothing is known yet. */
  secondsUntil(instant: string | null): number {
    if (!instant || this.#ahead === undefined) return 0;
    return Math.max(0, (Date.parse(instant) - this.#ticks() - this.#ahead) / 1000);
  }

  get ticks(): number {
    return this.#ticks();
  }
}
