// One timed piece of work. It imports nothing that does I/O: what is timed on a worker stays a program that nothing can call from outside.

/** Milliseconds: elapsed, and used by all threads of the process. */
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
