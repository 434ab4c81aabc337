import { setImmediate as loop } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createRing, HEAD_WORD, RING_HEADER_BYTES, TAIL_WORD } from '../../src/transport/ring.ts';
import { Bell, createBell, Sleeper } from '../../src/transport/bell.ts';
import { WAKE } from '../../src/transport/wire.ts';
import { Pair } from './pair.ts';

/** Different lengths, so that frames end at all offsets. */
function text(i: number): string {
  return String.fromCharCode(97 + (i % 26)).repeat((i * 7) % 41);
}

describe('ring', () => {
  it('carries messages across its end at every offset, and across the overflow of its counters', () => {
    for (const round of [0, 2 ** 31 - 4096, -4096]) {
      for (let offset = 0; offset < 256; offset++) {
        const pair = new Pair({ size: 256, startOffset: (round + offset) | 0 });
        for (let i = 0; i < 40; i++) {
          pair.send(i, text(i));
          expect(pair.receive()).toEqual([[i, text(i)]]);
        }
        expect(pair.out.spilled).toBe(0);
      }
    }
  });

  it('loses and reorders nothing when it is full, at every offset', () => {
    for (let offset = 0; offset < 256; offset++) {
      const pair = new Pair({ size: 256, startOffset: offset });
      const received: unknown[][] = [];
      const count = 20 + (offset % 41);
      for (let i = 0; i < count; i++) {
        pair.send(i, text(i));
        if (i % 5 === 0) received.push(...pair.receive(i % 4));
      }
      expect(pair.out.spilled).toBeGreaterThan(0);
      while (pair.out.spilled > 0) received.push(...pair.receive(1));
      received.push(...pair.receive());
      expect(received).toEqual(Array.from({ length: count }, (_, i) => [i, text(i)]));
    }
  });

  it('keeps messages that find no room, reports their size, and moves them when there is room', () => {
    const pair = new Pair({ size: 2 ** 12 });
    for (let i = 0; i < 50_000; i++) pair.send(i, { at: i });
    expect(pair.out.publish()).toBe(true);
    expect(pair.out.spilled).toBeGreaterThan(5e5);
    expect(pair.out.sent).toBe(50_000);
    let next = 0;
    let before = pair.out.spilled;
    while (pair.out.spilled > 0) {
      pair.in.drain(512);
      expect(pair.in.takeRoomWanted()).toBe(true);
      expect(pair.in.takeRoomWanted()).toBe(false);
      pair.out.publish();
      expect(pair.out.spilled).toBeLessThan(before);
      before = pair.out.spilled;
      for (const { args } of pair.taken.splice(0))
        if (!isDeepStrictEqual(args, [next, { at: next++ }])) expect(args).toBe(next);
    }
    pair.in.drain(1e6);
    expect(next + pair.taken.length).toBe(50_000);
    expect(pair.in.takeRoomWanted()).toBe(false);
  });

  it('hands over waiting messages by the port when its sender ends', async () => {
    const pair = new Pair({ size: 2 ** 12 });
    const count = 3000;
    for (let i = 0; i < count; i++) pair.send(i, text(i));
    pair.out.handOver();
    expect(pair.out.spilled).toBe(0);
    const received: unknown[][] = [];
    for (; received.length < count; await loop()) received.push(...pair.receive(pair.in.available(100)));
    expect(received).toEqual(Array.from({ length: count }, (_, i) => [i, text(i)]));
  });

  it('wakes a sleeping receiver when its sender ends', () => {
    const pair = new Pair();
    pair.send('the last message');
    pair.out.handOver();
    expect(pair.posted).toEqual([WAKE]);
  });

  it('shows messages only once they are published, all at once', () => {
    const pair = new Pair();
    for (let i = 0; i < 10; i++) pair.send(i);
    expect(pair.in.isEmpty()).toBe(true);
    expect(pair.in.drain(9)).toBe(0);
    expect(pair.out.publish()).toBe(true);
    expect(pair.out.publish()).toBe(false);
    expect(pair.in.isEmpty()).toBe(false);
    expect([pair.in.drain(4), pair.in.drain(4), pair.in.drain(4), pair.in.drain(4)]).toEqual([4, 4, 2, 0]);
    expect([pair.in.taken, pair.out.sent]).toEqual([10, 10]);
  });

  it('keeps the order of large messages among small ones, spilled ones included', () => {
    for (const size of [256, 2 ** 12, 2 ** 20]) {
      const pair = new Pair({ size });
      const large = new Uint8Array(2 ** 18).fill(7);
      const list: unknown[] = [];
      for (let i = 0; i < 200; i++) {
        const value =
          i % 9 === 0 ? large : i % 7 === 0 ? 'x'.repeat(2 ** 17) : i % 5 === 0 ? [large.buffer, { i }] : text(i);
        list.push(value);
        pair.send(value, i);
      }
      const received: unknown[][] = [];
      while (received.length < 200) received.push(...pair.receive(11));
      expect(received.map(([, i]) => i)).toEqual(list.map((_, i) => i));
      received.forEach(([value], i) => expect(isDeepStrictEqual(value, list[i])).toBe(true));
      expect(received[0]?.[0]).not.toBe(large);
    }
  });

  it('reports the bytes of unopened parcels', () => {
    const pair = new Pair();
    expect(pair.out.posted).toBe(0);
    pair.send(new ArrayBuffer(2 ** 18), new ArrayBuffer(2 ** 17));
    pair.send('small');
    pair.send('x'.repeat(2 ** 17));
    expect(pair.out.posted).toBeGreaterThan(2 ** 18 + 2 ** 18);
    pair.receive(1);
    expect(pair.out.posted).toBeGreaterThan(2 ** 17);
    expect(pair.out.posted).toBeLessThan(2 ** 17 + 100);
    pair.receive();
    expect(pair.out.posted).toBe(0);
    for (let i = 0; i < 50; i++) {
      pair.send(new ArrayBuffer(2 ** 17));
      pair.receive();
    }
    expect([pair.out.posted, pair.out.spilled]).toEqual([0, 0]);
  });

  it('reports a lost parcel and continues after its message', () => {
    const pair = new Pair({ isLost: (number) => number === 1 || number === 3 });
    for (let i = 0; i < 4; i++) pair.send(i, new ArrayBuffer(2 ** 17));
    pair.send('last');
    pair.out.publish();
    const errors: string[] = [];
    for (let i = 0; i < 9; i++) {
      try {
        pair.in.drain(9);
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
    expect(errors).toEqual([1, 3].map((n) => expect.stringContaining(`its parcel, number ${n}, is missing`) as string));
    expect(pair.taken.map(({ args }) => args[0])).toEqual([0, 2, 'last']);
    expect([pair.in.taken, pair.out.sent, pair.out.posted]).toEqual([5, 5, 0]);
  });

  it("takes parcels that Node's event loop has delivered, and others", async () => {
    const pair = new Pair();
    const large = new ArrayBuffer(2 ** 18);
    pair.send('small');
    pair.send(large);
    pair.send('last');
    await new Promise((resolve) => setImmediate(resolve));
    expect(pair.receive()).toEqual([['small'], [large], ['last']]);
  });

  it('counts a message as taken if its handler throws', () => {
    const pair = new Pair();
    pair.send(1);
    pair.send(2);
    pair.out.publish();
    const { taken } = pair;
    taken.push = () => {
      throw new Error('stop');
    };
    expect(() => pair.in.drain(9)).toThrow('stop');
    delete (taken as { push?: unknown }).push;
    expect([pair.in.drain(9), pair.in.taken]).toEqual([1, 2]);
    expect(taken).toMatchObject([{ args: [2] }]);
  });

  it('has a size that is a power of two, and must come from createRing', () => {
    for (const size of [0, 100, 3000, 2 ** 28]) expect(() => createRing(size)).toThrow(RangeError);
    expect(createRing().byteLength).toBe(2 ** 20 + RING_HEADER_BYTES);
    expect(new Set([HEAD_WORD >> 4, TAIL_WORD >> 4]).size).toBe(2);
  });

  it('can be published while an accessor interrupts a message', () => {
    const pair = new Pair({ size: 256 });
    const value = {
      first: 'x'.repeat(20),
      get inner(): number {
        pair.send('within');
        pair.out.publish();
        return 1;
      },
      last: 'y'.repeat(30),
    };
    const received: unknown[][] = [];
    for (let i = 0; i < 30; i++) {
      pair.send(value);
      received.push(...pair.receive(i % 4));
    }
    while (pair.out.spilled > 0 || !pair.in.isEmpty()) received.push(...pair.receive());
    const whole = { first: 'x'.repeat(20), inner: 1, last: 'y'.repeat(30) };
    expect(received).toEqual(Array.from({ length: 60 }, (_, i) => [i % 2 === 0 ? 'within' : whole]));
  });
});

describe('bell', () => {
  it('tells one sender only, once the receiver is asleep', () => {
    const memory = createBell();
    const [bell, other, sleeper] = [new Bell(memory), new Bell(memory), new Sleeper(memory)];
    expect(bell.ring()).toBe(false);
    expect(sleeper.waitForWork(() => true, true)).toBe(false);
    expect([bell.ring(), other.ring(), bell.ring()]).toEqual([true, false, false]);
    expect(sleeper.waitForWork(() => true, true)).toBe(false);
    sleeper.markAwake();
    expect(bell.ring()).toBe(false);
  });

  it('does not let the receiver sleep when a message has arrived meanwhile', () => {
    const memory = createBell();
    const sleeper = new Sleeper(memory);
    // Empty when it parks and when it wakes; not when it marks itself asleep.
    const answers = [true, true, false];
    expect(sleeper.waitWithoutSpin(() => answers.shift() ?? false, true)).toBe(true);
    expect(new Bell(memory).ring()).toBe(false);
  });

  it('skips parking after failures, and resumes it after a success', () => {
    const sleeper = new Sleeper(createBell());
    /** Polls before parking, after it, and when marking itself asleep. */
    const looksOf = (hasCome: boolean): number => {
      let looks = 0;
      expect(sleeper.waitWithoutSpin(() => (++looks, !hasCome), true)).toBe(hasCome);
      return looks;
    };
    const inVain = Array.from({ length: 330 }, () => looksOf(false));
    expect(inVain.slice(0, 6)).toEqual([3, 3, 3, 1, 1, 1]);
    expect(inVain.filter((looks) => looks === 3).length).toBeLessThan(30);
    looksOf(true);
    expect([looksOf(false), looksOf(false), looksOf(false), looksOf(false)]).toEqual([3, 3, 3, 1]);
  });

  it('is not needed for an answer that arrives at once', () => {
    const memory = createBell();
    const bell = new Bell(memory);
    let looks = 0;
    expect(new Sleeper(memory).waitForWork(() => bell.ring() || ++looks < 5, true)).toBe(true);
    expect(looks).toBe(5);
  });

  it('is used after failed spins, until spinning pays off again', () => {
    const memory = createBell();
    const word = new Int32Array(memory);
    const sleeper = new Sleeper(memory);
    /** Whether the worker was awake at its first poll. */
    const hasLooked = (hasCome = false): boolean => {
      const words: (number | undefined)[] = [];
      sleeper.markAwake();
      sleeper.waitForWork(() => (words.push(word[0]), !hasCome), true);
      return words[0] === 0;
    };
    expect([hasLooked(), hasLooked(), hasLooked(), hasLooked()]).toEqual([true, true, false, false]);
    const next = Array.from({ length: 100 }, () => hasLooked()).filter(Boolean).length;
    expect(next).toBeGreaterThan(1);
    expect(next).toBeLessThan(10);
    const looksInVain = (): number => {
      let looks = 0;
      while (hasLooked()) looks++;
      return looks;
    };
    while (!hasLooked(true));
    const looks = looksInVain();
    expect(looks).toBeGreaterThan(1);
    while (!hasLooked(true));
    for (let i = 0; i < 100; i++) hasLooked(true);
    // The more often it has paid off, the longer spinning is tried.
    expect(looksInVain()).toBeGreaterThan(looks);
  });

  it('need not be rung while messages stream to a worker that sends none', () => {
    const memory = createBell();
    const word = new Int32Array(memory);
    const sleeper = new Sleeper(memory);
    // Spinning does not pay off here.
    for (let i = 0; i < 2; i++) sleeper.spin(() => true);
    /** The bell's state at the worker's first poll. */
    const seen = (hasSent: boolean, ...looks: boolean[]): number | undefined => {
      const words: (number | undefined)[] = [];
      const isEmpty = (): boolean => (words.push(word[0]), looks.shift() ?? true);
      sleeper.waitForWork(isEmpty, hasSent);
      return words[0];
    };
    const [awake, parked] = [0, 1];
    const stream = Array.from({ length: 6 }, () => seen(false, false, false));
    expect(stream).toEqual([parked, parked, parked, parked, awake, awake]);
    // An answer may be near.
    expect(Array.from({ length: 6 }, () => seen(true, false, false))).toEqual(new Array(6).fill(parked));
    for (let i = 0; i < 4; i++) seen(false, false, false);
    expect(seen(false, false)).toBe(awake);
    // No message has arrived, so the worker parks and the stream is over.
    expect(seen(false)).toBe(awake);
    sleeper.markAwake();
    expect(seen(false, false, false)).toBe(parked);
  });

  it('is waited for in every wait of a replay, which has no other work', () => {
    const memory = createBell();
    const word = new Int32Array(memory);
    const sleeper = new Sleeper(memory);
    const seen = (hasCome: boolean): (number | undefined)[] => {
      const words: (number | undefined)[] = [];
      sleeper.markAwake();
      expect(sleeper.waitForMessages(() => (words.push(word[0]), !hasCome), false)).toBe(hasCome);
      return words;
    };
    const [awake, parked, asleep] = [0, 1, 2];
    for (let i = 0; i < 40; i++) expect(seen(false)).toEqual([parked, awake, asleep]);
    expect(seen(true)).toEqual([parked, awake]);
  });

  it('is rung by publishing', () => {
    const memory = createBell();
    const pair = new Pair({ bell: new Bell(memory) });
    pair.send(1);
    expect(pair.out.publish()).toBe(false);
    expect(new Sleeper(memory).waitForWork(() => true, true)).toBe(false);
    expect(pair.out.publish()).toBe(false);
    pair.send(2);
    expect(pair.out.publish()).toBe(true);
    pair.send(3);
    expect(pair.out.publish()).toBe(false);
    expect(pair.receive()).toEqual([[1], [2], [3]]);
  });
});
