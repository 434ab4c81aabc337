// All statements of a stretch, noted as they begin, each with how deep the stack is: frames are counted, since a count of calls and returns is wrong where a builtin calls back or something is
// thrown. Who has it moves about in the stretch, back and forth, over and out of calls, without running it again.
import type { Loader } from '../thread/loader.ts';
import type { StatementPlace as LoaderPlace } from '@turntable/loader';
import { HAPPENINGS, type HappeningKind } from '@turntable/time-machine/notes';
import type { StatementPlace, TracedEvent, TracedSend, TracedStretch } from '@turntable/time-machine/replay-process';
import { FrameDepths } from './frame-depths.ts';
import { toldPlace } from './thread-inspector.ts';
import { runningStatement } from './running-statement.ts';

/** Statements that are noted of one stretch. */
const MOST = 1_000_000;
const MOST_HAPPENINGS = 100_000;

const NOWHERE = { ordinal: -1, isSuspendable: false, first: -1 };

export class StretchTrace {
  readonly #statements: number[] = [];
  readonly #places = new Map<string, Map<number, number>>();
  readonly #probes: [file: string, statement: number][] = [];
  /** Of each place: the number of its function, as of `FrameDepths`, and whether calls begin there. */
  readonly #functions: number[] = [];
  readonly #areFirst: boolean[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #depths = new FrameDepths();
  readonly #statementOf: Loader['statementOf'];
  readonly #sends: TracedSend[] = [];
  #isCut = false;
  readonly #happenings: TracedEvent[] = [];

  constructor(statementOf: Loader['statementOf']) {
    this.#statementOf = statementOf;
  }

  /** What comes behind the last statement that is noted is nowhere. */
  happens(kind: HappeningKind, text: string): void {
    if (this.#isCut || this.#happenings.length >= MOST_HAPPENINGS) return;
    const placeAt = (index: number): LoaderPlace | undefined => {
      const [file, statement] = this.#probes[this.#statements[index * 4 + 2] as number] ?? ['', -1];
      return this.#statementOf(file, statement);
    };
    const { at } = HAPPENINGS[kind];
    const count = this.#statements.length / 4;
    const index = at === 'beginning' ? -1 : at === 'here' ? runningStatement(count, placeAt) : count - 1;
    this.#happenings.push([index, kind, text]);
  }

  /** Something is sent to an actor. */
  sends(actor: string, method: string): void {
    if (this.#sends.length < MOST) this.#sends.push([this.#statements.length / 4 - 1, actor, method]);
  }

  /** Whether the next one is wanted as well. */
  add(file: string, statement: number, list: number, within: number): boolean {
    if (this.#statements.length >= MOST * 4) {
      this.#isCut = true;
      return false;
    }
    const place = this.#placeOf(file, statement);
    const depth = this.#depths.next(this.#functions[place] as number, this.#areFirst[place] as boolean);
    this.#statements.push(list, within, place, depth);
    return true;
  }

  #placeOf(file: string, statement: number): number {
    let those = this.#places.get(file);
    if (those === undefined) this.#places.set(file, (those = new Map<number, number>()));
    let place = those.get(statement);
    if (place !== undefined) return place;
    those.set(statement, (place = this.#probes.push([file, statement]) - 1));
    const { ordinal, isSuspendable, first } = this.#statementOf(file, statement) ?? NOWHERE;
    this.#functions[place] = ordinal === -1 || isSuspendable ? -1 : this.#numberOf(`${file} ${ordinal}`);
    this.#areFirst[place] = statement === first;
    return place;
  }

  #numberOf(fn: string): number {
    let number = this.#numbers.get(fn);
    if (number === undefined) this.#numbers.set(fn, (number = this.#numbers.size));
    return number;
  }

  told(): TracedStretch {
    const places = this.#probes.map(([file, statement]): StatementPlace => {
      const place = this.#statementOf(file, statement);
      if (place !== undefined) return toldPlace(place, file, statement);
      const nowhere = { line: 1, column: 1, endLine: 1, endColumn: 1 };
      return {
        file: '',
        ...nowhere,
        function: '',
        ordinal: -1,
        first: 0,
        kind: 'statement',
        code: file,
        number: statement,
      };
    });
    return {
      places,
      statements: this.#statements,
      isCut: this.#isCut,
      sends: this.#sends,
      happenings: this.#happenings,
    };
  }
}
