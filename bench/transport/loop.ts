// The transport part of a scheduler: drains incoming messages in bounded batches, returns to Node at least every
// millisecond, and waits when idle according to the wake-up policy.

import { types } from 'node:util';
import type { MessagePort } from 'node:worker_threads';
import { createEngineView } from '../../packages/loader/src/realm/engine-view.ts';
import { Inbox } from '../../packages/runtime/src/transport/inbox.ts';
import { Outbox } from '../../packages/runtime/src/transport/outbox.ts';
import { Bell, Sleeper } from '../../packages/runtime/src/transport/bell.ts';
import type { TakeMessage, TransportDeps } from '../../packages/runtime/src/transport/wire.ts';

const MAX_BATCH = 512;
const SLICE_MS = 1;

export interface EndChannels {
  readonly outRing: SharedArrayBuffer;
  readonly inRing: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly ownBell: SharedArrayBuffer;
  readonly peerBell: SharedArrayBuffer;
}

export type WakePolicy = (sleeper: Sleeper, isEmpty: () => boolean, hasSent: boolean) => boolean;

const ports: TransportDeps = {
  types,
  referenceFor: () => undefined,
  writeReference: () => {},
  readReference: () => ({}),
  errorClassName: () => undefined,
  errorPrototype: () => undefined,
  engine: createEngineView(),
};

export class TransportEnd {
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly #bell: Bell;
  readonly #sleeper: Sleeper;
  readonly #policy: WakePolicy;
  /** Executes some turns; returns whether there were any. */
  work: () => boolean = () => false;
  /** Whether turns are possible now: publishing may have made room. */
  hasWork: () => boolean = () => false;
  readonly #isEmpty = (): boolean => this.inbox.isEmpty() && !this.outbox.hasRoomToPublish();
  #isScheduled = false;
  /** Number of sent messages at the last wait. */
  #lastSent = 0;

  constructor({ outRing, inRing, port, ownBell, peerBell }: EndChannels, onMessage: TakeMessage, policy: WakePolicy) {
    this.#bell = new Bell(peerBell);
    this.#sleeper = new Sleeper(ownBell);
    this.#policy = policy;
    this.outbox = new Outbox(outRing, port, ports, this.#bell);
    this.inbox = new Inbox(inRing, port, ports, onMessage, () => this.run());
  }

  publish(): void {
    if (this.outbox.publish()) this.outbox.wakeReceiver();
  }

  run(): void {
    if (this.#isScheduled) return;
    this.#sleeper.markAwake();
    const deadline = performance.now() + SLICE_MS;
    do {
      const isBusy = this.work();
      const count = this.inbox.drain(MAX_BATCH);
      this.publish();
      if (count > 0 && this.inbox.takeRoomWanted() && this.#bell.ring()) this.outbox.wakeReceiver();
      if (count > 0 || isBusy || this.hasWork()) continue;
      const { sent } = this.outbox;
      const hasSent = sent !== this.#lastSent;
      this.#lastSent = sent;
      if (!this.#policy(this.#sleeper, this.#isEmpty, hasSent)) return;
    } while (performance.now() < deadline);
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.run();
    });
  }
}
