// What can be asked of a recording that is run again and stands somewhere: the program as it was there, statement by statement. Whoever asks holds one `Engine`; how
// it gets from one place to another, and in which process, is its own affair. Nothing that is asked runs code of the program, but `evaluate`.
import type { HappeningKind } from '../happenings.ts';
import type { Position } from '../position.ts';
import type { Effects } from './effects.ts';
import type { ThreadName } from './messages.ts';
import type { Promises, PromisesWanted } from './promises.ts';
import type { Change, StateOf, StateParts, ValueWish } from './state.ts';
import type { WriteAsked, Wrote } from './wrote.ts';

/** In a file as the programmer has it; lines and columns from 1 on. */
export interface SourcePlace {
  /** A URL or a path, as stacks have it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A statement that the program stands before. */
export interface StatementPlace extends SourcePlace {
  /** Where it ends. */
  readonly endLine: number;
  readonly endColumn: number;
  /** The function it is in; empty for the file itself. */
  readonly function: string;
  /** As docs/abi.md has them: statement, declaration, branch, loop, return, throw, jump, turn, value, field. */
  readonly kind: string;
  /** Of the function, among those of the file's code; -1 for the file itself, fields and static blocks. */
  readonly ordinal: number;
  /** The number of the function's first statement. */
  readonly first: number;
  /** Of the file's code in this process, and the number of the statement in it. */
  readonly code: string;
  readonly number: number;
}

export interface Stop {
  readonly position: Position;
  /** Whose stretch it is; of none behind the last. */
  readonly worker: number | undefined;
  readonly life: number | undefined;
  /** Nothing before a stretch, and behind the last. */
  readonly place: StatementPlace | undefined;
}

/** Numbers of objects tell whose they are: so many times the worker's. */
export const OF_A_WORKER: number = 2 ** 32;

export type ValueKind =
  | 'undefined'
  | 'null'
  | 'boolean'
  | 'number'
  | 'bigint'
  | 'string'
  | 'symbol'
  | 'function'
  | 'object';

/** What can be told of a value without asking it anything. */
export interface Value {
  readonly kind: ValueKind;
  /** One line. */
  readonly preview: string;
  /** Of an object: by what its prototype is called. */
  readonly class?: string | undefined;
  /** Of an object or function: for `expand`, until the engine goes on. */
  readonly id?: number | undefined;
  /** Of a text, if the preview does not have all of it: its number is for `text`, too. */
  readonly length?: number | undefined;
}

/** A variable, a property, what a collection or a promise holds. */
export interface Entry {
  readonly name: string;
  /** `inner`: no property, but what a map, a set, a promise, a bound function holds. */
  readonly is: 'variable' | 'property' | 'accessor' | 'inner';
  readonly isEnumerable: boolean;
  /** Nothing for an accessor, which is not called, and for a variable that has no value yet. */
  readonly value: Value | undefined;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** How many there are in all. */
  readonly total: number;
}

export interface TextPiece {
  readonly text: string;
  /** How many characters there are in all. */
  readonly total: number;
}

export interface Page {
  /** From 0 on. */
  readonly from: number;
  readonly count: number;
}

/** Of the stack where the program stands. */
export interface Frame {
  /** 0 is the innermost. */
  readonly index: number;
  readonly function: string;
  readonly place: SourcePlace | undefined;
  /** How many are above it on the stack, those among them that are not told of. */
  readonly above: number;
}

export interface Evaluated {
  readonly value: Value | undefined;
  /** What it has thrown, or why it could not be evaluated. */
  readonly error: string | undefined;
  /** Nothing of the program can have changed by it. */
  readonly isPure: boolean;
  /** What it has changed is so only as long as the engine stands here. Otherwise, unless it is pure, the engine begins anew before it goes on. */
  readonly isTakenBack: boolean;
}

export interface ActorName {
  readonly worker: number;
  readonly id: number;
}

export interface ActorHere extends ActorName {
  readonly name: string;
  readonly turns: number;
  /** Messages that wait for it. */
  readonly waiting: number;
  /** The object itself, once it is made. */
  readonly value: Value | undefined;
}

/** A message that waits. */
export interface WaitingMessage {
  /** A method; what else a turn may be about: construct, fulfil, reject, stop. */
  readonly what: string;
  /** Unknown of what is told and not asked. */
  readonly from: string | undefined;
  /** Not known of what is still under way between workers. */
  readonly values: readonly Value[] | undefined;
}

export interface Mailbox {
  /** The next one first. */
  readonly messages: readonly WaitingMessage[];
  /** How many there are in all. */
  readonly total: number;
}

/** What to look out for. */
export type BreakPlace = LinePlace | KindPlace;

/** A line: its first statement, or that of the next line that has one. */
export interface LinePlace extends Looked {
  readonly happens?: undefined;
  /** As stacks have it, or the end of that behind a `/`. */
  readonly file: string;
  readonly line: number;
  /** The first statement that begins there or behind. */
  readonly column?: number | undefined;
}

/** Something that happens. */
export interface KindPlace extends Looked {
  readonly happens: HappeningKind;
  /** Only where it tells of something like this, `*` standing for anything. */
  readonly matching?: string | undefined;
  readonly file?: undefined;
  readonly line?: undefined;
}

interface Looked {
  /** An expression of the statement's variables: only where it holds. It must not change anything. */
  readonly condition?: string | undefined;
  /** The same: what it comes to is told with each time. */
  readonly log?: string | undefined;
}

/** One time that the program came to such a place. */
export interface Hit {
  readonly position: Position;
  /** Which of the places. */
  readonly place: number;
  readonly log: string | undefined;
  /** What the condition or the text to be told has thrown. */
  readonly error: string | undefined;
}

/** On its way through a recording in a process of its own, whose threads look out for places and do not stop there. */
export interface Search {
  /** Where it has come to. */
  readonly position: Position;
  /** Goes on to there: what has been hit since, in order. */
  upTo(position: Position, signal?: AbortSignal): Promise<readonly Hit[]>;
  /** Is told now and then, on the way, how many stretches have been run of all. */
  onProgress?: ((stretches: number) => void) | undefined;
  close(): void;
}

/** Likewise on its way: an expression is looked at between stretches. */
export interface Changes {
  upTo(order: number, signal?: AbortSignal): Promise<readonly Change[]>;
  close(): void;
}

/** All statements of a stretch, as they begin. */
export interface TracedStretch {
  /** Each place once. */
  readonly places: readonly StatementPlace[];
  /** Of each statement four numbers: its list, its number in that, its place, and how many frames are on the stack. */
  readonly statements: readonly number[];
  /** There are more, which were not noted. */
  readonly isCut: boolean;
  /** What is sent to actors there, in order. */
  readonly sends: readonly NotedSend[];
  /** What happened in it, in order. */
  readonly happenings?: readonly NotedHappening[];
}

/** In the course of which statement, from 0 on, -1 before the first; its kind; what it tells. */
export type NotedHappening = readonly [statement: number, kind: HappeningKind, text: string];

/** During which of the stretch's statements, from 0 on, -1 before the first; to whom; the method, empty for the making of an actor. */
export type NotedSend = readonly [statement: number, actor: string, method: string];

/** Why a place could not be reached. */
export class EngineError extends Error {
  /** The run differs from its recording; its process has ended; there is no such place; who asked does not want it any more. */
  readonly code: 'TT_DIVERGED' | 'TT_ENGINE_LOST' | 'TT_UNBEGUN' | 'TT_NO_POSITION' | 'TT_ABORTED';

  constructor(code: EngineError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}

/** One thing at a time: a call waits for the one before. */
export interface Engine {
  /** Where it stands now. */
  readonly stop: Stop;
  /**
   * Goes there, in whichever direction. A statement that its stretch does not have stands for what comes behind it: the next statement, or the stretch behind.
   * Aborted, it stands where it has come to, or where it was.
   */
  to(position: Position, signal?: AbortSignal): Promise<Stop>;
  /** To the next statement in the order; into the next stretch behind the last of its own. */
  next(signal?: AbortSignal): Promise<Stop>;
  /** All statements of each of some stretches, the first and the last of which are given. It stands behind them then. */
  trace(from: number, to: number, signal?: AbortSignal): Promise<readonly TracedStretch[]>;
  frames(): Promise<readonly Frame[]>;
  /** Of the innermost frame, which is 0. */
  locals(frame: number): Promise<readonly Entry[]>;
  /** Those of a statement that has begun before in the same stretch, as they were then: of an outer frame, by the last one that has begun there. */
  localsAt(statement: { readonly list: number; readonly statement: number }): Promise<readonly Entry[]>;
  /** The parts of an object that it has told of since it stands here. */
  expand(id: number, page: Page): Promise<Entries>;
  /** Some of a text that it has told of since it stands here. */
  text(id: number, page: Page): Promise<TextPiece>;
  /** An expression that changes nothing, with the variables that `localsAt` would tell of. It is evaluated no further than that. */
  evaluateAt(
    statement: { readonly list: number; readonly statement: number },
    text: string,
    signal?: AbortSignal,
  ): Promise<Evaluated>;
  /** An expression, with the variables of the innermost frame. It may go on for ever, until it is aborted. */
  evaluate(text: string, signal?: AbortSignal, effects?: Effects): Promise<Evaluated>;
  /** All that live on any thread. */
  actors(): Promise<readonly ActorHere[]>;
  mailbox(actor: ActorName, page: Page): Promise<Mailbox>;
  /** Those that somebody waits for; or one, and what it waits for. */
  promises(wanted: PromisesWanted): Promise<Promises>;
  /** Is told now and then how many stretches have run of those on the way to a position. */
  onProgress: ((done: number, of: number) => void) | undefined;
  /** From somewhere on. It goes its own way, whatever becomes of the engine meanwhile. */
  search(places: readonly BreakPlace[], from: Position): Search;
  /** Each stretch in which an expression became another one, as far as a search goes; on one thread. */
  changes(wish: ValueWish & ThreadName, from: Position): Changes;
  /** Of actors and programs at a position, where it stands then: nothing of one that is not there. @param most parts of each */
  states(
    position: Position,
    of: readonly StateOf[],
    most: number,
    signal?: AbortSignal,
  ): Promise<readonly (StateParts | undefined)[]>;
  /** Who has written last what an expression leads to where it stands; nobody if that was long ago, or is not known there for another reason. */
  wroteNear(asked: WriteAsked, signal?: AbortSignal): Promise<Wrote>;
  /** The same before a position, whenever it was. In a process of its own, too. */
  wrote(position: Position, asked: WriteAsked, signal?: AbortSignal): Promise<Wrote>;
  close(): Promise<void>;
}
