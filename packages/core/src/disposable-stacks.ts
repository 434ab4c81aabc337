// `DisposableStack` and `AsyncDisposableStack` of transformed code. Their objects are the engine's own, so that checks
// accept them. Their resources are kept beside the engine's object, in the form that a block with `using` has, because
// the engine would not reveal them to capture. The engine's object knows whether it is disposed, and throws the errors.
// Objects that devices make are left alone.

import {
  NativeTypeError,
  apply,
  construct,
  definePrototype,
  defineProperty,
  getOwnPropertyDescriptor,
  isObject,
  newTargetWithPrototype,
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

/** One of the engine's two classes, with its own methods. */
interface NativeStack {
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

function readNativeStack(name: string, disposal: string, isAsync: boolean): NativeStack | undefined {
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

const nativeStacks = [
  readNativeStack('DisposableStack', 'dispose', false),
  readNativeStack('AsyncDisposableStack', 'disposeAsync', true),
] as const;

class OwnStack extends Stamp {
  readonly #native: NativeStack;
  #disposal: DisposalStack;
  constructor(stack: object, native: NativeStack, disposal: DisposalStack) {
    super(stack);
    this.#native = native;
    this.#disposal = disposal;
  }
  static is(value: unknown): value is OwnStack {
    return typeof value === 'object' && value !== null && #native in value;
  }
  /** Resources of an open stack; undefined where the engine's method must throw: disposed stacks, other values. */
  static openDisposal(value: unknown, native: NativeStack): DisposalStack | undefined {
    if (!OwnStack.is(value) || value.#native !== native || isDisposed(value, native)) return undefined;
    journal.log?.noteFields(value.#disposal);
    return value.#disposal;
  }
  static native(stack: OwnStack): NativeStack {
    return stack.#native;
  }
  static disposal(stack: OwnStack): DisposalStack {
    return stack.#disposal;
  }
  /** Gives the stack new resources, and returns the old ones. */
  static replaceDisposal(stack: OwnStack, disposal: DisposalStack): DisposalStack {
    const outgoing = stack.#disposal;
    stack.#disposal = disposal;
    return outgoing;
  }
}

function isDisposed(stack: object, { disposed }: NativeStack): boolean {
  return apply(disposed, stack, []) as boolean;
}

/** Takes the resources out of a stack, and marks the engine's object as disposed. */
function takeDisposal(stack: OwnStack, { move }: NativeStack): DisposalStack {
  journal.log?.noteObstacle('a DisposableStack has been disposed');
  apply(move, stack, []);
  return OwnStack.replaceDisposal(stack, new DisposalStack());
}

function replacementMethods(native: NativeStack): Record<string, Method> {
  return {
    use(this: unknown, value: unknown): unknown {
      const disposal = OwnStack.openDisposal(this, native);
      const isResource = isObject(value) || value === undefined || value === null;
      return disposal === undefined || !isResource
        ? apply(native.use, this, [value])
        : disposal.add(value, native.isAsync);
    },
    adopt(this: unknown, value: unknown, onDispose: unknown): unknown {
      const disposal = OwnStack.openDisposal(this, native);
      if (disposal === undefined || typeof onDispose !== 'function')
        return apply(native.adopt, this, [value, onDispose]);
      disposal.put({ value, method: { adopted: onDispose }, isAsync: native.isAsync });
      return value;
    },
    defer(this: unknown, onDispose: unknown): unknown {
      const disposal = OwnStack.openDisposal(this, native);
      if (disposal === undefined || typeof onDispose !== 'function') return apply(native.defer, this, [onDispose]);
      disposal.put({ value: undefined, method: onDispose, isAsync: native.isAsync });
      return undefined;
    },
    move(this: unknown): unknown {
      if (OwnStack.openDisposal(this, native) === undefined) return apply(native.move, this, []);
      journal.log?.noteObstacle('a DisposableStack has been moved');
      const moved = apply(native.move, this, []) as object;
      return new OwnStack(moved, native, OwnStack.replaceDisposal(this as OwnStack, new DisposalStack()));
    },
  };
}

export interface DisposableStackState {
  disposed: boolean;
  disposal: DisposalStack;
}

export interface DisposableStacks {
  /** Constructors that replace the engine's, by name of the class. */
  readonly constructors: Readonly<Record<string, object>>;
  readonly functions: readonly Method[];
  install(): void;
  /** Continues an asynchronous disposal after an await. Only the job queue may call it. */
  resume(continuation: Continuation, value: unknown, rejected: number): void;
  /** State of a stack that the program made; undefined for other values. */
  read(value: object): (DisposableStackState & { readonly isAsync: boolean }) | undefined;
  allocate(isAsync: boolean, prototype: object | undefined): object;
  fill(stack: object, data: DisposableStackState): void;
}

export function createDisposableStacks(eventuals: Eventuals): DisposableStacks {
  const constructors: Record<string, object> = {};
  const functions: Method[] = [];
  const installers: (() => void)[] = [];

  function dispose(this: unknown): unknown {
    const [native] = nativeStacks as readonly [NativeStack, NativeStack];
    if (OwnStack.openDisposal(this, native) === undefined) return apply(native.dispose, this, []);
    const disposal = takeDisposal(this as OwnStack, native);
    disposal.next();
    if (disposal.failed) throw disposal.error;
    return undefined;
  }

  function disposeAsync(this: unknown): unknown {
    const [, native] = nativeStacks as readonly [NativeStack, NativeStack];
    const isOurs = OwnStack.is(this) && OwnStack.native(this) === native;
    if (!isOurs && isNativeStack(this, native)) return apply(native.dispose, this, []);
    const eventual = eventuals.create();
    if (!isOurs) eventuals.reject(eventual, new NativeTypeError('Receiver is not an AsyncDisposableStack'));
    else if (isDisposed(this, native)) eventuals.resolve(eventual, undefined);
    else continueDisposal(takeDisposal(this, native), eventual);
    return eventual;
  }

  function continueDisposal(disposal: DisposalStack, eventual: Eventual): void {
    while (disposal.next()) {
      let pending: Eventual;
      try {
        pending = eventuals.toEventual(disposal.pending);
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

  function resume({ target, detail }: Continuation, value: unknown, rejected: number): void {
    const disposal = detail as DisposalStack;
    if (rejected === 1) disposal.fail(value);
    continueDisposal(disposal, target as Eventual);
  }

  function constructStack(native: NativeStack | undefined, newTarget: unknown): object {
    const { name, constructor } = native as NativeStack;
    if (newTarget === undefined) throw new NativeTypeError(`Constructor ${name} requires 'new'`);
    return new OwnStack(
      construct(constructor, [], newTarget as Constructor) as object,
      native as NativeStack,
      new DisposalStack(),
    );
  }

  // Written out twice, because V8's error messages take a constructor's name from its source text.
  const ownConstructors = {
    DisposableStack: function DisposableStack(): object {
      return constructStack(nativeStacks[0], new.target);
    },
    AsyncDisposableStack: function AsyncDisposableStack(): object {
      return constructStack(nativeStacks[1], new.target);
    },
  };

  /** Methods in the concise syntax, so that they have no `prototype`, like the engine's. */
  const disposalMethods: Record<string, Method> = {
    dispose(this: unknown): unknown {
      return apply(dispose, this, []);
    },
    disposeAsync(this: unknown): unknown {
      return apply(disposeAsync, this, []);
    },
  };

  for (const native of nativeStacks) {
    if (native === undefined) continue;
    const { name, prototype } = native;
    const constructor = native.isAsync ? ownConstructors.AsyncDisposableStack : ownConstructors.DisposableStack;
    definePrototype(constructor, prototype);
    constructors[name] = constructor;
    const disposal = native.isAsync ? 'disposeAsync' : 'dispose';
    const methods: Record<PropertyKey, unknown> = {
      constructor: constructor as unknown as Method,
      ...replacementMethods(native),
      [disposal]: disposalMethods[disposal],
      [native.isAsync ? Symbol.asyncDispose : Symbol.dispose]: disposalMethods[disposal],
    };
    for (const key of ownKeys(methods)) {
      const value = methods[key as string];
      functions[functions.length] = value as Method;
      installers[installers.length] = () =>
        defineProperty(prototype, key, { ...getOwnPropertyDescriptor(prototype, key), value });
    }
  }

  return {
    constructors,
    functions,
    install(): void {
      for (const installMethod of installers) installMethod();
    },
    resume,
    read(value) {
      if (!OwnStack.is(value)) return undefined;
      const native = OwnStack.native(value);
      return { isAsync: native.isAsync, disposed: isDisposed(value, native), disposal: OwnStack.disposal(value) };
    },
    allocate(isAsync, prototype) {
      const native = nativeStacks[isAsync ? 1 : 0] as NativeStack;
      return new OwnStack(
        construct(native.constructor, [], newTargetWithPrototype(prototype ?? native.prototype)) as object,
        native,
        new DisposalStack(),
      );
    },
    fill(stack, { disposed, disposal }) {
      if (disposed) takeDisposal(stack as OwnStack, OwnStack.native(stack as OwnStack));
      OwnStack.replaceDisposal(stack as OwnStack, disposal);
    },
  };
}

function isNativeStack(value: unknown, native: NativeStack): boolean {
  try {
    isDisposed(value as object, native);
    return true;
  } catch {
    return false;
  }
}
