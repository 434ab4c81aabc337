// Golden files with the stops of V8, one for each major version of Node. A program is a line with its seed and a digest of
// its text; a walk is a line with the breakpoint, the hit, the
// moves and the stops, and a line with the variables at the breakpoint.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateProgram } from './program.ts';
import type { Walk } from './v8-answers.ts';
import type { StopName, WalkMove } from './v8-walk.ts';

export type Answers = Map<number, readonly Walk[]>;

const NO_VARIABLES: Walk['variables'] = new Map();

export const NODE_MAJOR: number = Number.parseInt(process.versions.node, 10);

const GOLDEN = new URL('golden/', import.meta.url);
const path = fileURLToPath(new URL(`v8-of-node-${NODE_MAJOR}.txt`, GOLDEN));

/** The stops of this Node version's V8, by seed. Fails if a program has changed since the file was written. */
export function readAnswers(): Answers {
  const answers: Answers = new Map();
  let walks: Walk[] = [];
  for (const text of existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []) {
    const [first = '', second = '', ...rest] = text.split(' ');
    if (first === 'program') {
      const seed = Number(second);
      if (rest[0] !== digestOf(seed))
        throw new Error(`program ${seed} has changed; run npm run soak:stepping -- --v8 --update on each Node version`);
      walks = [];
      answers.set(seed, walks);
    } else if (first === 'variables') {
      const walk = walks.pop() as Walk;
      const values = JSON.parse(text.slice(first.length)) as Record<string, string>;
      walks.push({ ...walk, variables: new Map(Object.entries(values)) });
    } else {
      const [moves = '', ...stops] = rest;
      const stop = { line: Number(first), hit: Number(second) };
      walks.push({
        ...stop,
        moves: Array.from(moves) as WalkMove[],
        stops: stops as StopName[],
        variables: NO_VARIABLES,
      });
    }
  }
  return answers;
}

export function writeAnswers(answers: Answers): void {
  const lines: string[] = [];
  for (const [seed, walks] of Array.from(answers).toSorted(([a], [b]) => a - b)) {
    lines.push(`program ${seed} ${digestOf(seed)}`);
    for (const { line, hit, moves, stops, variables } of walks) {
      lines.push([line, hit, moves.join(''), ...stops].join(' '));
      lines.push(`variables ${JSON.stringify(Object.fromEntries(variables))}`);
    }
  }
  mkdirSync(fileURLToPath(GOLDEN), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

function digestOf(seed: number): string {
  return createHash('sha256').update(generateProgram(seed).text).digest('hex').slice(0, 8);
}
