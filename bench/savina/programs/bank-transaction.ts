// A teller orders transfers between accounts. An account executes one transfer at a time; the others wait for it.

import { spawn, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

export class Account {
  #balance = 0;
  /** Promise of the last ordered transfer. */
  #last: Promise<unknown> = Promise.resolve();

  debit(amount: number): void {
    this.#balance += amount;
  }

  /** Chains the transfer to the previous one: an actor handles other messages while one of its methods awaits. */
  credit(amount: number, destination: FarRef<Account>): Promise<number> {
    const transfer = this.#last.then(() => this.#transfer(amount, destination));
    this.#last = transfer;
    return transfer;
  }

  balance(): number {
    return this.#balance;
  }

  async #transfer(amount: number, destination: FarRef<Account>): Promise<number> {
    this.#balance -= amount;
    await destination.debit(amount);
    return amount;
  }
}

export class Teller {
  readonly #random = new Random();
  readonly #accounts: readonly FarRef<Account>[];

  constructor(accounts: readonly FarRef<Account>[]) {
    this.#accounts = accounts;
  }

  /** Returns the sum of the transferred amounts. */
  async work(transactions: number, halfway: Halfway): Promise<number> {
    const transfers = Array.from({ length: transactions }, (_, i) => {
      if (i === transactions >> 1) tellHalfway(halfway);
      const { source, destination, amount } = drawn(this.#random, this.#accounts.length);
      return this.#accounts[source]!.credit(amount, this.#accounts[destination]!);
    });
    const amounts = await Promise.all(transfers);
    return amounts.reduce((sum, amount) => sum + amount, 0);
  }
}

interface Transaction {
  readonly source: number;
  readonly destination: number;
  readonly amount: number;
}

/** Draws a transfer from one of the first four fifths of the accounts to a later one. */
function drawn(random: Random, accounts: number): Transaction {
  const source = random.below(Math.floor(accounts / 10) * 8);
  const distance = random.below(accounts - source) || 1;
  return { source, destination: source + distance, amount: random.fraction() * 1000 };
}

interface Result {
  readonly moved: number;
  /** Sum of the balances of all accounts. */
  readonly balance: number;
}

export interface Size {
  readonly accounts: number;
  readonly transactions: number;
}

export const problem: Problem<Size> = {
  paper: { accounts: 1000, transactions: 100_000 },
  quick: { accounts: 1000, transactions: 10_000 },
  small: { accounts: 20, transactions: 100 },
};

export async function run({ accounts, transactions }: Size, halfway?: Halfway): Promise<Result> {
  const refs = Array.from({ length: accounts }, () => spawn(Account));
  const moved = await spawn(Teller, refs).work(transactions, halfway);
  const balances = await Promise.all(refs.map((ref) => ref.balance()));
  return { moved, balance: balances.reduce((sum, balance) => sum + balance, 0) };
}

/** Rounded sum of the transferred amounts. */
export function expected({ accounts, transactions }: Size): number {
  const random = new Random();
  let moved = 0;
  for (let i = 0; i < transactions; i += 1) moved += drawn(random, accounts).amount;
  return Math.round(moved);
}

export function verify({ moved, balance }: Result, size: Size): boolean {
  return Math.round(moved) === expected(size) && Math.abs(balance) < 1e-3;
}

export function messages({ accounts, transactions }: Size): number {
  return accounts + 1 + 4 * transactions + 2 + 2 * accounts;
}
