// An actor that freezes what it has changed in the same turn, which nobody can take back.
import { Actor, spawn, start } from 'turntable';

class Books extends Actor {
  open: { readonly lines: string[]; sum: number } = { lines: [], sum: 0 };
  readonly closed: object[] = [];

  add(amount: number): number {
    this.open.lines.push(`${amount}`);
    this.open.sum += amount;
    if (amount % 3 === 0) {
      this.closed.push(Object.freeze(this.open));
      this.open = { lines: [], sum: 0 };
    }
    return this.closed.length;
  }
}

const app = start({ workers: 1 });
const books = spawn(Books);
let closed = 0;
for (let amount = 1; amount <= 7; amount++) closed = await books.add(amount);
console.log(closed);
await app.close();
