// Types that arrive for results, and types that may be passed for parameters.

import type { MethodResult, PassableArguments, FarRef, Passable, NotPassable, Received } from '../../src/types.ts';
import { Actor, expectSame, spawn, type Same } from './expectation.ts';

interface Order {
  id: string;
  lines: { sku: string; n: number }[];
  placed: Date;
}
interface Tree {
  left: Tree | null;
  children: Tree[];
  value: number;
}
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Nested = readonly Nested[];
interface Growing<T> {
  value: T;
  more?: Growing<T[]>;
}

class Account extends Actor {
  #balance = 0;
  deposit(n: number): number {
    return (this.#balance += n);
  }
}
class Savings extends Account {
  rate = 1;
}
class Money {
  #cents = 1;
  get cents(): number {
    return this.#cents;
  }
}
class TypedError extends Error {
  readonly code = 'TT_X' as const;
}
type IsRefused<T> = [T] extends [NotPassable<string>] ? true : false;
type Colour = 'red' | 'green';

// ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// Plain data stays the type it is, whatever it is called.
type Plain = [
  string,
  Colour,
  boolean,
  number | undefined,
  bigint,
  null,
  Order,
  readonly Order[],
  [id: string, n?: number, ...rest: Order[]],
  Map<string, Order>,
  ReadonlyMap<string, Order>,
  Set<Colour>,
  Tree,
  Json,
  Nested,
  Growing<number>,
  TypedError,
  RegExp,
  Uint8Array,
  Record<string, Order>,
  { readonly a?: Order },
  string & { readonly brand: 'Id' },
  object,
  unknown,
];
type EachStays<T extends readonly unknown[]> = {
  [I in keyof T]: Same<Received<T[I]>, T[I]> | Same<MethodResult<T[I]>, T[I]> | Same<Passable<T[I]>, T[I]>;
};
interface Routes {
  to: FarRef<Account>;
  more: Routes[];
  named: Map<string, Routes>;
}
expectSame<EachStays<Plain>[number], true>();

// Promises are flattened.
expectSame<MethodResult<Promise<Order>>, Order>();
expectSame<MethodResult<Promise<Promise<Order>> | undefined>, Order | undefined>();
expectSame<MethodResult<void>, void>();
expectSame<MethodResult<never>, never>();
expectSame<MethodResult<Promise<void>>, void>();
expectSame<MethodResult<any>, any>(); // oxlint-disable-line typescript/no-explicit-any

// Actors arrive as references, however deep; references stay references; eventuals inside data stay eventuals.
expectSame<MethodResult<Account>, FarRef<Account>>();
expectSame<MethodResult<Promise<Account | undefined>>, FarRef<Account> | undefined>();
expectSame<MethodResult<Account[]>, FarRef<Account>[]>();
expectSame<MethodResult<readonly [Account, n?: number]>, readonly [FarRef<Account>, n?: number]>();
expectSame<MethodResult<{ owner: Account; n: number }>, { owner: FarRef<Account>; n: number }>();
expectSame<MethodResult<{ readonly owner?: Account }>, { readonly owner?: FarRef<Account> }>();
expectSame<MethodResult<Map<string, Account>>, Map<string, FarRef<Account>>>();
expectSame<MethodResult<Set<Account>>, Set<FarRef<Account>>>();
expectSame<MethodResult<FarRef<Account>>, FarRef<Account>>();
expectSame<MethodResult<{ to: FarRef<Account> }>, { to: FarRef<Account> }>();
expectSame<MethodResult<{ later: Promise<Account> }>, { later: Promise<FarRef<Account>> }>();
expectSame<MethodResult<Account | FarRef<Account> | Order>, FarRef<Account> | Order>();

// An actor that answers with itself answers with a reference, also when its class does not extend Actor.
class Counter {
  count = 0;
  add(): this {
    return this;
  }
  self(): Counter {
    return this;
  }
  perhaps(): this | undefined {
    return this;
  }
  state(): { count: number } {
    return { count: this.count };
  }
}
class LoudCounter extends Counter {
  shout(): void {}
}
const counter = spawn(LoudCounter);
expectSame<typeof counter.add, () => Promise<FarRef<LoudCounter>>>();
expectSame<typeof counter.self, () => Promise<FarRef<Counter>>>();
expectSame<typeof counter.perhaps, () => Promise<FarRef<LoudCounter> | undefined>>();
expectSame<typeof counter.state, () => Promise<{ count: number }>>();

// What does not pass says so where it is used.
expectSame<IsRefused<MethodResult<() => void>>, true>();
expectSame<IsRefused<MethodResult<typeof Account>>, true>();
expectSame<IsRefused<MethodResult<Money>>, true>();
expectSame<IsRefused<MethodResult<{ money: Money }>['money']>, true>();
expectSame<IsRefused<MethodResult<Generator<number>>['next']>, true>();
expectSame<IsRefused<MethodResult<{ n: number; onClick: () => void }>['onClick']>, true>();
expectSame<MethodResult<{ n: number; onClick: () => void }>['n'], number>();

// Types that contain themselves and references terminate.
declare const routes: Routes;
declare const route: Received<Routes>;
const [given, arrived]: [Passable<Routes>, Routes] = [routes, route];
void [given, arrived];

// ── Parameters ───────────────────────────────────────────────────────────────────────────────────────────────────────

// A parameter that is a reference takes one, and of a class that extends Actor the actor itself.
expectSame<Passable<FarRef<Account>>, FarRef<Account> | Account>();
expectSame<Passable<FarRef<Counter>>, FarRef<Counter>>();
expectSame<Passable<{ to: FarRef<Account>; n: number }>, { to: FarRef<Account> | Account; n: number }>();
expectSame<Passable<FarRef<Account>[]>, (FarRef<Account> | Account)[]>();
expectSame<Passable<Map<string, FarRef<Account>>>, Map<string, FarRef<Account> | Account>>();
expectSame<PassableArguments<[to: FarRef<Account>, n?: number]>, [to: FarRef<Account> | Account, n?: number]>();

class Bank extends Actor {
  #account: FarRef<Account> | undefined;
  open(account: FarRef<Account>, bank?: FarRef<Bank>): void {
    this.#account = account;
    void bank?.open(account, this);
    void this.#account.deposit(1);
  }
  whenOpen(order: Promise<Order>, either: Order | Promise<Order>): void {
    void order;
    void either;
  }
}
const bank = spawn(Bank);
const account = spawn(Account);
const savings = spawn(Savings);
void bank.open(account, bank);
void bank.open(savings);
// @ts-expect-error a reference to something else
void bank.open(bank);
// @ts-expect-error a promise of a reference is not one
void bank.open(Promise.resolve(account));

// A promise is given for a promise: the method may call its `then`.
declare const order: Order;
void bank.whenOpen(Promise.resolve(order), order);
void bank.whenOpen(Promise.resolve(order), Promise.resolve(order));
// @ts-expect-error data is no promise
void bank.whenOpen(order, order);

// An actor arrives as a reference, so that a method cannot ask for anything else.
expectSame<IsRefused<Passable<Account>>, true>();
expectSame<IsRefused<Passable<{ owner: Account }>['owner']>, true>();

// Functions, classes and instances with private members are refused, also inside of data.
expectSame<IsRefused<Passable<() => void>>, true>();
expectSame<IsRefused<Passable<new () => object>>, true>();
expectSame<IsRefused<Passable<Money>>, true>();
expectSame<IsRefused<Passable<{ options: { onClick: (n: number) => void } }>['options']['onClick']>, true>();
class Picky {
  each(callback: (n: number) => void): void {
    callback(1);
  }
  perhaps(options: { name: string; onDone?: () => void }): string {
    return options.name;
  }
  pay(money: Money): number {
    return money.cents;
  }
}
const picky = spawn(Picky);
// @ts-expect-error a function cannot leave its actor
void picky.each((n: number) => void n);
// @ts-expect-error an instance with private members
void picky.pay(new Money());
// @ts-expect-error a function inside of data
void picky.perhaps({ name: 'a', onDone: () => {} });
void picky.perhaps({ name: 'a' });
