// Three senders go to and fro with a receiver, with one, two and four arguments, while a master counts rounds with it: whether each has come about as far as
// the master when that is done depends on who was faster.

import { tell, type FarRef } from 'turntable';
import { spawn } from './spawn.ts';

const ROUNDS = 1000;
const MARGIN = 0.05;

export class Receiver {
  one(a: number): number {
    return a;
  }
  two(a: number, b: number): number {
    return a + b;
  }
  four(a: number, b: number, c: number, d: number): number {
    return a + b + c + d;
  }
}

export class Sender {
  readonly #receiver: FarRef<Receiver>;
  readonly #count: number;
  #isDone = false;
  #sent = 0;

  constructor(receiver: FarRef<Receiver>, count: number) {
    this.#receiver = receiver;
    this.#count = count;
  }

  ready(): void {}

  async begin(): Promise<void> {
    while (!this.#isDone) {
      await this.#once();
      this.#sent++;
    }
  }

  end(): number {
    this.#isDone = true;
    return this.#sent;
  }

  #once(): Promise<number> {
    const n = this.#sent;
    if (this.#count === 1) return this.#receiver.one(n);
    return this.#count === 2 ? this.#receiver.two(n, 1) : this.#receiver.four(n, 1, 2, 3);
  }
}

export class Master {
  readonly #receiver: FarRef<Receiver>;
  readonly #senders: readonly FarRef<Sender>[];

  constructor(receiver: FarRef<Receiver>, senders: readonly FarRef<Sender>[]) {
    this.#receiver = receiver;
    this.#senders = senders;
  }

  async race(): Promise<{ readonly fair: boolean; readonly sent: readonly number[] }> {
    await Promise.all(this.#senders.map((sender) => sender.ready()));
    for (const sender of this.#senders) tell(sender).begin();
    for (let round = 0; round < ROUNDS; round++) await this.#receiver.one(round);
    const sent = await Promise.all(this.#senders.map((sender) => sender.end()));
    return { fair: sent.every((each) => Math.abs(each - ROUNDS) <= MARGIN * ROUNDS), sent };
  }
}

export function run(): Promise<unknown> {
  const receiver = spawn(Receiver);
  const senders = [1, 2, 4].map((count) => spawn(Sender, receiver, count));
  return spawn(Master, receiver, senders).race();
}
