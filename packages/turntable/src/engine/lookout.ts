// What a thread looks out for while it runs: statements of some lines, perhaps under a condition, perhaps with a text to be had of each. Nothing stops there. Each time is
// told of with where it was, so that whoever searches has all of them in their order, whichever thread was faster.
import type { Loader, StatementPlace } from '@turntable/loader';
import type { BreakPlace, NotedHit } from '@turntable/replay';
import type { FollowingTape } from '@turntable/runtime';
import { Expression } from './evaluation.ts';
import { ShownValues } from './shown-values.ts';

/** Hits that are told of together. */
const MANY = 500;

interface Meant {
  /** Which of the places that are looked out for. */
  readonly which: number;
  readonly condition: Reading | undefined;
  readonly log: Reading | undefined;
}

type At = () => readonly [stretch: number, list: number, statement: number];
type Reading = (locals: readonly unknown[]) => unknown;

export interface LookoutPorts {
  readonly loader: Loader;
  tape(): FollowingTape;
  tell(hits: readonly NotedHit[]): void;
}

export class Lookout {
  readonly #wanted: readonly BreakPlace[];
  readonly #ports: LookoutPorts;
  /** By file, and the number of the statement in it. */
  readonly #meant = new Map<string, readonly (readonly Meant[] | undefined)[]>();
  readonly #values = new ShownValues(0);
  #hits: NotedHit[] = [];

  constructor(wanted: readonly BreakPlace[], ports: LookoutPorts) {
    this.#wanted = wanted;
    this.#ports = ports;
  }

  /** At every statement. */
  sees(file: string, statement: number, locals: readonly unknown[], at: At): void {
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
    tape().apart(() => loader.statements?.apart(run));
    if (failure !== undefined) this.#hits.push([...at(), which, null, messageOf(failure)]);
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

/** What is no expression says so each time. */
function readingOf(text: string, place: StatementPlace, { realm }: Loader): Reading {
  try {
    return new Expression(text, place.locals, realm).reading(place);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function messageOf({ error }: { readonly error: unknown }): string {
  return error instanceof Error ? error.message : String(error);
}

/** The first statement of the line, or of the next one that has any; with a column, the first that begins there or behind. -1: none of the file. */
function meantBy({ file, line, column = 1 }: BreakPlace, places: readonly StatementPlace[]): number {
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
