// Repeatedly reads internals of V8's objects; several of these threads run at the same time.
import { workerData } from 'node:worker_threads';
import { createEngineView } from '../src/realm/engine-view.ts';

const { times, started } = workerData as { times: number; started: Int32Array };
const [target, handler] = [{}, {}];
Atomics.sub(started, 0, 1);
Atomics.notify(started, 0);
for (let startingCount = Atomics.load(started, 0); startingCount > 0; startingCount = Atomics.load(started, 0))
  Atomics.wait(started, 0, startingCount);
for (let i = 0; i < times; i++) {
  const parts = createEngineView().proxyParts(new Proxy(target, handler));
  if (parts?.target !== target || parts.handler !== handler) throw new Error('another target than the proxy has');
}
