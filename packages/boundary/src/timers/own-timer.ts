// The mark of a timer of the program, with the timer's number: what a tape calls it by. Timers are numbered in the order in which they are made, and only
// where there is a tape.
import { Stamp } from './stamp.ts';

export class OwnTimer extends Stamp {
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
  static number(value: object, number: number): void {
    if (#number in value) value.#number = number;
  }
}

let isCounting = false;
let last = 0;

export function countTimers(): void {
  isCounting = true;
}

/** 0 while timers are not counted. */
export function nextNumber(): number {
  return isCounting ? ++last : 0;
}

export function lastNumber(): number {
  return last;
}

/** The next timer has the number after `number`. */
export function countFrom(number: number): void {
  last = number;
}
