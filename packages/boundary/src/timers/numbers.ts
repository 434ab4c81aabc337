// The program's timers in the order in which they are made: what a tape calls them by. They have no numbers while there is none.

let isCounting = false;
let last = 0;

export function countTimers(): void {
  isCounting = true;
}

/** 0 while nobody counts. */
export function nextNumber(): number {
  return isCounting ? ++last : 0;
}

export function lastNumber(): number {
  return last;
}

/** The next one has the number behind `number`. */
export function countFrom(number: number): void {
  last = number;
}
