// The controller of one thread of a replay process, before its program is loaded.
import { MessageChannel } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { createControlMemory, ControlWords } from '../src/replay-process/control-words.ts';
import { ThreadController } from '../src/replay-process/thread-controller.ts';

it('a thread that ends before its program is loaded is gone, since it could answer no request', () => {
  const memory = createControlMemory(1);
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const controller = new ThreadController({
    thread: { worker: 1, epoch: 1 },
    memory,
    port: port2,
    index: 0,
    processOptions: () => ({}),
    isRestored: () => false,
    tape() {
      throw new Error('no event is taken');
    },
    pumpMessages: () => undefined,
  });
  controller.threadHalted({ reason: 'cut off' });
  const { state, endReason } = new ControlWords(memory, 0);
  expect({ state, endReason }).toEqual({ state: 'gone', endReason: 'cut off' });
});
