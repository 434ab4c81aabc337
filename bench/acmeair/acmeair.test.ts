// Tests of the figures of bench:acmeair: percentiles, paced load and the SVG charts.

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { kindsFigure, latencyFigure } from './figures.ts';
import { pacedLoad } from './paced.ts';
import { latencyOf, Tally } from './tally.ts';

it('computes percentiles of latencies and counts slow requests', () => {
  const { count, mean, p50, p99, p999, max, over100, over200 } = latencyOf(
    Array.from({ length: 1000 }, (_, i) => i + 1),
  );
  expect([count, mean, p50, p99, p999, max, over100, over200]).toEqual([1000, 500.5, 501, 991, 1000, 1000, 900, 800]);
});

it('includes the time that a due request waits for a free visitor', async () => {
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.end('{"tripFlights":[]}'), 20);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const times: number[] = [];
  const { failed } = await pacedLoad({
    url,
    connections: 1,
    customers: 1,
    requests: 6,
    rate: 1000,
    onAnswer: (_, milliseconds) => times.push(milliseconds),
  });
  server.closeAllConnections();
  server.close();
  expect([failed, times.length]).toEqual([0, 6]);
  // All are due within six milliseconds, and one connection serves them one by one, 20 ms each.
  for (let i = 1; i < times.length; i++) expect((times[i] as number) - (times[i - 1] as number)).toBeGreaterThan(10);
});

it('draws each lane and escapes names and titles', () => {
  const tally = new Tally();
  for (let i = 1; i < 500; i++) {
    tally.add('query', i / 10);
    tally.add('login', i / 5);
  }
  const latencies = latencyFigure([{ name: 'one & two', latency: tally }], 'a < b');
  expect(latencies).toContain('one &amp; two');
  expect(latencies).toContain('a &lt; b');
  expect(latencies.match(/<polyline/g)).toHaveLength(1);
  const kinds = kindsFigure([{ name: 'same', latency: tally, base: tally }], 'kinds');
  // The background, one bar for each of two kinds, the geometric mean and the legend.
  expect(kinds.match(/<rect/g)).toHaveLength(5);
  expect(`${latencies}${kinds}`).not.toMatch(/NaN|Infinity/);
});
