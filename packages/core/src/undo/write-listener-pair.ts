// Forwards each write to two listeners: the undo log of a task, and the listener set with `UndoLog.setListener`.
import type { WriteListener } from './mutators.ts';

export class WriteListenerPair implements WriteListener {
  readonly #first: WriteListener;
  readonly #second: WriteListener;

  constructor(first: WriteListener, second: WriteListener) {
    this.#first = first;
    this.#second = second;
  }

  noteProperty(object: unknown, key: unknown): void {
    this.#first.noteProperty(object, key);
    this.#second.noteProperty(object, key);
  }

  noteObject(object: unknown): void {
    this.#first.noteObject(object);
    this.#second.noteObject(object);
  }

  noteKey(key: unknown): void {
    this.#first.noteKey(key);
    this.#second.noteKey(key);
  }

  notePrivate(object: unknown, name: string): void {
    this.#first.notePrivate(object, name);
    this.#second.notePrivate(object, name);
  }

  noteAllProperties(object: unknown): void {
    this.#first.noteAllProperties(object);
    this.#second.noteAllProperties(object);
  }

  noteVariables(record: object | null, name?: string): void {
    this.#first.noteVariables(record, name);
    this.#second.noteVariables(record, name);
  }

  notePath(object: unknown, path: readonly unknown[]): void {
    this.#first.notePath(object, path);
    this.#second.notePath(object, path);
  }

  noteElements(object: unknown): void {
    this.#first.noteElements(object);
    this.#second.noteElements(object);
  }

  noteArrayEnd(object: unknown, isRemoved: boolean): void {
    this.#first.noteArrayEnd(object, isRemoved);
    this.#second.noteArrayEnd(object, isRemoved);
  }

  noteBytes(view: unknown): void {
    this.#first.noteBytes(view);
    this.#second.noteBytes(view);
  }

  noteDate(date: Date): void {
    this.#first.noteDate(date);
    this.#second.noteDate(date);
  }

  noteEntry(map: Map<unknown, unknown>, key: unknown): void {
    this.#first.noteEntry(map, key);
    this.#second.noteEntry(map, key);
  }

  noteEntries(map: Map<unknown, unknown>, ...key: readonly unknown[]): void {
    this.#first.noteEntries(map, ...key);
    this.#second.noteEntries(map, ...key);
  }

  noteMember(set: Set<unknown>, member: unknown): void {
    this.#first.noteMember(set, member);
    this.#second.noteMember(set, member);
  }

  noteMembers(set: Set<unknown>, ...member: readonly unknown[]): void {
    this.#first.noteMembers(set, ...member);
    this.#second.noteMembers(set, ...member);
  }

  noteWeakEntry(map: WeakMap<WeakKey, unknown>, key: WeakKey): void {
    this.#first.noteWeakEntry(map, key);
    this.#second.noteWeakEntry(map, key);
  }

  noteWeakMember(set: WeakSet<WeakKey>, member: WeakKey): void {
    this.#first.noteWeakMember(set, member);
    this.#second.noteWeakMember(set, member);
  }

  noteState<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void {
    this.#first.noteState(object, read, write);
    this.#second.noteState(object, read, write);
  }

  noteObstacle(reason: string): void {
    this.#first.noteObstacle(reason);
    this.#second.noteObstacle(reason);
  }

  isProxy(object: object): boolean {
    return this.#first.isProxy(object);
  }
}
