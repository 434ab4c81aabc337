// Functions of Node's that wait for what a listener promised: of an event target they rethrow, of an emitter that captures rejections
// they emit. What the latter close over is learned by calling them while `process.nextTick` only notes what it is given.
import { EventEmitter } from 'node:events';
import { descriptorsOf } from './descriptors.ts';
import { notedTick } from '@turntable/loader';
import type { Adapter } from '@turntable/heap';

type Handler = (error: unknown) => void;
type Thenable = { then(onFulfilled: unknown, onRejected: Handler): void };

interface Emission {
  readonly emitter: EventEmitter;
  readonly type: unknown;
  readonly args: readonly unknown[];
}

const textOf = Function.prototype.toString;
const { emit } = EventEmitter.prototype;
const OF_TARGET = 0;
const OF_EMITTER = 1;
/** What an event target has called in a tick, for Node to report the error. */
const RETHROW = 2;

/** What Node gives to the `then` of what `dispatch` has a listener answer. */
function handlerFrom(dispatch: (promised: Thenable) => void): Handler {
  let found: Handler | undefined;
  dispatch({
    then(_, onRejected) {
      found = onRejected;
    },
  });
  if (found === undefined) throw new TypeError('this Node does not wait for what listeners promise');
  return found;
}

function handlerOfTarget(): Handler {
  return handlerFrom((promised) => {
    const target = new EventTarget();
    target.addEventListener('x', () => promised as never);
    target.dispatchEvent(new Event('x'));
  });
}

/** Emits with a listener of our own in the place of all others. */
function handlerOfEmitter({ emitter, type, args }: Emission, capture: symbol): Handler {
  return handlerFrom((promised) => {
    const state = emitter as unknown as Record<PropertyKey, unknown>;
    const before = new Map(
      ['_events', capture].map((key) => [key, Object.getOwnPropertyDescriptor(state, key)] as const),
    );
    Object.defineProperty(state, '_events', { value: { [type as string]: () => promised }, configurable: true });
    Object.defineProperty(state, capture, { value: true, configurable: true });
    try {
      Reflect.apply(emit, emitter, [type, ...args] as never);
    } finally {
      for (const [key, descriptor] of before) {
        if (descriptor === undefined) Reflect.deleteProperty(state, key);
        else Object.defineProperty(state, key, descriptor);
      }
    }
  });
}

/** What the handler of an event target gives to `process.nextTick`. */
function rethrowOf(error: unknown): () => never {
  const [callback] = notedTick(() => handlerOfTarget()(error)) ?? [];
  return callback as () => never;
}

function thrownBy(rethrow: () => unknown): unknown {
  try {
    return rethrow();
  } catch (error) {
    return error;
  }
}

interface Noted extends Emission {
  /** What it would have emitted with. */
  readonly emits: unknown;
}

function emissionOf(handler: Handler): Noted | undefined {
  const noted = notedTick(() => handler(undefined));
  if (noted === undefined) return undefined;
  const [emits, emitter, , type, args] = noted as [unknown, EventEmitter, unknown, unknown, unknown[]];
  return { emits, emitter, type, args };
}

export interface RejectionHandlers extends Adapter {
  /** What Node has called in a tick of its own. */
  readonly emits: object;
}

export function rejectionHandlers(): RejectionHandlers {
  const sample = new EventEmitter({ captureRejections: true });
  const capture = Object.getOwnPropertySymbols(sample).find(({ description }) => description === 'kCapture') as symbol;
  const ofTarget = handlerOfTarget();
  const ofEmitter = handlerOfEmitter({ emitter: sample, type: 'x', args: [] }, capture);
  const targetText = Reflect.apply(textOf, ofTarget, []) as string;
  const rethrowText = Reflect.apply(textOf, rethrowOf(undefined), []) as string;
  const emitterText = Reflect.apply(textOf, ofEmitter, []) as string;

  return {
    name: 'handlers of rejected listeners',
    asks: 'functions',
    emits: emissionOf(ofEmitter)?.emits as object,
    take(fn) {
      const text = Reflect.apply(textOf, fn, []) as string;
      if (text === targetText) return { kind: OF_TARGET, header: [], contents: [], born: descriptorsOf(fn) };
      if (text === rethrowText)
        return { kind: RETHROW, header: [thrownBy(fn as () => unknown)], contents: [], born: descriptorsOf(fn) };
      if (text !== emitterText) return undefined;
      const { emitter, type, args } = emissionOf(fn as Handler) as Noted;
      return {
        kind: OF_EMITTER,
        header: [emitter, type],
        contents: args,
        born: descriptorsOf(fn),
        label: (index, part) => (part === 'contents' ? ` argument ${index}` : index === 0 ? ' emitter' : ' event'),
      };
    },
    allocate(kind, [emitter, type]) {
      if (kind === OF_TARGET) return handlerOfTarget();
      if (kind === RETHROW) return rethrowOf(emitter);
      return handlerOfEmitter({ emitter: emitter as EventEmitter, type, args: [] }, capture);
    },
    fill(object, kind, contents) {
      if (kind !== OF_EMITTER) return;
      // The array that it will emit with is its own.
      const { args } = emissionOf(object as Handler) as Noted;
      (args as unknown[]).push(...contents);
    },
  };
}
