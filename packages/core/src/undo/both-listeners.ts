// Two who are told of the same writes: an undo log's stretch, and who wants to know of them besides (undo-log.ts).
import type { WriteListener } from './mutators.ts';

export class BothListeners implements WriteListener {
  readonly #one: WriteListener;
  readonly #other: WriteListener;

  constructor(one: WriteListener, other: WriteListener) {
    this.#one = one;
    this.#other = other;
  }

  property(object: unknown, key: unknown): void {
    this.#one.property(object, key);
    this.#other.property(object, key);
  }

  object(object: unknown): void {
    this.#one.object(object);
    this.#other.object(object);
  }

  key(key: unknown): void {
    this.#one.key(key);
    this.#other.key(key);
  }

  privates(object: unknown, name: string): void {
    this.#one.privates(object, name);
    this.#other.privates(object, name);
  }

  whole(object: unknown): void {
    this.#one.whole(object);
    this.#other.whole(object);
  }

  variables(record: object | null, name?: string): void {
    this.#one.variables(record, name);
    this.#other.variables(record, name);
  }

  below(object: unknown, path: readonly unknown[]): void {
    this.#one.below(object, path);
    this.#other.below(object, path);
  }

  elements(object: unknown): void {
    this.#one.elements(object);
    this.#other.elements(object);
  }

  end(object: unknown, isRemoved: boolean): void {
    this.#one.end(object, isRemoved);
    this.#other.end(object, isRemoved);
  }

  bytes(view: unknown): void {
    this.#one.bytes(view);
    this.#other.bytes(view);
  }

  date(date: Date): void {
    this.#one.date(date);
    this.#other.date(date);
  }

  entry(map: Map<unknown, unknown>, key: unknown): void {
    this.#one.entry(map, key);
    this.#other.entry(map, key);
  }

  entries(map: Map<unknown, unknown>, ...key: readonly unknown[]): void {
    this.#one.entries(map, ...key);
    this.#other.entries(map, ...key);
  }

  member(set: Set<unknown>, member: unknown): void {
    this.#one.member(set, member);
    this.#other.member(set, member);
  }

  members(set: Set<unknown>, ...member: readonly unknown[]): void {
    this.#one.members(set, ...member);
    this.#other.members(set, ...member);
  }

  weakEntry(map: WeakMap<WeakKey, unknown>, key: WeakKey): void {
    this.#one.weakEntry(map, key);
    this.#other.weakEntry(map, key);
  }

  weakMember(set: WeakSet<WeakKey>, member: WeakKey): void {
    this.#one.weakMember(set, member);
    this.#other.weakMember(set, member);
  }

  state<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void {
    this.#one.state(object, read, write);
    this.#other.state(object, read, write);
  }

  cannot(what: string): void {
    this.#one.cannot(what);
    this.#other.cannot(what);
  }

  isProxy(object: object): boolean {
    return this.#one.isProxy(object);
  }
}
