// The members of classes: which functions of a file they are, under which keys they stand now, and what that makes a class and its
// prototype look like when they have just been made. What differs from it since is the program's doing.

import { internals } from '@turntable/core';
import { descriptorOf, hidden, ownKeys, SafeMap } from './intrinsics.ts';
import { nameOfEntry, OLD_KEYS, type AnyFunction } from './function-looks.ts';
import { UNCHANGEABLE } from './properties.ts';
import type { CodeEntries, Member } from './code-entries.ts';

export type Constructor = AnyFunction & { readonly prototype: object };
/** Own properties of something new. */
export type Born = Record<string, PropertyDescriptor>;

/** A class as core knows it. */
interface ClassOf {
  readonly module: object;
  readonly ordinal: number;
}

export class ClassMembers {
  /** Members by their class: a bundle may hold a thousand classes and ten thousand functions. */
  readonly #byClass = new SafeMap<CodeEntries, SafeMap<number, [ordinal: number, member: Member][]>>();

  #of(entries: CodeEntries, ordinal: number): readonly [ordinal: number, member: Member][] {
    let byClass = this.#byClass.get(entries);
    if (byClass === undefined) {
      byClass = new SafeMap<number, [ordinal: number, member: Member][]>();
      for (let n = 0; n < entries.functions.length; n++) {
        const member = entries.functions[n]?.member;
        if (member === null || member === undefined) continue;
        const before = byClass.get(member.class);
        if (before === undefined) byClass.set(member.class, [[n, member]]);
        else before[before.length] = [n, member];
      }
      this.#byClass.set(entries, byClass);
    }
    return byClass.get(ordinal) ?? [];
  }

  /** The keys under which members with computed keys stand now, nothing for those that are gone. */
  computedKeys(fn: Constructor, entries: CodeEntries, { module, ordinal }: ClassOf): (PropertyKey | undefined)[] {
    const members = this.computed(entries, ordinal);
    if (members.length === 0) return [];
    const [own, inherited] = [this.#keysOn(fn, module), this.#keysOn(fn.prototype, module)];
    return members.map(([n, member]) => (member.static ? own : inherited).get(n));
  }

  /** Under which keys an object has functions of a file. */
  #keysOn(holder: object, module: object): SafeMap<number, PropertyKey> {
    const found = new SafeMap<number, PropertyKey>();
    for (const key of ownKeys(holder)) {
      const { value, get, set, enumerable } = descriptorOf(holder, key) as PropertyDescriptor;
      // What the program has put there itself comes after the members.
      if (enumerable === true) continue;
      for (const part of [value, get, set] as unknown[]) {
        const identity = typeof part === 'function' ? internals.identify(part as AnyFunction) : undefined;
        if (identity?.module === module && !found.has(identity.ordinal)) found.set(identity.ordinal, key);
      }
    }
    return found;
  }

  /** Those with computed keys. */
  computed(entries: CodeEntries, ordinal: number): (readonly [ordinal: number, member: Member])[] {
    return this.#of(entries, ordinal).filter(([, { key, kind }]) => key === null && kind !== 'constructor');
  }

  /** Own properties of a class that has just been made: its name, `prototype` and static methods. */
  bornClass(fn: Constructor, entries: CodeEntries, { module, ordinal }: ClassOf): Born {
    const constructor = this.#of(entries, ordinal).find(([, { kind }]) => kind === 'constructor');
    const born: Born = {
      length: hidden(constructor === undefined ? 0 : (entries.functions[constructor[0]]?.length ?? 0)),
      prototype: { value: fn.prototype, writable: false, enumerable: false, configurable: false },
    };
    const { name } = entries.classes[ordinal] as { name: string };
    // One without a name of its own may have got one where it was assigned, or lost it since.
    born['name'] = hidden(name === '' ? gone : name);
    return this.#with(born, fn, true, entries, module, ordinal);
  }

  /** Own properties of the prototype of a class that has just been made. */
  bornPrototype(fn: Constructor, entries: CodeEntries, { module, ordinal }: ClassOf): Born {
    return this.#with({ constructor: bornConstructor(fn) }, fn.prototype, false, entries, module, ordinal);
  }

  /** With the methods and accessors that stand in the text under a name. */
  #with(born: Born, holder: object, isStatic: boolean, entries: CodeEntries, module: object, ordinal: number): Born {
    const keys = this.computed(entries, ordinal).length === 0 ? undefined : this.#keysOn(holder, module);
    this.#of(entries, ordinal).forEach(([n, member]) => {
      if (member.static !== isStatic) return;
      const key = (member.key ?? keys?.get(n)) as string | undefined;
      if (member.kind === 'constructor' || key === undefined || member.key?.startsWith('#') === true) return;
      const there = descriptorOf(holder, key);
      const now: unknown = member.kind === 'method' ? there?.value : there?.[member.kind];
      const identity = typeof now === 'function' ? internals.identify(now as AnyFunction) : undefined;
      // Replaced or removed since: then what is there is a difference, whatever it is.
      const fn = identity?.module === module && identity.ordinal === n ? now : gone;
      if (member.kind === 'method') {
        born[key] = { value: fn, writable: true, enumerable: false, configurable: true };
        return;
      }
      const { get, set } = born[key] ?? {};
      born[key] = {
        ...(get === undefined ? {} : { get }),
        ...(set === undefined ? {} : { set }),
        [member.kind]: fn as () => unknown,
        enumerable: false,
        configurable: true,
      };
    });
    return born;
  }
}

function gone(): void {}

/** The property by which a prototype leads to its function. */
export function bornConstructor(fn: AnyFunction): PropertyDescriptor {
  return { value: fn, writable: true, enumerable: false, configurable: true };
}

/** Own properties that a function has when its factory has just made it. */
export function bornFunction(entry: CodeEntries['functions'][number], prototype: object | undefined): Born {
  const born: Born = { length: hidden(entry.length) };
  born['name'] = hidden(nameOfEntry(entry));
  if (prototype !== undefined && !entry.generator) {
    born['prototype'] = { value: prototype, writable: true, enumerable: false, configurable: false };
  }
  const isOldStyle = !entry.strict && !entry.arrow && !entry.async && !entry.generator && entry.member === null;
  if (isOldStyle) {
    for (const key of OLD_KEYS) born[key] = UNCHANGEABLE;
  }
  return born;
}
