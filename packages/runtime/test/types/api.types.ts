// Spawning, telling, sending and dereferencing; which reference may be passed for which.

import type { FarRef, SendTarget } from '../../src/types.ts';
import { Actor, expectSame, far, isFar, near, send, sendWith, spawn, spawnWith, tell } from './expectation.ts';

class Account extends Actor {
  readonly #owner: string;
  readonly #peer: FarRef<Account> | undefined;
  constructor(owner: string, peer?: FarRef<Account>) {
    super();
    this.#owner = owner;
    this.#peer = peer;
  }
  owner(): string {
    return this.#owner;
  }
  peer(): FarRef<Account> | undefined {
    return this.#peer;
  }
  twin(): FarRef<Account> {
    return spawn(Account, this.#owner, this);
  }
}

// spawn takes what the constructor takes, references instead of actors, or `this`.
const account = spawn(Account, 'ada');
expectSame<typeof account, FarRef<Account>>();
expectSame<typeof account, ReturnType<typeof spawn<Account, [owner: string, peer?: FarRef<Account>]>>>();
void spawn(Account, 'bob', account);
void spawnWith({ on: 'same', name: 'bob', mailbox: { limit: 10 } }, Account, 'bob', account);
void spawnWith({ on: (loads) => loads.length - 1 }, Account, 'bob');
// @ts-expect-error too few
void spawn(Account);
// @ts-expect-error too many
void spawn(Account, 'ada', account, 1);
// @ts-expect-error of another type
void spawn(Account, 1);
// @ts-expect-error of another type
void spawn(Account, 'ada', 'bob');
// @ts-expect-error no such placement
void spawnWith({ on: 'anywhere' }, Account, 'ada');

abstract class Shape {
  abstract area(): number;
}
class Single {
  static readonly instance = new Single();
  private constructor() {}
}
class Square extends Shape {
  readonly #side: number;
  constructor(side: number, onChange?: () => void) {
    super();
    this.#side = side;
    onChange?.();
  }
  area(): number {
    return this.#side ** 2;
  }
}
// @ts-expect-error abstract
void spawn(Shape);
// @ts-expect-error its constructor is private
void spawn(Single);
// @ts-expect-error no class
void spawn(() => ({}));
// @ts-expect-error an instance
void spawn(new Square(1));
// @ts-expect-error a function cannot leave its actor
void spawn(Square, 1, () => {});

class Box<T> {
  readonly #value: T;
  constructor(value: T) {
    this.#value = value;
  }
  get(): T {
    return this.#value;
  }
}
const numbers = spawn(Box<number>, 3);
expectSame<typeof numbers, FarRef<Box<number>>>();
const inferred = spawn(Box, 'a');
expectSame<typeof inferred, FarRef<Box<string>>>();
// @ts-expect-error of another type
void spawn(Box<number>, 'a');
function made<T extends object>(type: new () => T): FarRef<T> {
  return spawn(type);
}
void made;

// Messages can be sent to a promised reference.
const twin = send(send(account.twin()).twin()).owner();
expectSame<typeof twin, Promise<string>>();
const here = send(account).owner();
expectSame<typeof here, Promise<string>>();
const late = sendWith({ deadline: 100, signal: AbortSignal.timeout(1) }, account.twin()).owner();
expectSame<typeof late, Promise<string>>();
const targets: SendTarget<Account>[] = [account, account.twin()];
for (const target of targets) void send(target).owner();
// @ts-expect-error perhaps nothing
void send(account.peer());
// @ts-expect-error a promise has no methods itself
void account.twin().owner();
// @ts-expect-error no reference
void send(new Account('ada', undefined));
// @ts-expect-error no reference
tell({ owner: () => 'ada' });

// far and near are each other's inverse; far of a reference is the reference.
class Point {
  x = 1;
  at(): number {
    return this.x;
  }
}
const point = far(new Point());
expectSame<typeof point, FarRef<Point>>();
const same = far(point);
expectSame<typeof same, FarRef<Point>>();
const behind = near(point);
expectSame<typeof behind, Point | undefined>();
// @ts-expect-error nothing to refer to
void far(1);

function narrowed(value: FarRef<Account> | string): string | Promise<string> {
  return isFar(value) ? value.owner() : value;
}
void narrowed;

// A reference to a subclass is one to its class, not the other way round.
class Savings extends Account {
  readonly rate = 1;
  interest(): number {
    return this.rate;
  }
}
class Base {
  peer?: FarRef<Base>;
  add(n: number): number {
    return n;
  }
  me(): Base {
    return this;
  }
  meet(other: FarRef<Base>) {
    this.peer = other;
  }
}
class Sub extends Base {
  declare peer?: FarRef<Sub>;
  more(): void {}
  override me(): Base {
    return this;
  }
}
const asAccount: FarRef<Account> = spawn(Savings, 'ada');
const asBase: FarRef<Base> = spawn(Sub);
// @ts-expect-error a class does not extend its subclass
const asSavings: FarRef<Savings> = account;
// @ts-expect-error another class with the same methods is another class, if it has private members
const asAnother: FarRef<Account> = spawn(Point);
void [asAccount, asBase, asSavings, asAnother];

// A reference is not the object, nor the object a reference.
// @ts-expect-error a reference is not the object
const object: Account = account;
// @ts-expect-error the object is not a reference
const reference: FarRef<Account> = new Account('ada');
// @ts-expect-error nor is an object with the same methods
const imitated: FarRef<{ at(): number }> = { at: async () => 1 };
void [object, reference, imitated];
