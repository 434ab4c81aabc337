// Measurements in one recording: durations of moves as a user sees them, with reading the variables at the destination.

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../harness/session.ts';
import { median, seededDraws } from '../harness/statistics.ts';
import type { TimeMachineProcess, TaskEntry } from './time-machine-process.ts';

const LEDGER_FILE = fileURLToPath(new URL('./ledger.ts', import.meta.url));

export interface Samples {
  readonly maxCount: number;
  /** Untimed samples before the timed ones. */
  readonly warmup: number;
  /** Time limit after which no more samples are taken. */
  readonly seconds: number;
}

export interface MoveTimes {
  readonly name: string;
  /** Milliseconds, ascending. */
  readonly times: readonly number[];
}

export function percentile({ times }: MoveTimes, share: number): number {
  return times[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)] ?? Number.NaN;
}

async function sampleTimes(
  name: string,
  { maxCount, warmup, seconds }: Samples,
  run: () => Promise<number>,
): Promise<MoveTimes> {
  const times: number[] = [];
  let startedAt = performance.now();
  for (let i = -warmup; i < maxCount; i++) {
    if (i === 0) startedAt = performance.now();
    const elapsedMs = await run();
    if (i >= 0) times.push(elapsedMs);
    if (performance.now() - startedAt > seconds * 1000 && times.length > 0) break;
  }
  return { name, times: times.toSorted((a, b) => a - b) };
}

/** The turn with the most statements. Its actor's creation may have more, but is no turn. */
async function longestTurn(machine: TimeMachineProcess): Promise<TaskEntry> {
  const turns = (await machine.tasksOf('*')).filter(({ kind }) => kind === 'call');
  const [first, ...others] = turns;
  if (first === undefined) throw new BenchError('TT_BENCH_FAILURE', 'the recording has no turns');
  return others.reduce((one, other) => (other.statementLists > one.statementLists ? other : one), first);
}

/** Steps in the middle of the longest turn, forward and back, and moves back over turns after it. */
export async function stepTimes(machine: TimeMachineProcess, name: string, samples: Samples): Promise<MoveTimes[]> {
  const longest = await longestTurn(machine);
  const turns = await machine.tasksOf('*');
  const last = turns.findLast(({ kind }) => kind === 'call') ?? longest;
  const middleParams = {
    move: 'goto',
    arguments: { target: `${longest.position}:${Math.floor(longest.statementLists / 2)}.1` },
  };
  await machine.timeMove(middleParams);
  const forward = await sampleTimes(`${name}, step forward`, samples, () => machine.timeMove({ move: 'next' }));
  await machine.timeMove(middleParams);
  const back = await sampleTimes(`${name}, step back`, samples, () =>
    machine.timeMove({ move: 'next', direction: 'backward' }),
  );
  await machine.timeMove({ move: 'goto', arguments: { target: last.position } });
  const maxCount = Math.min(samples.maxCount, turns.length - longest.order - samples.warmup - 2);
  const turnBack = await sampleTimes(`${name}, turn back`, { ...samples, maxCount }, () =>
    machine.timeMove({ move: 'turn', direction: 'backward' }),
  );
  return [forward, back, turnBack];
}

/**
 * Finds the last write of expressions, from random positions in the longest turn.
 * @param expressions by the time of the write
 */
export async function lastWriteTimes(
  machine: TimeMachineProcess,
  name: string,
  expressions: Readonly<Record<string, string>>,
  samples: Samples,
): Promise<MoveTimes[]> {
  const draw = seededDraws(0x77_72);
  const longest = await longestTurn(machine);
  const times: MoveTimes[] = [];
  for (const [when, part] of Object.entries(expressions))
    times.push(
      await sampleTimes(`${name}, written ${when}`, samples, async () => {
        const list = 2 + draw(longest.statementLists - 2);
        await machine.timeMove({ move: 'goto', arguments: { target: `${longest.position}:${list}.1` } });
        return machine.timeLastWrite(part);
      }),
    );
  return times;
}

/** Seeks to random positions of the whole recording. @param pauseMs pause before each seek */
export function seekTimes(
  machine: TimeMachineProcess,
  name: string,
  samples: Samples,
  pauseMs = 0,
): Promise<MoveTimes> {
  const draw = seededDraws(0x5eec + pauseMs);
  const { taskCount } = machine.hello;
  return sampleTimes(name, samples, async () => {
    await delay(pauseMs);
    return machine.timeMove({ move: 'goto', arguments: { target: String(1 + draw(taskCount)) } });
  });
}

export interface FalseConditionTimes {
  /** Microseconds a hit, from the difference of two lines, one executed `hits` times and one never; and their noise. */
  readonly hit: number;
  readonly noise: number;
  /** Milliseconds of a search without a result. */
  readonly search: number;
}

/** Searches whose condition is false on a line that is executed `hits` times. */
export async function falseConditionTimes(
  machine: TimeMachineProcess,
  hits: number,
  rounds: number,
): Promise<FalseConditionTimes> {
  const [often, never] = ['often', 'never'].map((name) => ({
    file: 'ledger.ts',
    line: lineOf(name),
    condition: 'i < 0',
  }));
  if (often === undefined || never === undefined)
    throw new BenchError('TT_BENCH_ROW', 'ledger.ts lacks the marked lines');
  const differences: number[] = [];
  const control: number[] = [];
  const searches: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const neverTime = await machine.timeFailingSearch(never);
    const oftenTime = await machine.timeFailingSearch(often);
    const secondNeverTime = await machine.timeFailingSearch(never);
    if (round < 0) continue;
    differences.push(oftenTime - (neverTime + secondNeverTime) / 2);
    control.push(Math.abs(neverTime - secondNeverTime));
    searches.push(neverTime);
  }
  const microseconds = (milliseconds: number): number => (milliseconds * 1000) / hits;
  return {
    hit: microseconds(median(differences)),
    noise: microseconds(median(control)),
    search: median(searches),
  };
}

function lineOf(comment: string): number {
  return (
    readFileSync(LEDGER_FILE, 'utf8')
      .split('\n')
      .findIndex((line) => line.endsWith(`// ${comment}`)) + 1
  );
}
