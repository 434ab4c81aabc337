// Load at a fixed rate, whatever the responses take: each request has a due time. A request that finds no free visitor
// counts from its due time; a delay of this process's own timer does not count.

import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import type { LoadOptions } from '../../examples/acmeair/load/load.ts';
import { LoadPlan } from '../../examples/acmeair/load/plan.ts';
import { Visitor, type VisitorResponse, type VisitorRequest } from '../../examples/acmeair/load/visitor.ts';

export interface PacedOptions extends Pick<LoadOptions, 'url' | 'connections' | 'customers' | 'seed' | 'onAnswer'> {
  readonly requests: number;
  /** Requests per second. */
  readonly rate: number;
}

/** Returns the number of failed requests. */
export async function pacedLoad(options: PacedOptions): Promise<{ readonly failed: number }> {
  const { url, connections, customers, seed, requests, rate, onAnswer } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const plan = new LoadPlan(customers, seed);
  const startedAt = performance.now();
  let next = 0;
  let failed = 0;
  const visit = async (): Promise<void> => {
    const visitor = new Visitor(plan);
    while (next < requests) {
      const due = startedAt + (next++ * 1000) / rate;
      const waitMs = due - performance.now();
      if (waitMs > 0) await after(waitMs);
      const startTime = waitMs > 0 ? performance.now() : due;
      const nextRequest = visitor.next();
      const response = await ask(agent, url, nextRequest);
      onAnswer?.(nextRequest.kind, performance.now() - startTime);
      if (response.status < 200 || response.status >= 300) failed++;
      visitor.receive(response);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, visit));
  } finally {
    agent.destroy();
  }
  return { failed };
}

function ask(agent: Agent, url: string, { method, path, headers, body }: VisitorRequest): Promise<VisitorResponse> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(new URL(path, url), { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, cookies: cookiesOf(response.headers) }),
      );
      response.on('error', reject);
    });
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
}

function cookiesOf(headers: IncomingHttpHeaders): readonly string[] {
  return headers['set-cookie'] ?? [];
}
