// Node's functions that handle rejected promises of listeners: event targets rethrow, capturing emitters emit. Their
// captured variables are found by calling them while `process.nextTick` only records its arguments.
import { EventEmitter } from 'node:events';
import { descriptorsOf } from './descriptors.ts';
import { captureTick } from '@turntable/loader';
import type { ObjectAdapter } from '@turntable/heap';

type RejectionHandler = (error: unknown) => void;
type ListenerPromise = { then(onFulfilled: unknown, onRejected: RejectionHandler): void };

interface EmittedEvent {
  readonly emitter: EventEmitter;
  readonly type: unknown;
  readonly args: readonly unknown[];
}

const functionSource = Function.prototype.toString;
const { emit } = EventEmitter.prototype;
const TARGET_HANDLER = 0;
const EMITTER_HANDLER = 1;
/** Kind of the callback that an event target queues with `process.nextTick` to rethrow an error. */
const RETHROW_TICK = 2;

/** Returns the handler that Node passes to `then` of a promise that a listener returns during `dispatch`. */
function captureHandler(dispatch: (promise: ListenerPromise) => void): RejectionHandler {
  let handler: RejectionHandler | undefined;
  dispatch({
    then(_, onRejected) {
      handler = onRejected;
    },
  });
  if (handler === undefined) throw new TypeError('this Node does not await the promises of listeners');
  return handler;
}

function createTargetHandler(): RejectionHandler {
  return captureHandler((promise) => {
    const target = new EventTarget();
    target.addEventListener('x', () => promise as never);
    target.dispatchEvent(new Event('x'));
  });
}

/** Creates the handler of an emitter. For this, it emits with one listener while its own listeners are hidden. */
function createEmitterHandler({ emitter, type, args }: EmittedEvent, capture: symbol): RejectionHandler {
  return captureHandler((promise) => {
    const state = emitter as unknown as Record<PropertyKey, unknown>;
    const originals = new Map(
      ['_events', capture].map((key) => [key, Object.getOwnPropertyDescriptor(state, key)] as const),
    );
    Object.defineProperty(state, '_events', { value: { [type as string]: () => promise }, configurable: true });
    Object.defineProperty(state, capture, { value: true, configurable: true });
    try {
      Reflect.apply(emit, emitter, [type, ...args] as never);
    } finally {
      for (const [key, descriptor] of originals) {
        if (descriptor === undefined) Reflect.deleteProperty(state, key);
        else Object.defineProperty(state, key, descriptor);
      }
    }
  });
}

/** Creates the callback that an event target passes to `process.nextTick` to throw the error. */
function createRethrowTick(error: unknown): () => never {
  const [callback] = captureTick(() => createTargetHandler()(error)) ?? [];
  return callback as () => never;
}

function thrownBy(rethrow: () => unknown): unknown {
  try {
    return rethrow();
  } catch (error) {
    return error;
  }
}

interface CapturedEmission extends EmittedEvent {
  /** Node's function that emits the rejection, as passed to `process.nextTick`. */
  readonly emitRejection: unknown;
}

function captureEmission(handler: RejectionHandler): CapturedEmission | undefined {
  const tickArguments = captureTick(() => handler(undefined));
  if (tickArguments === undefined) return undefined;
  const [emitRejection, emitter, , type, args] = tickArguments as [unknown, EventEmitter, unknown, unknown, unknown[]];
  return { emitRejection, emitter, type, args };
}

export interface RejectionHandlerAdapter extends ObjectAdapter {
  /** Node's function that is called in a tick to emit a rejection. */
  readonly emitRejection: object;
}

export function createRejectionHandlerAdapter(): RejectionHandlerAdapter {
  const sample = new EventEmitter({ captureRejections: true });
  const captureSymbol = Object.getOwnPropertySymbols(sample).find(
    ({ description }) => description === 'kCapture',
  ) as symbol;
  const targetHandler = createTargetHandler();
  const emitterHandler = createEmitterHandler({ emitter: sample, type: 'x', args: [] }, captureSymbol);
  const targetSource = Reflect.apply(functionSource, targetHandler, []) as string;
  const rethrowSource = Reflect.apply(functionSource, createRethrowTick(undefined), []) as string;
  const emitterSource = Reflect.apply(functionSource, emitterHandler, []) as string;

  return {
    name: 'handlers of rejected listeners',
    appliesTo: 'functions',
    emitRejection: captureEmission(emitterHandler)?.emitRejection as object,
    takeApart(fn) {
      const source = Reflect.apply(functionSource, fn, []) as string;
      if (source === targetSource)
        return { kind: TARGET_HANDLER, header: [], contents: [], initialProperties: descriptorsOf(fn) };
      if (source === rethrowSource)
        return {
          kind: RETHROW_TICK,
          header: [thrownBy(fn as () => unknown)],
          contents: [],
          initialProperties: descriptorsOf(fn),
        };
      if (source !== emitterSource) return undefined;
      const { emitter, type, args } = captureEmission(fn as RejectionHandler) as CapturedEmission;
      return {
        kind: EMITTER_HANDLER,
        header: [emitter, type],
        contents: args,
        initialProperties: descriptorsOf(fn),
        label: (index, part) => (part === 'contents' ? ` argument ${index}` : index === 0 ? ' emitter' : ' event'),
      };
    },
    allocate(kind, [emitter, type]) {
      if (kind === TARGET_HANDLER) return createTargetHandler();
      if (kind === RETHROW_TICK) return createRethrowTick(emitter);
      return createEmitterHandler({ emitter: emitter as EventEmitter, type, args: [] }, captureSymbol);
    },
    fill(object, kind, contents) {
      if (kind !== EMITTER_HANDLER) return;
      // The captured array belongs to the handler, so it is filled in place.
      const { args } = captureEmission(object as RejectionHandler) as CapturedEmission;
      (args as unknown[]).push(...contents);
    },
  };
}
