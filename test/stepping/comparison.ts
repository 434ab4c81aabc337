// Compares walks of the time machine and of V8, move by move, up to the first difference of each walk.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_MAJOR, type Answers } from './golden-answers.ts';
import { KNOWN_DIFFERENCES, type KnownDifference } from './known-differences.ts';
import type { OurWalk, OurWalks } from './our-walk.ts';
import { generateProgram, type SteppingProgram } from './program.ts';
import type { Walk } from './v8-answers.ts';

export interface Difference {
  readonly seed: number;
  readonly line: number;
  readonly hit: number;
  /** Number of the move, counted from 1. */
  readonly move: number;
  readonly known: KnownDifference | undefined;
  /** The move, and where both lead. */
  readonly text: string;
}

export interface Comparison {
  /** Number of moves that lead to the same stop. */
  readonly equal: number;
  readonly differences: readonly Difference[];
  /** Listed differences of the programs that did not appear. */
  readonly vanished: readonly KnownDifference[];
  /** Reverse moves that do not lead to the stop before. */
  readonly irreversible: readonly string[];
  /** Number of variables with the value that V8 shows, and the others. */
  readonly equalVariables: number;
  readonly variableDifferences: readonly string[];
}

/** Runs a function with programs in a temporary directory. */
export async function withPrograms<T>(
  seeds: readonly number[],
  run: (programs: readonly SteppingProgram[], directory: string) => Promise<T>,
): Promise<T> {
  const programs = seeds.map(generateProgram);
  const directory = mkdtempSync(join(tmpdir(), 'turntable-stepping-oracle-'));
  try {
    for (const { file, text } of programs) writeFileSync(join(directory, file), text);
    return await run(programs, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Share of the compared moves that lead to the same stop. */
export function shareOf({ equal, differences }: Pick<Comparison, 'equal' | 'differences'>): number {
  return equal / (equal + differences.length);
}

/** Makes the moves of all walks in a recording of the programs, which must have answers. */
export function compare(seeds: readonly number[], answers: Answers): Promise<Comparison> {
  return withPrograms(seeds, async (programs, directory) => {
    // The packages of replay processes are chosen by an environment variable, which a soak sets before.
    const { OurWalks } = await import('./our-walk.ts');
    await using ours = await OurWalks.open(programs, directory);
    let equal = 0;
    const [differences, irreversible]: [Difference[], string[]] = [[], []];
    for (const program of programs) {
      const walks = answers.get(program.seed);
      if (walks === undefined)
        throw new Error(`no answers of V8 for program ${program.seed}; add --v8 to npm run soak:stepping`);
      for (const walk of walks) {
        const found = await ours.walk({ file: program.file, ...walk }, walk.moves);
        const difference = firstDifference(program, walk, found);
        equal += (difference?.move ?? walk.stops.length) - 1;
        if (difference !== undefined) differences.push(difference);
        for (const each of found.irreversible) irreversible.push(`program ${program.seed}: ${each}`);
      }
    }
    const found = new Set(differences.map(({ known }) => known));
    const vanished = knownDifferences(seeds).filter((each) => !found.has(each));
    return { equal, differences, vanished, irreversible, ...(await compareVariables(programs, answers, ours)) };
  });
}

async function compareVariables(
  programs: readonly SteppingProgram[],
  answers: Answers,
  ours: OurWalks,
): Promise<Pick<Comparison, 'equalVariables' | 'variableDifferences'>> {
  const hits = programs.flatMap((program) =>
    (answers.get(program.seed) ?? []).map((walk) => ({ program, file: program.file, ...walk })),
  );
  const found = await ours.variablesAt(hits);
  let equalVariables = 0;
  const variableDifferences: string[] = [];
  for (const each of hits) {
    const { program, line, hit, variables } = each;
    for (const [name, value] of variables) {
      const own = found.get(each)?.get(name);
      if (own === value) equalVariables++;
      else if (!isDeclaredLater(name, program, line))
        variableDifferences.push(
          `program ${program.seed}, line ${line}, hit ${hit}: ${name} is ${value} in V8 and ${own ?? 'missing'} here`,
        );
    }
  }
  return { equalVariables, variableDifferences };
}

/** Whether a variable is declared later. V8 may show its value of an earlier round of the loop. */
function isDeclaredLater(name: string, { text }: SteppingProgram, line: number): boolean {
  const declaration = new RegExp(`(const|let) ([[{]([^=]*\\W)?)?${name.replaceAll('$', '\\$')}\\b`);
  return text.split('\n').findIndex((each) => declaration.test(each)) >= line - 1;
}

function knownDifferences(seeds: readonly number[]): KnownDifference[] {
  return KNOWN_DIFFERENCES.filter(({ seed, node = NODE_MAJOR }) => seeds.includes(seed) && node === NODE_MAJOR);
}

function firstDifference(
  { seed, text }: SteppingProgram,
  { line, hit, moves, stops }: Walk,
  ours: OurWalk,
): Difference | undefined {
  const move = stops.findIndex((stop, i) => stop !== ours.stops[i]);
  if (move === -1) return undefined;
  const known = knownDifferences([seed]).find((each) => each.line === line && each.hit === hit && each.move === move);
  const [from, v8, own] = [stops[move - 1], stops[move], ours.stops[move]].map((stop) => shown(text, stop));
  const name = { n: 'next', s: 'step', f: 'finish' }[moves[move - 1] ?? 'n'];
  const problem =
    `program ${seed}, line ${line}, hit ${hit}, ${moves.join('')}, move ${move}: ${name} from ${from}\n` +
    `  V8:   ${v8}\n  ours: ${own === '' ? ours.reason : own}`;
  return { seed, line, hit, move, known, text: problem };
}

/** A stop with its statement. */
function shown(text: string, stop: string | undefined): string {
  if (stop === undefined) return '';
  const [activation, line] = stop.split(':').map(Number);
  return `line ${line} of activation ${activation}: ${text.split('\n')[(line ?? 1) - 1]?.trim()}`;
}
