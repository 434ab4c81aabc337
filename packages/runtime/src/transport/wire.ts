// What the transport needs of the runtime around it: references, classes of errors, and a port for what is too big for a ring.

import type { EngineView } from '@turntable/core';
import type { MessagePort } from 'node:worker_threads';
import type { PassableTypeChecks } from '../messaging/send/argument-copier.ts';

export type Port = MessagePort;

export interface SendingPort {
  postMessage(value: unknown, transfer?: readonly ArrayBuffer[]): void;
}

export interface TransportDeps {
  /** What stands for an object that passes by reference: a reference, an eventual, … */
  referenceFor(value: object): object | undefined;
  /** As numbers, strings and values, in the midst of a message. */
  writeReference(reference: object, writer: WireWriter): void;
  /** Reads what `writeReference` has written, neither more nor less. */
  readReference(reader: WireReader): object;
  /** What the other end may know the class of errors by. */
  errorClassName(prototype: object): string | undefined;
  errorPrototype(name: string): object | undefined;
  readonly types: PassableTypeChecks;
  /** With it, objects that V8 holds as others before are not looked at closely again. */
  readonly engine?: Pick<EngineView, 'sameShape' | 'hasFixedShape'> | undefined;
}

export interface WireWriter {
  /** From 0 to 2^53 - 1. */
  integer(value: number): void;
  text(value: string): void;
  value(value: unknown): void;
}

export interface WireReader {
  integer(): number;
  text(): string;
  value(): unknown;
}

/** Up to three arguments by themselves, more as a list. */
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

/** What goes by the port in the order of its placeholders in the ring: a number, the message if it is long, large buffers of it. */
export type Parcel = readonly [
  number: number,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  buffers: readonly ArrayBuffer[],
];

/** What a port says to a receiver that sleeps. */
export const WAKE = 0;
