// The mark of a program timer, with the number that a tape uses for it. Timers are numbered in the order of their
// creation, and only in a thread with a tape.
import { Stamp } from './stamp.ts';

export class ProgramTimer extends Stamp {
  #number: number;
  constructor(timer: object, number: number) {
    super(timer);
    this.#number = number;
  }
  static is(value: object): boolean {
    return #number in value;
  }
  static numberOf(value: object): number | undefined {
    return #number in value ? value.#number : undefined;
  }
  static setNumber(value: object, number: number): void {
    if (#number in value) value.#number = number;
  }
}

let isCounting = false;
let lastNumberGiven = 0;

export function startCounting(): void {
  isCounting = true;
}

/** Returns the number of the next timer; 0 while timers are not counted. */
export function nextNumber(): number {
  return isCounting ? ++lastNumberGiven : 0;
}

export function lastNumber(): number {
  return lastNumberGiven;
}

export function setLastNumber(number: number): void {
  lastNumberGiven = number;
}
