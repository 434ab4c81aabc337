// How an actor begins: its root is made in its first turn, by its class. A root may pass itself on while its constructor runs; it is known
// before, if its class extends `Actor`. One that cannot be made has failed.

import type { Actor } from './actor.ts';
import { FarRef } from '../references/far-ref.ts';
import type { Class } from '../host.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { Birth } from './unborn.ts';

export interface BirthPorts {
  /** An actor is about to be made. */
  comes(actor: Actor): void;
  /** It will never be one. */
  failed(actor: Actor, failure: RuntimeError): void;
  report(actor: Actor, reason: unknown): void;
}

export class Births {
  readonly #ports: BirthPorts;
  /** The root that is being made, until it is known. */
  #making: { readonly actor: Actor; readonly type: Class; readonly ref: FarRef } | undefined;

  constructor(ports: BirthPorts) {
    this.#ports = ports;
  }

  /** One that others had heard of; one that will never be has failed. */
  begin(actor: Actor, { of, isAnew }: Birth): void {
    if (of !== undefined) this.make(actor, of.type, of.ref, of.args, isAnew);
  }

  make(actor: Actor, type: Class, ref: FarRef, args: readonly unknown[], isAnew = false): void {
    if (actor.failure !== undefined) return;
    this.#ports.comes(actor);
    this.#making = { actor, type, ref };
    try {
      const root = Reflect.construct(type as unknown as new () => object, args as unknown[]) as object;
      FarRef.born(ref, root);
      actor.root = root;
      actor.rootRef = ref;
    } catch (cause) {
      const message = `${actor.name} could not be made: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#ports.failed(actor, new RuntimeError('TT_ACTOR_FAILED', message, { cause }));
      // Otherwise those learn it that have sent something.
      if (actor.waiting === 0 || isAnew) this.#ports.report(actor, actor.failure);
    } finally {
      this.#making = undefined;
    }
  }

  /** Once more, for somebody who looks on: in the end the actor is what was made first. */
  makeAgain(actor: Actor, type: Class, args: readonly unknown[]): void {
    const { root } = actor;
    const rootRef = FarRef.toRootOf(actor);
    this.#making = rootRef && { actor, type, ref: rootRef };
    actor.root = actor.rootRef = undefined;
    try {
      Reflect.construct(type as unknown as new () => object, args as unknown[]);
    } finally {
      this.#making = undefined;
      actor.root = root;
      actor.rootRef = rootRef;
    }
  }

  /** An object of a class is being made: if it is the root that is made now, it is known before its constructor passes it on. */
  meet(object: object, type: unknown): void {
    const making = this.#making;
    if (making === undefined || making.type !== type) return;
    this.#making = undefined;
    making.actor.root = object;
    making.actor.rootRef = making.ref;
  }
}
