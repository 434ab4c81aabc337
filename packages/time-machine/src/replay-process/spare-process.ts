// Whoever has gone back once, will again: from then on a process waits a little behind where the engine stands, and follows it as it goes forward. It may be begun anew at any time.
import { beginOf, type Position } from '../position.ts';
import type { CoordinatorLink } from './coordinator-link.ts';
import type { Limit } from './protocol.ts';

export interface WaitingProcess {
  readonly coordinator: Pick<CoordinatorLink, 'isLost' | 'end' | 'run'>;
  /** The stretch that it has begun with. */
  readonly begin: number;
  at: Position;
}

/** Stretches. */
const BEHIND = 32;

export class SpareProcess<P extends WaitingProcess> {
  readonly #start: (order: number) => P;
  readonly #limits: (order: number, begin: number) => readonly Limit[];
  #process: P | undefined;
  #way: Promise<unknown> = Promise.resolve();
  #isOnTheWay = false;
  #since = 0;

  /**
   * @param start one that stands before the stretch, or before the snapshot before that
   * @param limits how far threads may go for it to stand before a stretch
   */
  constructor(start: (order: number) => P, limits: (order: number, begin: number) => readonly Limit[]) {
    this.#start = start;
    this.#limits = limits;
  }

  /** It may still be on its way to where it says that it is. */
  get process(): P | undefined {
    return this.#process?.coordinator.isLost === true ? undefined : this.#process;
  }

  /** For so many milliseconds; nothing, if it is there. */
  get onTheWay(): number | undefined {
    return this.#isOnTheWay ? performance.now() - this.#since : undefined;
  }

  /** It is the caller's from now on, who hears when it is there, or what is wrong with it. */
  take(): Promise<unknown> {
    this.#process = undefined;
    return this.#way;
  }

  /** Has one wait behind a stretch, if there is none that would do. */
  prepare(order: number): void {
    const wanted = Math.max(1, order - BEHIND);
    let its = this.process;
    if (its !== undefined && its.at.order > order) {
      its.coordinator.end();
      its = undefined;
    }
    if (its !== undefined && its.at.order > wanted - BEHIND) return;
    if (its === undefined) this.#way = Promise.resolve();
    const sent = (this.#process = its ?? this.#start(wanted));
    sent.at = beginOf(wanted);
    const way = this.#way.then(() => sent.coordinator.run(this.#limits(wanted, sent.begin), undefined));
    this.#way = way;
    if (its === undefined) this.#since = performance.now();
    this.#isOnTheWay = true;
    way.then(
      () => (this.#isOnTheWay = this.#way !== way),
      // Whoever takes it hears of it.
      () => undefined,
    );
  }

  /** Somebody has other use for the time that it takes on its way. */
  giveUp(): void {
    if (this.#isOnTheWay) this.close();
  }

  close(): void {
    this.#process?.coordinator.end();
    this.#process = undefined;
    this.#isOnTheWay = false;
  }
}
