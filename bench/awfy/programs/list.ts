// Takeuchi's function with the lengths of linked lists for numbers.

import { Benchmark } from './benchmark.ts';

class Element {
  declare value: number;
  declare next: Element | null;

  constructor(value: number) {
    this.value = value;
    this.next = null;
  }

  length(): number {
    return this.next === null ? 1 : 1 + this.next.length();
  }
}

class List extends Benchmark<number> {
  override benchmark(): number {
    const result = this.tail(this.makeList(15), this.makeList(10), this.makeList(6));
    return result!.length();
  }

  makeList(length: number): Element | null {
    if (length === 0) return null;
    const element = new Element(length);
    element.next = this.makeList(length - 1);
    return element;
  }

  isShorterThan(x: Element | null, y: Element | null): boolean {
    let xTail = x;
    let yTail = y;
    while (yTail !== null) {
      if (xTail === null) return true;
      xTail = xTail.next;
      yTail = yTail.next;
    }
    return false;
  }

  tail(x: Element | null, y: Element | null, z: Element | null): Element | null {
    if (this.isShorterThan(y, x)) {
      return this.tail(this.tail(x!.next, y, z), this.tail(y!.next, z, x), this.tail(z!.next, x, y));
    }
    return z;
  }

  verifyResult(result: number): boolean {
    return result === 10;
  }
}

export const newInstance = (): Benchmark<number> => new List();
