// Which members of a class are messages, and what becomes of their signatures.

import type { FarRef } from '../../src/types.ts';
import { expectSame, far, near, send, spawn, tell } from './expectation.ts';

interface Order {
  id: string;
  lines: { sku: string; n: number }[];
  placed: Date;
}

class Inventory {
  #stock = new Map<string, number>();
  readonly opened = new Date();
  label = 'main';
  static shared(): void {}
  reserve(sku: string, n: number): number {
    const left = (this.#stock.get(sku) ?? 0) - n;
    this.#stock.set(sku, left);
    this.audit();
    this.check();
    return left;
  }
  async reserveLater(order: Order, urgent?: boolean, ...notes: string[]): Promise<Order> {
    void urgent;
    void notes;
    return order;
  }
  get size(): number {
    return this.#stock.size;
  }
  set limit(_: number) {}
  protected audit(): void {}
  private check(): void {}
  [Symbol.iterator](): Iterator<string> {
    return this.#stock.keys();
  }
  then(): void {}
  describe?(): string;
}

const inventory = spawn(Inventory);

// A method becomes one that promises its result; names, optional and rest parameters stay.
expectSame<typeof inventory.reserve, (sku: string, n: number) => Promise<number>>();
expectSame<typeof inventory.reserveLater, (order: Order, urgent?: boolean, ...notes: string[]) => Promise<Order>>();

// What may be absent may be absent.
expectSame<typeof inventory.describe, (() => Promise<string>) | undefined>();

// Nothing but public methods under a name is visible; `then` is never a message.
expectSame<Exclude<keyof typeof inventory, symbol>, 'reserve' | 'reserveLater' | 'describe'>();
// @ts-expect-error a property
void inventory.label;
// @ts-expect-error an accessor
void inventory.size;
// @ts-expect-error an accessor to write to
void inventory.limit;
// @ts-expect-error protected
void inventory.audit;
// @ts-expect-error private
void inventory.check;
// @ts-expect-error a symbol's
void inventory[Symbol.iterator];
// @ts-expect-error static
void inventory.shared;
// @ts-expect-error a reference with `then` could not be awaited
void inventory.then;
// @ts-expect-error a reference has no writable members
inventory.reserve = async () => 1;
// @ts-expect-error unknown
void inventory.reserved;

// Arguments are checked.
void inventory.reserve('bolt', 1);
// @ts-expect-error too few
void inventory.reserve('bolt');
// @ts-expect-error too many
void inventory.reserve('bolt', 1, 2);
// @ts-expect-error of another type
void inventory.reserve('bolt', '1');

// Told, a message has the same parameters and no outcome.
const teller = tell(inventory);
expectSame<typeof teller.reserve, (sku: string, n: number) => void>();
expectSame<Exclude<keyof typeof teller, symbol>, 'reserve' | 'reserveLater' | 'describe'>();
// @ts-expect-error of another type
teller.reserve('bolt', '1');
// @ts-expect-error a teller is no reference
void tell(teller);

// Overloads stay, in their order; up to six.
class Overloaded {
  find(id: number): Order;
  find(name: string): Promise<Order[]>;
  find(when: Date): undefined;
  find(key: number | string | Date): unknown {
    return key;
  }
  six(a: 1): 1;
  six(a: 2): 2;
  six(a: 3): 3;
  six(a: 4): 4;
  six(a: 5): 5;
  six(a: 6): 6;
  six(a: number): number {
    return a;
  }
}
const overloaded = spawn(Overloaded);
expectSame<
  typeof overloaded.find,
  ((id: number) => Promise<Order>) & ((name: string) => Promise<Order[]>) & ((when: Date) => Promise<undefined>)
>();
const [byId, byName, first, sixth] = [
  overloaded.find(1),
  overloaded.find('a'),
  overloaded.six(1),
  overloaded.six(6),
] as const;
expectSame<typeof byId, Promise<Order>>();
expectSame<typeof byName, Promise<Order[]>>();
expectSame<typeof first, Promise<1>>();
expectSame<typeof sixth, Promise<6>>();
// @ts-expect-error of no overload
void overloaded.find(true);
const overloads = tell(overloaded);
expectSame<typeof overloads.find, ((id: number) => void) & ((name: string) => void) & ((when: Date) => void)>();

// Type parameters stay where a method promises its result and nothing of it changes on the way; elsewhere their constraints do.
class Generic {
  async echo<T>(value: T): Promise<T> {
    return value;
  }
  async field<K extends keyof Order>(order: Order, key: K): Promise<Order[K]> {
    return order[key];
  }
  now<T extends string>(value: T): T {
    return value;
  }
}
const generic = spawn(Generic);
const [echoed, field, narrowed] = [
  generic.echo(1 as const),
  generic.field({ id: '', lines: [], placed: new Date() }, 'placed'),
  generic.now('a'),
] as const;
expectSame<typeof echoed, Promise<1>>();
expectSame<typeof field, Promise<Date>>();
expectSame<typeof narrowed, Promise<string>>();

// Type guards are methods that answer with a boolean, assertions such that answer with nothing.
class Guards {
  isOrder(value: unknown): value is Order {
    return value !== null;
  }
  check(value: unknown): asserts value is Order {
    void value;
  }
}
const guards = spawn(Guards);
expectSame<typeof guards.isOrder, (value: unknown) => Promise<boolean>>();
expectSame<typeof guards.check, (value: unknown) => Promise<void>>();

// Generic classes, interfaces and unions of classes.
class Box<T> {
  #value: T;
  constructor(value: T) {
    this.#value = value;
  }
  get(): T {
    return this.#value;
  }
  set(value: T): void {
    this.#value = value;
  }
}
const box = spawn(Box<Order | undefined>, undefined);
expectSame<typeof box.get, () => Promise<Order | undefined>>();
expectSame<typeof box.set, (value: Order | undefined) => Promise<void>>();

interface Store {
  get(key: string): Promise<string>;
  put?(key: string, value: string): void;
  readonly size: number;
}
class Memory implements Store {
  #entries = new Map<string, string>();
  size = 0;
  async get(key: string): Promise<string> {
    return this.#entries.get(key) ?? '';
  }
  put(key: string, value: string): void {
    this.#entries.set(key, value);
  }
}
const store: FarRef<Store> = spawn(Memory);
expectSame<typeof store.get, (key: string) => Promise<string>>();
expectSame<typeof store.put, ((key: string, value: string) => Promise<void>) | undefined>();
// @ts-expect-error may be absent
void store.put('a', 'b');

declare const either: FarRef<Inventory> | FarRef<Box<number>>;
declare const both: FarRef<Overloaded | Box<number>>;
// @ts-expect-error not of both
void both.get();
const ofEither: FarRef<Inventory | Box<number>> = either;
void [send(ofEither), tell(ofEither), send<Inventory | Box<number>>(either)];

// `any` and `unknown` behave as they do elsewhere.
declare const anything: FarRef<any>; // oxlint-disable-line typescript/no-explicit-any
declare const something: FarRef<unknown>;
expectSame<typeof anything.whatever, any>(); // oxlint-disable-line typescript/no-explicit-any
// @ts-expect-error a value of unknown type has no members
void something.whatever;
const known: FarRef<unknown>[] = [inventory, store, anything, either];
void known;
async function awaited(): Promise<void> {
  // To await a reference gives the reference.
  const [one, other, third] = [await inventory, await anything, await something];
  expectSame<typeof one, FarRef<Inventory>>();
  expectSame<typeof other, typeof anything>();
  expectSame<typeof third, FarRef<unknown>>();
}
void awaited;
class Loose {
  any: any; // oxlint-disable-line typescript/no-explicit-any
  unknown: unknown;
  // oxlint-disable-next-line typescript/no-explicit-any
  take(value: any, other: unknown): any {
    return [value, other];
  }
}
const loose = spawn(Loose);
expectSame<typeof loose.any, any>(); // oxlint-disable-line typescript/no-explicit-any
expectSame<typeof loose.take, (value: any, other: unknown) => Promise<any>>(); // oxlint-disable-line typescript/no-explicit-any
// @ts-expect-error the type is not known
void loose.unknown;

// A class may use references to itself, also where types are inferred from its use of them.
class Link {
  next: FarRef<Link> | undefined;
  readonly self = far(this);
  readonly teller = tell(far(this));
  readonly peers: FarRef<Link>[] = [];
  setNext(next: FarRef<Link>): void {
    this.next = next;
    this.peers.push(spawn(Link));
  }
  async hop(left: number) {
    if (left > 0) await this.next?.hop(left - 1);
    return left;
  }
  async hops() {
    const [one, ...others] = this.peers;
    for (const other of others) tell(other).hop(1);
    return one === undefined ? 0 : (await one.hop(1)) + (await send(one).hop(2));
  }
  neighbour() {
    return near(this.self)?.next;
  }
}
const link = spawn(Link);
expectSame<typeof link.hop, (left: number) => Promise<number>>();
expectSame<typeof link.hops, () => Promise<number>>();
expectSame<typeof link.neighbour, () => Promise<FarRef<Link> | undefined>>();

// References to `this` have the expected or the given type.
class Counter {
  readonly wanted: FarRef<Counter> = far(this);
  readonly said = far<Counter>(this);
  count = 0;
  add(n: number): number {
    return (this.count += n);
  }
  self(): FarRef<Counter> {
    return far(this);
  }
  greet(other: FarRef<Counter>): void {
    tell(other).greet(far(this));
    void this.wanted.add(1);
    void this.said.add(1);
    // @ts-expect-error within its class it could be of any class that extends it
    void far(this).add(1);
  }
}
class Special extends Counter {
  special(): void {}
}
const special = new Special();
const general: FarRef<Counter> = far(special);
void general;
expectSame<ReturnType<typeof spawn<Counter, []>>, FarRef<Counter>>();
const ofSpecial = far(special);
expectSame<typeof ofSpecial, FarRef<Special>>();
// @ts-expect-error not every counter is a special one
const wrong: FarRef<Special> = far(new Counter());
void wrong;
