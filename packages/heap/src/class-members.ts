// Members of classes: their functions in the file, their current keys, and the resulting initial properties of a class
// and its prototype. A property that differs from its initial state was changed by the program.

import { internals } from '@turntable/core';
import { descriptorOf, hiddenDescriptor, ownKeys, SafeMap } from './intrinsics.ts';
import { initialNameOf, SLOPPY_FUNCTION_KEYS, type FunctionValue } from './function-shapes.ts';
import { FIXED_PROPERTY } from './properties.ts';
import type { CodeEntries, CodeMember } from './code-entries.ts';

export type Constructor = FunctionValue & { readonly prototype: object };
export type InitialProperties = Record<string, PropertyDescriptor>;

interface ClassIdentity {
  readonly module: object;
  readonly ordinal: number;
}

export class ClassMembers {
  /** Members by class, since a bundle may hold a thousand classes and ten thousand functions. */
  readonly #membersByClass = new SafeMap<CodeEntries, SafeMap<number, [ordinal: number, member: CodeMember][]>>();

  #membersOf(entries: CodeEntries, ordinal: number): readonly [ordinal: number, member: CodeMember][] {
    let byClass = this.#membersByClass.get(entries);
    if (byClass === undefined) {
      byClass = new SafeMap<number, [ordinal: number, member: CodeMember][]>();
      for (let n = 0; n < entries.functions.length; n++) {
        const member = entries.functions[n]?.member;
        if (member === null || member === undefined) continue;
        const existing = byClass.get(member.class);
        if (existing === undefined) byClass.set(member.class, [[n, member]]);
        else existing[existing.length] = [n, member];
      }
      this.#membersByClass.set(entries, byClass);
    }
    return byClass.get(ordinal) ?? [];
  }

  /** Returns the current keys of members with computed keys; undefined for removed members. */
  currentComputedKeys(
    fn: Constructor,
    entries: CodeEntries,
    { module: moduleRecord, ordinal }: ClassIdentity,
  ): (PropertyKey | undefined)[] {
    const members = this.computedMembers(entries, ordinal);
    if (members.length === 0) return [];
    const [own, inherited] = [this.#keysByFunction(fn, moduleRecord), this.#keysByFunction(fn.prototype, moduleRecord)];
    return members.map(([n, member]) => (member.static ? own : inherited).get(n));
  }

  /** Returns the keys of an object's methods and accessors by the ordinals of their functions in the module's file. */
  #keysByFunction(holder: object, moduleRecord: object): SafeMap<number, PropertyKey> {
    const keyByOrdinal = new SafeMap<number, PropertyKey>();
    for (const key of ownKeys(holder)) {
      const { value, get, set, enumerable } = descriptorOf(holder, key) as PropertyDescriptor;
      // Methods and accessors of a class are not enumerable, so the program has added this property.
      if (enumerable === true) continue;
      for (const part of [value, get, set] as unknown[]) {
        const identity = typeof part === 'function' ? internals.identify(part as FunctionValue) : undefined;
        if (identity?.module === moduleRecord && !keyByOrdinal.has(identity.ordinal))
          keyByOrdinal.set(identity.ordinal, key);
      }
    }
    return keyByOrdinal;
  }

  computedMembers(entries: CodeEntries, ordinal: number): (readonly [ordinal: number, member: CodeMember])[] {
    return this.#membersOf(entries, ordinal).filter(([, { key, kind }]) => key === null && kind !== 'constructor');
  }

  /** Returns the own properties of a new class: its length, name, `prototype` and static methods and accessors. */
  initialClassProperties(
    fn: Constructor,
    entries: CodeEntries,
    { module: moduleRecord, ordinal }: ClassIdentity,
  ): InitialProperties {
    const constructor = this.#membersOf(entries, ordinal).find(([, { kind }]) => kind === 'constructor');
    const initial: InitialProperties = {
      length: hiddenDescriptor(constructor === undefined ? 0 : (entries.functions[constructor[0]]?.length ?? 0)),
      prototype: { value: fn.prototype, writable: false, enumerable: false, configurable: false },
    };
    const { name } = entries.classes[ordinal] as { name: string };
    // An anonymous class may have got a name by an assignment, or lost it later.
    initial['name'] = hiddenDescriptor(name === '' ? missingMember : name);
    return this.#addMembers(initial, fn, true, entries, moduleRecord, ordinal);
  }

  /** Returns the own properties of the prototype of a new class. */
  initialPrototypeProperties(
    fn: Constructor,
    entries: CodeEntries,
    { module: moduleRecord, ordinal }: ClassIdentity,
  ): InitialProperties {
    return this.#addMembers(
      { constructor: constructorDescriptor(fn) },
      fn.prototype,
      false,
      entries,
      moduleRecord,
      ordinal,
    );
  }

  /** Adds methods and accessors under their keys, except private ones and removed ones with computed keys. */
  #addMembers(
    initial: InitialProperties,
    holder: object,
    isStatic: boolean,
    entries: CodeEntries,
    moduleRecord: object,
    ordinal: number,
  ): InitialProperties {
    const keys =
      this.computedMembers(entries, ordinal).length === 0 ? undefined : this.#keysByFunction(holder, moduleRecord);
    this.#membersOf(entries, ordinal).forEach(([n, member]) => {
      if (member.static !== isStatic) return;
      const key = (member.key ?? keys?.get(n)) as string | undefined;
      if (member.kind === 'constructor' || key === undefined || member.key?.startsWith('#') === true) return;
      const descriptor = descriptorOf(holder, key);
      const currentFunction: unknown = member.kind === 'method' ? descriptor?.value : descriptor?.[member.kind];
      const identity =
        typeof currentFunction === 'function' ? internals.identify(currentFunction as FunctionValue) : undefined;
      // A replaced or removed member counts as a difference.
      const fn = identity?.module === moduleRecord && identity.ordinal === n ? currentFunction : missingMember;
      if (member.kind === 'method') {
        initial[key] = { value: fn, writable: true, enumerable: false, configurable: true };
        return;
      }
      const { get, set } = initial[key] ?? {};
      initial[key] = {
        ...(get === undefined ? {} : { get }),
        ...(set === undefined ? {} : { set }),
        [member.kind]: fn as () => unknown,
        enumerable: false,
        configurable: true,
      };
    });
    return initial;
  }
}

function missingMember(): void {}

/** Returns the property that links a prototype to its function. */
export function constructorDescriptor(fn: FunctionValue): PropertyDescriptor {
  return { value: fn, writable: true, enumerable: false, configurable: true };
}

/** Returns the own properties that a function has when its factory has created it. */
export function initialFunctionProperties(
  entry: CodeEntries['functions'][number],
  prototype: object | undefined,
): InitialProperties {
  const initial: InitialProperties = { length: hiddenDescriptor(entry.length) };
  initial['name'] = hiddenDescriptor(initialNameOf(entry));
  if (prototype !== undefined && !entry.generator) {
    initial['prototype'] = { value: prototype, writable: true, enumerable: false, configurable: false };
  }
  const isSloppy = !entry.strict && !entry.arrow && !entry.async && !entry.generator && entry.member === null;
  if (isSloppy) {
    for (const key of SLOPPY_FUNCTION_KEYS) initial[key] = FIXED_PROPERTY;
  }
  return initial;
}
