// One timed piece of work. This module must not import anything that does I/O: work timed on a worker must stay a
// program that the host cannot call.

/** Milliseconds: elapsed, and CPU time of all threads of the process. */
export interface Sample {
  readonly wall: number;
  readonly cpu: number;
}

export async function timed(run: () => unknown): Promise<Sample> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = run();
  if (result !== null && typeof result === 'object' && 'then' in result) await result;
  const wall = performance.now() - start;
  const used = process.cpuUsage(cpu);
  return { wall, cpu: (used.user + used.system) / 1000 };
}
