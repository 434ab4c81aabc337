// Two deposits at the same time. The balance should be 130, and is 120.
import { setTimeout as sleep } from 'node:timers/promises';

class Account {
  balance = 100;

  async deposit(amount: number): Promise<void> {
    const before = this.balance;
    await sleep(amount); // stands for a query
    this.balance = before + amount;
  }
}

const account = new Account();
await Promise.all([account.deposit(10), account.deposit(20)]);
console.log(`balance: ${account.balance}, expected: 130`);
