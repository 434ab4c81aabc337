// What is taken from other workers, and when: between rounds of turns and at no other time, in batches, each noted if this worker is recorded. In a
// run again, what was taken then, as soon as it has come.

import type { Ingests } from '../../trace/ingests.ts';
import type { Link } from '../link.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { InFlightMessage } from '../../snapshot/worker-snapshot.ts';

export interface MessageIngestDeps {
  readonly ingests: Ingests;
  /** Messages that are taken of one worker at a time. */
  readonly batch: number;
  /** A message that was under way in a snapshot arrives. */
  receiveInFlight(link: Link, message: InFlightMessage): void;
}

export class MessageIngest {
  /** By the workers that they lead to. */
  readonly #links: readonly (Link | undefined)[];
  readonly #deps: MessageIngestDeps;
  /** Of which messages are being taken, if that is noted, and how many of all that were taken of it are. */
  #recordedLink: Link | undefined;
  #recordedCount = 0;
  /** In a run again that goes on from a cut: by worker, what comes before that which comes by its ring. */
  readonly #inFlight = new Map<number, { readonly messages: InFlightMessage[]; readonly isMarkerTaken: boolean }>();
  /** In a run again that goes on from a cut: is told of what was under way, before it comes. */
  #onInFlight: ((message: InFlightMessage) => void) | undefined;
  /** Is asked whether workers have ended, and loses them then: something was taken from somebody who may have known. */
  onBatchTaken: (() => void) | undefined;

  constructor(links: readonly (Link | undefined)[], deps: MessageIngestDeps) {
    this.#links = links;
    this.#deps = deps;
  }

  /** Messages of others that were taken, in all. */
  get taken(): number {
    return this.#links.reduce((sum, link) => sum + (link?.inbox.taken ?? 0), 0);
  }

  #takeFrom(link: Link, maxMessages: number): number {
    if (!this.#deps.ingests.isRecording) return link.drain(maxMessages);
    // What comes from now on is for the next time: all that is taken is noted.
    if (link.inbox.isEmpty()) return 0;
    this.#recordedLink = link;
    this.#recordedCount = link.inbox.taken;
    this.#deps.ingests.watchTaking(this.recordTaken);
    try {
      return link.drain(maxMessages);
    } finally {
      this.#deps.ingests.watchTaking(undefined);
      this.recordTaken();
      this.#recordedLink = undefined;
    }
  }

  /** Those that are being taken: what comes now is behind them. */
  readonly recordTaken = (): void => {
    const link = this.#recordedLink;
    if (link === undefined) return;
    const { taken } = link.inbox;
    const count = taken - this.#recordedCount;
    this.#recordedCount = taken;
    if (count > 0) this.#deps.ingests.recordMessages(link.worker, count);
  };

  /** Takes what has come; whether anything has. */
  ingest(): boolean {
    let hasTaken = false;
    for (const link of this.#links) {
      if (link === undefined || !link.isOpen) continue;
      if (this.#takeFrom(link, this.#deps.batch) > 0) hasTaken = true;
      if (link.outbox.spilled > 0 && link.outbox.publish()) link.outbox.wakeReceiver();
    }
    if (hasTaken) this.onBatchTaken?.();
    return hasTaken;
  }

  /** Takes so many messages of a worker, in a run again; answers how many there were. */
  takeRecorded(worker: number, count: number): number {
    const link = this.#links[worker];
    const inFlight = this.#inFlight.get(worker);
    if (link === undefined) return 0;
    if (inFlight === undefined) return link.drain(count);
    let taken = 0;
    while (taken < count && inFlight.messages.length > 0) {
      taken++;
      const message = inFlight.messages.shift() as InFlightMessage;
      this.#onInFlight?.(message);
      this.takeInFlight(message);
    }
    if (taken === count) return taken;
    this.#inFlight.delete(worker);
    if (inFlight.isMarkerTaken) link.drain(1);
    return taken + link.drain(count - taken);
  }

  /** A run again goes on from the cut of a phase: these were under way, and of some workers the marker has come already that they send first. */
  replayInFlight(
    messages: readonly InFlightMessage[],
    phase: number,
    onInFlight: (message: InFlightMessage) => void,
  ): void {
    this.#onInFlight = onInFlight;
    for (const link of this.#links) {
      if (link === undefined) continue;
      const { worker } = link;
      const inFlight = {
        messages: messages.filter((message) => message.worker === worker),
        isMarkerTaken: link.phase >= phase,
      };
      if (inFlight.isMarkerTaken || inFlight.messages.length > 0) this.#inFlight.set(worker, inFlight);
    }
  }

  /** So many messages of a worker have come, if not more than that. */
  #available(link: Link, count: number): number {
    const inFlight = this.#inFlight.get(link.worker);
    if (inFlight === undefined) return link.inbox.available(count);
    const marker = inFlight.isMarkerTaken ? 1 : 0;
    return inFlight.messages.length + Math.max(0, link.inbox.available(count + marker) - marker);
  }

  /** Whether so many messages of a worker have come. */
  haveArrived(worker: number, count: number): boolean {
    const link = this.#links[worker];
    return link !== undefined && this.#available(link, count) >= count;
  }

  /** The same, or as many as can before some are taken. */
  canTake(worker: number, count: number): boolean {
    const link = this.#links[worker];
    if (link === undefined) return false;
    const available = this.#available(link, count);
    return available >= count || (available > 0 && link.inbox.isSenderWaiting);
  }

  /** What waited for room and has got it. */
  publishSpilled(): void {
    for (const link of this.#links)
      if (link?.isOpen === true && link.outbox.spilled > 0 && link.outbox.publish()) link.outbox.wakeReceiver();
  }

  get hasRoomToPublish(): boolean {
    return this.#links.some((link) => link?.isOpen === true && link.outbox.hasRoomToPublish());
  }

  /** All that a worker which has ended has sent. */
  takeAll(link: Link): void {
    while (this.#takeFrom(link, this.#deps.batch) > 0);
  }

  /** Whether nothing has come from anywhere, and nothing that waits for room has got it. */
  readonly isEmpty = (): boolean => {
    for (const link of this.#links)
      if (link?.isOpen === true && (!link.inbox.isEmpty() || link.outbox.hasRoomToPublish())) return false;
    return true;
  };

  /** A message comes again that was under way. */
  takeInFlight(message: InFlightMessage): void {
    const { worker } = message;
    const link = this.#links[worker];
    if (link === undefined)
      throw new RuntimeError('TT_DAMAGED_SNAPSHOT', `a message of worker ${worker} was under way, and there is none`);
    link.restoreReceived(message);
    this.#deps.receiveInFlight(link, message);
  }
}
