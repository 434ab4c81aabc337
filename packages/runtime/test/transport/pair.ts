// A ring with both ends on this thread, and what came out of it.

import { types } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { createEngineView } from '../../../loader/src/realm/engine-view.ts';
import { Inbox } from '../../src/transport/inbox.ts';
import { Outbox } from '../../src/transport/outbox.ts';
import { createRing, HEAD, TAIL } from '../../src/transport/ring.ts';
import type { Bell } from '../../src/transport/wake-up.ts';
import type { SendingPort, WirePorts } from '../../src/transport/wire.ts';

export interface Taken {
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

/** Passes by reference: under a number, with a value. */
export class Root {
  readonly number: number;
  readonly value: unknown;
  constructor(number: number, value: unknown = undefined) {
    this.number = number;
    this.value = value;
  }
}

const roots = new Map<number, object>();

export const wirePorts: WirePorts = {
  types,
  reference: (value) => (value instanceof Root ? value : undefined),
  writeReference(reference, out) {
    const root = reference as Root;
    out.integer(root.number);
    out.text(`root ${root.number}`);
    out.value(root.value);
    roots.set(root.number, root);
  },
  readReference(from) {
    const number = from.integer();
    if (from.text() !== `root ${number}`) throw new Error('another root');
    from.value();
    return roots.get(number) as object;
  },
  errorClassName: (prototype) => (prototype === Sold.prototype ? 'Sold' : undefined),
  errorPrototype: (name) => (name === 'Sold' ? Sold.prototype : undefined),
};

/** With these, objects are recognised by how V8 holds them. */
export const enginePorts: WirePorts = { ...wirePorts, engine: createEngineView() };

export interface PairOptions {
  readonly size?: number;
  /** Where head and tail begin. */
  readonly at?: number;
  readonly bell?: Bell;
  readonly ports?: WirePorts;
  /** Whether the parcel of that number gets lost. */
  loses?(parcel: number): boolean;
}

export class Pair {
  readonly ring: SharedArrayBuffer;
  readonly out: Outbox;
  readonly in: Inbox;
  readonly taken: Taken[] = [];

  constructor({ size = 2 ** 16, at = 0, bell, ports = wirePorts, loses }: PairOptions = {}) {
    this.ring = createRing(size);
    const words = new Int32Array(this.ring);
    words[HEAD] = words[TAIL] = at;
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const port: SendingPort = {
      postMessage(value, transfer) {
        if (!Array.isArray(value) || loses?.(value[0] as number) !== true) port1.postMessage(value, transfer);
      },
    };
    this.out = new Outbox(this.ring, port, ports, bell);
    this.in = new Inbox(this.ring, port2, ports, (kind, sender, actor, target, settles, call, count, a, b, c, many) => {
      const args = count > 3 ? many : [a, b, c].slice(0, count);
      this.taken.push({ kind, ids: [sender, actor, target, settles], call, args });
    });
  }

  send(...args: readonly unknown[]): void {
    const name = (place: number): string => `args[${place}] of Cart.add`;
    this.out.add(1, 2, 3, 4, 5, 'add', args.length, args[0], args[1], args[2], args, name);
  }

  /** The arguments of all messages that have come by now. */
  receive(most = Infinity): readonly unknown[][] {
    this.out.publish();
    this.in.drain(most);
    return this.taken.splice(0).map(({ args }) => [...args]);
  }

  /** What one argument becomes. */
  carry<V>(value: V): V {
    this.send(value);
    return this.receive()[0]?.[0] as V;
  }
}
