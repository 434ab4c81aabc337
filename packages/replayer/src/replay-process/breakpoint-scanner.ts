// Reports each time a thread reaches one of some breakpoints: a line or an event kind, perhaps with a condition or a log
// expression. The thread does not pause. Each hit comes with its position, so a search can order hits of all threads.
import type { Loader } from '../thread/loader.ts';
import type { StatementPlace } from '@turntable/loader';
import { HAPPENINGS, type HappeningKind } from '@turntable/time-machine/notes';
import type { BreakPlace, KindPlace, LinePlace, ThreadHit } from '@turntable/time-machine/replay-process';
import type { FollowingTape } from '@turntable/runtime';
import { Expression } from './evaluation.ts';
import { runningStatement } from './running-statement.ts';
import { ShownValues } from '../replay/thread/shown-values.ts';
import { thrownText } from './thrown-text.ts';
import { namesLike } from '../replay/turn-notes.ts';
import { topScopeOf } from './top-scope.ts';

/** Hits that are told of together. */
const MANY = 500;

interface Meant {
  /** Which of the places that are looked out for. */
  readonly which: number;
  readonly condition: Reading | undefined;
  readonly log: Reading | undefined;
}

/** Something that happens, perhaps only where it tells of something like this. */
interface Awaited {
  readonly which: number;
  readonly place: KindPlace;
  readonly isLike: (text: string) => boolean;
  /** By the statement that begins: what it reads is the statement's own. */
  readonly conditions: Map<string, Reading>;
}

interface Seen {
  readonly file: string;
  readonly statement: number;
  readonly locals: readonly unknown[];
  readonly at: ReturnType<At>;
}

/** Statements that are kept, of a stretch that goes on. */
const MOST_SEEN = 1000;

type At = () => readonly [stretch: number, list: number, statement: number];
type Reading = (locals: readonly unknown[]) => unknown;

export interface LookoutPorts {
  readonly loader: Loader;
  tape(): FollowingTape;
  tell(hits: readonly ThreadHit[]): void;
}

export class BreakpointScanner {
  readonly #wanted: readonly BreakPlace[];
  readonly #ports: LookoutPorts;
  /** By file, and the number of the statement in it. */
  readonly #meant = new Map<string, readonly (readonly Meant[] | undefined)[]>();
  readonly #values = new ShownValues(0);
  #hits: ThreadHit[] = [];
  readonly #awaited: ReadonlyMap<HappeningKind, readonly Awaited[]>;
  /** The last statements that have begun in this stretch. */
  #seen: Seen[] = [];
  /** What is to be said of the next statement. */
  #next: Awaited[] = [];
  /** Conditions are evaluated: what happens by that has not happened. */
  #isApart = false;

  constructor(wanted: readonly BreakPlace[], ports: LookoutPorts) {
    this.#wanted = wanted;
    this.#ports = ports;
    const awaited = wanted.flatMap((place, which) => (place.happens === undefined ? [] : [awaitedAt(place, which)]));
    this.#awaited = Map.groupBy(awaited, ({ place }) => place.happens);
  }

  /** A stretch begins. */
  begins(): void {
    this.#seen = [];
    this.#next = [];
  }

  happens(kind: HappeningKind, text: string, at: At): void {
    const awaited = this.#awaited.get(kind);
    if (awaited === undefined || this.#isApart) return;
    const those = awaited.filter(({ isLike }) => isLike(text));
    if (those.length === 0) return;
    switch (HAPPENINGS[kind].at) {
      case 'next':
        // Of what has come to no statement of its own, nothing is said.
        this.#next = [...this.#next.filter(({ place }) => place.happens !== kind), ...those];
        return;
      case 'beginning':
        for (const { which } of those) this.#hits.push([at()[0], 0, 0, which]);
        break;
      case 'here':
      case 'last': {
        const seen = HAPPENINGS[kind].at === 'here' ? this.#running() : this.#seen.at(-1);
        for (const each of those) this.#hitKind(each, seen, at);
      }
    }
    if (this.#hits.length >= MANY) this.tell();
  }

  #running(): Seen | undefined {
    const { statementOf } = this.#ports.loader;
    const all = this.#seen;
    return all[
      runningStatement(all.length, (index) => {
        const { file, statement } = all[index] as Seen;
        return statementOf(file, statement);
      })
    ];
  }

  /** @param seen the statement that it is said of; none before the first */
  #hitKind(awaited: Awaited, seen: Seen | undefined, at: At): void {
    const { which, place } = awaited;
    const here = seen?.at ?? at();
    if (place.condition === undefined) return void this.#hits.push([...here, which]);
    if (seen === undefined) return;
    const condition = this.#conditionOf(place.condition, awaited, seen);
    if (condition !== undefined) this.#hit({ which, condition, log: undefined }, seen.locals, () => here);
  }

  /** Nothing where nobody knows the statement's variables. */
  #conditionOf(text: string, { conditions }: Awaited, { file, statement }: Seen): Reading | undefined {
    const key = `${statement} ${file}`;
    let condition = conditions.get(key);
    const place = condition === undefined ? this.#ports.loader.statementOf(file, statement) : undefined;
    if (place !== undefined) conditions.set(key, (condition = readingOf(text, place, this.#ports.loader)));
    return condition;
  }

  /** At every statement. */
  sees(file: string, statement: number, locals: readonly unknown[], at: At): void {
    if (this.#awaited.size > 0) {
      if (this.#seen.length === MOST_SEEN) this.#seen.splice(0, MOST_SEEN / 2);
      const seen = { file, statement, locals, at: at() };
      this.#seen.push(seen);
      const next = this.#next;
      if (next.length > 0) {
        this.#next = [];
        for (const each of next) this.#hitKind(each, seen, at);
      }
    }
    const meant = (this.#meant.get(file) ?? this.#look(file))[statement];
    if (meant === undefined) return;
    for (const each of meant) this.#hit(each, locals, at);
    if (this.#hits.length >= MANY) this.tell();
  }

  /** Whoever searches has all hits by now. */
  tell(): void {
    if (this.#hits.length === 0) return;
    const hits = this.#hits;
    this.#hits = [];
    this.#ports.tell(hits);
  }

  #hit({ which, condition, log }: Meant, locals: readonly unknown[], at: At): void {
    if (condition === undefined && log === undefined) return void this.#hits.push([...at(), which]);
    const { loader, tape } = this.#ports;
    let isHit = true;
    let value: unknown;
    let failure: { readonly error: unknown } | undefined;
    const run = (): void => {
      try {
        isHit = condition === undefined || Boolean(condition(locals));
        if (isHit) value = log?.(locals);
      } catch (error) {
        failure = { error };
      }
    };
    this.#isApart = true;
    try {
      tape().apart(() => loader.statements?.apart(run));
    } finally {
      this.#isApart = false;
    }
    if (failure !== undefined) this.#hits.push([...at(), which, null, thrownText(failure.error)]);
    else if (isHit) this.#hits.push(log === undefined ? [...at(), which] : [...at(), which, this.#textOf(value)]);
  }

  #textOf(value: unknown): string {
    if (typeof value === 'string') return value;
    const { preview } = this.#values.value(value);
    this.#values.forget();
    return preview;
  }

  /** Which of a file's statements are meant. */
  #look(file: string): readonly (readonly Meant[] | undefined)[] {
    const { loader } = this.#ports;
    const places: StatementPlace[] = [];
    for (let next = loader.statementOf(file, 0); next !== undefined; next = loader.statementOf(file, places.length))
      places.push(next);
    const meant: Meant[][] = [];
    this.#wanted.forEach((wanted, which) => {
      if (wanted.happens !== undefined) return;
      const number = meantBy(wanted, places);
      const place = places[number];
      if (place === undefined) return;
      const expressionOf = (text: string | undefined): Reading | undefined =>
        text === undefined ? undefined : readingOf(text, place, loader);
      (meant[number] ??= []).push({
        which,
        condition: expressionOf(wanted.condition),
        log: expressionOf(wanted.log),
      });
    });
    this.#meant.set(file, meant);
    return meant;
  }
}

function awaitedAt(place: KindPlace, which: number): Awaited {
  const { matching } = place;
  const isLike = matching === undefined ? () => true : namesLike([matching]);
  return { which, place, isLike, conditions: new Map() };
}

/** What is no expression says so each time. */
function readingOf(text: string, place: StatementPlace, loader: Loader): Reading {
  try {
    return new Expression(text, place.locals, loader.realm, topScopeOf(loader, place.file)).reading(place);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The first statement of the line, or of the next one that has any; with a column, the first that begins there or behind. -1: none of the file. */
function meantBy({ file, line, column = 1 }: LinePlace, places: readonly StatementPlace[]): number {
  const [first] = places;
  if (first === undefined || (first.file !== file && !first.file.endsWith(`/${file}`))) return -1;
  let found = -1;
  places.forEach((place, number) => {
    if (place.line < line || (place.line === line && place.column < column)) return;
    const best = places[found];
    if (best === undefined || place.line < best.line || (place.line === best.line && place.column < best.column))
      found = number;
  });
  return found;
}
