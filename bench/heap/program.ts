// One codec, one graph, one direction, in a process of its own. `memory` prints what the heap grew by instead of timing.
import { serveSamples } from '../harness/sample-server.ts';
import { airline } from './airline.ts';
import { CODECS } from './codecs.ts';

const [codecName = '', direction = '', megabytes = '30', form = 'plain'] = process.argv.slice(2);
const codec = CODECS[codecName]!();

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

if (direction === 'memory') {
  const before = used();
  let original: object | undefined = airline(Number(megabytes), form === 'classes');
  const size = used() - before;
  const written = codec.write(original);
  original = undefined;
  const between = used();
  const restored = codec.read(written as never);
  const ratio = (used() - between) / size;
  process.send?.({ ratio, size, kept: restored !== undefined && written !== undefined });
} else {
  const graph = airline(Number(megabytes), form === 'classes');
  const written = codec.write(graph);
  await serveSamples(async () =>
    direction === 'write' ? () => codec.write(graph) : () => codec.read(written as never),
  );
}
