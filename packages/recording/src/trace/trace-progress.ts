// How far a worker has come, as one number in shared memory and in its trace: twice the number of rounds that it has
// begun, plus one if it is settled, that is, has done all its work and made its messages visible to other workers.

export function progressOf(begunRounds: number, isSettled: boolean): number {
  return 2 * begunRounds + (isSettled ? 1 : 0);
}

export function begunRoundsOf(progress: number): number {
  return Math.floor(progress / 2);
}

export function isSettled(progress: number): boolean {
  return progress % 2 === 1;
}
