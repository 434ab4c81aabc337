// What can be asked of a recording that is run again and stands somewhere: the program as it was there, statement by statement. Whoever asks holds one `Engine`; how
// it gets from one place to another, and in which process, is its own affair. Nothing that is asked runs code of the program, but `evaluate`.
import type { Position } from '../position.ts';
import type { Promises } from './promises.ts';
import type { Wrote } from './wrote.ts';
import type {
  ActorInfo,
  ActorName,
  BreakPlace,
  Effects,
  Entries,
  Entry,
  Evaluated,
  Frame,
  Page,
  PromisesQuery,
  StatementPlace,
  StateOf,
  StateParts,
  TextPiece,
  ThreadName,
  TracedStretch,
  WaitingMessage,
  WatchedExpression,
  WriteQuery,
} from './protocol.ts';

export interface Stop {
  readonly position: Position;
  /** Whose stretch it is; of none behind the last. */
  readonly worker: number | undefined;
  readonly life: number | undefined;
  /** Nothing before a stretch, and behind the last. */
  readonly place: StatementPlace | undefined;
}

export interface Mailbox {
  /** The next one first. */
  readonly messages: readonly WaitingMessage[];
  /** How many there are in all. */
  readonly total: number;
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
  /** Goes on to there: what has been hit since, in order. */
  upTo(position: Position, signal?: AbortSignal): Promise<readonly Hit[]>;
  /** Is told now and then, on the way, how many stretches have been run of all. */
  onProgress?: ((stretches: number) => void) | undefined;
  close(): void;
}

/** A change of a watched expression. */
export interface Change {
  /** The stretch in which it changed. */
  readonly position: Position;
  readonly before: string;
  readonly after: string;
}

/** Likewise on its way: an expression is looked at between stretches. */
export interface Changes {
  upTo(order: number, signal?: AbortSignal): Promise<readonly Change[]>;
  close(): void;
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
  actors(): Promise<readonly ActorInfo[]>;
  mailbox(actor: ActorName, page: Page): Promise<Mailbox>;
  /** Those that somebody waits for; or one, and what it waits for. */
  promises(wanted: PromisesQuery): Promise<Promises>;
  /** Is told now and then how many stretches have run of those on the way to a position. */
  onProgress: ((done: number, of: number) => void) | undefined;
  /** From somewhere on. It goes its own way, whatever becomes of the engine meanwhile. */
  search(places: readonly BreakPlace[], from: Position): Search;
  /** Each stretch in which an expression became another one, as far as a search goes; on one thread. */
  changes(wish: WatchedExpression & ThreadName, from: Position): Changes;
  /** Of actors and programs at a position, where it stands then: nothing of one that is not there. @param most parts of each */
  states(
    position: Position,
    of: readonly StateOf[],
    most: number,
    signal?: AbortSignal,
  ): Promise<readonly (StateParts | undefined)[]>;
  /** Who has written last what an expression leads to where it stands; nobody if that was long ago, or is not known there for another reason. */
  wroteNear(asked: WriteQuery, signal?: AbortSignal): Promise<Wrote>;
  /** The same before a position, whenever it was. In a process of its own, too. */
  wrote(position: Position, asked: WriteQuery, signal?: AbortSignal): Promise<Wrote>;
  close(): Promise<void>;
}
