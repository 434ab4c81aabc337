// A graph that only Turntable can write: closures that share variables, suspended generators and waiting async
// functions, about 20 objects per account. Other codecs write the same values as plain data: what a program would have
// to write if it took its functions apart.

import { types } from 'node:util';
import { Script } from 'node:vm';
import { createRealm, ModuleGraph, type ModuleRecord, type Realm } from '@turntable/core';
import { CodeAdapters, Heap, createModuleAdapter, createNodePorts, type CodeFactories } from '@turntable/heap';
import { transform } from '@turntable/transform';
import { createEngineView } from '../../packages/loader/src/realm/engine-view.ts';

const SOURCE = `
  'use strict';
  class Journal {
    #lines = [];
    add(line) { this.#lines.push(line); return this.#lines.length; }
  }
  function account(id) {
    let balance = id;
    const journal = new Journal();
    return {
      id,
      journal,
      deposit: (n) => { balance += n; journal.add('deposit ' + id); return balance; },
      read() { return balance; },
    };
  }
  async function watch(account, signal) {
    let seen = 0;
    for (const round of [1, 2, 3]) seen += round * (await signal) + account.read();
    return seen;
  }
  function* numbers(from) {
    for (let n = from; ; n++) yield n;
  }
  exports.make = (count) => {
    const accounts = [];
    for (let i = 0; i < count; i++) {
      const it = account(i);
      it.deposit(i / 2);
      const { promise, resolve } = Promise.withResolvers();
      const source = numbers(i);
      source.next();
      accounts.push({ account: it, wake: resolve, result: watch(it, promise), source });
    }
    exports.accounts = accounts;
  };
`;
const FILE = { path: 'accounts.cjs', kind: 'commonjs' } as const;

class World {
  readonly realm: Realm = createRealm({
    queueMicrotask,
    nextTick: process.nextTick,
    engine: createEngineView(),
  } as never);
  readonly code: CodeAdapters;
  readonly heap: Heap;
  readonly record: ModuleRecord;
  readonly id: string;
  #factories: CodeFactories | undefined;

  constructor(id: string) {
    this.id = id;
    const { table } = transform(SOURCE, { ...FILE, id });
    this.record = new ModuleGraph({ realmForCode: this.realm } as never, {} as never).commonjs(
      'accounts.cjs',
      table.module as never,
    );
    this.code = new CodeAdapters(this.realm, { entriesOf: () => table, factoriesOf: () => this.#factories! });
    const modules = createModuleAdapter({ numberOf: () => 0, recordAt: () => this.record });
    this.heap = new Heap(createNodePorts(this.realm, { types, code: this.code, adapters: [modules] }));
  }

  run(code: string): unknown {
    const exports = {};
    this.record.parameters = [exports, undefined, undefined, 'accounts.cjs', '.'];
    const factory = new Script(code, { filename: 'accounts.cjs' }).runInThisContext() as (
      ...args: unknown[]
    ) => unknown;
    return Reflect.apply(factory, exports, [this.record, this.realm, ...this.record.parameters]);
  }

  /** Loads the factories that reading another world's graph needs. */
  prepare(selection: { functions: readonly number[]; classes: readonly number[] }): void {
    this.#factories = this.run(transform(SOURCE, { ...FILE, id: this.id, restore: selection }).code) as CodeFactories;
  }
}

export interface Closures {
  readonly graph: unknown;
  readonly plain: unknown;
  write(): Uint8Array;
  read(bytes: never): unknown;
}

export function closures(count: number): Closures {
  const world = new World('original');
  world.run(transform(SOURCE, { ...FILE, id: world.id }).code);
  const exports = world.record.parameters?.[0] as { make(count: number): void };
  exports.make(count);
  let reader: World | undefined;
  return {
    graph: world.record,
    plain: plainAccounts(count),
    write: () => world.heap.write(world.record),
    read(bytes: Uint8Array) {
      if (reader === undefined) {
        reader = new World('copy');
        reader.prepare(world.code.selection()[0]!);
      }
      return reader.heap.read(bytes);
    },
  };
}

function plainAccounts(count: number): unknown {
  return Array.from({ length: count }, (_, i) => {
    const box = { v: i * 1.5 };
    const journal = { lines: [`deposit ${i}`] };
    const account = { id: i, journal, deposit: { f: 1, captured: [box, journal, i] }, read: { f: 2, captured: [box] } };
    const promise = { state: 0, waiting: null as unknown };
    const result = { state: 0, waiting: null };
    const list = { kind: 'values', list: [1, 2, 3], position: 1 };
    promise.waiting = { f: 3, pc: 1, result, slots: [account, promise, 0, { list, value: 1, repeat: false }, 1] };
    return {
      account,
      wake: { f: 4, captured: [promise, { v: false }] },
      result,
      source: { frame: { f: 5, pc: 1, slots: [i, i] } },
    };
  });
}
