// What a scheduler does with its transport, and nothing else: takes what has come in bounded batches, goes back to Node at least every
// millisecond, rests when there is nothing to do. `rest` is the wake-up policy.

import { types } from 'node:util';
import type { MessagePort } from 'node:worker_threads';
import { createEngineView } from '../../packages/loader/src/realm/engine-view.ts';
import { Inbox } from '../../packages/runtime/src/transport/inbox.ts';
import { Outbox } from '../../packages/runtime/src/transport/outbox.ts';
import { Bell, Sleeper } from '../../packages/runtime/src/transport/wake-up.ts';
import type { TakeMessage, WirePorts } from '../../packages/runtime/src/transport/wire.ts';

const BATCH = 512;
const SLICE = 1;

export interface EndParts {
  readonly out: SharedArrayBuffer;
  readonly inward: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly mine: SharedArrayBuffer;
  readonly theirs: SharedArrayBuffer;
}

export type Rest = (sleeper: Sleeper, isEmpty: () => boolean, hasSent: boolean) => boolean;

const ports: WirePorts = {
  types,
  reference: () => undefined,
  writeReference: () => {},
  readReference: () => ({}),
  errorClassName: () => undefined,
  errorPrototype: () => undefined,
  engine: createEngineView(),
};

export class End {
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly #bell: Bell;
  readonly #sleeper: Sleeper;
  readonly #rest: Rest;
  /** Does some turns; whether there were any. */
  work: () => boolean = () => false;
  /** Whether there would be some now: publishing may have made room. */
  hasWork: () => boolean = () => false;
  readonly #isEmpty = (): boolean => this.inbox.isEmpty() && !this.outbox.isRoomMade();
  #isDue = false;
  /** When it rested last. */
  #sent = 0;

  constructor({ out, inward, port, mine, theirs }: EndParts, take: TakeMessage, rest: Rest) {
    this.#bell = new Bell(theirs);
    this.#sleeper = new Sleeper(mine);
    this.#rest = rest;
    this.outbox = new Outbox(out, port, ports, this.#bell);
    this.inbox = new Inbox(inward, port, ports, take, () => this.run());
  }

  publish(): void {
    if (this.outbox.publish()) this.outbox.wake();
  }

  run(): void {
    if (this.#isDue) return;
    this.#sleeper.wake();
    const until = performance.now() + SLICE;
    do {
      const isBusy = this.work();
      const count = this.inbox.drain(BATCH);
      this.publish();
      if (count > 0 && this.inbox.isRoomWanted() && this.#bell.ring()) this.outbox.wake();
      if (count > 0 || isBusy || this.hasWork()) continue;
      const { sent } = this.outbox;
      const hasSent = sent !== this.#sent;
      this.#sent = sent;
      if (!this.#rest(this.#sleeper, this.#isEmpty, hasSent)) return;
    } while (performance.now() < until);
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.run();
    });
  }
}
