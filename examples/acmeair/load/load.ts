// Visitors on connections of their own, as many requests or as long as is wanted, and how long each kind of request takes.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { Plan } from './plan.ts';
import { KINDS, Visitor, type Kind } from './visitor.ts';

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  /** One of both; seconds. */
  readonly requests?: number;
  readonly duration?: number;
  readonly customers: number;
  readonly seed?: number;
  /** Requests that have been answered so far. */
  progress?(answered: number): void;
  /** Each that was answered. */
  answer?(kind: Kind, milliseconds: number): void;
}

export interface LoadResult {
  /** Seconds. */
  readonly took: number;
  readonly answered: number;
  /** Answers that are not 2xx, and requests without any. */
  readonly failed: number;
  /** In microseconds. */
  readonly latency: ReadonlyMap<Kind, RecordableHistogram>;
}

/** Seconds, on however busy a machine. */
const PATIENCE = 30;
/** Requests that nobody answers: then it is over. */
const MOST_ERRORS = 50;

export async function load(options: LoadOptions): Promise<LoadResult> {
  const { url, connections, requests, duration, customers, seed, progress, answer } = options;
  const plan = new Plan(customers, seed);
  const latency = new Map(KINDS.map((kind) => [kind, createHistogram()]));
  let answered = 0;
  const running = autocannon({
    url,
    bailout: MOST_ERRORS,
    timeout: PATIENCE,
    connections,
    // Of so many requests it is seen by the fiftieth of a second that they are done.
    ...(requests === undefined ? { duration: duration ?? 10 } : { amount: requests, sampleInt: 20 }),
    setupClient(client) {
      const visitor = new Visitor(plan);
      let kind: Kind = 'login';
      client.setRequests([
        {
          setupRequest(request) {
            const next = visitor.next();
            ({ kind } = next);
            const { method, path, headers, body } = next;
            // A copy: autocannon writes into them.
            return { ...request, method, path, headers: { ...headers }, ...(body !== undefined && { body }) };
          },
          onResponse(status, body, _context, headers) {
            visitor.told({ status, body, cookies: cookiesOf(headers) });
          },
        },
      ]);
      client.on('response', (_status, _bytes, milliseconds) => {
        latency.get(kind)?.record(Math.max(1, Math.round(milliseconds * 1000)));
        answered++;
        progress?.(answered);
        answer?.(kind, milliseconds);
      });
    },
  });
  const { errors, non2xx, duration: took } = await running;
  return { took, answered, failed: errors + non2xx, latency };
}

function cookiesOf(headers: Readonly<Record<string, unknown>> | undefined): string[] {
  const found = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'set-cookie')?.[1];
  return found === undefined ? [] : [found].flat().map(String);
}
