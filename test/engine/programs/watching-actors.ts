// The actor of watching.ts.
import { Actor } from 'turntable';

export class Meter extends Actor {
  level = 0; // WRITE meter.level
  raise(amount: number): number {
    this.level += amount; // WRITE meter.level
    return this.level;
  }
  reset(): void {
    this.level = this.#rest(); // WRITE meter.level
  }
  #rest(): number {
    const rest = this.level > 10 ? 1 : 0;
    return rest;
  }
}
