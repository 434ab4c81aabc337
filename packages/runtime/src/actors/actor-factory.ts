// How an actor begins: its root is made in its first turn, by its class. A root may pass itself on while its constructor runs; it is known
// before, if its class extends `Actor`. One that cannot be made has failed.

import type { ActorCell } from './actor-cell.ts';
import { FarReference } from '../references/far-reference.ts';
import type { ActorConstructor } from '../scheduler-host.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { ActorCreation } from './pending-actors.ts';

export interface ActorFactoryDeps {
  /** An actor is about to be made. */
  onCreating(actor: ActorCell): void;
  /** It will never be one. */
  onFailed(actor: ActorCell, failure: RuntimeError): void;
  report(actor: ActorCell, reason: unknown): void;
}

export class ActorFactory {
  readonly #deps: ActorFactoryDeps;
  /** The root that is being made, until it is known. */
  #creating: { readonly actor: ActorCell; readonly type: ActorConstructor; readonly ref: FarReference } | undefined;

  constructor(deps: ActorFactoryDeps) {
    this.#deps = deps;
  }

  /** One that others had heard of; one that will never be has failed. */
  createFrom(actor: ActorCell, { spec, isRespawn }: ActorCreation): void {
    if (spec !== undefined) this.create(actor, spec.type, spec.ref, spec.args, isRespawn);
  }

  create(
    actor: ActorCell,
    type: ActorConstructor,
    ref: FarReference,
    args: readonly unknown[],
    isRespawn = false,
  ): void {
    if (actor.failure !== undefined) return;
    this.#deps.onCreating(actor);
    this.#creating = { actor, type, ref };
    try {
      const root = Reflect.construct(type as unknown as new () => object, args as unknown[]) as object;
      FarReference.bindObject(ref, root);
      actor.root = root;
      actor.rootRef = ref;
    } catch (cause) {
      const message = `${actor.name} could not be made: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#deps.onFailed(actor, new RuntimeError('TT_ACTOR_FAILED', message, { cause }));
      // Otherwise those learn it that have sent something.
      if (actor.waiting === 0 || isRespawn) this.#deps.report(actor, actor.failure);
    } finally {
      this.#creating = undefined;
    }
  }

  /** Once more, for somebody who looks on: in the end the actor is what was made first. */
  recreate(actor: ActorCell, type: ActorConstructor, args: readonly unknown[]): void {
    const { root } = actor;
    const rootRef = FarReference.rootReferenceOf(actor);
    this.#creating = rootRef && { actor, type, ref: rootRef };
    actor.root = actor.rootRef = undefined;
    try {
      Reflect.construct(type as unknown as new () => object, args as unknown[]);
    } finally {
      this.#creating = undefined;
      actor.root = root;
      actor.rootRef = rootRef;
    }
  }

  /** An object of a class is being made: if it is the root that is made now, it is known before its constructor passes it on. */
  bindRoot(object: object, type: unknown): void {
    const creating = this.#creating;
    if (creating === undefined || creating.type !== type) return;
    this.#creating = undefined;
    creating.actor.root = object;
    creating.actor.rootRef = creating.ref;
  }
}
