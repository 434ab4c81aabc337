// Takes the messages of other workers: only between rounds of turns, in batches, as the turn loop requests. A recording
// contains the size of each batch, and a replay takes the same batches as soon as their messages have arrived. Every
// taken message must be in the trace, in its order among the other ingests. `InboundDispatcher` handles the messages;
// `WorkerLinks` creates the ingest, starts a replay from a cut with it, and takes all messages of a lost worker.

import type { Ingests } from '../../trace/ingests.ts';
import type { Link } from '../link.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { InFlightMessage } from '../../snapshot/worker-snapshot.ts';

export interface MessageIngestDeps {
  readonly ingests: Ingests;
  /** Maximum number of messages in a batch. All messages of a batch are from one worker. */
  readonly batch: number;
  /** Delivers a message that was in flight at the cut of a snapshot. */
  receiveInFlight(link: Link, message: InFlightMessage): void;
}

/** Messages of a worker that were in flight at the cut from which a replay starts. They precede those in the ring. */
interface InFlightMessages {
  readonly messages: InFlightMessage[];
  /** Whether the phase marker was taken before the cut. The sender repeats the marker in the replay, uncounted. */
  readonly isMarkerTaken: boolean;
}

export class MessageIngest {
  /** Links by worker. `WorkerLinks` adds to this list. */
  readonly #links: readonly (Link | undefined)[];
  readonly #deps: MessageIngestDeps;
  /** While a recording takes a batch: its link, and the number of messages of that link in the trace. */
  #recordedLink: Link | undefined;
  #recordedCount = 0;
  /** In-flight messages that are still to be taken, by sending worker. Used only in a replay from a cut. */
  readonly #inFlight = new Map<number, InFlightMessages>();
  #onInFlight: ((message: InFlightMessage) => void) | undefined;
  /** Called after batches, whose senders may have known of lost workers: this worker must now learn of the losses. */
  onBatchTaken: (() => void) | undefined;

  constructor(links: readonly (Link | undefined)[], deps: MessageIngestDeps) {
    this.#links = links;
    this.#deps = deps;
  }

  get taken(): number {
    return this.#links.reduce((sum, link) => sum + (link?.inbox.taken ?? 0), 0);
  }

  /** Takes a batch of each worker. Returns whether there were any messages. */
  ingest(): boolean {
    let hasTaken = false;
    for (const link of this.#links) {
      if (link === undefined || !link.isOpen) continue;
      if (this.#takeBatch(link) > 0) hasTaken = true;
      publishSpilled(link);
    }
    if (hasTaken) this.onBatchTaken?.();
    return hasTaken;
  }

  /** Takes all messages that a lost worker has sent. */
  takeAll(link: Link): void {
    while (this.#takeBatch(link) > 0);
  }

  #takeBatch(link: Link): number {
    const { ingests, batch } = this.#deps;
    if (!ingests.isRecording) return link.drain(batch);
    // A message that arrives after this check is left to the next batch.
    if (link.inbox.isEmpty()) return 0;
    this.#recordedLink = link;
    this.#recordedCount = link.inbox.taken;
    ingests.watchTaking(this.recordTaken);
    try {
      return link.drain(batch);
    } finally {
      ingests.watchTaking(undefined);
      this.recordTaken();
      this.#recordedLink = undefined;
    }
  }

  /** Records the messages of the current batch taken so far: the next ingest must follow them in the trace. */
  readonly recordTaken = (): void => {
    const link = this.#recordedLink;
    if (link === undefined) return;
    const { taken } = link.inbox;
    const count = taken - this.#recordedCount;
    this.#recordedCount = taken;
    if (count > 0) this.#deps.ingests.recordMessages(link.worker, count);
  };

  // Replay

  /** Starts a replay at the cut of `phase`, with the messages that were in flight there. */
  replayInFlight(
    messages: readonly InFlightMessage[],
    phase: number,
    onInFlight: (message: InFlightMessage) => void,
  ): void {
    this.#onInFlight = onInFlight;
    for (const link of this.#links) {
      if (link === undefined) continue;
      const ownMessages = messages.filter(({ worker }) => worker === link.worker);
      const isMarkerTaken = link.phase >= phase;
      if (isMarkerTaken || ownMessages.length > 0)
        this.#inFlight.set(link.worker, { messages: ownMessages, isMarkerTaken });
    }
  }

  /** Takes up to `count` messages of a worker. Returns the number of taken messages. */
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

  haveArrived(worker: number, count: number): boolean {
    const link = this.#links[worker];
    return link !== undefined && this.#available(link, count) >= count;
  }

  /** Whether `count` messages have arrived, or some have and the sender waits for room to send the rest. */
  canTake(worker: number, count: number): boolean {
    const link = this.#links[worker];
    if (link === undefined) return false;
    const available = this.#available(link, count);
    return available >= count || (available > 0 && link.inbox.isSenderWaiting);
  }

  /** Returns the number of messages that can be taken, counted up to `count`. */
  #available(link: Link, count: number): number {
    const inFlight = this.#inFlight.get(link.worker);
    if (inFlight === undefined) return link.inbox.available(count);
    const marker = inFlight.isMarkerTaken ? 1 : 0;
    return inFlight.messages.length + Math.max(0, link.inbox.available(count + marker) - marker);
  }

  /** Delivers an in-flight message. A restore that is no replay calls this for all of them at once. */
  takeInFlight(message: InFlightMessage): void {
    const { worker } = message;
    const link = this.#links[worker];
    if (link === undefined)
      throw new RuntimeError(
        'TT_DAMAGED_SNAPSHOT',
        `the snapshot is damaged: a message in flight is from worker ${worker}, which is unknown; restore an older one`,
      );
    link.restoreReceived(message);
    this.#deps.receiveInFlight(link, message);
  }

  // Waiting

  /** Publishes messages that waited for room, if there is room now. */
  publishSpilled(): void {
    for (const link of this.#links) if (link?.isOpen === true) publishSpilled(link);
  }

  get hasRoomToPublish(): boolean {
    return this.#links.some((link) => link?.isOpen === true && link.outbox.hasRoomToPublish());
  }

  /** Whether no message has arrived, and no message that waits for room can be published. */
  readonly isEmpty = (): boolean => {
    for (const link of this.#links)
      if (link?.isOpen === true && (!link.inbox.isEmpty() || link.outbox.hasRoomToPublish())) return false;
    return true;
  };
}

function publishSpilled({ outbox }: Link): void {
  if (outbox.spilled > 0 && outbox.publish()) outbox.wakeReceiver();
}
