// The transport's view of the runtime: references, error classes, and a port for messages that are too big for a ring.

import type { EngineView } from '@turntable/core';
import type { MessagePort } from 'node:worker_threads';
import type { PassableTypeChecks } from '../messaging/send/argument-copier.ts';

export type Port = MessagePort;

export interface SendingPort {
  postMessage(value: unknown, transfer?: readonly ArrayBuffer[]): void;
}

export interface TransportDeps {
  /** The replacement of an object that passes by reference: a reference, an eventual, … */
  referenceFor(value: object): object | undefined;
  /** Writes a reference as integers, texts and values into the current message. */
  writeReference(reference: object, writer: WireWriter): void;
  /** Reads exactly what `writeReference` has written. */
  readReference(reader: WireReader): object;
  /** A name for the class of an error that the other end may know. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  readonly types: PassableTypeChecks;
  /** If present, objects with the same shape in V8 as earlier ones are not examined again. */
  readonly engine?: Pick<EngineView, 'sameShape' | 'hasFixedShape'> | undefined;
}

export interface WireWriter {
  /** `value`: from 0 to 2^53 - 1. */
  integer(value: number): void;
  text(value: string): void;
  value(value: unknown): void;
}

export interface WireReader {
  integer(): number;
  text(): string;
  value(): unknown;
}

/** Handles a message. More than three arguments are passed in `args`. */
export type TakeMessage = (
  kind: number,
  sender: number,
  actor: number,
  target: number,
  replyTo: number,
  call: string | undefined,
  count: number,
  a: unknown,
  b: unknown,
  c: unknown,
  args: readonly unknown[],
) => void;

/** Posted in the order of the placeholders in the ring: a number, the message if it is long, and its large buffers. */
export type Parcel = readonly [
  number: number,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  buffers: readonly ArrayBuffer[],
];

export const WAKE = 0;
