// Visitors on connections of their own, as many requests or as long as is wanted, and how long each kind of request takes.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { LoadPlan } from './plan.ts';
import { VISIT_REQUEST_KINDS, Visitor, type VisitRequestKind } from './visitor.ts';

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
  onAnswer?(kind: VisitRequestKind, milliseconds: number): void;
}

export interface LoadResult {
  /** Seconds. */
  readonly elapsedSeconds: number;
  readonly answered: number;
  /** Answers that are not 2xx, and requests without any. */
  readonly failed: number;
  /** In microseconds. */
  readonly latency: ReadonlyMap<VisitRequestKind, RecordableHistogram>;
}

/** Seconds, on however busy a machine. */
const TIMEOUT_SECONDS = 30;
/** Requests that nobody answers: then it is over. */
const MAX_ERRORS = 50;

export async function load(options: LoadOptions): Promise<LoadResult> {
  const { url, connections, requests, duration, customers, seed, progress, onAnswer: answer } = options;
  const plan = new LoadPlan(customers, seed);
  const latency = new Map(VISIT_REQUEST_KINDS.map((kind) => [kind, createHistogram()]));
  let answered = 0;
  const running = autocannon({
    url,
    bailout: MAX_ERRORS,
    timeout: TIMEOUT_SECONDS,
    connections,
    // Of so many requests it is seen by the fiftieth of a second that they are done.
    ...(requests === undefined ? { duration: duration ?? 10 } : { amount: requests, sampleInt: 20 }),
    setupClient(client) {
      const visitor = new Visitor(plan);
      let kind: VisitRequestKind = 'login';
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
            visitor.receive({ status, body, cookies: cookiesOf(headers) });
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
  const { errors, non2xx, duration: elapsedSeconds } = await running;
  return { elapsedSeconds, answered, failed: errors + non2xx, latency };
}

function cookiesOf(headers: Readonly<Record<string, unknown>> | undefined): string[] {
  const found = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'set-cookie')?.[1];
  return found === undefined ? [] : [found].flat().map(String);
}
