// What a thread that stands still is asked: where it is, what its variables hold, what an expression comes to.
import type { Loader, StatementPlace as LoaderPlace } from '@turntable/loader';
import type {
  ActorHere,
  Entry,
  Evaluated,
  Frame,
  Mailbox,
  Page,
  Question,
  SourcePlace,
  StatementPlace,
} from '@turntable/replay';
import { calledName, type Called, type FollowingTape, type Scheduler } from '@turntable/runtime';
import util from 'node:util';
import { evaluateHere } from './evaluation.ts';
import type { Past } from './past.ts';
import { privateFields } from './private-fields.ts';
import { ShownValues } from './shown-values.ts';
import { variablesAt, type Variables } from './variables.ts';

interface StoppedAt {
  readonly file: string;
  readonly statement: number;
  readonly locals: readonly unknown[];
}

type Actor = Parameters<Scheduler['mailboxOf']>[0];
type Message = Extract<ReturnType<Scheduler['mailboxOf']>[number], { readonly what: 'told' | 'sent' }>;

/** More frames than these are of no use to anybody. */
const MOST_FRAMES = 200;
const OWN_FRAMES = /\/turntable\/(?:src|dist|bundled)\/engine\//;

export interface LookedOn {
  tape(): FollowingTape;
  scheduler(): Scheduler | undefined;
  /** Where what was evaluated can be taken back. */
  readonly past: Past | undefined;
}

export class LookingOn {
  readonly #loader: Loader;
  readonly #tape: () => FollowingTape;
  readonly #scheduler: () => Scheduler | undefined;
  readonly #past: Past | undefined;
  readonly #values: ShownValues;
  #stopped: StoppedAt | undefined;

  constructor(loader: Loader, worker: number, { tape, scheduler, past }: LookedOn) {
    this.#loader = loader;
    this.#tape = tape;
    this.#scheduler = scheduler;
    this.#past = past;
    this.#values = new ShownValues(worker, {
      waiting: (eventual) => loader.awaitedBy(eventual),
      privates: (object) => privateFields(loader.realm, object),
    });
  }

  stopsAt(stopped: StoppedAt): void {
    this.#stopped = stopped;
  }

  goesOn(): void {
    this.#stopped = undefined;
  }

  /** Numbers of objects are forgotten. */
  forget(): void {
    this.#values.forget();
  }

  answer(question: Exclude<Question, 'traced'>, wanted: unknown): unknown {
    switch (question) {
      case 'where':
        return this.#where();
      case 'frames':
        return this.#frames();
      case 'locals':
        return [...this.#variables()].map(([name, held]) => this.#entryOf(name, held));
      case 'expand':
        return this.#values.expand(wanted as Page & { readonly id: number });
      case 'evaluate':
        return this.#evaluate(wanted as string);
      case 'actors':
        return this.#actors();
      case 'mailbox':
        return this.#mailbox(wanted as Page & { readonly actor: number });
    }
  }

  get #place(): LoaderPlace | undefined {
    return this.#stopped && this.#loader.statementOf(this.#stopped.file, this.#stopped.statement);
  }

  #where(): object | null {
    const place = this.#place;
    if (place === undefined || this.#stopped === undefined) return null;
    return toldPlace(place, this.#stopped.file, this.#stopped.statement);
  }

  #frames(): Frame[] {
    const place = this.#place;
    if (place === undefined) return [];
    const sites = util.getCallSites(MOST_FRAMES);
    const innermost = sites.findIndex(
      ({ scriptName, lineNumber }) =>
        scriptName === place.file && lineNumber >= place.line && lineNumber <= place.endLine,
    );
    const below =
      innermost === -1 ? sites.filter(({ scriptName }) => !OWN_FRAMES.test(scriptName)) : sites.slice(innermost + 1);
    const shown = below.filter(({ scriptName }) => scriptName !== '' && !scriptName.startsWith('node:'));
    const here: SourcePlace = { file: place.file, line: place.line, column: place.column };
    return [
      { index: 0, function: place.function, place: here, hasLocals: true },
      ...shown.map(({ functionName, scriptName, lineNumber, columnNumber }, i) => ({
        index: i + 1,
        function: functionName,
        place: { file: scriptName, line: lineNumber, column: columnNumber },
        hasLocals: false,
      })),
    ];
  }

  #variables(): Variables {
    const place = this.#place;
    return place === undefined ? new Map() : variablesAt(place, this.#stopped?.locals ?? []);
  }

  #entryOf(name: string, held: { readonly value: unknown } | undefined): Entry {
    const value = held && this.#values.value(name === 'this' ? this.#loader.realm.view(held.value) : held.value);
    return { name, is: 'variable', isEnumerable: true, value };
  }

  #evaluate(text: string): Evaluated {
    const { realm, statements } = this.#loader;
    const apart = <T>(run: () => T): T => this.#tape().apart(() => statements?.apart(run) ?? run());
    const past = this.#past;
    const noted = <T>(run: () => T, isWriting: boolean): T =>
      past === undefined ? run() : past.evaluate(run, isWriting);
    const evaluated = evaluateHere(text, this.#variables(), realm, { apart, noted });
    const { isPure } = evaluated;
    const isTakenBack = !isPure && past?.isUndoable === true;
    if ('error' in evaluated) return { value: undefined, error: evaluated.error, isPure, isTakenBack };
    return { value: this.#values.value(evaluated.value), error: undefined, isPure, isTakenBack };
  }

  #actors(): ActorHere[] {
    const scheduler = this.#scheduler();
    if (scheduler === undefined) return [];
    return scheduler.census.known().flatMap((actor): ActorHere[] => {
      const { id, worker, name, turns, root } = actor;
      const toCome = this.#past?.stillToCome(actor) ?? [];
      if (toCome.some(({ call }) => calledName(call as Called) === 'construct')) return [];
      const value = root === undefined ? undefined : this.#values.value(root);
      return [
        { worker, id, name, turns: turns - toCome.length, waiting: this.#waitingFor(scheduler, actor).length, value },
      ];
    });
  }

  #waitingFor(scheduler: Scheduler, actor: Actor): readonly Message[] {
    const waiting = scheduler.mailboxOf(actor).filter((each) => each.what === 'told' || each.what === 'sent');
    return this.#past?.waiting(actor, waiting) ?? waiting;
  }

  #mailbox({ actor: id, from, count }: Page & { readonly actor: number }): Mailbox {
    const scheduler = this.#scheduler();
    const actor = scheduler?.census.known().find((each) => each.id === id);
    if (scheduler === undefined || actor === undefined) return { messages: [], total: 0 };
    const waiting = this.#waitingFor(scheduler, actor);
    const messages = waiting.slice(from, from + count).map((message) => ({
      what: calledName(message.call as Called),
      from: message.what === 'sent' ? message.sender.name : undefined,
      values: message.args.map((arg) => this.#values.value(arg)),
    }));
    return { messages, total: waiting.length };
  }
}

export function toldPlace(place: LoaderPlace, code: string, number: number): StatementPlace {
  const { locals: _, boxed: __, ...where } = place;
  return { ...where, code, number };
}
