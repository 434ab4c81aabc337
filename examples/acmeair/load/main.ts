// node load/main.ts [--url URL] [--connections N] [--requests N | --seconds N] [--customers N] [--seed N] [--json]

import { parseArgs } from 'node:util';
import { load } from './load.ts';
import { VISIT_REQUEST_KINDS } from './visitor.ts';

const USAGE = `generate the load of the Acme Air benchmark and print the latency of each kind of request

node load/main.ts [options]
  --url URL          URL of the service (http://127.0.0.1:9080)
  --connections N    concurrent visitors (1)
  --requests N       stop after N requests
  --seconds N        stop after N seconds (10)
  --customers N      customers in the database (10000)
  --seed N           seed of the random numbers (1)
  --json             print one JSON object instead of the table
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
