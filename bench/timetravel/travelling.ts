// What is measured in one recording: times as somebody sees them who goes somewhere and looks at the variables there.

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../harness/session.ts';
import { median, seededDraws } from '../harness/statistics.ts';
import type { Machine, Told } from './machine.ts';

const ACTOR = fileURLToPath(new URL('./ledger.ts', import.meta.url));

export interface Samples {
  readonly most: number;
  /** Untimed ones before them. */
  readonly warmup: number;
  /** No more are taken when they have taken so long. */
  readonly seconds: number;
}

export interface Moved {
  readonly name: string;
  /** Milliseconds, ascending. */
  readonly times: readonly number[];
}

export function percentile({ times }: Moved, share: number): number {
  return times[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)] ?? Number.NaN;
}

async function sampled(name: string, { most, warmup, seconds }: Samples, run: () => Promise<number>): Promise<Moved> {
  const times: number[] = [];
  let began = performance.now();
  for (let i = -warmup; i < most; i++) {
    if (i === 0) began = performance.now();
    const took = await run();
    if (i >= 0) times.push(took);
    if (performance.now() - began > seconds * 1000 && times.length > 0) break;
  }
  return { name, times: times.toSorted((a, b) => a - b) };
}

/** The turn that has most statements. Its actor may have been made of more, which is none. */
async function longestTurn(machine: Machine): Promise<Told> {
  const turns = (await machine.stretchesOf('*')).filter(({ kind }) => kind === 'call');
  const [first, ...others] = turns;
  if (first === undefined) throw new BenchError('TT_BENCH_FAILURE', 'the recording has no turns');
  return others.reduce((one, other) => (other.lists > one.lists ? other : one), first);
}

/** In the midst of the turn that has most statements: forward and back, and back over turns behind it. */
export async function steps(machine: Machine, name: string, samples: Samples): Promise<Moved[]> {
  const longest = await longestTurn(machine);
  const turns = await machine.stretchesOf('*');
  const last = turns.findLast(({ kind }) => kind === 'call') ?? longest;
  const midst = { move: 'position', arguments: { position: `${longest.position}:${Math.floor(longest.lists / 2)}.1` } };
  await machine.go(midst);
  const forward = await sampled(`${name}, step forward`, samples, () => machine.go({ move: 'over' }));
  await machine.go(midst);
  const back = await sampled(`${name}, step back`, samples, () => machine.go({ move: 'over', direction: 'backward' }));
  await machine.go({ move: 'position', arguments: { position: last.position } });
  const most = Math.min(samples.most, turns.length - longest.order - samples.warmup - 2);
  const over = await sampled(`${name}, turn back`, { ...samples, most }, () =>
    machine.go({ move: 'turn', direction: 'backward' }),
  );
  return [forward, back, over];
}

/** Who has written what an actor holds, asked each time somewhere else in the turn that has most statements. @param what by what the rows say of when it was written */
export async function lastWrites(
  machine: Machine,
  name: string,
  what: Readonly<Record<string, string>>,
  samples: Samples,
): Promise<Moved[]> {
  const draw = seededDraws(0x77_72);
  const longest = await longestTurn(machine);
  const found: Moved[] = [];
  for (const [when, part] of Object.entries(what))
    found.push(
      await sampled(`${name}, written ${when}`, samples, async () => {
        const list = 2 + draw(longest.lists - 2);
        await machine.go({ move: 'position', arguments: { position: `${longest.position}:${list}.1` } });
        return machine.wrote(part);
      }),
    );
  return found;
}

/** To places of the whole recording by chance. @param look milliseconds for which somebody looks around at each of them */
export function seeks(machine: Machine, name: string, samples: Samples, look = 0): Promise<Moved> {
  const draw = seededDraws(0x5eec + look);
  const { stretches } = machine.hello;
  return sampled(name, samples, async () => {
    await delay(look);
    return machine.go({ move: 'position', arguments: { position: String(1 + draw(stretches)) } });
  });
}

export interface InVain {
  /** Microseconds a hit: between a line that is run so often and one that never is; between the latter twice, which is the noise. */
  readonly hit: number;
  readonly noise: number;
  /** Milliseconds of a search that finds nothing. */
  readonly search: number;
}

/** Conditions that are false on a line that is run so many times. */
export async function falseConditions(machine: Machine, hits: number, rounds: number): Promise<InVain> {
  const [often, never] = ['often', 'never'].map((name) => ({
    file: 'ledger.ts',
    line: lineOf(name),
    condition: 'i < 0',
  }));
  if (often === undefined || never === undefined) throw new BenchError('TT_BENCH_ROW', 'there are no such lines');
  const differences: number[] = [];
  const control: number[] = [];
  const searches: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const first = await machine.searchInVain(never);
    const meant = await machine.searchInVain(often);
    const second = await machine.searchInVain(never);
    if (round < 0) continue;
    differences.push(meant - (first + second) / 2);
    control.push(Math.abs(first - second));
    searches.push(first);
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
    readFileSync(ACTOR, 'utf8')
      .split('\n')
      .findIndex((line) => line.endsWith(`// ${comment}`)) + 1
  );
}
