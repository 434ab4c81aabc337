// npm run bench:latency: the latency of a small Fastify service without hooks, with hooks, recorded with traces, and with
// durable responses, by what its route reads.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { latencyOf } from '../acmeair/tally.ts';
import { interleave, pairedRatios, type Lane } from '../harness/interleaved.ts';
import { machineLine, table } from '../harness/report.ts';
import { BenchService } from '../harness/service.ts';
import { BenchError } from '../harness/session.ts';
import { ratioInterval } from '../harness/statistics.ts';
import { ROUTES, type Route } from './routes.ts';

const SERVICE = fileURLToPath(new URL('./service.ts', import.meta.url));
const REGISTER = ['--import', 'turntable/register'];
const SETUPS = ['none', 'none control', 'register', 'recorded', 'reply', 'reply+fsync'] as const;
const CONNECTIONS = 10;

const HELP = `latency of a small Fastify service without hooks, with hooks, recorded with traces,
and with durable responses (reply, reply+fsync), by what its route reads

npm run bench:latency -- [options]
  --quick        less than a minute: fewer requests
  --json         one JSON object on standard output instead of the table
  --rounds N     new processes of each setup (4)
  --samples N    samples of each setup per round (5)
  --requests N   requests per sample (4000)
  --help`;

interface LatencySample {
  readonly milliseconds: readonly number[];
  readonly mean: number;
  /** CPU time per request, in milliseconds. */
  readonly cpu: number;
}

function createLane(setup: (typeof SETUPS)[number], route: Route, requests: number): Lane<LatencySample> {
  const isRecorded = setup === 'recorded' || setup === 'reply' || setup === 'reply+fsync';
  const durability = setup === 'reply' || setup === 'reply+fsync' ? setup : 'none';
  return {
    name: setup,
    async open() {
      const recordings = isRecorded ? mkdtempSync(join(tmpdir(), 'turntable-bench-')) : undefined;
      const service = await BenchService.start({
        file: SERVICE,
        execArgv: isRecorded || setup === 'register' ? REGISTER : [],
        env:
          recordings === undefined
            ? {}
            : { TURNTABLE_RECORDINGS: recordings, TURNTABLE_TRACE: '1', TURNTABLE_DURABILITY: durability },
      });
      return {
        sample: () => measureRequests(service, route, requests),
        async close() {
          await service.stop();
          if (recordings !== undefined) rmSync(recordings, { recursive: true, force: true });
        },
      };
    },
  };
}

async function measureRequests(
  service: BenchService,
  { method, path, headers, body }: Route,
  requests: number,
): Promise<LatencySample> {
  await service.usage();
  const milliseconds: number[] = [];
  const { errors, non2xx } = await autocannon({
    url: `${service.url}${path}`,
    method,
    connections: CONNECTIONS,
    amount: requests,
    // Milliseconds between checks for the end.
    sampleInt: 20,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
    setupClient(client) {
      client.on('response', (_status, _bytes, elapsedMs) => milliseconds.push(elapsedMs));
    },
  });
  if (errors + non2xx > 0) throw new BenchError('TT_BENCH_FAILURE', `${errors + non2xx} requests failed`);
  const { cpu } = await service.usage();
  return { milliseconds, mean: latencyOf(milliseconds).mean, cpu: cpu / requests };
}

function ratioText(pairs: readonly (readonly number[])[]): string {
  const { median, low, high } = ratioInterval(pairs);
  return `${median.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    samples: { type: 'string' },
    requests: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const defaults = values.quick ? { rounds: 1, samples: 2, requests: 300 } : { rounds: 4, samples: 5, requests: 4000 };
  const { rounds = defaults.rounds, samples = defaults.samples, requests = defaults.requests } = values;
  const effort = { rounds: Number(rounds), samples: Number(samples), warmup: values.quick ? 1 : 2 };
  const machine = machineLine();
  const startedAt = performance.now();
  const rows: string[][] = [];
  const abortController = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abortController.abort(signal));
  for (const route of ROUTES) {
    if (abortController.signal.aborted) break;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stderr.write(`${route.name}, ${seconds} s so far\n`);
    const all = await interleave(
      SETUPS.map((setup) => createLane(setup, route, Number(requests))),
      effort,
      abortController,
    );
    // Stopped before the first sample of every lane.
    if (all.flat(2).length === 0) break;
    SETUPS.forEach((setup, lane) => {
      const laneSamples = all.flatMap((values) => values[lane] ?? []);
      const { mean, p50, p99 } = latencyOf(laneSamples.flatMap(({ milliseconds }) => milliseconds));
      const cpu = (laneSamples.reduce((sum, each) => sum + each.cpu, 0) / laneSamples.length) * 1000;
      const ratioTo = (of: (each: LatencySample) => number): string =>
        lane === 0 ? '' : ratioText(pairedRatios(all, lane, 0, of));
      rows.push([
        `${route.name}, ${setup}`,
        ...[mean, p50, p99].map((each) => each.toFixed(3)),
        cpu.toFixed(1),
        ratioTo((each) => each.mean),
        ratioTo((each) => each.cpu),
      ]);
    });
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const { aborted, reason } = abortController.signal;
  const incomplete = aborted ? { incomplete: `stopped by ${String(reason)}` } : {};
  const load = { requests: Number(requests), connections: CONNECTIONS };
  const params = { ...effort, ...load, ...incomplete, 'took s': seconds };
  const header = ['', 'mean ms', 'p50', 'p99', 'CPU us', 'mean / none', 'CPU / none'];
  if (values.json) console.log(JSON.stringify({ bench: 'latency', machine, params, tables: [{ header, rows }] }));
  else {
    const paramTexts = Object.entries(params).map(([name, value]) => `${name} ${String(value)}`);
    console.log(['bench:latency', machine, paramTexts.join(', '), '', table(header, rows)].join('\n'));
  }
}

if (values.help) console.log(HELP);
else await main();
