// `DisposableStack` and `AsyncDisposableStack` of transformed code. Their objects are the engine's own, so that whoever asks takes them
// for what they are; what they hold is not given to the engine, which would tell nobody, but kept beside it, in the form in which a block
// with `using` keeps it. The engine's object knows whether it is disposed, and says in its own words what it refuses. Objects that
// devices make are left alone.

import {
  NativeTypeError,
  apply,
  construct,
  definePrototype,
  defineProperty,
  getOwnPropertyDescriptor,
  isObject,
  newTargetBelow,
  ownKeys,
} from './intrinsics.ts';
import { DisposalStack } from './language.ts';
import { Stamp } from './stamp.ts';
import { journal } from './undo/journal.ts';
import { DISPOSE, type Continuation } from './frame.ts';
import type { Eventual } from './eventual.ts';
import type { Eventuals } from './eventuals.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Constructor = new () => object;

/** The engine's own: one for each of the two, and nothing where there is none. */
interface Native {
  readonly name: string;
  readonly isAsync: boolean;
  readonly constructor: Constructor;
  readonly prototype: object;
  readonly use: Method;
  readonly adopt: Method;
  readonly defer: Method;
  readonly move: Method;
  readonly dispose: Method;
  readonly disposed: Method;
}

function nativeBy(name: string, disposal: string, isAsync: boolean): Native | undefined {
  const constructor = (globalThis as unknown as Record<string, Constructor | undefined>)[name];
  if (constructor === undefined) return undefined;
  const prototype = constructor.prototype as Record<string, Method>;
  return {
    name,
    isAsync,
    constructor,
    prototype,
    use: prototype['use'] as Method,
    adopt: prototype['adopt'] as Method,
    defer: prototype['defer'] as Method,
    move: prototype['move'] as Method,
    dispose: prototype[disposal] as Method,
    disposed: getOwnPropertyDescriptor(prototype, 'disposed')?.get as Method,
  };
}

const natives = [
  nativeBy('DisposableStack', 'dispose', false),
  nativeBy('AsyncDisposableStack', 'disposeAsync', true),
] as const;

class OwnStack extends Stamp {
  readonly #native: Native;
  #disposal: DisposalStack;
  constructor(stack: object, native: Native, disposal: DisposalStack) {
    super(stack);
    this.#native = native;
    this.#disposal = disposal;
  }
  static has(value: unknown): value is OwnStack {
    return typeof value === 'object' && value !== null && #native in value;
  }
  /** Nothing for what is no such stack, and where the engine's method has to refuse. */
  static open(value: unknown, native: Native): DisposalStack | undefined {
    if (!OwnStack.has(value) || value.#native !== native || isDisposed(value, native)) return undefined;
    journal.log?.fields(value.#disposal);
    return value.#disposal;
  }
  static native(stack: OwnStack): Native {
    return stack.#native;
  }
  static disposal(stack: OwnStack): DisposalStack {
    return stack.#disposal;
  }
  /** What it held is another's from now on. */
  static replace(stack: OwnStack, disposal: DisposalStack): DisposalStack {
    const before = stack.#disposal;
    stack.#disposal = disposal;
    return before;
  }
}

function isDisposed(stack: object, { disposed }: Native): boolean {
  return apply(disposed, stack, []) as boolean;
}

/** What it held, which is nobody's then; the engine calls it disposed. */
function emptied(stack: OwnStack, { move }: Native): DisposalStack {
  journal.log?.cannot('a DisposableStack has been disposed');
  apply(move, stack, []);
  return OwnStack.replace(stack, new DisposalStack());
}

function replacements(native: Native): Record<string, Method> {
  return {
    use(this: unknown, value: unknown): unknown {
      const disposal = OwnStack.open(this, native);
      const isResource = isObject(value) || value === undefined || value === null;
      return disposal === undefined || !isResource
        ? apply(native.use, this, [value])
        : disposal.add(value, native.isAsync);
    },
    adopt(this: unknown, value: unknown, onDispose: unknown): unknown {
      const disposal = OwnStack.open(this, native);
      if (disposal === undefined || typeof onDispose !== 'function')
        return apply(native.adopt, this, [value, onDispose]);
      disposal.put({ value, method: { adopted: onDispose }, isAsync: native.isAsync });
      return value;
    },
    defer(this: unknown, onDispose: unknown): unknown {
      const disposal = OwnStack.open(this, native);
      if (disposal === undefined || typeof onDispose !== 'function') return apply(native.defer, this, [onDispose]);
      disposal.put({ value: undefined, method: onDispose, isAsync: native.isAsync });
      return undefined;
    },
    move(this: unknown): unknown {
      if (OwnStack.open(this, native) === undefined) return apply(native.move, this, []);
      journal.log?.cannot('a DisposableStack has been moved');
      const moved = apply(native.move, this, []) as object;
      return new OwnStack(moved, native, OwnStack.replace(this as OwnStack, new DisposalStack()));
    },
  };
}

export interface StackData {
  disposed: boolean;
  disposal: DisposalStack;
}

export interface DisposableStacks {
  /** By name, what stands in the places of the engine's. */
  readonly constructors: Readonly<Record<string, object>>;
  readonly functions: readonly Method[];
  install(): void;
  /** Goes on where an asynchronous disposal awaited something. */
  proceed(continuation: Continuation, value: unknown, rejected: number): void;
  /** Nothing for what is no stack of the program's. */
  read(value: object): (StackData & { readonly isAsync: boolean }) | undefined;
  allocate(isAsync: boolean, prototype: object | undefined): object;
  fill(stack: object, data: StackData): void;
}

export function createDisposableStacks(eventuals: Eventuals): DisposableStacks {
  const constructors: Record<string, object> = {};
  const functions: Method[] = [];
  const places: (() => void)[] = [];

  function dispose(this: unknown): unknown {
    const [native] = natives as readonly [Native, Native];
    if (OwnStack.open(this, native) === undefined) return apply(native.dispose, this, []);
    const disposal = emptied(this as OwnStack, native);
    disposal.next();
    if (disposal.failed) throw disposal.error;
    return undefined;
  }

  function disposeAsync(this: unknown): unknown {
    const [, native] = natives as readonly [Native, Native];
    const isOurs = OwnStack.has(this) && OwnStack.native(this) === native;
    if (!isOurs && isStack(this, native)) return apply(native.dispose, this, []);
    const eventual = eventuals.create();
    if (!isOurs) eventuals.reject(eventual, new NativeTypeError('Receiver is not an AsyncDisposableStack'));
    else if (isDisposed(this, native)) eventuals.resolve(eventual, undefined);
    else goOn(emptied(this, native), eventual);
    return eventual;
  }

  function goOn(disposal: DisposalStack, eventual: Eventual): void {
    while (disposal.next()) {
      let pending: Eventual;
      try {
        pending = eventuals.eventualOf(disposal.pending);
      } catch (error) {
        disposal.fail(error);
        continue;
      }
      disposal.pending = undefined;
      eventuals.register(pending, eventuals.continuation(DISPOSE, eventual, disposal));
      return;
    }
    if (disposal.failed) eventuals.reject(eventual, disposal.error);
    else eventuals.resolve(eventual, undefined);
  }

  function proceed({ target, detail }: Continuation, value: unknown, rejected: number): void {
    const disposal = detail as DisposalStack;
    if (rejected === 1) disposal.fail(value);
    goOn(disposal, target as Eventual);
  }

  function constructed(native: Native | undefined, newTarget: unknown): object {
    const { name, constructor } = native as Native;
    if (newTarget === undefined) throw new NativeTypeError(`Constructor ${name} requires 'new'`);
    return new OwnStack(
      construct(constructor, [], newTarget as Constructor) as object,
      native as Native,
      new DisposalStack(),
    );
  }

  // Written out: messages name a constructor as its text does.
  const Own = {
    DisposableStack: function DisposableStack(): object {
      return constructed(natives[0], new.target);
    },
    AsyncDisposableStack: function AsyncDisposableStack(): object {
      return constructed(natives[1], new.target);
    },
  };

  /** Concise methods, as the engine's: without a prototype of their own. */
  const disposals: Record<string, Method> = {
    dispose(this: unknown): unknown {
      return apply(dispose, this, []);
    },
    disposeAsync(this: unknown): unknown {
      return apply(disposeAsync, this, []);
    },
  };

  for (const native of natives) {
    if (native === undefined) continue;
    const { name, prototype } = native;
    const constructor = native.isAsync ? Own.AsyncDisposableStack : Own.DisposableStack;
    definePrototype(constructor, prototype);
    constructors[name] = constructor;
    const disposal = native.isAsync ? 'disposeAsync' : 'dispose';
    const methods: Record<PropertyKey, unknown> = {
      constructor: constructor as unknown as Method,
      ...replacements(native),
      [disposal]: disposals[disposal],
      [native.isAsync ? Symbol.asyncDispose : Symbol.dispose]: disposals[disposal],
    };
    for (const key of ownKeys(methods)) {
      const value = methods[key as string];
      functions[functions.length] = value as Method;
      places[places.length] = () =>
        defineProperty(prototype, key, { ...getOwnPropertyDescriptor(prototype, key), value });
    }
  }

  return {
    constructors,
    functions,
    install(): void {
      for (const place of places) place();
    },
    proceed,
    read(value) {
      if (!OwnStack.has(value)) return undefined;
      const native = OwnStack.native(value);
      return { isAsync: native.isAsync, disposed: isDisposed(value, native), disposal: OwnStack.disposal(value) };
    },
    allocate(isAsync, prototype) {
      const native = natives[isAsync ? 1 : 0] as Native;
      return new OwnStack(
        construct(native.constructor, [], newTargetBelow(prototype ?? native.prototype)) as object,
        native,
        new DisposalStack(),
      );
    },
    fill(stack, { disposed, disposal }) {
      if (disposed) emptied(stack as OwnStack, OwnStack.native(stack as OwnStack));
      OwnStack.replace(stack as OwnStack, disposal);
    },
  };
}

function isStack(value: unknown, native: Native): boolean {
  try {
    isDisposed(value as object, native);
    return true;
  } catch {
    return false;
  }
}
