// Far references: references to objects of other actors. Their methods have the names of the object's methods and send
// messages. An object has one reference per worker, which is frozen because all actors of the worker share it.

import type { ActorCell } from '../actors/actor-cell.ts';

export interface MessageSender {
  /** `expectsReply`: whether the caller wants the result. */
  send(
    ref: FarReference,
    expectsReply: boolean,
    call: string,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
  ): unknown;
  /** Sends a message to the root of an actor, without an answer. */
  tell(ref: TellReference, root: ActorCell, call: string, count: number, a: unknown, b: unknown, c: unknown): void;
  sendMany(ref: FarReference, expectsReply: boolean, call: string, args: readonly unknown[]): unknown;
}

/** Description of a class for workers that have not loaded it. */
export interface ClassInterface {
  readonly key: string;
  readonly name: string;
  readonly methods: readonly string[];
}

export interface FarReferenceClass {
  new (actor: ActorCell, exportId: number, object: object | undefined): FarReference;
  readonly interface: ClassInterface;
  /** The class whose methods send messages without an answer. */
  readonly teller: new (ref: FarReference) => TellReference;
}

const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, prototype: objectPrototype } = Object;
const { ownKeys } = Reflect;
/** Name of the method with which an object describes itself to `console.log`. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom');

export class FarReference {
  readonly #actor: ActorCell;
  readonly #exportId: number;
  /** The object, on its own worker; undefined for a root before its constructor has run. */
  #object: object | undefined;
  #tellReference: TellReference | undefined = undefined;

  constructor(actor: ActorCell, exportId: number, object: object | undefined) {
    this.#actor = actor;
    this.#exportId = exportId;
    this.#object = object;
    freeze(this);
  }

  [INSPECT](): string {
    return describeReference('Far', this);
  }

  /** For logs: a reference cannot be read from JSON. A method `toJSON` of the object's class replaces this one. */
  toJSON(): string {
    return describeReference('Far', this);
  }

  static has(value: unknown): value is FarReference {
    return typeof value === 'object' && value !== null && #actor in value;
  }
  static actorOf(ref: FarReference): ActorCell {
    return ref.#actor;
  }
  /** Returns the number of the object among its actor's exports; 0 for the root. */
  static exportIdOf(ref: FarReference): number {
    return ref.#exportId;
  }
  /** Returns the reference to the root of an actor of this worker; undefined until one is created. */
  static rootReferenceOf(actor: ActorCell): FarReference | undefined {
    return actor.rootRef as FarReference | undefined;
  }
  static objectOf(ref: FarReference): object | undefined {
    return ref.#object;
  }
  static release(ref: FarReference): void {
    ref.#object = undefined;
  }
  static bindObject(ref: FarReference, object: object): void {
    ref.#object = object;
  }
  static classOf(ref: FarReference): FarReferenceClass {
    return ref.constructor as unknown as FarReferenceClass;
  }
  static tellReferenceOf(ref: FarReference): TellReference {
    return (ref.#tellReference ??= new (FarReference.classOf(ref).teller)(ref));
  }
}

/** A reference whose messages are not answered. */
export class TellReference {
  readonly #ref: FarReference;
  /** Actor whose root is referenced; undefined for references to other objects. */
  readonly #root: ActorCell | undefined;

  constructor(ref: FarReference) {
    this.#ref = ref;
    this.#root = FarReference.exportIdOf(ref) === 0 ? FarReference.actorOf(ref) : undefined;
    freeze(this);
  }

  [INSPECT](): string {
    return describeReference('Tell', this.#ref);
  }

  toJSON(): string {
    return describeReference('Tell', this.#ref);
  }

  static rootOf(tellReference: TellReference): ActorCell | undefined {
    return tellReference.#root;
  }

  static refOf(tellReference: TellReference): FarReference {
    return tellReference.#ref;
  }
}

/** Returns a description of a reference for people, such as `[Far Cart#12 on worker 2]`. */
function describeReference(kind: string, ref: FarReference): string {
  const { name, worker } = FarReference.actorOf(ref);
  const object = FarReference.exportIdOf(ref) === 0 ? '' : `${FarReference.classOf(ref).interface.name} of `;
  return `[${kind} ${object}${name} on ${worker === 0 ? 'main thread' : `worker ${worker}`}]`;
}

/** The reference classes, by the classes of the objects. */
export class FarReferenceClasses {
  readonly #sender: MessageSender;
  readonly #keyOf: (prototype: object) => string;
  readonly #byPrototype = new WeakMap<object, FarReferenceClass>();
  readonly #byKey = new Map<string, FarReferenceClass>();

  /** @param keyOf returns a key for the class of a prototype, the same on all workers */
  constructor(sender: MessageSender, keyOf: (prototype: object) => string) {
    this.#sender = sender;
    this.#keyOf = keyOf;
  }

  ofPrototype(prototype: object): FarReferenceClass {
    let existing = this.#byPrototype.get(prototype);
    if (existing === undefined) {
      const { constructor } = prototype as { constructor?: { name?: unknown } };
      const name = String(constructor?.name ?? 'Object');
      const methods = [...methodsOf(prototype)];
      // The key has the methods, since a class expression creates several classes, which may extend different ones.
      existing = this.ofInterface({ key: `${this.#keyOf(prototype)} ${name}(${methods.join()})`, name, methods });
      this.#byPrototype.set(prototype, existing);
    }
    return existing;
  }

  /** Returns the reference class for an object. The methods of an object literal are its own properties. */
  ofObject(object: object): FarReferenceClass {
    const prototype = getPrototypeOf(object) as object | null;
    if (prototype !== objectPrototype && prototype !== null) return this.ofPrototype(prototype);
    const methods = [...methodsOf(object)].toSorted();
    return this.ofInterface({ key: JSON.stringify(methods), name: 'Object', methods });
  }

  ofInterface(classInterface: ClassInterface): FarReferenceClass {
    let existing = this.#byKey.get(classInterface.key);
    if (existing === undefined) this.#byKey.set(classInterface.key, (existing = this.#create(classInterface)));
    return existing;
  }

  #create(classInterface: ClassInterface): FarReferenceClass {
    const { name } = classInterface;
    const tellClass = { [name]: class extends TellReference {} }[name] as FarReferenceClass['teller'];
    const referenceClass = { [name]: class extends FarReference {} }[name] as unknown as FarReferenceClass & {
      prototype: object;
    };
    defineProperty(referenceClass, 'interface', { value: classInterface });
    defineProperty(referenceClass, 'teller', { value: tellClass });
    for (const key of classInterface.methods) {
      defineFixedMethod(referenceClass.prototype, key, createSendMethod(this.#sender, key));
      defineFixedMethod(tellClass.prototype as object, key, createTellMethod(this.#sender, key));
    }
    return referenceClass;
  }
}

function defineFixedMethod(target: object, key: string, value: unknown): void {
  defineProperty(target, key, { value, writable: false, enumerable: false, configurable: false });
}

/** Returns the callable methods of a class and its superclasses, without `then`: `await` would call it. */
export function methodsOf(prototype: object): Set<string> {
  const names = new Set<string>();
  for (
    let each: object | null = prototype;
    each !== null && each !== objectPrototype;
    each = getPrototypeOf(each) as object | null
  ) {
    for (const key of ownKeys(each)) {
      if (typeof key === 'symbol' || key === 'constructor' || key === 'then') continue;
      if (typeof getOwnPropertyDescriptor(each, key)?.value === 'function') names.add(key);
    }
  }
  return names;
}

// Up to three arguments are passed one by one: a list would double the cost of a message.

function createSendMethod(sender: MessageSender, key: string): unknown {
  return {
    [key](this: FarReference, a?: unknown, b?: unknown, c?: unknown): unknown {
      const args = arguments;
      return args.length > 3
        ? sender.sendMany(this, true, key, [...args])
        : sender.send(this, true, key, args.length, a, b, c);
    },
  }[key];
}

function createTellMethod(sender: MessageSender, key: string): unknown {
  return {
    [key](this: TellReference, a?: unknown, b?: unknown, c?: unknown): void {
      const args = arguments;
      const root = TellReference.rootOf(this);
      if (args.length > 3) sender.sendMany(TellReference.refOf(this), false, key, [...args]);
      else if (root !== undefined) sender.tell(this, root, key, args.length, a, b, c);
      else sender.send(TellReference.refOf(this), false, key, args.length, a, b, c);
    },
  }[key];
}
