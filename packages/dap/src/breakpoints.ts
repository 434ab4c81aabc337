// What a client wants to stop at: lines, things of a kind that happen, log points. The protocol has each request say all of a file, or of a sort, anew; the time machine knows breakpoints one by
// one, and looks through the recording again for new ones, so those that were there before stay. Kinds are the server's: it describes them, and nothing here has a list of them.
import { statementAt, type ToldPlace } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Given } from './given.ts';
import type { Ground } from './ground.ts';
import type { LogPoints } from './log-points.ts';
import { pathOf, type Sources } from './sources.ts';
import type { Told } from './told.ts';

type Wish = ParamsOf<'break'>;
export type ToldBreakpoint = Told<DebugProtocol.Breakpoint>;

interface Own {
  /** For the client. */
  readonly id: number;
  readonly wish: Wish;
  /** The time machine's; of a log point nothing. */
  readonly number: number | undefined;
  readonly stop: () => void;
}

/** Wishes of one sort, of which a request says all. */
type Sort = Map<string, Own>;

export interface Met {
  readonly reason: string;
  readonly hit: readonly number[];
  /** Of those that are no lines. */
  readonly kinds: readonly string[];
}

/** What a stop is called, by what a request says all of; of lines it is a breakpoint. */
const REASONS: Readonly<Record<string, string>> = { functions: 'function breakpoint', exceptions: 'exception' };

/** The kind that functions are taken for, if no other is named: where a turn of an actor is entered. */
const OF_FUNCTIONS = 'entered';

export class Breakpoints {
  readonly #ground: Ground;
  readonly #sources: Sources;
  readonly #logPoints: LogPoints;
  readonly #sorts = new Map<string, Sort>();

  constructor(ground: Ground, sources: Sources, logPoints: LogPoints) {
    this.#ground = ground;
    this.#sources = sources;
    this.#logPoints = logPoints;
  }

  /** `setBreakpoints` */
  async lines(given: Given): Promise<ToldBreakpoint[]> {
    const source = given.part('source');
    const path = source.optionalText('path');
    const key = `source ${path === undefined ? `#${source.optionalInteger('sourceReference') ?? 0}` : pathOf(path)}`;
    const wanted = given.parts('breakpoints');
    const file = this.#sources.meant(source);
    if (file === undefined) {
      await this.#replace(key, []);
      const message = 'the recording has no such file';
      return wanted.map((each) => ({
        id: this.#ground.number(),
        verified: false,
        message,
        line: each.integer('line'),
      }));
    }
    const [lines, statements] = await Promise.all([this.#sources.lines(file), this.#sources.statements(file)]);
    const wishes = wanted.map((each) => this.#lineWish(each, file, { lines, statements }));
    const ids = await this.#replace(key, wishes);
    return wanted.map((each, i) => ({
      ...toldOf(wishes[i], ids[i] ?? this.#ground.number()),
      ...this.#placeTold(wishes[i], each, statements),
    }));
  }

  /** Where it stops; where that is not known, where it was wanted. */
  #placeTold(
    wished: Wished | undefined,
    given: Given,
    statements: readonly ToldPlace[] | undefined,
  ): Pick<ToldBreakpoint, 'line' | 'column' | 'endLine' | 'endColumn'> {
    const { line = 0, column } = typeof wished === 'object' ? wished.wish : {};
    const place = line > 0 && statements !== undefined ? statementAt(statements, line, column) : undefined;
    return place === undefined
      ? { line: given.integer('line'), column: given.optionalInteger('column') }
      : this.#ranged(place);
  }

  #ranged({ line, column, endLine, endColumn }: ToldPlace): DebugProtocol.BreakpointLocation {
    const { counting } = this.#ground;
    return {
      line: counting.lineTo(line),
      column: counting.columnTo(column),
      endLine: counting.lineTo(endLine),
      endColumn: counting.columnTo(endColumn),
    };
  }

  /** `breakpointLocations`: statements that begin in a piece of a file. */
  async locations(given: Given): Promise<DebugProtocol.BreakpointLocation[]> {
    const file = this.#sources.meant(given.part('source'));
    if (file === undefined) return [];
    const { counting } = this.#ground;
    const column = (name: string, otherwise: number): number => {
      const its = given.optionalInteger(name);
      return its === undefined ? otherwise : counting.columnFrom(its);
    };
    const first = counting.lineFrom(given.integer('line'));
    const last = counting.lineFrom(given.optionalInteger('endLine') ?? given.integer('line'));
    const [from, to] = [column('column', 1), column('endColumn', Infinity)];
    const all = (await this.#sources.statements(file)) ?? [];
    return all
      .filter((each) => each.line >= first && each.line <= last)
      .filter((each) => (each.line > first || each.column >= from) && (each.line < last || each.column <= to))
      .map((each) => this.#ranged(each));
  }

  #lineWish(
    each: Given,
    file: string,
    { lines, statements }: { readonly lines: number; readonly statements: readonly ToldPlace[] | undefined },
  ): Wished {
    const { counting } = this.#ground;
    const line = counting.lineFrom(each.integer('line'));
    const given = each.optionalInteger('column');
    const times = timesIn(each.optionalText('hitCondition'));
    if (line > lines) return `the recorded file has ${lines} lines`;
    if (typeof times === 'string') return times;
    const log = each.optionalText('logMessage');
    const wanted = given === undefined ? undefined : counting.columnFrom(given);
    const place = statements === undefined ? { line, column: wanted } : statementAt(statements, line, wanted);
    if (place === undefined) return 'no statement begins there or behind';
    const wish = {
      file: ending(file),
      line: place.line,
      column: place.column,
      condition: textIn(each, 'condition'),
      times,
    };
    if (log === undefined || log === '') return { wish, log: undefined };
    return times === undefined ? { wish, log } : 'a log point tells of each time: it takes no number of them';
  }

  /** `setFunctionBreakpoints`: `Cart*.add`, or with a kind, `sent Cart*.add`. */
  async functions(given: Given): Promise<ToldBreakpoint[]> {
    const wishes = given.parts('breakpoints').map((each): Wished => {
      const [, first = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(each.text('name').trim()) ?? [];
      const isKind = this.#ground.hello.breakpoints.some(({ id }) => id === first);
      const kind = isKind ? first : OF_FUNCTIONS;
      const pattern = isKind ? rest : `${first} ${rest}`.trim();
      const times = timesIn(each.optionalText('hitCondition'));
      if (typeof times === 'string') return times;
      const matching = pattern === '' ? undefined : pattern;
      return { wish: { kind, matching, condition: textIn(each, 'condition'), times }, log: undefined };
    });
    return this.#kinds('functions', wishes);
  }

  /** `setExceptionBreakpoints` */
  exceptions(given: Given): Promise<ToldBreakpoint[]> {
    const plain = given.texts('filters').map((filter) => ({ filter, text: undefined }));
    const options = given.parts('filterOptions').map((each) => ({
      filter: each.text('filterId'),
      text: textIn(each, 'condition'),
    }));
    const wishes = [...plain, ...options].map(({ filter, text }): Wished => {
      const { matching, condition } = filterText(text);
      return { wish: { kind: filter, matching, condition }, log: undefined };
    });
    return this.#kinds('exceptions', wishes);
  }

  async #kinds(key: string, wishes: readonly Wished[]): Promise<ToldBreakpoint[]> {
    const known = this.#ground.hello.breakpoints.map(({ id }) => id);
    const checked = wishes.map((each) => {
      const kind = typeof each === 'string' ? undefined : each.wish.kind;
      const isKnown = kind === undefined || known.includes(kind);
      return isKnown ? each : `there is no kind ${kind} of breakpoints; there are ${known.join(', ')}`;
    });
    const ids = await this.#replace(key, checked);
    return checked.map((each, i) => toldOf(each, ids[i] ?? this.#ground.number()));
  }

  /** Answers their numbers; a text where one is refused. */
  async #replace(key: string, wishes: readonly Wished[]): Promise<(number | undefined)[]> {
    const before: Sort = this.#sorts.get(key) ?? new Map();
    const sort: Sort = new Map();
    this.#sorts.set(key, sort);
    const keys = wishes.map((each) => (typeof each === 'string' ? undefined : JSON.stringify(each)));
    for (const [its, own] of before) if (!keys.includes(its)) await this.#remove(own);
    const ids: (number | undefined)[] = [];
    for (const [i, each] of wishes.entries()) {
      const its = keys[i];
      if (typeof each === 'string' || its === undefined) {
        ids.push(undefined);
        continue;
      }
      const own = sort.get(its) ?? before.get(its) ?? (await this.#add(each));
      sort.set(its, own);
      ids.push(own.id);
    }
    return ids;
  }

  async #add({ wish, log }: Wishes): Promise<Own> {
    const id = this.#ground.number();
    if (log !== undefined) return { id, wish, number: undefined, stop: this.#logPoints.begin(wish, log) };
    const { id: number } = await this.#ground.client.request('break', wish);
    return { id, wish, number, stop: () => {} };
  }

  async #remove({ number, stop }: Own): Promise<void> {
    stop();
    if (number !== undefined) await this.#ground.client.request('unbreak', { id: number });
  }

  async clear(): Promise<void> {
    for (const key of this.#sorts.keys()) await this.#replace(key, []);
  }

  /** This client's, of those that have been stopped at, and what that is called. @param numbers the time machine's */
  metBy(numbers: readonly number[]): Met {
    const isMet = ({ number }: Own): boolean => number !== undefined && numbers.includes(number);
    const met = [...this.#sorts].flatMap(([key, sort]) =>
      [...sort.values()]
        .filter(isMet)
        .map(({ id, wish }) => ({ reason: REASONS[key] ?? 'breakpoint', id, kind: wish.kind })),
    );
    const kinds = met.flatMap(({ kind }) => kind ?? []);
    return { reason: met[0]?.reason ?? 'breakpoint', hit: met.map(({ id }) => id), kinds };
  }
}

interface Wishes {
  readonly wish: Wish;
  readonly log: string | undefined;
}

/** Or what is wrong with it. */
type Wished = Wishes | string;

function toldOf(wished: Wished | undefined, id: number): ToldBreakpoint {
  return typeof wished === 'string' ? { id, verified: false, message: wished } : { id, verified: true };
}

/** A path as the end of paths and URLs. */
function ending(file: string): string {
  return file.replace(/^\//, '');
}

function textIn(given: Given, name: string): string | undefined {
  const text = given.optionalText(name)?.trim();
  return text === '' ? undefined : text;
}

/** The so-manieth time; or what is wrong. */
function timesIn(text: string | undefined): number | string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const number = Number(/^(?:=|==|===)?\s*(\d{1,9})$/.exec(text.trim())?.[1] ?? 0);
  return number > 0 ? number : `a hit count is a number, of the so-manieth time of the whole recording, not "${text}"`;
}

/** `like PATTERN`, an expression, or both with `if` between. */
function filterText(text: string | undefined): Pick<Wish, 'matching' | 'condition'> {
  const like = /^like\s+(.+)$/s.exec(text ?? '')?.[1];
  if (like === undefined) return { matching: undefined, condition: text };
  const [, pattern = like, condition] = /^(.*?)\s+if\s+(.+)$/s.exec(like) ?? [];
  return { matching: pattern, condition };
}
