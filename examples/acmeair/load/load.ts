// Generates load: visitors, each on its own connection, for a number of requests or for some time; and measures
// latencies.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { LoadPlan } from './plan.ts';
import { VISIT_REQUEST_KINDS, Visitor, type VisitRequestKind } from './visitor.ts';

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  /** Either a number of requests, or a duration in seconds. */
  readonly requests?: number;
  readonly duration?: number;
  readonly customers: number;
  readonly seed?: number;
  /** Called with the number of answered requests so far. */
  progress?(answered: number): void;
  /** Called for each answered request. */
  onAnswer?(kind: VisitRequestKind, milliseconds: number): void;
}

export interface LoadResult {
  /** Duration of the load in seconds. */
  readonly elapsedSeconds: number;
  readonly answered: number;
  /** Responses other than 2xx, and requests without a response. */
  readonly failed: number;
  /** Latencies in microseconds. */
  readonly latency: ReadonlyMap<VisitRequestKind, RecordableHistogram>;
}

/** Limit in seconds that also suffices on a busy machine. */
const TIMEOUT_SECONDS = 30;
/** Number of unanswered requests after which the load ends. */
const MAX_ERRORS = 50;

export async function load(options: LoadOptions): Promise<LoadResult> {
  const { url, connections, requests, duration, customers, seed, progress, onAnswer } = options;
  const plan = new LoadPlan(customers, seed);
  const latency = new Map(VISIT_REQUEST_KINDS.map((kind) => [kind, createHistogram()]));
  let answered = 0;
  const running = autocannon({
    url,
    bailout: MAX_ERRORS,
    timeout: TIMEOUT_SECONDS,
    connections,
    // With a number of requests, autocannon checks for the end every 20 ms.
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
            // Copies the headers, because autocannon modifies them.
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
        onAnswer?.(kind, milliseconds);
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
