// The transport's interface to the runtime: references, error classes, and a port for messages too big for a ring.

import type { EngineView } from '@turntable/core';
import type { MessagePort } from 'node:worker_threads';
import type { PassableTypeChecks } from '../messaging/send/argument-copier.ts';

export type Port = MessagePort;

export interface SendingPort {
  postMessage(value: unknown, transfer?: readonly ArrayBuffer[]): void;
}

export interface TransportDeps {
  /** Returns the reference or eventual that passes in place of an object; undefined if the object is copied. */
  referenceFor(value: object): object | undefined;
  /** Writes a reference as integers, texts and values into the current message. */
  writeReference(reference: object, writer: WireWriter): void;
  /** Reads exactly the items that `writeReference` wrote. */
  readReference(reader: WireReader): object;
  /** Returns the name of an error class that the other end may know. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  readonly types: PassableTypeChecks;
  /** If present, objects whose shape in V8 is that of earlier objects are not examined again. */
  readonly engine?: Pick<EngineView, 'sameShape' | 'hasFixedShape'> | undefined;
}

export interface WireWriter {
  /** Writes an integer from 0 to 2^53 - 1. */
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

/** A number, the message if it is long, and its large buffers. Posted in the order of placeholders in the ring. */
export type Parcel = readonly [
  number: number,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  buffers: readonly ArrayBuffer[],
];

export const WAKE = 0;
