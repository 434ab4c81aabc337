// Tracks what the program of one thread writes and finds the statement that gave something its current value
// (docs/time-machine.md, "Who has written this"). The barriers of debug mode report properties, elements, members and
// variables that closures share. Other variables belong to one call; the trail of the stretch keeps their values at the
// earlier statements of the call.
import { isLater, WriteNotes, type LastWrite, type StatementPosition, type WrittenAt } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { StatementPlace } from '@turntable/loader';
import type { FollowingTape } from '@turntable/runtime';
import { types } from 'node:util';
import type { FoundWrite, WriteRequest } from '@turntable/time-machine/replay-process';
import { CallTrail, type Begun } from './call-trail.ts';
import { evaluateHere } from './evaluation.ts';
import { FirstValues } from './first-values.ts';
import { FrameTrails, type Piece } from './frame-trails.ts';
import { lastStepOf, type LastStep } from './last-step.ts';
import { toldPlace } from './thread-inspector.ts';
import { topScopeOf } from './top-scope.ts';
import { variablesAt, type Variables } from './variables.ts';

type Found = Omit<FoundWrite, 'part' | 'isPure'>;
type FoundPart = Omit<FoundWrite, 'isPure'>;

/** What an expression leads to: part of an object, of which another stretch may be asked as well. */
export interface Sought {
  /** The expression. */
  readonly part: string;
  readonly of: object;
  /** As undo logs have it. */
  readonly key: unknown;
  lastIn(notes: WriteNotes): LastWrite | undefined;
}

/** Where a thread stands that has gone back. */
export interface Back {
  /** The statement, or the stretch, before which it is. */
  readonly at: WrittenAt;
  /** Nothing between two stretches. */
  readonly begun: Begun | undefined;
}

export interface WrittenOptions {
  /** As of `WriteNotes`. */
  readonly closely?: number | 'all' | undefined;
  /** Stretches can be undone that are noted here. */
  readonly goesBack?: boolean | undefined;
  /** Where only one stretch is noted, which is run once more: what is evaluated there is taken back. */
  readonly evaluating?: (<T>(run: () => T, isWriting: boolean) => T) | undefined;
}

/** Of a statement. */
interface Known {
  /** Which local is an object that comes into being there, which is given things without barriers; -1 if none is. */
  readonly made: number;
  /** The number of its function, if that can be suspended; else -1. */
  readonly fn: number;
  /** The file, as stacks have it, where it is that one's own, of no function. */
  readonly top: string | undefined;
}

const UNWRITTEN: Found = { is: 'unwritten', isWhole: false, at: undefined };
const PASSED: Found = { is: 'passed', isWhole: false, at: undefined };
const CAPTURED: Found = { is: 'captured', isWhole: false, at: undefined };
const LATER: Found = { is: 'later', isWhole: false, at: undefined };
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;

export class WriteTracker {
  readonly #loader: Loader;
  readonly #tape: () => FollowingTape;
  readonly #notes: WriteNotes;
  readonly #firstValues: FirstValues;
  readonly #trail = new CallTrail();
  readonly #frames = new FrameTrails();
  /** By file, and the number of the statement in it. */
  readonly #known = new Map<string, (Known | undefined)[]>();
  /** Of the file that ran last. */
  #file = '';
  #knownHere: (Known | undefined)[] = [];
  /** Those that can be suspended, by their files and ordinals. */
  readonly #functions = new Map<string, number>();
  #stretch = 0;
  #self: object | undefined;
  /** Whose state is asked about, whoever has the turn. */
  #of: object | undefined;
  /** Nothing of the program was run for an answer. */
  #isPure = true;
  /** Of the statement that it has come to last. */
  #list = 0;
  #within = 0;
  #statement = -1;
  #locals: readonly unknown[] = [];
  /** Where it stands, or has come by last. */
  #here: { readonly place: StatementPlace; readonly locals: readonly unknown[] } | undefined;
  readonly #evaluating: WrittenOptions['evaluating'];
  readonly #isBeside: boolean;
  #back: Back | undefined;
  /** What was asked last, as far as another stretch may know of it. */
  sought: Sought | undefined;

  constructor(loader: Loader, tape: () => FollowingTape, { closely, goesBack = false, evaluating }: WrittenOptions) {
    this.#loader = loader;
    this.#tape = tape;
    this.#notes = new WriteNotes(loader.realm, closely);
    this.#firstValues = new FirstValues(loader, this.#notes);
    this.#evaluating = evaluating;
    this.#isBeside = goesBack;
  }

  /** @param self the actor whose turn comes next, if one does */
  comesBefore(self: object | undefined): void {
    this.#self = self;
    this.#statement = -1;
  }

  begins(stretch: number): void {
    // Not before: a state that is put in place is not written by the program.
    if (this.#stretch === 0) this.#listen();
    this.#stretch = stretch;
    this.#trail.clear();
    this.#frames.clear();
    this.#notes.comesTo(stretch, 0, 0, '', -1);
  }

  #listen(): void {
    this.#loader.undoLog?.listen(this.#notes, { runs: this.#frames.runs, isBeside: this.#isBeside });
  }

  /** The thread goes back: what it does there is noted already. */
  rests(): void {
    this.#loader.undoLog?.listen(undefined);
  }

  /** It is where it has come to. */
  goesOn(): void {
    if (this.#stretch > 0) this.#listen();
  }

  /** Nothing is told of any more, and no variables are asked for. */
  ends(): void {
    this.#trail.clear();
    this.#loader.undoLog?.listen(undefined);
  }

  /** Before every statement, which is at this position. @param isKept whether it may be asked what variables were there */
  sees(
    file: string,
    statement: number,
    locals: readonly unknown[],
    list: number,
    within: number,
    isKept: boolean,
  ): void {
    if (file !== this.#file) this.#comesToFile(file);
    const { made, fn, top } = (this.#knownHere[statement] ??= this.#look(file, statement));
    this.#notes.comesTo(this.#stretch, list, within, file, statement);
    if (top !== undefined)
      this.#firstValues.comesTo(top, { stretch: this.#stretch, list, statement: within, file, number: statement });
    // What the statement gives it is seen when the next one begins.
    if (made !== -1) this.#notes.making(locals[made]);
    this.#statement = statement;
    this.#locals = locals;
    this.#list = list;
    this.#within = within;
    if (fn !== -1) this.#frames.sees(fn, { file, statement, locals, at: [this.#stretch, list, within] });
    if (isKept) this.#trail.add({ file, statement, locals }, list, within);
  }

  #comesToFile(file: string): void {
    let known = this.#known.get(file);
    if (known === undefined) this.#known.set(file, (known = []));
    this.#file = file;
    this.#knownHere = known;
  }

  #look(file: string, statement: number): Known {
    const place = this.#loader.statementOf(file, statement);
    if (place === undefined) return { made: -1, fn: -1, top: undefined };
    const made = place.isMaking ? place.locals.indexOf('this') : -1;
    const top = place.ordinal === -1 && place.kind !== 'field' ? place.file : undefined;
    if (!place.isSuspendable) return { made, fn: -1, top };
    const key = `${file} ${place.ordinal}`;
    const fn = this.#functions.get(key) ?? this.#functions.size;
    this.#functions.set(key, fn);
    return { made, fn, top };
  }

  /** A statement of the stretch in which it stands. */
  begunAt({ list, statement }: StatementPosition): Begun | undefined {
    return this.#trail.at(list, statement);
  }

  /** @param of the actor that `this` is, if that is another one than where it stands */
  answer(wanted: WriteRequest, of?: object): FoundWrite {
    const place = this.#statement === -1 ? undefined : this.#loader.statementOf(this.#file, this.#statement);
    this.#of = of;
    this.#here = of === undefined && place !== undefined ? { place, locals: this.#locals } : undefined;
    this.#isPure = true;
    this.sought = undefined;
    this.#firstValues.settle();
    return { ...this.#wroteOf(wanted.text, wanted), isPure: this.#isPure };
  }

  /** The same where the thread has gone back to, whose stretch is run once more there and not noted. */
  answerBack(wanted: WriteRequest, back: Back, of?: object): FoundWrite {
    const { begun } = back;
    const place = begun && this.#loader.statementOf(begun.file, begun.statement);
    // Whose turn it was is not noted.
    if (of === undefined && (begun === undefined || place === undefined))
      return { part: wanted.text, ...LATER, isPure: true };
    this.#of = of;
    this.#here = of === undefined && begun && place ? { place, locals: begun.locals } : undefined;
    this.#isPure = true;
    this.#back = back;
    try {
      const found = this.#notes.asOf(back.at, () => this.#wroteOf(wanted.text, wanted));
      return { ...found, isPure: this.#isPure };
    } finally {
      this.#back = undefined;
    }
  }

  /** Of what somebody else has found. */
  answerOf(sought: Sought): FoundWrite {
    return { part: sought.part, ...this.#told(sought.lastIn(this.#notes)), isPure: true };
  }

  #wroteOf(text: string, wanted: WriteRequest): FoundPart {
    const step = lastStepOf(text);
    if (step === undefined)
      throw new TypeError(
        `"${text}" is no variable, property or entry: such as total, this.sum, items[2].price, this.#name, stock.get('tea')`,
      );
    const found = step.is === 'variable' ? this.#ofVariable(text, step.name, wanted) : this.#ofPart(text, step);
    // Nobody has written it by itself: it has come with the object, wherever that was put.
    const isInside = found.is === 'unwritten' && wanted.isAll && step.is !== 'variable' && step.of !== 'this';
    return isInside ? this.#wroteOf(step.of, wanted) : { part: text, ...found };
  }

  #ofPart(part: string, step: Exclude<LastStep, { readonly is: 'variable' }>): Found {
    const object = this.#objectOf(step.of);
    switch (step.is) {
      case 'private':
        return this.#seek({
          part,
          of: object,
          key: `#${step.name}`,
          lastIn: (notes) => notes.ofPrivate(object, step.name),
        });
      case 'property':
        return this.#ofProperty(part, object, step.name);
      case 'element': {
        const key = this.#evaluated(step.key);
        return this.#ofProperty(part, object, typeof key === 'symbol' ? key : String(key));
      }
      case 'entry': {
        const key = this.#evaluated(step.key);
        return this.#seek({ part, of: object, key, lastIn: (notes) => notes.ofEntry(object, key) });
      }
    }
  }

  #seek(sought: Sought): Found {
    this.sought = sought;
    return this.#told(sought.lastIn(this.#notes));
  }

  /** Where the thread has gone back to, what it makes once more is another object, of which nothing is noted. */
  #told(last: LastWrite | undefined): Found {
    if (this.#back !== undefined && (last === undefined || !isLater(this.#back.at, last.at))) return LATER;
    if (last === undefined) return UNWRITTEN;
    const { stretch, list, statement, file, number } = last.at;
    const is = last.isMade === true ? 'made' : 'written';
    return { is, isWhole: last.isWhole, at: [stretch, list, statement], place: this.#placeOf(file, number) };
  }

  #placeOf(file: string, statement: number): Found['place'] {
    const place = this.#loader.statementOf(file, statement);
    return place && toldPlace(place, file, statement);
  }

  #seekProperty(part: string, object: object, key: PropertyKey): Found {
    const of = ArrayBuffer.isView(object) ? object.buffer : object;
    return this.#seek({ part, of, key, lastIn: (notes) => notes.ofProperty(object, key) });
  }

  /** Its own, or that of the object that it has it from. */
  #ofProperty(part: string, object: object, key: PropertyKey): Found {
    for (let at: object | null = object; at !== null && !types.isProxy(at); at = getPrototypeOf(at) as object | null) {
      const descriptor = getOwnPropertyDescriptor(at, key);
      if (descriptor === undefined) continue;
      if (!('value' in descriptor))
        throw new TypeError(`${String(key)} is an accessor: what it answers is written elsewhere`);
      return this.#seekProperty(part, at, key);
    }
    // Perhaps it was deleted.
    return this.#seekProperty(part, object, key);
  }

  #ofVariable(text: string, name: string, { earlier, isAll }: WriteRequest): Found {
    const { place, locals } = this.#here ?? {};
    const index = place?.locals.indexOf(name) ?? -1;
    if (place === undefined || index === -1) return this.#ofTopScope(text, name);
    const now = variablesAt(place, locals ?? []).get(name);
    if (now === undefined) throw new TypeError(`${name} has no value yet`);
    const box = place.boxed[index] === true ? (locals?.[index] as object) : undefined;
    const shared = box && this.#notes.ofProperty(box, 'v');
    if (shared !== undefined) return this.#told(shared);
    // The call's statements are those of the first time.
    if (this.#back !== undefined) return LATER;
    const pieces = this.#piecesOf(earlier);
    for (const piece of pieces.toReversed()) {
      const there = this.#heldThere(piece, name);
      if (there === undefined || !Object.is(there.value, now.value))
        return { is: 'written', isWhole: false, at: piece.at, place: this.#placeOf(piece.file, piece.statement) };
    }
    const isCaptured = place.captures.includes(name);
    // It may have been written before anybody noted that.
    if (isCaptured && box !== undefined && !isAll) return this.#seekProperty(text, box, 'v');
    if (isCaptured) return CAPTURED;
    // Its call may have begun before the stretch that is noted.
    if (this.#evaluating !== undefined && place.isSuspendable) return UNWRITTEN;
    // Where the call has begun, if it went on here.
    return { ...PASSED, at: pieces[0]?.at };
  }

  /** Of the call where it stands, in order: of this stretch, and of those before in which it has run. */
  #piecesOf(earlier: WriteRequest['earlier']): readonly Piece[] {
    const here = earlier.flatMap(([list, statement]): Piece[] => {
      const begun = this.#trail.at(list, statement);
      return begun === undefined ? [] : [{ ...begun, at: [this.#stretch, list, statement] }];
    });
    const [, list, statement] = here[0]?.at ?? [0, this.#list, this.#within];
    return [...this.#frames.before(list, statement, this.#stretch), ...here];
  }

  #heldThere({ file, statement, locals }: Begun, name: string): { readonly value: unknown } | undefined {
    const place = this.#loader.statementOf(file, statement);
    return place && variablesAt(place, locals).get(name);
  }

  #ofTopScope(part: string, name: string): Found {
    const variable = topScopeOf(this.#loader, this.#here?.place.file).get(name);
    if (variable === undefined) throw new TypeError(`there is no variable ${name} here`);
    if ('cell' in variable) return this.#seekProperty(part, variable.cell, 'v');
    const { record } = variable;
    return this.#seek({ part, of: record, key: name, lastIn: (notes) => notes.ofVariable(record, name) });
  }

  #objectOf(text: string): object {
    const value = this.#evaluated(text);
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') return value;
    throw new TypeError(`${text} is ${value === null ? 'null' : typeof value}, which has no parts that are written`);
  }

  #evaluated(text: string): unknown {
    const { realm, statements, undoLog } = this.#loader;
    const apart = <T>(run: () => T): T => {
      const unnoted = (): T => (undoLog === undefined ? run() : undoLog.apart(run));
      return this.#tape().apart(() => (statements === undefined ? unnoted() : statements.apart(unnoted)));
    };
    const top = topScopeOf(this.#loader, this.#here?.place.file);
    const evaluated = evaluateHere(text, { variables: this.#variables(), top }, realm, {
      apart,
      noted: this.#evaluating ?? ((run) => run()),
    });
    this.#isPure &&= evaluated.isPure;
    if ('error' in evaluated) throw new TypeError(evaluated.error);
    return evaluated.value;
  }

  #variables(): Variables {
    const { place, locals = [] } = this.#here ?? {};
    return place === undefined ? new Map([['this', { value: this.#of ?? this.#self }]]) : variablesAt(place, locals);
  }
}
