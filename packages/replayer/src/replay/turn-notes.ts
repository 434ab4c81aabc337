// What a run again tells of the turns of some actors, if that is wished for: with what, for whom, and where in the source. Each thread writes its own into a
// file of its own, since there may be many and a thread may be ended at any moment; whoever has started the run reads them when it is over.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, types } from 'node:util';
import { calledName, type Onlooker } from '@turntable/runtime';

export interface TurnWishes {
  /** Names of actors, in which `*` stands for anything. */
  readonly actors: readonly string[];
  /** Where it is written down; it is there. */
  readonly directory: string;
}

export interface ToldTurn {
  readonly worker: number;
  readonly life: number;
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
  readonly goesOn: string | undefined;
  /** Where the method begins (`file:line`), or where the function goes on (`file:line:column`). */
  readonly place: string | undefined;
}

/** What the loader of the thread knows. */
export interface Places {
  placeOf(fn: (...args: never[]) => unknown): string | undefined;
  awaitedBy(eventual: object): readonly string[];
}

/** Nothing of the program's is called for it. */
const SHOWN = {
  breakLength: Infinity,
  compact: true,
  customInspect: false,
  depth: 3,
  getters: false,
  maxArrayLength: 8,
  maxStringLength: 80,
} as const;
/** Of a stack: a function that waits, and where. */
const WAITING = /^(?:async )?(?:(?<name>.*) \()?(?<place>(?:file:\/\/|\/)[^()]*:\d+:\d+)\)?$/;

export function turnNotes(
  { actors, directory }: TurnWishes,
  { worker, life }: Pick<ToldTurn, 'worker' | 'life'>,
  places: Places,
): Pick<Onlooker, 'given' | 'begins'> {
  const file = join(directory, `${worker}.${life}`);
  const isMeant = namesLike(actors);
  let given: Parameters<NonNullable<Onlooker['given']>> = [undefined, [], undefined];
  return {
    given: (...its) => void (given = its),
    begins(turn, { name }, call, sender) {
      const [on, args, settles] = given;
      given = [undefined, [], undefined];
      if (!isMeant(name)) return;
      const kind = typeof call === 'object' && 'kind' in call ? call.kind : 'call';
      const where = kind === 'call' ? methodIn(on, calledName(call), places) : waitingFor(kind, settles, places);
      const told: ToldTurn = {
        worker,
        life,
        turn,
        actor: name,
        kind,
        method: kind === 'call' ? calledName(call) : undefined,
        from: sender?.name,
        values: args.map((arg) => inspect(arg, SHOWN)),
        goesOn: where.name,
        place: where.place,
      };
      appendFileSync(file, `${JSON.stringify(told)}\n`);
    },
  };
}

interface Where {
  readonly name?: string | undefined;
  readonly place?: string | undefined;
}

export function methodIn(on: object | undefined, name: string, places: Places): Where {
  for (let at = on; at !== undefined && !types.isProxy(at);) {
    const method: unknown = Object.getOwnPropertyDescriptor(at, name)?.value;
    if (typeof method === 'function') return { place: places.placeOf(method as () => unknown) };
    at = (Object.getPrototypeOf(at) as object | null) ?? undefined;
  }
  return {};
}

function waitingFor(kind: ToldTurn['kind'], settles: unknown, places: Places): Where {
  if ((kind !== 'fulfil' && kind !== 'reject') || typeof settles !== 'object' || settles === null) return {};
  const [first = ''] = places.awaitedBy(settles);
  const { name, place } = WAITING.exec(first)?.groups ?? {};
  return { name, place };
}

export function namesLike(patterns: readonly string[]): (name: string) => boolean {
  const escaped = patterns.map((pattern) =>
    pattern
      .split('*')
      .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`))
      .join('.*'),
  );
  const like = new RegExp(`^(?:${escaped.join('|')})$`, 's');
  return (name) => like.test(name);
}

/** All that was written down, each thread's in turn. */
export function toldTurns(directory: string): ToldTurn[] {
  return readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ToldTurn]))
    .toSorted((a, b) => a.worker - b.worker || a.life - b.life || a.turn - b.turn);
}
