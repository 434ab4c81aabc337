// Copies the values of a message for its recipient: arguments and results. Eventuals among them become eventuals of the recipient that are settled alike.
// Hot path: guarded by bench:peers.

import type { Eventual, Realm } from '@turntable/core';
import type { Actor } from '../../actors/actor.ts';
import type { FarRef } from '../../references/far-ref.ts';
import type { EventualForwarder } from '../answer/eventual-forwarder.ts';
import { Forward, PASSED } from '../answer/outcomes.ts';
import { Passing, type TypeChecks } from './passing.ts';

export interface MessageCopierDeps {
  readonly realm: Realm;
  readonly types: TypeChecks;
  readonly forwarder: EventualForwarder;
  currentActor(): Actor;
  /** The reference to an object of an actor here, if it passes by reference. */
  referenceTo(value: object): FarRef | undefined;
}

export class MessageCopier {
  readonly #deps: MessageCopierDeps;
  readonly #passing: Passing;
  /** Recipient of the value that is being copied; none if the value waits for an eventual. */
  #recipient: Actor | undefined;

  constructor(deps: MessageCopierDeps) {
    this.#deps = deps;
    this.#passing = new Passing({ reference: (value) => this.#referenceTo(value), types: deps.types });
  }

  // V8 allocates a function's closure context on each call: those that name a value are in methods of their own.

  argument(value: unknown, actor: Actor, call: string, place: number): unknown {
    return this.copy(actor, value, () => `args[${place}] of ${nameOf(actor, call)}`);
  }

  /** `actor` has answered `call` for `to`. */
  result(value: unknown, actor: Actor, to: Actor, call: string): unknown {
    return this.copy(to, value, () => `the result of ${nameOf(actor, call)}`);
  }

  /** Without a recipient, `call` is the whole name in errors. */
  all(args: readonly unknown[], actor: Actor | undefined, call: string): unknown[] {
    const name = actor === undefined ? call : nameOf(actor, call);
    return args.map((arg, i) => this.copy(actor, arg, () => `args[${i}] of ${name}`));
  }

  /** `name` describes the value in errors. */
  copy(recipient: Actor | undefined, value: unknown, name: () => string): unknown {
    const before = this.#recipient;
    this.#recipient = recipient;
    try {
      return this.#passing.pass(value, name);
    } finally {
      this.#recipient = before;
    }
  }

  #referenceTo(value: object): object | undefined {
    if (!this.#deps.forwarder.isEventual(value)) return this.#deps.referenceTo(value);
    const recipient = this.#recipient;
    return recipient === undefined ? value : this.#passedEventual(value, recipient);
  }

  /** An eventual of the recipient's that is settled as this one is. */
  #passedEventual(value: object, to: Actor): Eventual {
    const settles = this.#deps.realm.parts.eventuals.create();
    this.#deps.forwarder.forward(value, new Forward(this.#deps.currentActor(), to, settles, PASSED));
    return settles;
  }
}

/** The call as errors and trails show it. */
export function nameOf(actor: Actor, call: string): string {
  return `${actor.name}.${call}`;
}
