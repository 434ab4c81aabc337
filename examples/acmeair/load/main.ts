// node load/main.ts [--url URL] [--connections N] [--requests N | --seconds N] [--customers N] [--seed N] [--json]

import { parseArgs } from 'node:util';
import { load } from './load.ts';
import { VISIT_REQUEST_KINDS } from './visitor.ts';

const USAGE = `Visits Acme Air as the plan of its authors does, and says how long each kind of request takes.

node load/main.ts [options]
  --url URL          http://127.0.0.1:9080
  --connections N    visitors at once (1)
  --requests N       so many in all; otherwise
  --seconds N        so long (10)
  --customers N      that there are in the database (10000)
  --seed N           of the random numbers (1)
  --json             one JSON object instead of the table
  --help`;
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    url: { ...text, default: 'http://127.0.0.1:9080' },
    connections: { ...text, default: '1' },
    requests: text,
    seconds: { ...text, default: '10' },
    customers: { ...text, default: '10000' },
    seed: { ...text, default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}

const { elapsedSeconds, answered, failed, latency } = await load({
  url: values.url,
  connections: Number(values.connections),
  ...(values.requests === undefined ? { duration: Number(values.seconds) } : { requests: Number(values.requests) }),
  customers: Number(values.customers),
  seed: Number(values.seed),
});
const milliseconds = (microseconds: number): number => microseconds / 1000;
const rows = VISIT_REQUEST_KINDS.flatMap((kind) => {
  const histogram = latency.get(kind);
  if (histogram === undefined || histogram.count === 0) return [];
  const [p50, p99, p999] = [50, 99, 99.9].map((share) => milliseconds(histogram.percentile(share)));
  const [mean, max] = [histogram.mean, histogram.max].map(milliseconds);
  return [{ kind, count: histogram.count, mean, p50, p99, 'p99.9': p999, max }];
});
if (values.json) console.log(JSON.stringify({ elapsedSeconds, answered, failed, rows }));
else {
  console.table(rows);
  console.log(`${answered} requests in ${elapsedSeconds} s, ${failed} failed`);
}
process.exitCode = failed > 0 ? 1 : 0;
