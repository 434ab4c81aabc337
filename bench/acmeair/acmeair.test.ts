// What the figures of Acme Air rest on: shares of requests, the rate at which they are made, and pictures that are drawn of them.

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { kindsFigure, latencyFigure } from './figures.ts';
import { pacedLoad } from './paced.ts';
import { latencyOf, Tally } from './tally.ts';

it('says which share of requests took how long, and how many were slow', () => {
  const { count, mean, p50, p99, p999, max, over100, over200 } = latencyOf(
    Array.from({ length: 1000 }, (_, i) => i + 1),
  );
  expect([count, mean, p50, p99, p999, max, over100, over200]).toEqual([1000, 500.5, 501, 991, 1000, 1000, 900, 800]);
});

it('counts the time for which a request that was due had nobody to make it', async () => {
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
  // They are due within six milliseconds, and each waits for those before it, which take twenty.
  for (let i = 1; i < times.length; i++) expect((times[i] as number) - (times[i - 1] as number)).toBeGreaterThan(10);
});

it('draws each lane, and says its name as text', () => {
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
  // Two kinds, the geometric mean, the background and what stands beside the name.
  expect(kinds.match(/<rect/g)).toHaveLength(5);
  expect(`${latencies}${kinds}`).not.toMatch(/NaN|Infinity/);
});
