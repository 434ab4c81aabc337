// Describes for the undo log what methods of Node change in objects of the program (core's mutators.ts). Listeners of
// emitters are in properties, Buffers are bytes, and URL parameters are logged as text.
import type { Mutators } from '@turntable/core';
import { Buffer } from 'node:buffer';
import EventEmitter from 'node:events';
import { StringDecoder } from 'node:string_decoder';

type MutatorNote = Mutators[2];

const { getOwnPropertyDescriptor, ownKeys } = Reflect;

/** Reads a property without running code. */
function ownValue(object: object, key: PropertyKey): unknown {
  return getOwnPropertyDescriptor(object, key)?.value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const noteListeners: MutatorNote = (notes, receiver: unknown, args) => {
  if ((!isObject(receiver) && typeof receiver !== 'function') || notes.isProxy(receiver)) return;
  for (const key of ['_events', '_eventsCount', '_maxListeners']) notes.noteProperty(receiver, key);
  const keys = ownKeys(receiver);
  for (let i = 0; i < keys.length; i++) if (typeof keys[i] === 'symbol') notes.noteProperty(receiver, keys[i]);
  const events = ownValue(receiver, '_events');
  if (!isObject(events)) return;
  notes.noteAllProperties(events);
  const type = args[0];
  if (isObject(type) || typeof type === 'function') return;
  const listenerList = ownValue(events, type as PropertyKey);
  if (Array.isArray(listenerList)) notes.noteElements(listenerList);
};

const noteReceiverBytes: MutatorNote = (notes, receiver) => notes.noteBytes(receiver);
const noteTargetBytes: MutatorNote = (notes, _, args) => notes.noteBytes(args[0]);

const noteDecoderBytes: MutatorNote = (notes, receiver: unknown) => {
  if (!isObject(receiver)) return;
  const keys = ownKeys(receiver);
  for (let i = 0; i < keys.length; i++) notes.noteBytes(ownValue(receiver, keys[i] as PropertyKey));
};

const { append, delete: deleteParameter, toString: parametersText } = URLSearchParams.prototype;
const parameterKeys = URLSearchParams.prototype.keys;

const noteParameters: MutatorNote = (notes, receiver: unknown) => {
  if (!(receiver instanceof URLSearchParams) || notes.isProxy(receiver)) return;
  notes.noteState(receiver, readParameters, writeParameters);
};

function readParameters(params: URLSearchParams): string {
  return Reflect.apply(parametersText, params, []);
}

function writeParameters(params: URLSearchParams, text: string): void {
  const names = Array.from(Reflect.apply(parameterKeys, params, []));
  for (const name of names) Reflect.apply(deleteParameter, params, [name]);
  for (const [name, value] of new URLSearchParams(text)) Reflect.apply(append, params, [name, value]);
}

const noteIrreversible =
  (reason: string): MutatorNote =>
  (notes) =>
    notes.noteObstacle(reason);

export function createNodeMutators(): readonly Mutators[] {
  const writeMethods = Object.getOwnPropertyNames(Buffer.prototype).filter((name) =>
    /^(write|fill$|swap)|Write$/.test(name),
  );
  return [
    [
      EventEmitter.prototype,
      'on addListener prependListener off removeListener removeAllListeners setMaxListeners',
      noteListeners,
    ],
    [Buffer.prototype, writeMethods.join(' '), noteReceiverBytes],
    [Buffer.prototype, 'copy', noteTargetBytes],
    [StringDecoder.prototype, 'write end', noteDecoderBytes],
    [URLSearchParams.prototype, 'append delete set sort', noteParameters],
    [
      EventTarget.prototype,
      'addEventListener removeEventListener',
      noteIrreversible('listeners of an EventTarget have changed'),
    ],
    [AbortController.prototype, 'abort', noteIrreversible('an AbortController has aborted')],
  ];
}
