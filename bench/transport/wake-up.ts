// node scripts/on-node.mjs bench/transport/wake-up.ts: what an idle worker should do. Runs each policy on free cores,
// on one core for both threads, and on cores that are busy. The table in README.md is its result.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { availableParallelism } from 'node:os';
import { runBench } from '../harness/bench.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { POLICIES } from './policies.ts';
import type { TransportOrder } from './program.ts';

const FILE = fileURLToPath(new URL('./program.ts', import.meta.url));
const FLAGS = ['-C', 'turntable-source'];
const CORE_LOADS = ['free cores', 'one core', 'busy cores'] as const;
type CoreLoad = (typeof CORE_LOADS)[number];

const burners: ChildProcess[] = [];
let users = 0;

/** Keeps every core busy while any variant of the row is open. */
function onBusyCores(variant: Variant): Variant {
  return {
    name: variant.name,
    async open() {
      if (users++ === 0)
        for (let i = 0; i < availableParallelism(); i++) burners.push(spawn(process.execPath, ['-e', 'for (;;);']));
      const session = await variant.open();
      return {
        sample: () => session.sample(),
        async close() {
          await session.close();
          if (--users === 0) for (const burner of burners.splice(0)) burner.kill('SIGKILL');
        },
      };
    },
  };
}

function variant(policy: string, work: TransportOrder['work'], coreLoad: CoreLoad, part: number): Variant {
  const order: TransportOrder = { method: 'ring', work, payload: '3 numbers', policy, part };
  const args = [JSON.stringify(order)];
  if (coreLoad === 'one core') {
    const execArgv = ['-c', '0', process.execPath, ...FLAGS];
    return processVariant({ name: policy, file: FILE, args, execPath: 'taskset', execArgv });
  }
  const base = processVariant({ name: policy, file: FILE, args, execArgv: FLAGS });
  return coreLoad === 'busy cores' ? onBusyCores(base) : base;
}

await runBench(
  {
    name: 'transport/wake-up',
    description: 'how an idle worker waits, by policy: 2000 round trips, and 200,000 messages one way',
    effort: { full: { rounds: 3, samples: 7, warmup: 3 }, quick: { rounds: 1, samples: 4, warmup: 3 } },
    rows: ({ quick }) =>
      (['round trip', 'one-way'] as const).flatMap((work) =>
        CORE_LOADS.map((coreLoad) => ({
          name: `${work}, ${coreLoad}`,
          variants: Object.keys(POLICIES).map((policy) => variant(policy, work, coreLoad, quick ? 0.5 : 1)),
        })),
      ),
    judge: () => ({ summaries: [], bars: [] }),
  },
  process.argv.slice(2),
);
