// What a peer written in JavaScript does when it is started: one program, warmed up, then timed, then one line of JSON. Those in
// other languages have the same in their own words. Arguments: program, actors, count, at least so many warm-up iterations, and
// so many milliseconds of them, timed iterations, and the milliseconds after which there are no more of either; all of CPU time. Nobody's garbage is
// collected by force: each pays for its own, and V8 drops optimised code at a forced collection, with the objects it was made for.

export interface Size {
  readonly actors: number;
  readonly count: number;
}

/** Does the work once, actors made anew, and answers what there is to be verified. */
export type MeasuredProgram = (size: Size) => Promise<number>;

/** However slow it is, so many iterations are timed. */
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
    if (repeated !== result) throw new Error(`${name} answered ${result} once and ${repeated} another time`);
  }
  console.log(JSON.stringify({ name, iterations, cpu, result }));
  process.exit(0);
}

/** Milliseconds. On a machine that does other things too, elapsed time warms nothing up. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function isWarming(done: number, elapsed: number, warmups: number, time: number, limit: number): boolean {
  return (done < warmups || elapsed < time) && elapsed < limit;
}
