// Answers requests about a paused thread: its position, variables, objects, actors, mailboxes and promises, and the results of
// expressions.
import type { Loader } from '../thread/loader.ts';
import type { ProgramState } from '@turntable/program-state';
import { ownDirectories, type StatementPlace as LoaderPlace } from '@turntable/loader';
import { calledName, type Called, type FollowingTape, type Scheduler } from '@turntable/runtime';
import { pathToFileURL } from 'node:url';
import util from 'node:util';
import type {
  ActorInfo,
  Effects,
  Entry,
  Evaluated,
  Frame,
  Page,
  PromisesQuery,
  SourcePlace,
  StatementPlace,
  ThreadPromises,
  ThreadRequestName,
  ThreadRequests,
} from '@turntable/time-machine/replay-process';
import { evaluateHere, type Names } from './evaluation.ts';
import type { UndoHistory } from './undo-history.ts';
import { PendingPromises } from './pending-promises.ts';
import type { PromiseNotes } from './promise-notes.ts';
import { privateFields } from './private-fields.ts';
import { ShownValues, type Known } from '../replay/thread/shown-values.ts';
import { digestOf } from './state-digests.ts';
import { statePartsOf } from './state-parts.ts';
import { rootsOf } from './thread-state.ts';
import { topScopeOf, valueOfTop } from './top-scope.ts';
import type { BegunTurn } from '../replay/thread/stretches.ts';
import { variablesAt, type Variables } from './variables.ts';

export interface StoppedAt {
  readonly file: string;
  readonly statement: number;
  readonly locals: readonly unknown[];
}

type Actor = Parameters<Scheduler['mailboxOf']>[0];
type Message = Extract<ReturnType<Scheduler['mailboxOf']>[number], { readonly what: 'told' | 'sent' }>;

/** More frames than these are of no use to anybody. */
const MOST_FRAMES = 200;

export interface ThreadInspectorDeps {
  tape(): FollowingTape;
  scheduler(): Scheduler | undefined;
  /** Where they are noted. */
  readonly promises: PromiseNotes | undefined;
  /** Where what was evaluated can be taken back. */
  readonly past: UndoHistory | undefined;
  /** Where states can be digested. */
  state(): ProgramState | undefined;
  /** Numbers of objects are greater. */
  readonly from: number;
}

export class ThreadInspector {
  readonly #loader: Loader;
  readonly #tape: () => FollowingTape;
  readonly #scheduler: () => Scheduler | undefined;
  readonly #past: UndoHistory | undefined;
  readonly #state: () => ProgramState | undefined;
  readonly #worker: number;
  readonly #promises: PromiseNotes | undefined;
  readonly #known: Known;
  readonly #values: ShownValues;
  #stopped: StoppedAt | undefined;
  #self: object | undefined;
  /** What that is about. */
  #next: Message | undefined;

  constructor(loader: Loader, worker: number, { tape, scheduler, past, state, from, promises }: ThreadInspectorDeps) {
    this.#loader = loader;
    this.#worker = worker;
    this.#promises = promises;
    this.#tape = tape;
    this.#scheduler = scheduler;
    this.#past = past;
    this.#state = state;
    this.#known = {
      waiting: (eventual) => loader.awaitedBy(eventual),
      privates: (object) => privateFields(loader.realm, object),
    };
    this.#values = new ShownValues(worker, this.#known, from);
  }

  /** @param turn the one that comes next, if one does: its message is out of the mailbox, and waits all the same */
  comesBefore(turn: BegunTurn | undefined): void {
    this.#self = turn?.actor.root;
    this.#next = turn && messageOf(turn);
  }

  begins(): void {
    this.#next = undefined;
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

  answer(
    question: Exclude<ThreadRequestName, 'traced' | 'wrote' | 'localsAt' | 'evaluateAt' | 'takeBack' | 'canGoBack'>,
    wanted: unknown,
  ): unknown {
    switch (question) {
      case 'where':
        return this.#where();
      case 'frames':
        return this.#frames();
      case 'locals':
        return this.#entriesOf(this.#place, this.#variables());
      case 'expand':
        return this.#values.expand(wanted as Page & { readonly id: number });
      case 'text':
        return this.#values.text(wanted as Page & { readonly id: number });
      case 'evaluate':
        return this.#evaluate(wanted as ThreadRequests['evaluate']['params']);
      case 'actors':
        return this.#actors();
      case 'promises':
        return this.#pendingPromises(wanted as PromisesQuery);
      case 'state': {
        const { actor, most } = wanted as { readonly actor: string; readonly most: number };
        const roots = rootsOf(this.#loader, this.#scheduler(), actor);
        return roots && statePartsOf(roots, this.#known, most);
      }
      case 'digest':
        return this.#digest(wanted as ThreadRequests['digest']['params']);
      case 'mailbox':
        return this.#mailbox(wanted as ThreadRequests['mailbox']['params']);
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
    const own = innermost === -1 ? ownDirectories().map((path) => `${pathToFileURL(path).href}/`) : [];
    const below =
      innermost === -1
        ? sites.filter(({ scriptName }) => !own.some((prefix) => scriptName.startsWith(prefix)))
        : sites.slice(innermost + 1);
    const shown = below
      .map((site, i) => ({ ...site, above: i + 1 }))
      .filter(({ scriptName }) => scriptName !== '' && !scriptName.startsWith('node:'));
    const here: SourcePlace = { file: place.file, line: place.line, column: place.column };
    return [
      { index: 0, function: place.function, place: here, above: 0 },
      ...shown.map(({ functionName, scriptName, lineNumber, columnNumber, above }, i) => ({
        index: i + 1,
        function: functionName,
        place: { file: scriptName, line: lineNumber, column: columnNumber },
        above,
      })),
    ];
  }

  /** As they were when a statement began. */
  localsOf({ file, statement, locals }: StoppedAt): Entry[] {
    const place = this.#loader.statementOf(file, statement);
    return place === undefined ? [] : this.#entriesOf(place, variablesAt(place, locals));
  }

  /** With the variables of a statement that has begun before, as `localsOf` tells of them. */
  evaluateWith({ file, statement, locals }: StoppedAt, text: string): Evaluated {
    const place = this.#loader.statementOf(file, statement);
    const variables = place === undefined ? new Map() : variablesAt(place, locals);
    return this.#evaluated(text, { variables, top: place && topScopeOf(this.#loader, place.file) }, 'none');
  }

  #variables(): Variables {
    const place = this.#place;
    if (place !== undefined) return variablesAt(place, this.#stopped?.locals ?? []);
    const next = this.#past?.next();
    const self = next === undefined ? this.#self : next === 'nobody' ? undefined : (next as Actor).root;
    return self === undefined ? new Map() : new Map([['this', { value: self }]]);
  }

  /** Of code outside of functions, and where the program is nowhere and it is no actor's turn, the file's own as well. */
  #entriesOf(place: LoaderPlace | undefined, variables: Variables): Entry[] {
    const isOutside = place === undefined ? variables.size === 0 : place.ordinal === -1 && place.kind !== 'field';
    const top = isOutside ? [...topScopeOf(this.#loader, place?.file)] : [];
    const own = top.flatMap(([name, variable]) => (variable.isImported ? [] : [[name, valueOfTop(variable)] as const]));
    return [...new Map([...own, ...variables])].map(([name, held]) => this.#entryOf(name, held));
  }

  #entryOf(name: string, held: { readonly value: unknown } | undefined): Entry {
    const value = held && this.#values.value(name === 'this' ? this.#loader.realm.view(held.value) : held.value);
    return { name, is: 'variable', isEnumerable: true, value };
  }

  #evaluate({ text, effects }: ThreadRequests['evaluate']['params']): Evaluated {
    const top = topScopeOf(this.#loader, this.#place?.file);
    return this.#evaluated(text, { variables: this.#variables(), top }, effects);
  }

  #evaluated(text: string, names: Names, effects: Effects): Evaluated {
    const { realm, statements } = this.#loader;
    const apart = <T>(run: () => T): T => this.#tape().apart(() => statements?.apart(run) ?? run());
    const past = this.#past;
    const noted = <T>(run: () => T, isWriting: boolean): T =>
      past === undefined ? run() : past.evaluate(run, isWriting);
    const evaluated = evaluateHere(text, names, realm, { apart, noted: effects === 'none' ? undefined : noted });
    const { isPure } = evaluated;
    const isTakenBack = !isPure && past?.isUndoable === true;
    if ('error' in evaluated) return { value: undefined, error: evaluated.error, isPure, isTakenBack };
    return { value: this.#values.value(evaluated.value), error: undefined, isPure, isTakenBack };
  }

  #actors(): ActorInfo[] {
    const scheduler = this.#scheduler();
    if (scheduler === undefined) return [];
    return this.#living(scheduler).map(({ actor, toCome }): ActorInfo => {
      const { id, worker, name, turns, root } = actor;
      const value = root === undefined ? undefined : this.#values.value(root);
      const waiting = this.#waitingFor(scheduler, actor).length;
      return { worker, id, name, turns: turns - toCome, waiting, value };
    });
  }

  /** Actors that have been made where the program is, and how many turns of each are ahead of that. */
  #living(scheduler: Scheduler): { actor: Actor; toCome: number }[] {
    return scheduler.census.known().flatMap((actor) => {
      const toCome = this.#past?.stillToCome(actor) ?? [];
      if (toCome.some(({ call }) => calledName(call as Called) === 'construct')) return [];
      // It has come to be known by a turn that is ahead.
      if (actor.turns - toCome.length < actor.knownFrom) return [];
      return [{ actor, toCome: toCome.length }];
    });
  }

  #digest(wanted: ThreadRequests['digest']['params']): string {
    const [state, scheduler] = [this.#state(), this.#scheduler()];
    // Before anything of the program is there.
    if (state === undefined) return '';
    const { statements } = this.#loader;
    const digest = (): string =>
      digestOf({
        state,
        scheduler,
        promises: this.#promises,
        variables: wanted.statement ? this.#variables() : new Map(),
        wanted,
        mailOf: (actor) => (scheduler === undefined ? [] : this.#waitingFor(scheduler, actor)),
      });
    return this.#tape().apart(() => statements?.apart(digest) ?? digest());
  }

  #waitingFor(scheduler: Scheduler, actor: Actor): readonly Message[] {
    const waiting = scheduler.mailboxOf(actor).filter((each) => each.what === 'told' || each.what === 'sent');
    const next = this.#next;
    const all = next?.recipient === actor ? [next, ...waiting] : waiting;
    return this.#past?.waiting(actor, all) ?? all;
  }

  #pendingPromises(wanted: PromisesQuery): ThreadPromises {
    if (this.#promises === undefined) return { promises: [], total: 0 };
    const scheduler = this.#scheduler();
    const promises = new PendingPromises({
      loader: this.#loader,
      worker: this.#worker,
      notes: this.#promises,
      scheduler,
      known: this.#known,
      shown: (eventual) => this.#values.value(eventual),
      numbered: (id) => this.#values.numbered(id),
      mailOf: (actor) => (scheduler === undefined ? [] : this.#waitingFor(scheduler, actor)),
    });
    return promises.answer(wanted);
  }

  #mailbox({ actor: id, places }: ThreadRequests['mailbox']['params']): ThreadRequests['mailbox']['result'] {
    const scheduler = this.#scheduler();
    const actor = scheduler?.census.known().find((each) => each.id === id);
    if (scheduler === undefined || actor === undefined) return { messages: [], there: 0, name: '' };
    const waiting = this.#waitingFor(scheduler, actor);
    const messages = places.map((place) => {
      const message = waiting[place] as Message;
      const from = message.what === 'sent' ? message.sender.name : undefined;
      const values = message.args.map((arg) => this.#values.value(arg));
      return { what: calledName(message.call as Called), from, values };
    });
    return { messages, there: waiting.length, name: actor.name };
  }
}

function messageOf({ actor: recipient, call, on: target, args, settles, sender }: BegunTurn): Message {
  if (sender !== undefined) return { what: 'sent', recipient, call, args, target, settles, sender };
  return { what: 'told', recipient, call: calledName(call), args };
}

export function toldPlace(place: LoaderPlace, code: string, number: number): StatementPlace {
  const { file, line, column, endLine, endColumn, function: name, kind, ordinal, first } = place;
  return { file, line, column, endLine, endColumn, function: name, kind, ordinal, first, code, number };
}
