// What methods of Node's change in objects of the program's, for the log by which a stretch is undone (core's mutators.ts): listeners of
// emitters are in properties, Buffers are bytes, parameters of URLs are told by their text.
import type { Mutators } from '@turntable/core';
import { Buffer } from 'node:buffer';
import EventEmitter from 'node:events';
import { StringDecoder } from 'node:string_decoder';

type Note = Mutators[2];

const { getOwnPropertyDescriptor, ownKeys } = Reflect;

/** Without calling anybody. */
function own(object: object, key: PropertyKey): unknown {
  return getOwnPropertyDescriptor(object, key)?.value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const listeners: Note = (notes, receiver: unknown, args) => {
  if ((!isObject(receiver) && typeof receiver !== 'function') || notes.isProxy(receiver)) return;
  for (const key of ['_events', '_eventsCount', '_maxListeners']) notes.property(receiver, key);
  const keys = ownKeys(receiver);
  for (let i = 0; i < keys.length; i++) if (typeof keys[i] === 'symbol') notes.property(receiver, keys[i]);
  const events = own(receiver, '_events');
  if (!isObject(events)) return;
  notes.whole(events);
  const type = args[0];
  if (isObject(type) || typeof type === 'function') return;
  const list = own(events, type as PropertyKey);
  if (Array.isArray(list)) notes.elements(list);
};

const bytes: Note = (notes, receiver) => notes.bytes(receiver);
const copied: Note = (notes, _, args) => notes.bytes(args[0]);

const decoded: Note = (notes, receiver: unknown) => {
  if (!isObject(receiver)) return;
  const keys = ownKeys(receiver);
  for (let i = 0; i < keys.length; i++) notes.bytes(own(receiver, keys[i] as PropertyKey));
};

const { append, delete: remove, toString: textOf } = URLSearchParams.prototype;
const keysOf = URLSearchParams.prototype.keys;

const parameters: Note = (notes, receiver: unknown) => {
  if (!(receiver instanceof URLSearchParams) || notes.isProxy(receiver)) return;
  notes.state(receiver, readParameters, writeParameters);
};

function readParameters(params: URLSearchParams): string {
  return Reflect.apply(textOf, params, []);
}

function writeParameters(params: URLSearchParams, text: string): void {
  const names = Array.from(Reflect.apply(keysOf, params, []));
  for (const name of names) Reflect.apply(remove, params, [name]);
  for (const [name, value] of new URLSearchParams(text)) Reflect.apply(append, params, [name, value]);
}

const cannot =
  (what: string): Note =>
  (notes) =>
    notes.cannot(what);

export function nodeMutators(): readonly Mutators[] {
  const written = Object.getOwnPropertyNames(Buffer.prototype).filter((name) =>
    /^(write|fill$|swap)|Write$/.test(name),
  );
  return [
    [
      EventEmitter.prototype,
      'on addListener prependListener off removeListener removeAllListeners setMaxListeners',
      listeners,
    ],
    [Buffer.prototype, written.join(' '), bytes],
    [Buffer.prototype, 'copy', copied],
    [StringDecoder.prototype, 'write end', decoded],
    [URLSearchParams.prototype, 'append delete set sort', parameters],
    [EventTarget.prototype, 'addEventListener removeEventListener', cannot('listeners of an EventTarget have changed')],
    [AbortController.prototype, 'abort', cannot('an AbortController has aborted')],
  ];
}
