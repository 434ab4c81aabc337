// How far a worker has come, as one number in shared memory and in its trace: twice the number of rounds that it has
// started, plus one if it is settled: it has done all its work, and then made its messages visible to other workers.

export function progressOf(startedRounds: number, isSettled: boolean): number {
  return 2 * startedRounds + (isSettled ? 1 : 0);
}

export function startedRoundsOf(progress: number): number {
  return Math.floor(progress / 2);
}

export function isSettled(progress: number): boolean {
  return progress % 2 === 1;
}
