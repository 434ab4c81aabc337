// Creates actors: the first turn of an actor constructs its root. A constructor can pass on the root that it constructs
// if its class extends `Actor`, whose constructor calls `bindRoot`. An actor whose constructor throws has failed.

import type { ActorCell } from './actor-cell.ts';
import { FarReference } from '../references/far-reference.ts';
import type { ActorConstructor } from '../scheduler-host.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { ActorCreation } from './pending-actors.ts';

export interface ActorFactoryDeps {
  /** Called before the root of an actor is constructed. */
  onCreating(actor: ActorCell): void;
  /** Called when the constructor has thrown. */
  onFailed(actor: ActorCell, failure: RuntimeError): void;
  report(actor: ActorCell, reason: unknown): void;
}

export class ActorFactory {
  readonly #deps: ActorFactoryDeps;
  /** The actor whose root is being constructed, until `bindRoot`. */
  #creating: { readonly actor: ActorCell; readonly type: ActorConstructor; readonly ref: FarReference } | undefined;

  constructor(deps: ActorFactoryDeps) {
    this.#deps = deps;
  }

  /** Creates an actor that other workers knew before. Does nothing without a `spec`: the actor has failed already. */
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
      const message = `${actor.name} could not be created: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#deps.onFailed(actor, new RuntimeError('TT_ACTOR_FAILED', message, { cause }));
      // Not reported if waiting messages are answered with the failure, unless the actor was spawned again.
      if (actor.waiting === 0 || isRespawn) this.#deps.report(actor, actor.failure);
    } finally {
      this.#creating = undefined;
    }
  }

  /** Calls the constructor again when a task is re-executed in place. The actor keeps its first root. */
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

  /** Binds the root as soon as it exists, so that its constructor can pass it on. Ignores objects of other classes. */
  bindRoot(object: object, type: unknown): void {
    const creating = this.#creating;
    if (creating === undefined || creating.type !== type) return;
    this.#creating = undefined;
    creating.actor.root = object;
    creating.actor.rootRef = creating.ref;
  }
}
