// A process of an engine that has begun before anybody knew what for: Node and Turntable are loaded when it is told with which snapshot it is to begin, and what to look out for. It stands
// still meanwhile, in the midst of being loaded, with nothing of the program there.
import { readSync } from 'node:fs';
import type { ProcessWishes } from '@turntable/replay';
import { continuesWith } from '../going-on/continuation.ts';
import { ENGINE_DESCRIPTOR, type ReplayOrder } from '../replay/replay-order.ts';

/** What it is to do: the first line of its channel. */
export interface Call extends ProcessWishes {
  /** Of a snapshot. */
  readonly from: number;
}

const NEWLINE = 10;
/** Milliseconds between two looks, where the channel does not wait by itself. */
const LOOK = 5;
const { reallyExit } = process as unknown as { reallyExit(code: number): never };

/** The order, once it is known. */
export async function calledFor(order: ReplayOrder, environment: NodeJS.ProcessEnv): Promise<ReplayOrder> {
  // What comes next in any case.
  await Promise.all([
    import('../thread/taping.ts'),
    import('../replay/replaying.ts'),
    import('../replay/texts.ts'),
    import('../replay/watching.ts'),
  ]);
  const { from, ...wishes } = JSON.parse(lineFrom(ENGINE_DESCRIPTOR)) as Call;
  continuesWith(environment, from);
  return { ...order, from, engine: { compares: false, ...wishes } };
}

/** No further than its end: what comes behind is for others. */
function lineFrom(descriptor: number): string {
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  for (;;) {
    let read: number;
    try {
      read = readSync(descriptor, byte);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK);
      continue;
    }
    // Nobody wants it any more.
    if (read === 0) reallyExit(0);
    if (byte[0] === NEWLINE) return Buffer.from(bytes).toString();
    bytes.push(byte[0] as number);
  }
}
