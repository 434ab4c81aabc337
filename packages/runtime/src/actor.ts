// An actor: an object graph nobody else reaches, and the messages that wait for it. Everything of it that others have a
// reference to is an export, under a number; the root is number 0.

import type { Context, Home } from '@turntable/core';
import type { Recipient } from './message-queue.ts';
import type { RuntimeError } from './runtime-error.ts';

export class Actor implements Home, Recipient {
  readonly id: number;
  /** What belongs to whom (core's contexts): everything that is made in a turn belongs to its actor. */
  readonly context: Context;
  waiting = 0;
  mailbox: object | undefined = undefined;
  readonly exports: (object | undefined)[] = [undefined];
  /** Why nothing can be sent to it any more. */
  failure: RuntimeError | undefined = undefined;
  /** For messages about it. */
  readonly name: string;

  constructor(id: number, name: string) {
    this.id = id;
    this.name = name;
    this.context = { home: this, store: undefined };
  }
}
