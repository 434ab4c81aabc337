// The stops of V8's debugger for a program: from ten random hits of breakpoints, eight random moves each.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';
import { ACTIVATION, NEXT_ACTIVATION, type SteppingProgram } from './program.ts';
import { StatementTable } from './statement-table.ts';
import { V8Debugger, type Variables } from './v8-debugger.ts';
import { type StopName, type WalkMove, stopName, walkV8 } from './v8-walk.ts';

/** Moves from one hit of a breakpoint, and the stops of V8. */
export interface Walk {
  readonly line: number;
  /** Number of the hit, counted from 1. */
  readonly hit: number;
  readonly moves: readonly WalkMove[];
  /** The stop at the breakpoint, then one for each move. They are fewer than the moves if V8 leaves the program. */
  readonly stops: readonly StopName[];
  /** The variables at the breakpoint. */
  readonly variables: Variables;
}

const WALKS = 10;
const MOVES = 8;
const DRAWN_MOVES: readonly WalkMove[] = ['n', 'n', 'n', 'n', 's', 's', 's', 'f'];
const ACTIVATION_EXPRESSION = `(() => { try { return ${ACTIVATION}; } catch { return ${NEXT_ACTIVATION}; } })()`;

/** @param directory has the program's file */
export async function askV8(program: SteppingProgram, directory: string): Promise<Walk[]> {
  const random = seededRandom(program.seed);
  const table = new StatementTable(program);
  const path = join(directory, program.file);
  const open = (): Promise<V8Debugger> => V8Debugger.start(path, pathToFileURL(path).href, ACTIVATION_EXPRESSION);
  const counts = await countHits(open, program, table);
  const lines = Object.keys(counts).map(Number);
  const walks: Walk[] = [];
  while (walks.length < WALKS) {
    const line = lines[Math.floor(random() * lines.length)] as number;
    const hit = 1 + Math.floor(random() * (counts[line] as number));
    const moves = Array.from(
      { length: MOVES },
      () => DRAWN_MOVES[Math.floor(random() * DRAWN_MOVES.length)] as WalkMove,
    );
    await using debug = await open();
    const start = await debug.runTo(line, hit);
    const name = start && stopName(table, start);
    if (start === undefined || name === undefined) throw new Error(`V8 does not stop at hit ${hit} of line ${line}`);
    const variables = await debug.variables(start);
    walks.push({ variables, line, hit, moves, stops: [name, ...(await walkV8(debug, table, start, moves))] });
  }
  return walks;
}

/** How often a breakpoint at each line would stop, by line. */
async function countHits(
  open: () => Promise<V8Debugger>,
  program: SteppingProgram,
  table: StatementTable,
): Promise<Readonly<Record<number, number>>> {
  await using debug = await open();
  const lines = new Set(table.statements.flatMap(({ line, startsLine }) => (startsLine ? [line] : [])));
  for (const { line, isPassed } of table.statements) if (isPassed) lines.delete(line);
  lines.delete(program.lastLine);
  for (const line of lines) await debug.countHits(line);
  return await debug.hitCounts(program.lastLine);
}
