// Copies the values of a message, arguments or a result, for its recipient. An eventual becomes an eventual of the
// recipient with the same outcome. Hot path: guarded by bench:peers.

import type { Eventual, Realm } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import type { FarReference } from '../../references/far-reference.ts';
import type { EventualForwarder } from '../answer/eventual-forwarder.ts';
import { ReplyForward, PASSED_EVENTUAL } from '../answer/forward-targets.ts';
import { ArgumentCopier, type PassableTypeChecks } from './argument-copier.ts';

export interface MessageCopierDeps {
  readonly realm: Realm;
  readonly types: PassableTypeChecks;
  readonly forwarder: EventualForwarder;
  currentActor(): ActorCell;
  /** Returns the reference to an object of this worker, if the object passes by reference. */
  referenceTo(value: object): FarReference | undefined;
}

export class MessageCopier {
  readonly #deps: MessageCopierDeps;
  readonly #argumentCopier: ArgumentCopier;
  /** Recipient of the value that is being copied; undefined while its target is an unsettled eventual. */
  #recipient: ActorCell | undefined;

  constructor(deps: MessageCopierDeps) {
    this.#deps = deps;
    this.#argumentCopier = new ArgumentCopier({ referenceFor: (value) => this.#referenceTo(value), types: deps.types });
  }

  // Methods of their own for closures that name a value, since V8 allocates the context of a closure on each call.

  argument(value: unknown, actor: ActorCell, call: string, index: number): unknown {
    return this.copy(actor, value, () => `args[${index}] of ${callName(actor, call)}`);
  }

  /** Copies the result of `actor`'s `call` for the caller. */
  result(value: unknown, actor: ActorCell, asker: ActorCell, call: string): unknown {
    return this.copy(asker, value, () => `the result of ${callName(actor, call)}`);
  }

  /** Copies arguments. If the recipient is not known yet, `call` is the whole description in errors. */
  copyArguments(args: readonly unknown[], actor: ActorCell | undefined, call: string): unknown[] {
    const name = actor === undefined ? call : callName(actor, call);
    return args.map((arg, i) => this.copy(actor, arg, () => `args[${i}] of ${name}`));
  }

  /** Copies a value for a recipient. `name` describes the value in errors. */
  copy(recipient: ActorCell | undefined, value: unknown, name: () => string): unknown {
    const previous = this.#recipient;
    this.#recipient = recipient;
    try {
      return this.#argumentCopier.copy(value, name);
    } finally {
      this.#recipient = previous;
    }
  }

  #referenceTo(value: object): object | undefined {
    if (!this.#deps.forwarder.isEventual(value)) return this.#deps.referenceTo(value);
    const recipient = this.#recipient;
    return recipient === undefined ? value : this.#copyEventual(value, recipient);
  }

  #copyEventual(value: object, recipient: ActorCell): Eventual {
    const replyTo = this.#deps.realm.parts.eventuals.create();
    const target = new ReplyForward(this.#deps.currentActor(), recipient, replyTo, PASSED_EVENTUAL);
    this.#deps.forwarder.forward(value, target);
    return replyTo;
  }
}

export function callName(actor: ActorCell, call: string): string {
  return `${actor.name}.${call}`;
}
