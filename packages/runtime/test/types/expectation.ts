// Assertions of the type tests: a type is exactly another one. Nothing of this runs.

import type { actorMark, IsFar, MakeFar, Near, Send, SendWith, Spawn, SpawnWith, Tell } from '../../src/types.ts';

/** Whether two types are the same: not only assignable to each other, and `any` only to itself. */
export type Same<A, B> = (<G>() => G extends A ? 1 : 2) extends <G>() => G extends B ? 1 : 2 ? true : false;

export declare function expectSame<A, B>(...same: Same<A, B> extends true ? [] : [{ is: A; expected: B }]): void;

export declare abstract class Actor {
  declare readonly [actorMark]: true;
}

export declare const spawn: Spawn;
export declare const spawnWith: SpawnWith;
export declare const tell: Tell;
export declare const send: Send;
export declare const sendWith: SendWith;
export declare const far: MakeFar;
export declare const near: Near;
export declare const isFar: IsFar;
