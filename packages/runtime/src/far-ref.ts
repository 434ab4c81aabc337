// Far references: what an actor has of an object of another one. Their methods are those of the object's class and send messages;
// a reference says nothing else of the object. One object has one reference on a worker, which is frozen: whoever
// gets it gets the same, and nobody can put anything into it.

import type { Actor } from './actor.ts';

/** Sends a message; up to three arguments by themselves. */
export interface Sender {
  /** `asks`: whether anybody wants to know what comes of it. */
  send(ref: FarRef, asks: boolean, call: string, count: number, a: unknown, b: unknown, c: unknown): unknown;
  sendMany(ref: FarRef, asks: boolean, call: string, args: readonly unknown[]): unknown;
}

export interface FarRefClass {
  new (actor: Actor, number: number): FarRef;
  /** Its methods send what nobody waits for. */
  readonly teller: new (ref: FarRef) => Teller;
}

const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, prototype: objectPrototype } = Object;
const { ownKeys } = Reflect;

export class FarRef {
  readonly #actor: Actor;
  readonly #number: number;
  #teller: Teller | undefined = undefined;

  constructor(actor: Actor, number: number) {
    this.#actor = actor;
    this.#number = number;
    freeze(this);
  }

  static has(value: unknown): value is FarRef {
    return typeof value === 'object' && value !== null && #actor in value;
  }
  static actorOf(ref: FarRef): Actor {
    return ref.#actor;
  }
  static numberOf(ref: FarRef): number {
    return ref.#number;
  }
  static tellerOf(ref: FarRef): Teller {
    return (ref.#teller ??= new (ref.constructor as unknown as FarRefClass).teller(ref));
  }
}

/** A reference for messages whose outcome nobody asks for: they are not answered. */
export class Teller {
  readonly #ref: FarRef;

  constructor(ref: FarRef) {
    this.#ref = ref;
    freeze(this);
  }

  static refOf(teller: Teller): FarRef {
    return teller.#ref;
  }
}

/** Classes of references by the classes of what they stand for. */
export class FarRefClasses {
  readonly #sender: Sender;
  readonly #byPrototype = new WeakMap<object, FarRefClass>();

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  of(prototype: object): FarRefClass {
    let known = this.#byPrototype.get(prototype);
    if (known === undefined) this.#byPrototype.set(prototype, (known = this.#make(prototype)));
    return known;
  }

  #make(prototype: object): FarRefClass {
    const { constructor } = prototype as { constructor?: { name?: unknown } };
    const name = String(constructor?.name ?? 'Object');
    const teller = { [name]: class extends Teller {} }[name] as FarRefClass['teller'];
    const made = { [name]: class extends FarRef {} }[name] as unknown as FarRefClass & { prototype: object };
    defineProperty(made, 'teller', { value: teller });
    for (const key of methodsOf(prototype)) {
      method(made.prototype, key, askingMethod(this.#sender, key));
      method(teller.prototype as object, key, tellingMethod(this.#sender, key));
    }
    return made;
  }
}

function method(holder: object, key: string, value: unknown): void {
  defineProperty(holder, key, { value, writable: false, enumerable: false, configurable: false });
}

/** What can be sent: the methods a class and those it extends have under a name. `then` is never a message: nobody could await a reference. */
export function methodsOf(prototype: object): Set<string> {
  const found = new Set<string>();
  for (
    let each: object | null = prototype;
    each !== null && each !== objectPrototype;
    each = getPrototypeOf(each) as object | null
  ) {
    for (const key of ownKeys(each)) {
      if (typeof key === 'symbol' || key === 'constructor' || key === 'then') continue;
      if (typeof getOwnPropertyDescriptor(each, key)?.value === 'function') found.add(key);
    }
  }
  return found;
}

// Up to three arguments by themselves: a list for each message would cost as much as the message.

function askingMethod(sender: Sender, key: string): unknown {
  return {
    [key](this: FarRef, a?: unknown, b?: unknown, c?: unknown): unknown {
      const args = arguments;
      return args.length > 3
        ? sender.sendMany(this, true, key, [...args])
        : sender.send(this, true, key, args.length, a, b, c);
    },
  }[key];
}

function tellingMethod(sender: Sender, key: string): unknown {
  return {
    [key](this: Teller, a?: unknown, b?: unknown, c?: unknown): void {
      const args = arguments;
      const ref = Teller.refOf(this);
      if (args.length > 3) sender.sendMany(ref, false, key, [...args]);
      else sender.send(ref, false, key, args.length, a, b, c);
    },
  }[key];
}
