// Open loop of requests at a fixed rate: a request is sent when it is due, however late the answers are, and its time
// counts from when it was due.

import { Agent, request } from 'node:http';

export interface LoadOptions {
  readonly url: string;
  readonly body: string;
  readonly requests: number;
  /** Requests per second. */
  readonly rate: number;
  readonly signal: AbortSignal;
}

const TICK_MS = 2;
/** Maximum number of connections; other requests wait. */
const MAX_CONNECTIONS = 100;

/** Returns the milliseconds of each request. Rejects if one fails. */
export async function sendRequests({ url, body, requests, rate, signal }: LoadOptions): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  const milliseconds: number[] = [];
  const startedAt = performance.now();
  let sent = 0;
  const failures: unknown[] = [];
  while (milliseconds.length < requests && failures.length === 0 && !signal.aborted) {
    const due = Math.min(requests, Math.floor(((performance.now() - startedAt) * rate) / 1000));
    for (; sent < due; sent++) {
      const dueAt = startedAt + (sent * 1000) / rate;
      post(url, body, agent).then(
        () => milliseconds.push(performance.now() - dueAt),
        (error: unknown) => failures.push(error),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  agent.destroy();
  if (failures.length > 0) throw failures[0];
  return milliseconds;
}

function post(url: string, body: string, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(url, { method: 'POST', agent, headers }, (response) => {
    if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
    response.resume().on('end', resolve).on('error', reject);
  })
    .on('error', reject)
    .end(body);
  return promise;
}
