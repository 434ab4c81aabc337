// Four actors need two of three locks each, in an order they draw: sometimes all of them wait for each other.

import { far, tell, type FarRef } from 'turntable';
import { spawn } from './spawn.ts';

const ACTORS = 4;
const NEEDED = 2;
const LOCKS = 3;
/** Milliseconds after which those that are not done will not be. */
const TIMEOUT_MS = 20;
/** Before they begin, at most. */
const DELAY = 8;

type Waiting = FarRef<{ granted(): void }>;

export class Lock {
  #isHeld = false;
  readonly #waiting: Waiting[] = [];

  acquire(by: Waiting): void {
    if (this.#isHeld) this.#waiting.push(by);
    else this.#grant(by);
  }

  release(): void {
    const next = this.#waiting.shift();
    this.#isHeld = false;
    if (next !== undefined) this.#grant(next);
  }

  #grant(to: Waiting): void {
    this.#isHeld = true;
    tell(to).granted();
  }
}

export class Worker {
  readonly #locks: readonly FarRef<Lock>[];

  constructor(locks: readonly FarRef<Lock>[]) {
    this.#locks = locks;
  }

  ready(): void {}

  async work(): Promise<number[]> {
    const order = this.#locks.map((_, i) => i);
    order.sort(() => Math.random() - 0.5);
    const wanted = order.slice(0, NEEDED);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * DELAY));
    for (const each of wanted) await this.#acquired(this.#locks[each] as FarRef<Lock>);
    for (const each of wanted) tell(this.#locks[each] as FarRef<Lock>).release();
    return wanted;
  }

  #acquired(lock: FarRef<Lock>): Promise<void> {
    return new Promise((resolve) => tell(lock).acquire(far({ granted: () => resolve() })));
  }
}

export async function run(): Promise<unknown> {
  const locks = Array.from({ length: LOCKS }, () => spawn(Lock));
  const workers = Array.from({ length: ACTORS }, () => spawn(Worker, locks));
  await Promise.all(workers.map((worker) => worker.ready()));
  const done: number[][] = [];
  const all = Promise.all(workers.map(async (worker) => done.push(await worker.work())));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, TIMEOUT_MS, true)));
  const deadlock = await Promise.race([all.then(() => false), late]);
  clearTimeout(timer);
  return { deadlock, done };
}
