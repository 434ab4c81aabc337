// Child process of a row: one codec, one graph, one direction. `memory` reports heap growth instead of times.
import { serveSamples } from '../harness/sample-server.ts';
import { airline } from './airline.ts';
import { closures } from './closures.ts';
import { CODECS, type Codec } from './codecs.ts';

const [codecName = '', direction = '', megabytes = '30', form = 'plain'] = process.argv.slice(2);

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** An account takes about 11 KB of heap. */
const ACCOUNTS_PER_MEGABYTE = 90;

interface Work {
  readonly graph: unknown;
  readonly codec: Codec;
}

function workOf(): Work {
  if (form !== 'closures')
    return { graph: airline(Number(megabytes), form === 'classes'), codec: CODECS[codecName]!() };
  const { graph, plain, ...codec } = closures(Number(megabytes) * ACCOUNTS_PER_MEGABYTE);
  return codecName === 'heap' ? { graph, codec } : { graph: plain, codec: CODECS[codecName]!() };
}

if (direction === 'memory') {
  const codec = CODECS[codecName]!();
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
  const { graph, codec } = workOf();
  const written = codec.write(graph);
  await serveSamples(async () =>
    direction === 'write' ? () => codec.write(graph) : () => codec.read(written as never),
  );
}
