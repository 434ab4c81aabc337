// Services whose handlers call actors on two workers: concurrent requests over kept connections, errors, and both ways
// to end.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceProcess } from './service.ts';

function started(name: string): ServiceProcess {
  const service = new ServiceProcess(name);
  onTestFinished(() => service.kill());
  return service;
}

describe.each(['http', 'fastify', 'express'])('a service with %s', (name) => {
  it('answers concurrent requests, reports errors of actors as 500, and exits cleanly on SIGTERM', async () => {
    const service = started(name);
    const answers = await Promise.all(Array.from({ length: 60 }, () => service.get('/reserve?sku=tea')));
    const ok = answers.filter(({ status }) => status === 200).map(({ body }) => body as Record<string, number>);
    // Every item and every entry exactly once, on the worker of the stock actor.
    const numbers = (key: string): number[] => ok.map((body) => body[key] as number).toSorted((a, b) => a - b);
    expect(numbers('left')).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(numbers('entry')).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(new Set(numbers('thread'))).toEqual(new Set([1]));
    expect(answers.filter(({ status }) => status !== 200)).toEqual(
      Array.from({ length: 10 }, () => ({
        status: 500,
        body: { name: 'SoldOut', message: 'no tea left', sku: 'tea' },
      })),
    );
    expect(await service.get('/size')).toEqual({ status: 200, body: { size: 50 } });
    expect(await service.get('/clerk')).toEqual({
      status: 200,
      body: {
        ticks: 3,
        file: 'written',
        child: '42',
        fetched: { size: 50 },
        got: '{"size":50}',
        thread: 2,
        refused: 'TypeError fetch failed',
      },
    });
    service.closeConnections();
    service.terminate();
    expect(await service.exited).toMatchObject({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(/^listening \d+\nall done true\n$/) as string,
      stderr: '',
    });
  });

  it('exits by itself when its server is closed', async () => {
    const service = started(name);
    expect((await service.get('/reserve?sku=tea')).status).toBe(200);
    expect((await service.get('/close')).status).toBe(200);
    service.closeConnections();
    expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});
