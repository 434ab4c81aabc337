// Main program of every peer written in JavaScript: warms up one program, times it and prints one line of JSON. Peers
// in other languages do the same. Arguments: program, actors, count, minimum warm-up iterations, minimum warm-up time,
// timed iterations, and time limit of each phase; times are milliseconds of CPU time. Garbage is never collected by
// force: each peer pays for its own, and V8 drops optimised code at a forced collection, with the objects it was made
// for.

export interface Size {
  readonly actors: number;
  readonly count: number;
}

/** Does the work once with new actors and returns the value to verify. */
export type MeasuredProgram = (size: Size) => Promise<number>;

/** Minimum number of timed iterations, however slow. */
const MIN_SAMPLES = 3;

export async function measure(programs: Readonly<Record<string, MeasuredProgram>>): Promise<void> {
  const [name = '', ...numbers] = process.argv.slice(2);
  const [actors = 0, count = 0, warmups = 0, warmupTime = 0, samples = 0, limit = 0] = numbers.map(Number);
  const program = programs[name];
  if (program === undefined) throw new TypeError(`no program "${name}"; there are ${Object.keys(programs).join(', ')}`);
  const size: Size = { actors, count };

  const result = await program(size);
  let startedAt = cpuTime();
  for (let i = 1; isWarming(i, cpuTime() - startedAt, warmups, warmupTime, limit); i++) await program(size);

  const iterations: number[] = [];
  const cpu: number[] = [];
  startedAt = cpuTime();
  while (iterations.length < samples && (iterations.length < MIN_SAMPLES || cpuTime() - startedAt < limit)) {
    const used = cpuTime();
    const start = performance.now();
    const repeated = await program(size);
    iterations.push(performance.now() - start);
    cpu.push(cpuTime() - used);
    if (repeated !== result) throw new Error(`${name} returned ${result} first and ${repeated} later`);
  }
  console.log(JSON.stringify({ name, iterations, cpu, result }));
  process.exit(0);
}

/** CPU time in milliseconds. On a busy machine elapsed time would warm up too little. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function isWarming(done: number, elapsed: number, warmups: number, time: number, limit: number): boolean {
  return (done < warmups || elapsed < time) && elapsed < limit;
}
