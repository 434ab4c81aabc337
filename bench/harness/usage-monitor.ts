// Loaded with `--import` before any hooks: reports the resource usage of the process on request, through a pipe. It
// uses native functions, so that a recording does not contain it.

import { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { USAGE_DESCRIPTOR, USAGE_VARIABLE, type Usage } from './usage.ts';

/** Resolution of the delay histogram, in milliseconds. */
const RESOLUTION = 5;

if (isMainThread && process.env[USAGE_VARIABLE] === '1') {
  const { cpuUsage, memoryUsage } = process;
  const { rss } = memoryUsage;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  /** Measured delays include the resolution itself. */
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION);
  let last = cpuUsage();
  const socket = new Socket({ fd: USAGE_DESCRIPTOR });
  socket.on('data', () => {
    const { user, system } = cpuUsage(last);
    last = cpuUsage();
    const usage: Usage = {
      cpu: (user + system) / 1000,
      rss: rss(),
      delay:
        delay.count === 0
          ? { mean: 0, p99: 0, max: 0 }
          : { mean: late(delay.mean), p99: late(delay.percentile(99)), max: late(delay.max) },
    };
    delay.reset();
    socket.write(`${JSON.stringify(usage)}\n`);
  });
  // The bench may be gone, and the program may end.
  socket.on('error', () => {});
  socket.unref();
}
