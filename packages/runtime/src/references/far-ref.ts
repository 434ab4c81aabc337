// Far references: what an actor has of an object of another actor. Their methods have the names of the object's and send messages. An object has one
// reference per worker, which is frozen because all actors of the worker share it.

import type { Actor } from '../actors/actor.ts';

/** Sends a message; up to three arguments by themselves. */
export interface Sender {
  /** `asks`: whether anybody wants to know what comes of it. */
  send(ref: FarRef, asks: boolean, call: string, count: number, a: unknown, b: unknown, c: unknown): unknown;
  /** To a root, without an answer. */
  tell(teller: Teller, root: Actor, call: string, count: number, a: unknown, b: unknown, c: unknown): void;
  sendMany(ref: FarRef, asks: boolean, call: string, args: readonly unknown[]): unknown;
}

/** What a worker that does not have a class has to know of it. */
export interface Interface {
  /** Equal for one class on all workers. */
  readonly key: string;
  readonly name: string;
  readonly methods: readonly string[];
}

export interface FarRefClass {
  new (actor: Actor, number: number, object: object | undefined): FarRef;
  readonly interface: Interface;
  /** Its methods send what nobody waits for. */
  readonly teller: new (ref: FarRef) => Teller;
}

const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, prototype: objectPrototype } = Object;
const { ownKeys } = Reflect;

export class FarRef {
  readonly #actor: Actor;
  readonly #number: number;
  /** Where it lives; a root is not there before its constructor has run. */
  #object: object | undefined;
  #teller: Teller | undefined = undefined;

  constructor(actor: Actor, number: number, object: object | undefined) {
    this.#actor = actor;
    this.#number = number;
    this.#object = object;
    freeze(this);
  }

  static has(value: unknown): value is FarRef {
    return typeof value === 'object' && value !== null && #actor in value;
  }
  static actorOf(ref: FarRef): Actor {
    return ref.#actor;
  }
  /** 0 for the root of its actor. */
  static numberOf(ref: FarRef): number {
    return ref.#number;
  }
  /** The reference to the root of an actor of this worker, once there is one. */
  static toRootOf(actor: Actor): FarRef | undefined {
    return actor.rootRef as FarRef | undefined;
  }
  static objectOf(ref: FarRef): object | undefined {
    return ref.#object;
  }
  static release(ref: FarRef): void {
    ref.#object = undefined;
  }
  static born(ref: FarRef, object: object): void {
    ref.#object = object;
  }
  static classOf(ref: FarRef): FarRefClass {
    return ref.constructor as unknown as FarRefClass;
  }
  static tellerOf(ref: FarRef): Teller {
    return (ref.#teller ??= new (FarRef.classOf(ref).teller)(ref));
  }
}

/** A reference for messages whose outcome nobody asks for: they are not answered. */
export class Teller {
  readonly #ref: FarRef;
  /** The actor, if it is told to its root. */
  readonly #root: Actor | undefined;

  constructor(ref: FarRef) {
    this.#ref = ref;
    this.#root = FarRef.numberOf(ref) === 0 ? FarRef.actorOf(ref) : undefined;
    freeze(this);
  }

  static rootOf(teller: Teller): Actor | undefined {
    return teller.#root;
  }

  static refOf(teller: Teller): FarRef {
    return teller.#ref;
  }
}

/** Classes of references by the classes of what they stand for. */
export class FarRefClasses {
  readonly #sender: Sender;
  readonly #keyOf: (prototype: object) => string;
  readonly #byPrototype = new WeakMap<object, FarRefClass>();
  readonly #byKey = new Map<string, FarRefClass>();

  /** `keyOf`: what all workers know the class of a prototype by. */
  constructor(sender: Sender, keyOf: (prototype: object) => string) {
    this.#sender = sender;
    this.#keyOf = keyOf;
  }

  of(prototype: object): FarRefClass {
    let known = this.#byPrototype.get(prototype);
    if (known === undefined) {
      const { constructor } = prototype as { constructor?: { name?: unknown } };
      const name = String(constructor?.name ?? 'Object');
      const methods = [...methodsOf(prototype)];
      // One class expression makes a class each time it is evaluated, with what each of them extends.
      known = this.named({ key: `${this.#keyOf(prototype)} ${name}(${methods.join()})`, name, methods });
      this.#byPrototype.set(prototype, known);
    }
    return known;
  }

  /** For an object: a literal has the methods it holds itself. */
  ofObject(object: object): FarRefClass {
    const prototype = getPrototypeOf(object) as object | null;
    if (prototype !== objectPrototype && prototype !== null) return this.of(prototype);
    const methods = [...methodsOf(object)].toSorted();
    return this.named({ key: JSON.stringify(methods), name: 'Object', methods });
  }

  named(face: Interface): FarRefClass {
    let known = this.#byKey.get(face.key);
    if (known === undefined) this.#byKey.set(face.key, (known = this.#make(face)));
    return known;
  }

  #make(face: Interface): FarRefClass {
    const { name } = face;
    const teller = { [name]: class extends Teller {} }[name] as FarRefClass['teller'];
    const made = { [name]: class extends FarRef {} }[name] as unknown as FarRefClass & { prototype: object };
    defineProperty(made, 'interface', { value: face });
    defineProperty(made, 'teller', { value: teller });
    for (const key of face.methods) {
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
      const root = Teller.rootOf(this);
      if (args.length > 3) sender.sendMany(Teller.refOf(this), false, key, [...args]);
      else if (root !== undefined) sender.tell(this, root, key, args.length, a, b, c);
      else sender.send(Teller.refOf(this), false, key, args.length, a, b, c);
    },
  }[key];
}
