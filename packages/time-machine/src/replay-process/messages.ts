// What an engine's two ends say to each other: whoever holds the engine, and the coordinator in the process that runs again. Lines of JSON, each way.

import type { Effects } from './effects.ts';
import type {
  ActorHere,
  Entries,
  Entry,
  Evaluated,
  Frame,
  Page,
  StatementPlace,
  TextPiece,
  TracedStretch,
  WaitingMessage,
} from './engine.ts';
import type { PromisesHere, PromisesWanted } from './promises.ts';
import type { StateParts } from './state.ts';
import type { NotedWrite, WriteWanted } from './wrote.ts';

export interface ThreadName {
  readonly worker: number;
  /** How many have had its number before. */
  readonly life: number;
}

export const MAIN: ThreadName = { worker: 0, life: 0 };

/** How far a thread may go: so many stretches since its process began, and no code of the next one. */
export interface Limit extends ThreadName {
  readonly stretches: number;
}

/** Into the last stretch of its limit, up to a statement, or to the next one from where it is. */
export type Into = ThreadName & ({ readonly list: number; readonly statement: number } | { readonly next: true });

/** The so-manieth of a thread since its process began. */
export interface Begun {
  readonly begun: number;
}

/** What a thread that stands still can be asked. */
export interface Questions {
  readonly where: { readonly wanted: undefined; readonly answer: StatementPlace | null };
  readonly frames: { readonly wanted: undefined; readonly answer: readonly Frame[] };
  readonly locals: { readonly wanted: undefined; readonly answer: readonly Entry[] };
  readonly expand: { readonly wanted: Page & { readonly id: number }; readonly answer: Entries };
  readonly evaluate: {
    readonly wanted: { readonly text: string; readonly effects: Effects };
    readonly answer: Evaluated;
  };
  readonly text: { readonly wanted: Page & { readonly id: number }; readonly answer: TextPiece };
  /** What was evaluated there is undone, though nobody goes anywhere. */
  readonly takeBack: { readonly wanted: undefined; readonly answer: null };
  /** What has arrived for an actor, the next one first: how much, and some of it by its places. */
  readonly mailbox: {
    readonly wanted: { readonly actor: number; readonly places: readonly number[] };
    readonly answer: { readonly messages: readonly WaitingMessage[]; readonly there: number; readonly name: string };
  };
  /** Of the stretches that were noted since it was told how far it may go. */
  readonly traced: { readonly wanted: undefined; readonly answer: readonly (TracedStretch & Begun)[] };
  readonly actors: { readonly wanted: undefined; readonly answer: readonly ActorHere[] };
  readonly promises: { readonly wanted: PromisesWanted; readonly answer: PromisesHere };
  readonly state: {
    readonly wanted: { readonly actor: string; readonly most: number };
    readonly answer: StateParts | null;
  };
  /** Of what there is, with these actors, and of what has arrived for them what is in these places. */
  readonly digest: {
    readonly wanted: {
      readonly actors: readonly { readonly name: string; readonly mail: readonly number[] }[];
      /** The variables of the statement, and who waits for what. */
      readonly statement: boolean;
      readonly awaited: boolean;
    };
    readonly answer: string;
  };
  /** Whether the stretch that it stands in can be run once more in its place, as far as is known before it is over. */
  readonly canGoBack: { readonly wanted: undefined; readonly answer: boolean };
  /** Of a process that notes writes. */
  readonly localsAt: {
    readonly wanted: { readonly list: number; readonly statement: number };
    readonly answer: readonly Entry[];
  };
  readonly evaluateAt: {
    readonly wanted: { readonly list: number; readonly statement: number; readonly text: string };
    readonly answer: Evaluated;
  };
  readonly wrote: { readonly wanted: WriteWanted; readonly answer: NotedWrite };
}
export type Question = keyof Questions;

/** What is noted on the way: all statements of all stretches; or what the one writes that is run once more, in a process that goes back. */
export type Noted = 'nothing' | 'statements' | 'writes';

export type ToCoordinator =
  /** Answered when all threads stand. */
  | {
      readonly id: number;
      readonly go: { readonly limits: readonly Limit[]; readonly into: Into | undefined; readonly notes: Noted };
    }
  | { readonly id: number; readonly ask: Question; readonly of: ThreadName; readonly wanted: unknown }
  /** The rest is run without a stop, and the process ends. Not answered. */
  | { readonly finish: true };

/**
 * `stopped`: at a statement; `standing`: before a stretch; `resting`: nothing is left to do; `over`: nothing of it goes on for good; `gone`: it is not there any more;
 * `unable`: it cannot go back to there.
 */
export type ThreadState = 'unborn' | 'running' | 'resting' | 'standing' | 'stopped' | 'over' | 'gone' | 'unable';

export interface ThreadHere extends ThreadName {
  readonly state: ThreadState;
  /** Stretches that have begun since its process did. */
  readonly begun: number;
  /** Where it is stopped. */
  readonly list: number;
  readonly statement: number;
  /** Why it is over. */
  readonly why: 'ended' | 'cut off' | 'diverged' | undefined;
  /** What it does else than was recorded. */
  readonly differs?: string | undefined;
}

/** The stretch, among those of its process; list and statement; which place; what was to be had of it; what was thrown by that. */
export type NotedHit = readonly [
  stretch: number,
  list: number,
  statement: number,
  place: number,
  log?: string | null,
  error?: string,
];

export type FromCoordinator =
  /** Now and then, on the way. */
  | { readonly done: number; readonly of: number }
  /** At any time; before the thread is said to stand behind them. */
  | { readonly hits: readonly NotedHit[]; readonly of: ThreadName }
  /** `memory`: bytes that the process takes. */
  | { readonly id: number; readonly threads: readonly ThreadHere[]; readonly memory: number }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: string };
