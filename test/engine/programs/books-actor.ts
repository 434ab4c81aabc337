// The actor of books.ts.
import { Actor } from 'turntable';

export class Books extends Actor {
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
