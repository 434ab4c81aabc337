// A ring with both ends on this thread, and the messages that were taken.

import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { createEngineView } from '../../../loader/src/realm/engine-view.ts';
import { Inbox } from '../../src/transport/inbox.ts';
import { Outbox } from '../../src/transport/outbox.ts';
import { createRing, HEAD_WORD, TAIL_WORD } from '../../src/transport/ring.ts';
import type { Bell } from '../../src/transport/bell.ts';
import type { SendingPort, TransportDeps } from '../../src/transport/wire.ts';

export interface TakenMessage {
  readonly kind: number;
  readonly ids: readonly number[];
  readonly call: string | undefined;
  readonly args: readonly unknown[];
}

export class Sold extends RangeError {
  readonly sku: string;
  constructor(sku: string, options?: ErrorOptions) {
    super(`${sku} is sold`, options);
    this.sku = sku;
  }
}

/** Passes by reference, as a number with a value. */
export class Root {
  readonly number: number;
  readonly value: unknown;
  constructor(number: number, value: unknown = undefined) {
    this.number = number;
    this.value = value;
  }
}

const roots = new Map<number, object>();

export const testDeps: TransportDeps = {
  types,
  referenceFor: (value) => (value instanceof Root ? value : undefined),
  writeReference(reference, writer) {
    const root = reference as Root;
    writer.integer(root.number);
    writer.text(`root ${root.number}`);
    writer.value(root.value);
    roots.set(root.number, root);
  },
  readReference(reader) {
    const number = reader.integer();
    if (reader.text() !== `root ${number}`) throw new Error('another root');
    reader.value();
    return roots.get(number) as object;
  },
  errorClassName: (prototype) => (prototype === Sold.prototype ? 'Sold' : undefined),
  errorPrototype: (name) => (name === 'Sold' ? Sold.prototype : undefined),
};

/** With these, objects are recognised by their hidden class. */
export const engineDeps: TransportDeps = { ...testDeps, engine: createEngineView() };

export interface PairOptions {
  readonly size?: number;
  /** Initial position of head and tail. */
  readonly startOffset?: number;
  readonly bell?: Bell;
  readonly ports?: TransportDeps;
  /** Whether the parcel with this number is lost. */
  isLost?(parcel: number): boolean;
}

export class Pair {
  readonly ring: SharedArrayBuffer;
  readonly out: Outbox;
  readonly in: Inbox;
  readonly taken: TakenMessage[] = [];
  /** Values that the sender has posted beside the ring. */
  readonly posted: unknown[] = [];

  constructor({ size = 2 ** 16, startOffset = 0, bell, ports: deps = testDeps, isLost }: PairOptions = {}) {
    this.ring = createRing(size);
    const words = new Int32Array(this.ring);
    words[HEAD_WORD] = words[TAIL_WORD] = startOffset;
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const port: SendingPort = {
      postMessage: (value, transfer) => {
        this.posted.push(value);
        if (!Array.isArray(value) || isLost?.(value[0] as number) !== true) port1.postMessage(value, transfer);
      },
    };
    this.out = new Outbox(this.ring, port, deps, bell);
    this.in = new Inbox(this.ring, port2, deps, (kind, sender, actor, target, replyTo, call, count, a, b, c, many) => {
      const args = count > 3 ? many : [a, b, c].slice(0, count);
      this.taken.push({ kind, ids: [sender, actor, target, replyTo], call, args });
    });
  }

  send(...args: readonly unknown[]): void {
    const name = (index: number): string => `args[${index}] of Cart.add`;
    this.out.add(1, 2, 3, 4, 5, 'add', args.length, args[0], args[1], args[2], args, name);
  }

  /** Takes all messages and returns their arguments. */
  receive(maxMessages = Infinity): readonly unknown[][] {
    this.out.publish();
    this.in.drain(maxMessages);
    return this.taken.splice(0).map(({ args }) => [...args]);
  }

  /** The result of passing one argument. */
  roundTrip<V>(value: V): V {
    this.send(value);
    return this.receive()[0]?.[0] as V;
  }
}
