// Values that statements of several functions, methods and tasks write. Each write that changes a value has a comment
// that names the value.
import { setTimeout as delay } from 'node:timers/promises';
import { spawn, start } from 'turntable';
import { Meter } from './watching-actors.ts';

class Account {
  balance = 0; // WRITE account.balance
  #limit = 1; // WRITE account.#limit
  readonly owner = { name: 'Ada' };
  deposit(amount: number): void {
    this.balance += amount; // WRITE account.balance
  }
  withdraw(amount: number): void {
    this.balance = this.difference(amount); // WRITE account.balance
  }
  difference(amount: number): number {
    const rest = this.balance - amount;
    return rest;
  }
  raiseLimit(): number {
    this.#limit *= 10; // WRITE account.#limit
    return this.#limit;
  }
}

let total = 0; // WRITE total
const prices = new Map<string, number>();
const counter = (() => {
  let count = 0;
  return () => {
    count++; // WRITE count
    return count;
  };
})();

function addToTotal(amount: number): number {
  const sum = total + amount;
  return sum;
}

function sumOf(numbers: readonly number[]): number {
  let sum = 0; // WRITE sum
  for (const each of numbers) {
    const twice = each * 2;
    sum += twice; // WRITE sum
  }
  return sum;
}

const app = start({ workers: 1 });
const meter = spawn(Meter);
const account = new Account();
account.deposit(5);
account.balance = 5;
account.withdraw(2);
total = addToTotal(account.balance); // WRITE total
prices.set('tea', 2); // WRITE prices.get('tea')
prices.set('milk', 1);
account.raiseLimit();
counter();
await delay(1);
account.deposit(4);
total += account.balance; // WRITE total
prices.set('tea', 3); // WRITE prices.get('tea')
prices.delete('milk');
await meter.raise(3);
setTimeout(() => {
  account.balance = 100; // WRITE account.balance
  total = 1; // WRITE total
  counter();
}, 1);
await delay(5);
account.raiseLimit();
await meter.raise(20);
await meter.reset();
prices.delete('tea'); // WRITE prices.get('tea')
counter();
console.log(
  total,
  account.balance,
  account.raiseLimit(),
  prices.size,
  counter(),
  sumOf([1, 0, 4]),
  await meter.raise(1),
);
await app.close();
