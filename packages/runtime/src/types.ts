// What the compiler knows of references, of messages and of what passes in them; types only. A method of an actor becomes one that
// promises its result: its parameters become what may be given for them, its result what arrives of it. The run time refuses
// the same values, and more, for it sees them. docs/types.md has the rules, and what TypeScript cannot say.
// What is written here is paid at every use, and shaped so that the compiler comes to an end: bench/types guards the one, test/types
// the other.

import type { Mailbox } from './actors/actor.ts';
import type { SendOptions } from './messaging/answer/deadline.ts';
import type { Placement } from './actors/placement.ts';
import type { Supervise } from './actors/supervise.ts';

/** Instances of the class `Actor` carry it, for the compiler only: `declare readonly [actorMark]: true`. */
export declare const actorMark: unique symbol;
declare const farMark: unique symbol;
declare const refusal: unique symbol;

/** What extends the class `Actor`. */
export interface PassedByReference {
  readonly [actorMark]: true;
}

/** Tells a reference from everything else, and what it refers to. */
export interface Far<out T> {
  readonly [farMark]: T;
}

/** The type of nothing: stands where what is declared would be refused, and says why. */
export interface NotPassable<out Reason extends string> {
  readonly [refusal]: Reason;
}

/** A reference to an object of another actor: its public methods, each of which sends a message and promises the result. */
// The mark comes first: what is no reference fails by it, before the compiler looks at any method.
export type FarRef<T> = Far<T> & Asking<T>;

/** The methods of a reference, as `send` has them for one that may only be promised yet. */
export type Asking<T> = {
  readonly [K in keyof T as MessageName<K, T[K]>]: Asks<T[K], T>;
};

/** The same messages, told: nobody learns what comes of them. */
export type Telling<T> = {
  readonly [K in keyof T as MessageName<K, T[K]>]: Tells<T[K]>;
};

/** To be one is decided without a look at parameters and result, which may be inferred from what is being checked. */
type AnyFunction = (...args: never) => unknown;
type AnyConstructor = abstract new (...args: never) => unknown;

/** The name of a public method, `never` for all else. Optional methods are methods. */
type MessageName<K, F> = K extends symbol | 'then' | 'constructor'
  ? never
  : Around<F> extends Around<AnyFunction | undefined>
    ? K
    : never;

/** The compiler asks of every bare type it compares whether it is generic, which has no end for a reference in its own class. */
interface Around<out F> {
  readonly member: F;
}

// Most methods have one signature and no type parameters, which is quickly seen. `any` stays what it is.

type Asks<F, Self> = unknown extends F
  ? F
  : F extends (...args: infer A) => infer R
    ? ((...args: A) => R) extends F
      ? (...args: Arguments<A>) => Promise<Answer<R, Self>>
      : AsksOneOf<F, Self>
    : never;

type Tells<F> = unknown extends F
  ? F
  : F extends (...args: infer A) => infer R
    ? ((...args: A) => R) extends F
      ? (...args: Arguments<A>) => void
      : TellsOneOf<F>
    : never;

/** Up to six overloads; where there are fewer, the first is repeated, and the intersection is the same. One is a method with type parameters. */
type AsksOneOf<F, Self> = F extends {
  (...args: infer A): infer Q;
  (...args: infer B): infer R;
  (...args: infer C): infer S;
  (...args: infer D): infer T;
  (...args: infer E): infer U;
  (...args: infer G): infer V;
}
  ? [A, Q] extends [G, V]
    ? AsksForAll<F, G, V, Self>
    : AskOne<A, Q, Self> &
        AskOne<B, R, Self> &
        AskOne<C, S, Self> &
        AskOne<D, T, Self> &
        AskOne<E, U, Self> &
        AskOne<G, V, Self>
  : never;

type TellsOneOf<F> = F extends {
  (...args: infer A): unknown;
  (...args: infer B): unknown;
  (...args: infer C): unknown;
  (...args: infer D): unknown;
  (...args: infer E): unknown;
  (...args: infer G): unknown;
}
  ? TellOne<A> & TellOne<B> & TellOne<C> & TellOne<D> & TellOne<E> & TellOne<G>
  : never;

type AskOne<A extends readonly unknown[], R, Self> = (...args: Arguments<A>) => Promise<Answer<R, Self>>;
type TellOne<A extends readonly unknown[]> = (...args: Arguments<A>) => void;

/** Type parameters survive only in the type that has them: a method that nothing of changes on the way stays as it is. */
type AsksForAll<F, A extends readonly unknown[], R, Self> = [A, R, Arguments<A>, Promise<Answer<R, Self>>] extends [
  Arguments<A>,
  Promise<Answer<R, Self>>,
  A,
  R,
]
  ? F
  : AskOne<A, R, Self>;

type Primitive = string | number | bigint | boolean | symbol | null | undefined | void;

/** Objects that are copied as what they are. */
type Copied = Date | RegExp | Error | ArrayBuffer | ArrayBufferView;

/** Objects that are more than their properties. */
type Special =
  | Far<unknown>
  | PassedByReference
  | AnyFunction
  | AnyConstructor
  | PromiseLike<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;

type AFunction =
  'a function stays with its actor: pass data, or a reference to an object that has it as a method, far(…)';
type AnInstance =
  'an instance with private members is no plain data: pass its data, make its class extend Actor, or pass far(…) of it';
type AnActor = 'an actor arrives as a reference: declare the parameter as FarRef<…> of its class';

// Plain data is the same on both sides and stays the type it is, by its name: `Plain<T> extends T`. That is asked of a whole, and never
// while a whole is being asked, which would not end for types that contain themselves. Arrays come before all other objects, and
// are not compared with each other where they may differ: either would look at each method of Array, anew for each type of element.

/** `T` if it is plain data; instances with private members differ by lacking them. */
type Plain<T> = [T] extends [Primitive] ? T : PlainObject<T>;

type PlainObject<T> = T extends readonly (infer X)[]
  ? X[] extends T
    ? T extends unknown[]
      ? Plain<X>[]
      : readonly Plain<X>[]
    : { [I in keyof T]: Plain<T[I]> }
  : T extends object
    ? T extends Special
      ? NotPassable<'more than its properties'>
      : T extends Copied
        ? T
        : { [K in keyof T]: Plain<T[K]> }
    : T;

/** What arrives of a method's result. */
export type Answer<R, Self = unknown> = [R] extends [Primitive] ? R : Answered<Awaited<R>, Self>;

/** The actor itself, in whichever of its classes it is declared, arrives as a reference though its class may not extend Actor. */
type Answered<R, Self> = R extends Primitive
  ? R
  : R extends readonly unknown[]
    ? PassedObject<R>
    : R extends PassedByReference
      ? FarRef<R>
      : Plain<R> extends R
        ? R
        : [keyof R] extends [keyof Self]
          ? true extends { [K in keyof R]: R[K] extends AnyFunction ? true : never }[keyof R]
            ? FarRef<R>
            : Arriving<R>
          : Arriving<R>;

/** What arrives of a value. */
export type Passed<T> = [T] extends [Primitive] ? T : PassedObject<T>;

type PassedObject<T> = T extends readonly (infer X)[]
  ? X[] extends T
    ? Plain<X> extends X
      ? T
      : T extends unknown[]
        ? Passed<X>[]
        : readonly Passed<X>[]
    : { [I in keyof T]: Passed<T[I]> }
  : Plain<T> extends T
    ? T
    : Arriving<T>;

type Arriving<T> = T extends Special
  ? ArrivingSpecial<T>
  : { [K in keyof T]: T[K] } extends T
    ? { [K in keyof T]: Passed<T[K]> }
    : NotPassable<AnInstance>;

type ArrivingSpecial<T> =
  T extends Far<unknown>
    ? T
    : T extends PassedByReference
      ? FarRef<T>
      : T extends PromiseLike<infer X>
        ? Promise<Passed<X>>
        : T extends Map<infer K, infer V>
          ? Map<Passed<K>, Passed<V>>
          : T extends ReadonlyMap<infer K, infer V>
            ? ReadonlyMap<Passed<K>, Passed<V>>
            : T extends Set<infer X>
              ? Set<Passed<X>>
              : T extends ReadonlySet<infer X>
                ? ReadonlySet<Passed<X>>
                : NotPassable<AFunction>;

/** What may be given for parameters. */
export type Arguments<A extends readonly unknown[]> = { [I in keyof A]: Given<A[I]> };

/** What may be given for a parameter: for a reference also the actor itself, which knows itself as `this`. */
export type Given<P> = [P] extends [Primitive] ? P : GivenObject<P>;

type GivenObject<P> = P extends readonly (infer X)[]
  ? X[] extends P
    ? Plain<X> extends X
      ? P
      : P extends unknown[]
        ? Given<X>[]
        : readonly Given<X>[]
    : { [I in keyof P]: Given<P[I]> }
  : P extends Far<infer X>
    ? P | Extract<X, PassedByReference>
    : Plain<P> extends P
      ? P
      : Giving<P>;

type Giving<P> = P extends Special
  ? GivingSpecial<P>
  : { [K in keyof P]: P[K] } extends P
    ? { [K in keyof P]: Given<P[K]> }
    : NotPassable<AnInstance>;

type GivingSpecial<P> = P extends PassedByReference
  ? NotPassable<AnActor>
  : P extends Promise<infer X>
    ? Promise<Given<X>>
    : P extends PromiseLike<infer X>
      ? PromiseLike<Given<X>>
      : P extends Map<infer K, infer V>
        ? Map<Given<K>, Given<V>>
        : P extends ReadonlyMap<infer K, infer V>
          ? ReadonlyMap<Given<K>, Given<V>>
          : P extends Set<infer X>
            ? Set<Given<X>>
            : P extends ReadonlySet<infer X>
              ? ReadonlySet<Given<X>>
              : NotPassable<AFunction>;

/** A class whose instances can be the root of an actor: an abstract one cannot, nor one whose constructor is private. */
export type ActorClass<T extends object = object, A extends readonly unknown[] = never> = new (...args: A) => T;

/** `A` is inferred from the class: what is given is compared with it, argument by argument. */
export type Spawn = <T extends object, A extends readonly unknown[]>(
  type: ActorClass<T, A>,
  ...args: Arguments<A>
) => FarRef<T>;

export type SpawnWith = <T extends object, A extends readonly unknown[]>(
  options: SpawnOptions,
  type: ActorClass<T, A>,
  ...args: Arguments<A>
) => FarRef<T>;

export type Tell = <T>(ref: FarRef<T>) => Telling<T>;

/** A reference, or what will be one. */
export type Target<T> = FarRef<T> | PromiseLike<FarRef<T>>;

export type Send = <T>(target: Target<T>) => Asking<T>;

export type SendWith = <T>(options: SendOptions, target: Target<T>) => Asking<T>;

/** Of a reference it is the reference itself. */
export interface MakeFar {
  <T>(ref: FarRef<T>): FarRef<T>;
  /** Where it is known what is wanted: of `this` nothing else is known within its class. */
  <T extends object = never>(object: NoInfer<T>): FarRef<T>;
  <T extends object>(object: T): FarRef<T>;
}

/** The object, for the actor it belongs to. */
export type Near = <T>(ref: FarRef<T>) => T | undefined;

export type IsFar = (value: unknown) => value is FarRef<unknown>;

export interface SpawnOptions {
  readonly on?: Placement;
  /** For messages about it. */
  readonly name?: string;
  readonly mailbox?: Mailbox;
  /**
   * What becomes of it when its worker is lost. `'restart'`: it is made anew, of the same class and arguments; references to it go on working.
   * `'restore'`: it is again what it was in the last snapshot, while all others go on. `'rollback'`: the whole program goes back to its last snapshot.
   */
  readonly supervise?: Supervise | undefined;
}
