// What arrives of results, and what may be given for parameters.

import type { Answer, Arguments, FarRef, Given, NotPassable, Passed } from '../../src/types.ts';
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
  [I in keyof T]: Same<Passed<T[I]>, T[I]> | Same<Answer<T[I]>, T[I]> | Same<Given<T[I]>, T[I]>;
};
interface Routes {
  to: FarRef<Account>;
  more: Routes[];
  named: Map<string, Routes>;
}
expectSame<EachStays<Plain>[number], true>();

// Promises are flattened.
expectSame<Answer<Promise<Order>>, Order>();
expectSame<Answer<Promise<Promise<Order>> | undefined>, Order | undefined>();
expectSame<Answer<void>, void>();
expectSame<Answer<never>, never>();
expectSame<Answer<Promise<void>>, void>();
expectSame<Answer<any>, any>(); // oxlint-disable-line typescript/no-explicit-any

// Actors arrive as references, however deep; references stay references; eventuals inside data stay eventuals.
expectSame<Answer<Account>, FarRef<Account>>();
expectSame<Answer<Promise<Account | undefined>>, FarRef<Account> | undefined>();
expectSame<Answer<Account[]>, FarRef<Account>[]>();
expectSame<Answer<readonly [Account, n?: number]>, readonly [FarRef<Account>, n?: number]>();
expectSame<Answer<{ owner: Account; n: number }>, { owner: FarRef<Account>; n: number }>();
expectSame<Answer<{ readonly owner?: Account }>, { readonly owner?: FarRef<Account> }>();
expectSame<Answer<Map<string, Account>>, Map<string, FarRef<Account>>>();
expectSame<Answer<Set<Account>>, Set<FarRef<Account>>>();
expectSame<Answer<FarRef<Account>>, FarRef<Account>>();
expectSame<Answer<{ to: FarRef<Account> }>, { to: FarRef<Account> }>();
expectSame<Answer<{ later: Promise<Account> }>, { later: Promise<FarRef<Account>> }>();
expectSame<Answer<Account | FarRef<Account> | Order>, FarRef<Account> | Order>();

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
expectSame<IsRefused<Answer<() => void>>, true>();
expectSame<IsRefused<Answer<typeof Account>>, true>();
expectSame<IsRefused<Answer<Money>>, true>();
expectSame<IsRefused<Answer<{ money: Money }>['money']>, true>();
expectSame<IsRefused<Answer<Generator<number>>['next']>, true>();
expectSame<IsRefused<Answer<{ n: number; onClick: () => void }>['onClick']>, true>();
expectSame<Answer<{ n: number; onClick: () => void }>['n'], number>();

// Types that contain themselves and references come to an end.
declare const routes: Routes;
declare const route: Passed<Routes>;
const [given, arrived]: [Given<Routes>, Routes] = [routes, route];
void [given, arrived];

// ── Parameters ───────────────────────────────────────────────────────────────────────────────────────────────────────

// A parameter that is a reference takes one, and of a class that extends Actor the actor itself.
expectSame<Given<FarRef<Account>>, FarRef<Account> | Account>();
expectSame<Given<FarRef<Counter>>, FarRef<Counter>>();
expectSame<Given<{ to: FarRef<Account>; n: number }>, { to: FarRef<Account> | Account; n: number }>();
expectSame<Given<FarRef<Account>[]>, (FarRef<Account> | Account)[]>();
expectSame<Given<Map<string, FarRef<Account>>>, Map<string, FarRef<Account> | Account>>();
expectSame<Arguments<[to: FarRef<Account>, n?: number]>, [to: FarRef<Account> | Account, n?: number]>();

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
expectSame<IsRefused<Given<Account>>, true>();
expectSame<IsRefused<Given<{ owner: Account }>['owner']>, true>();

// Functions, classes and instances with private members are refused, also inside of data.
expectSame<IsRefused<Given<() => void>>, true>();
expectSame<IsRefused<Given<new () => object>>, true>();
expectSame<IsRefused<Given<Money>>, true>();
expectSame<IsRefused<Given<{ options: { onClick: (n: number) => void } }>['options']['onClick']>, true>();
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
// @ts-expect-error a function stays with its actor
void picky.each((n: number) => void n);
// @ts-expect-error an instance with private members
void picky.pay(new Money());
// @ts-expect-error a function inside of data
void picky.perhaps({ name: 'a', onDone: () => {} });
void picky.perhaps({ name: 'a' });
