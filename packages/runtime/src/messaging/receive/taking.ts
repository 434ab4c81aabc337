// What is taken from other workers, and when: between rounds of turns and at no other time, in batches, each noted if this worker is recorded. In a
// run again, what was taken then, as soon as it has come.

import type { Ingests } from '../../trace/ingests.ts';
import type { Link } from '../link.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { UnderWay } from '../../snapshot/worker-snapshot.ts';

export interface TakingPorts {
  readonly ingests: Ingests;
  /** Messages that are taken of one worker at a time. */
  readonly batch: number;
  /** A message that was under way in a snapshot arrives. */
  takeAgain(link: Link, message: UnderWay): void;
}

export class Taking {
  /** By the workers that they lead to. */
  readonly #links: readonly (Link | undefined)[];
  readonly #ports: TakingPorts;
  /** Of which messages are being taken, if that is noted, and how many of all that were taken of it are. */
  #noting: Link | undefined;
  #noted = 0;
  /** In a run again that goes on from a cut: by worker, what comes before that which comes by its ring. */
  readonly #before = new Map<number, { readonly underWay: UnderWay[]; readonly isMarked: boolean }>();
  /** In a run again that goes on from a cut: is told of what was under way, before it comes. */
  #coming: ((message: UnderWay) => void) | undefined;
  /** Is asked whether workers have ended, and loses them then: something was taken from somebody who may have known. */
  onTaken: (() => void) | undefined;

  constructor(links: readonly (Link | undefined)[], ports: TakingPorts) {
    this.#links = links;
    this.#ports = ports;
  }

  /** Messages of others that were taken, in all. */
  get taken(): number {
    return this.#links.reduce((sum, link) => sum + (link?.inbox.taken ?? 0), 0);
  }

  #takeFrom(link: Link, most: number): number {
    if (!this.#ports.ingests.areNoted) return link.drain(most);
    // What comes from now on is for the next time: all that is taken is noted.
    if (link.inbox.isEmpty()) return 0;
    this.#noting = link;
    this.#noted = link.inbox.taken;
    this.#ports.ingests.taking(this.noteTaken);
    try {
      return link.drain(most);
    } finally {
      this.#ports.ingests.taking(undefined);
      this.noteTaken();
      this.#noting = undefined;
    }
  }

  /** Those that are being taken: what comes now is behind them. */
  readonly noteTaken = (): void => {
    const link = this.#noting;
    if (link === undefined) return;
    const { taken } = link.inbox;
    const count = taken - this.#noted;
    this.#noted = taken;
    if (count > 0) this.#ports.ingests.took(link.worker, count);
  };

  /** Takes what has come; whether anything has. */
  ingest(): boolean {
    let any = false;
    for (const link of this.#links) {
      if (link === undefined || !link.isOpen) continue;
      if (this.#takeFrom(link, this.#ports.batch) > 0) any = true;
      if (link.outbox.spilled > 0 && link.outbox.publish()) link.outbox.wake();
    }
    if (any) this.onTaken?.();
    return any;
  }

  /** Takes so many messages of a worker, in a run again; answers how many there were. */
  takeAgain(worker: number, count: number): number {
    const link = this.#links[worker];
    const before = this.#before.get(worker);
    if (link === undefined) return 0;
    if (before === undefined) return link.drain(count);
    let taken = 0;
    while (taken < count && before.underWay.length > 0) {
      taken++;
      const message = before.underWay.shift() as UnderWay;
      this.#coming?.(message);
      this.takeUnderWay(message);
    }
    if (taken === count) return taken;
    this.#before.delete(worker);
    if (before.isMarked) link.drain(1);
    return taken + link.drain(count - taken);
  }

  /** A run again goes on from the cut of a phase: these were under way, and of some workers the marker has come already that they send first. */
  followUnderWay(underWay: readonly UnderWay[], phase: number, coming: (message: UnderWay) => void): void {
    this.#coming = coming;
    for (const link of this.#links) {
      if (link === undefined) continue;
      const { worker } = link;
      const before = {
        underWay: underWay.filter((message) => message.worker === worker),
        isMarked: link.phase >= phase,
      };
      if (before.isMarked || before.underWay.length > 0) this.#before.set(worker, before);
    }
  }

  /** So many messages of a worker have come, if not more than that. */
  #available(link: Link, count: number): number {
    const before = this.#before.get(link.worker);
    if (before === undefined) return link.inbox.available(count);
    const marker = before.isMarked ? 1 : 0;
    return before.underWay.length + Math.max(0, link.inbox.available(count + marker) - marker);
  }

  /** Whether so many messages of a worker have come. */
  areThere(worker: number, count: number): boolean {
    const link = this.#links[worker];
    return link !== undefined && this.#available(link, count) >= count;
  }

  /** The same, or as many as can before some are taken. */
  haveCome(worker: number, count: number): boolean {
    const link = this.#links[worker];
    if (link === undefined) return false;
    const available = this.#available(link, count);
    return available >= count || (available > 0 && link.inbox.isFull);
  }

  /** What waited for room and has got it. */
  publishSpilled(): void {
    for (const link of this.#links)
      if (link?.isOpen === true && link.outbox.spilled > 0 && link.outbox.publish()) link.outbox.wake();
  }

  get isRoomMade(): boolean {
    return this.#links.some((link) => link?.isOpen === true && link.outbox.isRoomMade());
  }

  /** All that a worker which has ended has sent. */
  takeAll(link: Link): void {
    while (this.#takeFrom(link, this.#ports.batch) > 0);
  }

  /** Whether nothing has come from anywhere, and nothing that waits for room has got it. */
  readonly isEmpty = (): boolean => {
    for (const link of this.#links)
      if (link?.isOpen === true && (!link.inbox.isEmpty() || link.outbox.isRoomMade())) return false;
    return true;
  };

  /** A message comes again that was under way. */
  takeUnderWay(message: UnderWay): void {
    const { worker } = message;
    const link = this.#links[worker];
    if (link === undefined)
      throw new RuntimeError('TT_DAMAGED_SNAPSHOT', `a message of worker ${worker} was under way, and there is none`);
    link.bringAgain(message);
    this.#ports.takeAgain(link, message);
  }
}
