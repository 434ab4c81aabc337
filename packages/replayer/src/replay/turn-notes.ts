// Notes about the turns of requested actors in a replay: arguments, sender and source location. Each thread appends to
// a separate file, because a thread may end at any time. The parent process reads the files after the replay.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, types } from 'node:util';
import { turnSubjectName, type TurnObserver } from '@turntable/runtime';

export interface TurnNotesOptions {
  /** Names of actors; `*` matches anything. */
  readonly actors: readonly string[];
  /** Directory of the notes; must exist. */
  readonly directory: string;
}

export interface TurnNote {
  readonly worker: number;
  readonly epoch: number;
  /** Number of the turn on its worker, as in traces and limits. */
  readonly turn: number;
  readonly actor: string;
  /** `construct` creates the actor, `fulfil` and `reject` answer one of its calls, `stop` ends it. */
  readonly kind: 'call' | 'construct' | 'fulfil' | 'reject' | 'stop';
  /** Name of the called method; undefined for other turns. */
  readonly method: string | undefined;
  /** Sender: an actor of this worker, or another worker; undefined for a `tell`. */
  readonly from: string | undefined;
  /** Arguments, or the answer, in the format of `util.inspect`. */
  readonly values: readonly string[];
  /** Name of the function that resumes with the answer. */
  readonly resumedFunction: string | undefined;
  /** Location of the method (`file:line`), or of the resumed function's statement (`file:line:column`). */
  readonly location: string | undefined;
}

/** The part of the loader that locates code. */
export interface CodeLocator {
  locationOf(fn: (...args: never[]) => unknown): string | undefined;
  awaitingFrames(eventual: object): readonly string[];
}

/** Options with which `util.inspect` runs no code of the program. */
const INSPECT_OPTIONS = {
  breakLength: Infinity,
  compact: true,
  customInspect: false,
  depth: 3,
  getters: false,
  maxArrayLength: 8,
  maxStringLength: 80,
} as const;
/** Matches the stack line of a suspended function: name and location. */
const WAITING_FRAME = /^(?:async )?(?:(?<name>.*) \()?(?<location>(?:file:\/\/|\/)[^()]*:\d+:\d+)\)?$/;

export function createTurnNotes(
  { actors, directory }: TurnNotesOptions,
  { worker, epoch }: Pick<TurnNote, 'worker' | 'epoch'>,
  codeLocator: CodeLocator,
): Pick<TurnObserver, 'turnInput' | 'turnStarted'> {
  const file = join(directory, `${worker}.${epoch}`);
  const isNamedActor = createNameMatcher(actors);
  let turnInput: Parameters<NonNullable<TurnObserver['turnInput']>> = [undefined, [], undefined];
  return {
    turnInput: (...input) => void (turnInput = input),
    turnStarted(turn, { name }, call, sender) {
      const [target, args, replyTo] = turnInput;
      turnInput = [undefined, [], undefined];
      if (!isNamedActor(name)) return;
      const kind = typeof call === 'object' && 'kind' in call ? call.kind : 'call';
      const location =
        kind === 'call'
          ? methodLocation(target, turnSubjectName(call), codeLocator)
          : resumedLocation(kind, replyTo, codeLocator);
      const note: TurnNote = {
        worker,
        epoch,
        turn,
        actor: name,
        kind,
        method: kind === 'call' ? turnSubjectName(call) : undefined,
        from: sender?.name,
        values: args.map((arg) => inspect(arg, INSPECT_OPTIONS)),
        resumedFunction: location.name,
        location: location.location,
      };
      appendFileSync(file, `${JSON.stringify(note)}\n`);
    },
  };
}

interface NotedLocation {
  readonly name?: string | undefined;
  readonly location?: string | undefined;
}

export function methodLocation(target: object | undefined, name: string, codeLocator: CodeLocator): NotedLocation {
  for (let current = target; current !== undefined && !types.isProxy(current);) {
    const method: unknown = Object.getOwnPropertyDescriptor(current, name)?.value;
    if (typeof method === 'function') return { location: codeLocator.locationOf(method as () => unknown) };
    current = (Object.getPrototypeOf(current) as object | null) ?? undefined;
  }
  return {};
}

function resumedLocation(kind: TurnNote['kind'], replyTo: unknown, codeLocator: CodeLocator): NotedLocation {
  if ((kind !== 'fulfil' && kind !== 'reject') || typeof replyTo !== 'object' || replyTo === null) return {};
  const [firstFrame = ''] = codeLocator.awaitingFrames(replyTo);
  const { name, location } = WAITING_FRAME.exec(firstFrame)?.groups ?? {};
  return { name, location };
}

export function createNameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const escaped = patterns.map((pattern) =>
    pattern
      .split('*')
      .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`))
      .join('.*'),
  );
  const matcher = new RegExp(`^(?:${escaped.join('|')})$`, 's');
  return (name) => matcher.test(name);
}

/** Notes of all threads, thread by thread. */
export function readTurnNotes(directory: string): TurnNote[] {
  return readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TurnNote]))
    .toSorted((a, b) => a.worker - b.worker || a.epoch - b.epoch || a.turn - b.turn);
}
