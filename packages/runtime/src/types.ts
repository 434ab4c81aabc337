// Types of references, of messages and of their arguments. A method of an actor becomes a method that promises the
// result. The types of its parameters become the types that may be passed, and the type of its result becomes the type
// that arrives. At run time the same values are refused, and more, since the values themselves are known. docs/internals/types.md
// has the rules, and the limits of TypeScript. These types cost compile time at every use, and are shaped so that the
// compiler terminates: bench/types guards the cost, test/types the termination.

import type { MailboxOptions } from './actors/actor-cell.ts';
import type { SendOptions } from './messaging/answer/deadlines.ts';
import type { Placement } from './actors/actor-placement.ts';
import type { SupervisionPolicy } from './actors/supervision-policy.ts';

/** Mark of the class `Actor` for the compiler only: `declare readonly [actorMark]: true`. */
export declare const actorMark: unique symbol;
declare const farMark: unique symbol;
declare const refusal: unique symbol;

/** Instances of classes that extend `Actor`. */
export interface PassedByReference {
  readonly [actorMark]: true;
}

/** Mark that distinguishes references from other types, with the type of the referenced object. */
export interface Far<out T> {
  readonly [farMark]: T;
}

/** A type without values that replaces a declared type which cannot be passed. `Reason` says why. */
export interface NotPassable<out Reason extends string> {
  readonly [refusal]: Reason;
}

/** A reference to an object of another actor: its public methods send messages and promise the results. */
// The mark is first, so that other types fail at the mark before the compiler looks at any method.
export type FarRef<T> = Far<T> & AsyncMethods<T>;

/** The methods of a reference, and of `send` to a promise of one. */
export type AsyncMethods<T> = {
  readonly [K in keyof T as MessageName<K, T[K]>]: AsyncMethod<T[K], T>;
};

/** The methods of a reference for `tell`, which have no results. */
export type TellMethods<T> = {
  readonly [K in keyof T as MessageName<K, T[K]>]: TellMethod<T[K]>;
};

/** Matches any method without a look at its parameters and result, which may depend on the type being checked. */
type AnyMethod = (...args: never) => unknown;
type AnyConstructor = abstract new (...args: never) => unknown;

/** The name of a public method, otherwise `never`. Optional methods count. */
type MessageName<K, F> = K extends symbol | 'then' | 'constructor'
  ? never
  : Wrapped<F> extends Wrapped<AnyMethod | undefined>
    ? K
    : never;

/** Wraps types for comparison: the compiler checks bare types for genericity, endlessly in recursive classes. */
interface Wrapped<out F> {
  readonly member: F;
}

// Most methods have one signature and no type parameters. The first case checks these quickly. `any` stays `any`.

type AsyncMethod<F, Self> = unknown extends F
  ? F
  : F extends (...args: infer A) => infer R
    ? ((...args: A) => R) extends F
      ? (...args: PassableArguments<A>) => Promise<MethodResult<R, Self>>
      : AsyncOverloads<F, Self>
    : never;

type TellMethod<F> = unknown extends F
  ? F
  : F extends (...args: infer A) => infer R
    ? ((...args: A) => R) extends F
      ? (...args: PassableArguments<A>) => void
      : TellOverloads<F>
    : never;

/** Up to six overloads. With fewer, the first repeats, without effect. Only a single one has type parameters. */
type AsyncOverloads<F, Self> = F extends {
  (...args: infer A): infer Q;
  (...args: infer B): infer R;
  (...args: infer C): infer S;
  (...args: infer D): infer T;
  (...args: infer E): infer U;
  (...args: infer G): infer V;
}
  ? [A, Q] extends [G, V]
    ? AsyncGeneric<F, G, V, Self>
    : AsyncSignature<A, Q, Self> &
        AsyncSignature<B, R, Self> &
        AsyncSignature<C, S, Self> &
        AsyncSignature<D, T, Self> &
        AsyncSignature<E, U, Self> &
        AsyncSignature<G, V, Self>
  : never;

type TellOverloads<F> = F extends {
  (...args: infer A): unknown;
  (...args: infer B): unknown;
  (...args: infer C): unknown;
  (...args: infer D): unknown;
  (...args: infer E): unknown;
  (...args: infer G): unknown;
}
  ? TellSignature<A> & TellSignature<B> & TellSignature<C> & TellSignature<D> & TellSignature<E> & TellSignature<G>
  : never;

type AsyncSignature<A extends readonly unknown[], R, Self> = (
  ...args: PassableArguments<A>
) => Promise<MethodResult<R, Self>>;
type TellSignature<A extends readonly unknown[]> = (...args: PassableArguments<A>) => void;

/** The declared type if all its types pass unchanged, because only the declared type keeps type parameters. */
type AsyncGeneric<F, A extends readonly unknown[], R, Self> = [
  A,
  R,
  PassableArguments<A>,
  Promise<MethodResult<R, Self>>,
] extends [PassableArguments<A>, Promise<MethodResult<R, Self>>, A, R]
  ? F
  : AsyncSignature<A, R, Self>;

type Primitive = string | number | bigint | boolean | symbol | null | undefined | void;

/** Builtin objects that are copied with their class. */
type Copyable = Date | RegExp | Error | ArrayBuffer | ArrayBufferView;

/** Objects that their properties do not determine. */
type NonPlain =
  | Far<unknown>
  | PassedByReference
  | AnyMethod
  | AnyConstructor
  | PromiseLike<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;

type FunctionReason =
  'a function cannot leave its actor: pass data, or a reference to an object that has it as a method, far(…)';
type InstanceReason =
  'an instance with private members is not plain data: pass its data, make its class extend Actor, or pass far(…) of it';
type ActorReason = 'an actor arrives as a reference: declare the parameter as FarRef<…> of its class';

// Plain data keeps its type by name: `PlainValue<T> extends T`. Only whole types are checked in this way, since nested
// checks would not end for recursive types. Arrays that may differ are not compared with each other, since the compiler
// would check each method of Array for each type of element.

/** `T` if it is plain data. An instance with private members differs from its `PlainValue`, which lacks them. */
type PlainValue<T> = [T] extends [Primitive] ? T : PlainObject<T>;

type PlainObject<T> = T extends readonly (infer X)[]
  ? X[] extends T
    ? T extends unknown[]
      ? PlainValue<X>[]
      : readonly PlainValue<X>[]
    : { [I in keyof T]: PlainValue<T[I]> }
  : T extends object
    ? T extends NonPlain
      ? NotPassable<'more than its properties'>
      : T extends Copyable
        ? T
        : { [K in keyof T]: PlainValue<T[K]> }
    : T;

/** The type that arrives for a method's result. */
export type MethodResult<R, Self = unknown> = [R] extends [Primitive] ? R : ResolvedResult<Awaited<R>, Self>;

/** Result of a method. An actor that returns itself arrives as a reference even if it does not extend Actor. */
type ResolvedResult<R, Self> = R extends Primitive
  ? R
  : R extends readonly unknown[]
    ? ReceivedObject<R>
    : R extends PassedByReference
      ? FarRef<R>
      : PlainValue<R> extends R
        ? R
        : [keyof R] extends [keyof Self]
          ? true extends { [K in keyof R]: R[K] extends AnyMethod ? true : never }[keyof R]
            ? FarRef<R>
            : ReceivedRecord<R>
          : ReceivedRecord<R>;

/** The type that arrives for a value. */
export type Received<T> = [T] extends [Primitive] ? T : ReceivedObject<T>;

type ReceivedObject<T> = T extends readonly (infer X)[]
  ? X[] extends T
    ? PlainValue<X> extends X
      ? T
      : T extends unknown[]
        ? Received<X>[]
        : readonly Received<X>[]
    : { [I in keyof T]: Received<T[I]> }
  : PlainValue<T> extends T
    ? T
    : ReceivedRecord<T>;

type ReceivedRecord<T> = T extends NonPlain
  ? ReceivedSpecial<T>
  : { [K in keyof T]: T[K] } extends T
    ? { [K in keyof T]: Received<T[K]> }
    : NotPassable<InstanceReason>;

type ReceivedSpecial<T> =
  T extends Far<unknown>
    ? T
    : T extends PassedByReference
      ? FarRef<T>
      : T extends PromiseLike<infer X>
        ? Promise<Received<X>>
        : T extends Map<infer K, infer V>
          ? Map<Received<K>, Received<V>>
          : T extends ReadonlyMap<infer K, infer V>
            ? ReadonlyMap<Received<K>, Received<V>>
            : T extends Set<infer X>
              ? Set<Received<X>>
              : T extends ReadonlySet<infer X>
                ? ReadonlySet<Received<X>>
                : NotPassable<FunctionReason>;

/** The types that may be passed for parameters. */
export type PassableArguments<A extends readonly unknown[]> = { [I in keyof A]: Passable<A[I]> };

/** The type that may be passed for a parameter. A reference parameter also accepts the actor itself, as `this`. */
export type Passable<P> = [P] extends [Primitive] ? P : PassableObject<P>;

type PassableObject<P> = P extends readonly (infer X)[]
  ? X[] extends P
    ? PlainValue<X> extends X
      ? P
      : P extends unknown[]
        ? Passable<X>[]
        : readonly Passable<X>[]
    : { [I in keyof P]: Passable<P[I]> }
  : P extends Far<infer X>
    ? P | Extract<X, PassedByReference>
    : PlainValue<P> extends P
      ? P
      : PassableRecord<P>;

type PassableRecord<P> = P extends NonPlain
  ? PassableSpecial<P>
  : { [K in keyof P]: P[K] } extends P
    ? { [K in keyof P]: Passable<P[K]> }
    : NotPassable<InstanceReason>;

type PassableSpecial<P> = P extends PassedByReference
  ? NotPassable<ActorReason>
  : P extends Promise<infer X>
    ? Promise<Passable<X>>
    : P extends PromiseLike<infer X>
      ? PromiseLike<Passable<X>>
      : P extends Map<infer K, infer V>
        ? Map<Passable<K>, Passable<V>>
        : P extends ReadonlyMap<infer K, infer V>
          ? ReadonlyMap<Passable<K>, Passable<V>>
          : P extends Set<infer X>
            ? Set<Passable<X>>
            : P extends ReadonlySet<infer X>
              ? ReadonlySet<Passable<X>>
              : NotPassable<FunctionReason>;

/** A class whose instances can be the root of an actor: not abstract, with a public constructor. */
export type ActorClass<T extends object = object, A extends readonly unknown[] = never> = new (...args: A) => T;

/** Type of `spawn`. `A` is inferred from the class, so that arguments are checked one by one. */
export type Spawn = <T extends object, A extends readonly unknown[]>(
  type: ActorClass<T, A>,
  ...args: PassableArguments<A>
) => FarRef<T>;

export type SpawnWith = <T extends object, A extends readonly unknown[]>(
  options: SpawnOptions,
  type: ActorClass<T, A>,
  ...args: PassableArguments<A>
) => FarRef<T>;

export type Tell = <T>(ref: FarRef<T>) => TellMethods<T>;

/** A reference, or the promise of one. */
export type SendTarget<T> = FarRef<T> | PromiseLike<FarRef<T>>;

export type Send = <T>(target: SendTarget<T>) => AsyncMethods<T>;

export type SendWith = <T>(options: SendOptions, target: SendTarget<T>) => AsyncMethods<T>;

/** The type of `far`; a reference is returned unchanged. */
export interface MakeFar {
  <T>(ref: FarRef<T>): FarRef<T>;
  /** Overload for an expected type: the type of `this` is unknown within its class. */
  <T extends object = never>(object: NoInfer<T>): FarRef<T>;
  <T extends object>(object: T): FarRef<T>;
}

/** The type of `near`: returns the object to the actor that owns it. */
export type Near = <T>(ref: FarRef<T>) => T | undefined;

export type IsFar = (value: unknown) => value is FarRef<unknown>;

/** Options of `spawnWith`. */
export interface SpawnOptions {
  readonly on?: Placement;
  /** Name of the actor in errors and stats. */
  readonly name?: string;
  readonly mailbox?: MailboxOptions;
  /**
   * Reaction to the loss of the actor's worker. `'restart'`: the actor is created again with the same class and
   * arguments, and references to it stay valid. `'restore'`: the actor is restored from the last snapshot, while all
   * others keep running. `'rollback'`: the whole program returns to its last snapshot.
   */
  readonly supervise?: SupervisionPolicy | undefined;
}
