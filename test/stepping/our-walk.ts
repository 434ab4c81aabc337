// Walks of the time machine in a recording of programs, in the terms of `v8-walk.ts`: statements at which V8 does not
// stop, and further stops at the same statement of the same activation, are passed with the same step. At a `return`,
// V8's step is `finish`; where ours goes into the next call of the same statement, that is left with `finish`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRecording } from '@turntable/recording';
import { type BreakpointHit, comparePositions, formatPosition, type Position } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { buildRunIndex, createReplayDriver } from '../engine/replay-drivers.ts';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { ACTIVATION, NEXT_ACTIVATION, type SteppingProgram } from './program.ts';
import { type ProgramStatement, StatementTable } from './statement-table.ts';
import type { Variables } from './v8-debugger.ts';
import type { StopName, WalkMove } from './v8-walk.ts';

const MOVES: Readonly<Record<WalkMove, string>> = { n: 'next', s: 'step', f: 'finish' };
const MAX_STEPS_OF_MOVE = 200;
/** A process gets its breakpoints as an argument, which may have 128 KiB. */
const BREAKPOINTS_PER_SEARCH = 1000;

const taskStart = (order: number): Position => ({ order, list: 0, statement: 0 });

export interface OurWalk {
  /** The stop at the breakpoint, then one for each move. They are fewer than the moves if a move had no target. */
  readonly stops: readonly StopName[];
  /** Why a move had no target. */
  readonly reason: string | undefined;
  /** Reverse moves that did not lead to the stop before. */
  readonly irreversible: readonly string[];
}

/** A hit of a line in a file, counted from 1. */
export interface LineHit {
  readonly file: string;
  readonly line: number;
  readonly hit: number;
}

/** A position, as the time machine formats it. */
type PositionText = string;

interface Stop {
  readonly position: PositionText;
  readonly execution: Execution | undefined;
  readonly reason?: string;
}

interface Step extends Stop {
  readonly step: string;
}

/** An execution of a statement. */
interface Execution {
  readonly statement: ProgramStatement;
  readonly activation: number;
  readonly name: StopName;
}

interface Executions {
  readonly all: Map<PositionText, Execution>;
  /** Executions of the first statement of a line, in order, by file and line. */
  readonly ofLines: Map<string, Position[]>;
}

export class OurWalks implements AsyncDisposable {
  readonly #client: Client;
  readonly #server: TimeMachineServer;
  readonly #executions: Executions;

  private constructor(server: TimeMachineServer, client: Client, executions: Executions) {
    this.#server = server;
    this.#client = client;
    this.#executions = executions;
  }

  /** Records programs one after the other, in one recording. @param directory has the files of the programs */
  static async open(programs: readonly SteppingProgram[], directory: string): Promise<OurWalks> {
    const recordings = join(directory, 'recordings');
    const imports = programs.map(({ file }) => `await import('./${file}');\n`);
    writeFileSync(join(directory, 'all.mjs'), imports.join(''));
    record(recordings, ['all.mjs'], {}, directory);
    const path = recordingIn(recordings);
    const options = { phase: undefined, isForced: false, isFresh: false, debug: true };
    const { runIndex, from } = await buildRunIndex(path, options);
    const driverOptions = { recording: openRecording(path), directory: path, from };
    const [current, scout] = [createReplayDriver(runIndex, driverOptions), createReplayDriver(runIndex, driverOptions)];
    const executions = await findExecutions(scout, programs, runIndex.count);
    const recording = { name: path, from, verdict: 'truncated' as const };
    const server = new TimeMachineServer(runIndex, recording, '0.0.0', { current, scout, findSource: () => undefined });
    const client = new Client(server.openWire());
    await client.hello('stepping oracle');
    return new OurWalks(server, client, executions);
  }

  #positionOf({ file, line, hit }: LineHit): Position | undefined {
    return this.#executions.ofLines.get(`${file}:${line}`)?.[hit - 1];
  }

  /** The variables at hits, by hit. The hits are visited in the order of the run, since seeks back take much longer. */
  async variablesAt<H extends LineHit>(hits: readonly H[]): Promise<Map<H, Variables>> {
    const found = new Map<H, Variables>();
    const positions = hits.flatMap((hit) => {
      const position = this.#positionOf(hit);
      return position === undefined ? [] : [{ hit, position }];
    });
    for (const { hit, position } of positions.toSorted((a, b) => comparePositions(a.position, b.position))) {
      await this.#goTo(textOf(position));
      const { entries } = await this.#client.request('variables', {});
      found.set(hit, new Map(entries.flatMap(({ name, value }) => (value ? [[name, value.preview]] : []))));
    }
    return found;
  }

  /** Makes moves from a hit of a line, and back again. */
  async walk(hit: LineHit, moves: readonly WalkMove[]): Promise<OurWalk> {
    const start = this.#positionOf(hit);
    if (start === undefined) return { stops: [], reason: `line ${hit.line} has no hit ${hit.hit}`, irreversible: [] };
    let at = await this.#goTo(textOf(start));
    const stops = [at.execution?.name as StopName];
    const path: Step[] = [];
    for (const move of moves) {
      let step = MOVES[move];
      const current = stops.at(-1);
      for (let count = 0; ; count++) {
        const next = await this.#move(step, 'forward');
        if (next.reason !== undefined || count === MAX_STEPS_OF_MOVE)
          return { stops, reason: next.reason ?? `no other stop`, irreversible: await this.#walkBack(at, path) };
        path.push({ ...at, step });
        const isNextCall = step === 'step' && (await this.#isNextCall(at, next));
        at = next;
        if (isNextCall) {
          step = 'finish';
          continue;
        }
        if (isStop(at) && at.execution?.name !== current) break;
        if (step === 'finish' || hasLeft(path.at(-1)?.execution, at.execution)) step = 'next';
      }
      stops.push(at.execution?.name as StopName);
    }
    return { stops, reason: undefined, irreversible: await this.#walkBack(at, path) };
  }

  /** Whether a step from a `return` has led into a call that another statement makes. */
  async #isNextCall(from: Stop, to: Stop): Promise<boolean> {
    if (from.execution?.statement.isReturn !== true || to.execution?.statement.isFirst !== true) return false;
    const { frames } = await this.#client.request('frames', {});
    return frames[1]?.position !== from.position;
  }

  async #walkBack(end: Stop, path: readonly Step[]): Promise<string[]> {
    const found: string[] = [];
    // The last move may have left the program.
    let from = await this.#goTo(end.position);
    for (const expected of path.toReversed()) {
      const { step } = expected;
      if (isReversible(expected, from)) {
        const reached = await this.#move(step, 'backward');
        if (reached.position !== expected.position)
          found.push(`${step} from ${shown(expected)} to ${shown(from)}, back to ${reached.reason ?? shown(reached)}`);
        if (reached.position !== expected.position) await this.#goTo(expected.position);
      } else await this.#goTo(expected.position);
      from = expected;
    }
    return found;
  }

  #goTo(target: PositionText): Promise<Stop> {
    return this.#move('goto', 'forward', { target });
  }

  async #move(move: string, direction: 'forward' | 'backward', args?: Record<string, string>): Promise<Stop> {
    const params = args === undefined ? { move, direction } : { move, arguments: args };
    const { found, cursor, reason = 'no target' } = await this.#client.request('move', params);
    const { position } = cursor;
    const execution = this.#executions.all.get(position);
    // A position that is already reached is not found.
    if (found ? execution !== undefined : args !== undefined) return { position, execution };
    return { position, execution, reason: found ? `at ${position}, outside of the program` : reason };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }
}

/** Without snapshots, all tasks are in the first phase. */
function textOf(position: Position): PositionText {
  return formatPosition(position, []);
}

function isStop({ execution }: Stop): boolean {
  return execution?.statement.isPassed === false;
}

function shown({ execution, position }: Stop): string {
  return execution?.name ?? position;
}

/**
 * Whether the reverse of a step must lead to the stop before: if the step stays in an activation, or goes to the first
 * statement of one that it calls. `finish`, and steps that leave an activation as it does, have another reverse: the call.
 * A step into a generator that was suspended has the reverse of a step over the `yield`.
 */
function isReversible({ step, execution: from }: Step, { execution: to }: Stop): boolean {
  if (step === 'finish' || from === undefined || to === undefined) return false;
  return isSameActivation(from, to) || (step === 'step' && to.statement.isFirst);
}

function isSameActivation(from: Execution, to: Execution): boolean {
  return from.activation === to.activation && from.statement.function === to.statement.function;
}

function hasLeft(from: Execution | undefined, to: Execution | undefined): boolean {
  return from !== undefined && to !== undefined && !isSameActivation(from, to) && !to.statement.isFirst;
}

/** Finds all executions of statements, with their activations. */
async function findExecutions(
  scout: ReturnType<typeof createReplayDriver>,
  programs: readonly SteppingProgram[],
  taskCount: number,
): Promise<Executions> {
  const statements = programs.flatMap((program) =>
    new StatementTable(program).statements.map((statement) => ({ file: program.file, ...statement })),
  );
  const breakpoints = statements.map(({ file, line, column, isFirst }) => ({
    file,
    line,
    column,
    logExpression: isFirst ? NEXT_ACTIVATION : ACTIVATION,
  }));
  const firstColumns = new Map<string, number>();
  for (const { file, line, column } of statements) {
    const key = `${file}:${line}`;
    firstColumns.set(key, Math.min(column, firstColumns.get(key) ?? Infinity));
  }
  const executions: Executions = { all: new Map(), ofLines: new Map() };
  const hits: (BreakpointHit & { readonly index: number })[] = [];
  for (let first = 0; first < breakpoints.length; first += BREAKPOINTS_PER_SEARCH) {
    const search = scout.searchBreakpoints(breakpoints.slice(first, first + BREAKPOINTS_PER_SEARCH), taskStart(1));
    const found = await search.runTo(taskStart(taskCount + 1), new AbortController().signal);
    search.close();
    for (const hit of found) hits.push({ ...hit, index: first + hit.breakpoint });
  }
  for (const { position, index, logValue, error } of hits) {
    const { file, ...statement } = statements[index] as (typeof statements)[number];
    if (error !== undefined) throw new Error(`${file}:${statement.name}: ${error}`);
    const activation = Number(logValue);
    executions.all.set(textOf(position), { statement, activation, name: `${activation}:${statement.name}` });
    const key = `${file}:${statement.line}`;
    if (statement.column !== firstColumns.get(key)) continue;
    const ofLine = executions.ofLines.get(key) ?? [];
    ofLine.push(position);
    executions.ofLines.set(key, ofLine);
  }
  return executions;
}
