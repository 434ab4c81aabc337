// What a run again tells of the turns of some actors, if that is wished for: with what, for whom, and where in the source. Each thread writes its own into a
// file of its own, since there may be many and a thread may be ended at any moment; whoever has started the run reads them when it is over.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, types } from 'node:util';
import { turnSubjectName, type TurnObserver } from '@turntable/runtime';

export interface TurnNotesOptions {
  /** Names of actors, in which `*` stands for anything. */
  readonly actors: readonly string[];
  /** Where it is written down; it is there. */
  readonly directory: string;
}

export interface TurnNote {
  readonly worker: number;
  readonly epoch: number;
  /** As traces and places to end at count them: among those of its worker. */
  readonly turn: number;
  readonly actor: string;
  /** `construct`: the actor is made; `fulfil`, `reject`: what it has asked is answered; `stop`: it is told to end. */
  readonly kind: 'call' | 'construct' | 'fulfil' | 'reject' | 'stop';
  /** Of a call. */
  readonly method: string | undefined;
  /** Whose message it is: an actor of this worker, or another worker; unknown of what is told and not asked. */
  readonly from: string | undefined;
  /** What it is called with, or the answer, as `util.inspect` shows it. */
  readonly values: readonly string[];
  /** The function that goes on with the answer. */
  readonly resumedFunction: string | undefined;
  /** Where the method begins (`file:line`), or where the function goes on (`file:line:column`). */
  readonly location: string | undefined;
}

/** What the loader of the thread knows. */
export interface CodeLocator {
  locationOf(fn: (...args: never[]) => unknown): string | undefined;
  awaitingFrames(eventual: object): readonly string[];
}

/** Nothing of the program's is called for it. */
const INSPECT_OPTIONS = {
  breakLength: Infinity,
  compact: true,
  customInspect: false,
  depth: 3,
  getters: false,
  maxArrayLength: 8,
  maxStringLength: 80,
} as const;
/** Of a stack: a function that waits, and where. */
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

/** All that was written down, each thread's in turn. */
export function readTurnNotes(directory: string): TurnNote[] {
  return readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TurnNote]))
    .toSorted((a, b) => a.worker - b.worker || a.epoch - b.epoch || a.turn - b.turn);
}
