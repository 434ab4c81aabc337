// ThreadInspector answers requests about a paused thread: its location, stack frames, variables, objects, actors,
// mailboxes and promises, and evaluates expressions. Everything is answered for the position of the program, which may
// be behind the runtime's if the thread has moved back in place.
import type { Loader } from '../thread/loader.ts';
import type { ProgramState } from '@turntable/program-state';
import { ownDirectories, type ProbeLocation } from '@turntable/loader';
import { turnSubjectName, type TurnSubject, type ReplayTape, type Scheduler } from '@turntable/runtime';
import { pathToFileURL } from 'node:url';
import util from 'node:util';
import type {
  ActorInfo,
  Effects,
  ValueEntry,
  EvaluationResult,
  StackFrame,
  Page,
  PromisesQuery,
  SourceLocation,
  StatementLocation,
  ThreadPromises,
  ThreadRequestName,
  ThreadRequests,
} from '@turntable/time-machine/replay-process';
import { evaluateInThread, type EvaluationScope } from './evaluation.ts';
import type { UndoHistory } from './undo-history.ts';
import { PendingPromises } from './pending-promises.ts';
import type { PromiseTracker } from './promise-tracker.ts';
import { privateFields } from './private-fields.ts';
import { ValueInspector, type ObjectDetails } from '../replay/thread/value-inspector.ts';
import { digestState } from './state-digest.ts';
import { describeStateParts } from './state-parts.ts';
import { stateRootsOf } from './thread-state.ts';
import { topScopeOf, topVariableValue } from './top-scope.ts';
import type { StartedTurn } from '../replay/thread/task-tracker.ts';
import { variablesAt, type Variables } from './variables.ts';

export interface PausedStatement {
  readonly file: string;
  readonly statement: number;
  readonly locals: readonly unknown[];
}

type Actor = Parameters<Scheduler['mailboxOf']>[0];
type Message = Extract<ReturnType<Scheduler['mailboxOf']>[number], { readonly kind: 'tell' | 'send' }>;

/** Limit of captured stack frames. */
const MAX_FRAMES = 200;

export interface ThreadInspectorDeps {
  tape(): ReplayTape;
  scheduler(): Scheduler | undefined;
  /** Undefined in processes that do not track promises. */
  readonly promiseTracker: PromiseTracker | undefined;
  /** Undefined in processes that cannot undo evaluations. */
  readonly undoHistory: UndoHistory | undefined;
  /** Undefined until the program's files are loaded; needed for digests. */
  programState(): ProgramState | undefined;
  /** Object numbers are greater than this one, so that numbers of different processes do not collide. */
  readonly firstObjectId: number;
}

export class ThreadInspector {
  readonly #loader: Loader;
  readonly #tape: () => ReplayTape;
  readonly #scheduler: () => Scheduler | undefined;
  readonly #undoHistory: UndoHistory | undefined;
  readonly #programState: () => ProgramState | undefined;
  readonly #worker: number;
  readonly #promiseTracker: PromiseTracker | undefined;
  readonly #objectDetails: ObjectDetails;
  readonly #valueInspector: ValueInspector;
  #pausedStatement: PausedStatement | undefined;
  #thisObject: object | undefined;
  /** The message of the turn that is about to start. */
  #nextMessage: Message | undefined;

  constructor(
    loader: Loader,
    worker: number,
    { tape, scheduler, undoHistory, programState: state, firstObjectId, promiseTracker: promises }: ThreadInspectorDeps,
  ) {
    this.#loader = loader;
    this.#worker = worker;
    this.#promiseTracker = promises;
    this.#tape = tape;
    this.#scheduler = scheduler;
    this.#undoHistory = undoHistory;
    this.#programState = state;
    this.#objectDetails = {
      waitersOf: (eventual) => loader.awaitingFrames(eventual),
      privateFieldsOf: (object) => privateFields(loader.realm, object),
    };
    this.#valueInspector = new ValueInspector(worker, this.#objectDetails, firstObjectId);
  }

  /** @param turn the turn that starts next, if any. Its message has left the mailbox but counts as waiting. */
  turnStarting(turn: StartedTurn | undefined): void {
    this.#thisObject = turn?.actor.root;
    this.#nextMessage = turn && toMessage(turn);
  }

  taskStarted(): void {
    this.#nextMessage = undefined;
  }

  pausedAt(stopped: PausedStatement): void {
    this.#pausedStatement = stopped;
  }

  resumed(): void {
    this.#pausedStatement = undefined;
  }

  /** Makes all object numbers invalid. */
  forgetIds(): void {
    this.#valueInspector.forgetIds();
  }

  answer(
    requestName: Exclude<
      ThreadRequestName,
      'taskTraces' | 'lastWrite' | 'localsAt' | 'evaluateAt' | 'undoEvaluation' | 'canUndo'
    >,
    params: unknown,
  ): unknown {
    switch (requestName) {
      case 'location':
        return this.#statementLocation();
      case 'frames':
        return this.#frames();
      case 'locals':
        return this.#toEntries(this.#probeLocation, this.#variables());
      case 'expand':
        return this.#valueInspector.expand(params as Page & { readonly id: number });
      case 'text':
        return this.#valueInspector.readText(params as Page & { readonly id: number });
      case 'evaluate':
        return this.#evaluate(params as ThreadRequests['evaluate']['params']);
      case 'actors':
        return this.#actors();
      case 'promises':
        return this.#pendingPromises(params as PromisesQuery);
      case 'state': {
        const { actor, maxParts } = params as ThreadRequests['state']['params'];
        const roots = stateRootsOf(this.#loader, this.#scheduler(), actor);
        return roots && describeStateParts(roots, this.#objectDetails, maxParts);
      }
      case 'digest':
        return this.#digest(params as ThreadRequests['digest']['params']);
      case 'mailbox':
        return this.#mailbox(params as ThreadRequests['mailbox']['params']);
    }
  }

  get #probeLocation(): ProbeLocation | undefined {
    return (
      this.#pausedStatement && this.#loader.locateProbe(this.#pausedStatement.file, this.#pausedStatement.statement)
    );
  }

  #statementLocation(): object | null {
    const probe = this.#probeLocation;
    if (probe === undefined || this.#pausedStatement === undefined) return null;
    return toStatementLocation(probe, this.#pausedStatement.file, this.#pausedStatement.statement);
  }

  #frames(): StackFrame[] {
    const probe = this.#probeLocation;
    if (probe === undefined) return [];
    const sites = util.getCallSites(MAX_FRAMES);
    const innermost = sites.findIndex(
      ({ scriptName, lineNumber }) =>
        scriptName === probe.file && lineNumber >= probe.line && lineNumber <= probe.endLine,
    );
    const ownPrefixes = innermost === -1 ? ownDirectories().map((path) => `${pathToFileURL(path).href}/`) : [];
    const callers =
      innermost === -1
        ? sites.filter(({ scriptName }) => !ownPrefixes.some((prefix) => scriptName.startsWith(prefix)))
        : sites.slice(innermost + 1);
    const visibleFrames = callers
      .map((site, i) => ({ ...site, above: i + 1 }))
      .filter(({ scriptName }) => scriptName !== '' && !scriptName.startsWith('node:'));
    const location: SourceLocation = { file: probe.file, line: probe.line, column: probe.column };
    return [
      { index: 0, function: probe.function, location, framesAbove: 0 },
      ...visibleFrames.map(({ functionName, scriptName, lineNumber, columnNumber, above: framesAbove }, i) => ({
        index: i + 1,
        function: functionName,
        location: { file: scriptName, line: lineNumber, column: columnNumber },
        framesAbove,
      })),
    ];
  }

  /** Variables at the beginning of a statement. */
  localsOf({ file, statement, locals }: PausedStatement): ValueEntry[] {
    const probe = this.#loader.locateProbe(file, statement);
    return probe === undefined ? [] : this.#toEntries(probe, variablesAt(probe, locals));
  }

  /** Evaluates with the variables at the beginning of an earlier statement, as `localsOf` returns them. */
  evaluateAt({ file, statement, locals }: PausedStatement, expression: string): EvaluationResult {
    const probe = this.#loader.locateProbe(file, statement);
    const variables = probe === undefined ? new Map() : variablesAt(probe, locals);
    return this.#evaluateIn(expression, { variables, topScope: probe && topScopeOf(this.#loader, probe.file) }, 'none');
  }

  #variables(): Variables {
    const probe = this.#probeLocation;
    if (probe !== undefined) return variablesAt(probe, this.#pausedStatement?.locals ?? []);
    const nextRecipient = this.#undoHistory?.nextRecipient();
    const thisObject =
      nextRecipient === undefined
        ? this.#thisObject
        : nextRecipient === 'none'
          ? undefined
          : (nextRecipient as Actor).root;
    return thisObject === undefined ? new Map() : new Map([['this', { value: thisObject }]]);
  }

  /** Adds the top-level variables of the file in top-level code, and between tasks that are no turns. */
  #toEntries(probe: ProbeLocation | undefined, variables: Variables): ValueEntry[] {
    const isTopLevel =
      probe === undefined ? variables.size === 0 : probe.functionOrdinal === -1 && probe.kind !== 'field';
    const topScope = isTopLevel ? [...topScopeOf(this.#loader, probe?.file)] : [];
    const ownVariables = topScope.flatMap(([name, variable]) =>
      variable.isImported ? [] : [[name, topVariableValue(variable)] as const],
    );
    return [...new Map([...ownVariables, ...variables])].map(([name, variable]) => this.#toEntry(name, variable));
  }

  #toEntry(name: string, variable: { readonly value: unknown } | undefined): ValueEntry {
    const value =
      variable &&
      this.#valueInspector.toValue(name === 'this' ? this.#loader.realm.view(variable.value) : variable.value);
    return { name, kind: 'variable', isEnumerable: true, value };
  }

  #evaluate({ expression, effects }: ThreadRequests['evaluate']['params']): EvaluationResult {
    const topScope = topScopeOf(this.#loader, this.#probeLocation?.file);
    return this.#evaluateIn(expression, { variables: this.#variables(), topScope }, effects);
  }

  #evaluateIn(expression: string, names: EvaluationScope, effects: Effects): EvaluationResult {
    const { realm, statementClock: statements } = this.#loader;
    const runApart = <T>(run: () => T): T => this.#tape().runApart(() => statements?.runApart(run) ?? run());
    const undoHistory = this.#undoHistory;
    const runLogged = <T>(run: () => T, isWriting: boolean): T =>
      undoHistory === undefined ? run() : undoHistory.evaluate(run, isWriting);
    const evaluation = evaluateInThread(expression, names, realm, {
      runApart,
      runLogged: effects === 'none' ? undefined : runLogged,
    });
    const { isPure } = evaluation;
    const isUndone = !isPure && undoHistory?.isEvaluationUndoable === true;
    if ('error' in evaluation) return { value: undefined, error: evaluation.error, isPure, isUndone };
    return { value: this.#valueInspector.toValue(evaluation.value), error: undefined, isPure, isUndone };
  }

  #actors(): ActorInfo[] {
    const scheduler = this.#scheduler();
    if (scheduler === undefined) return [];
    return this.#liveActors(scheduler).map(({ actor, undoneTurns }): ActorInfo => {
      const { id, worker, name, turns, root } = actor;
      const value = root === undefined ? undefined : this.#valueInspector.toValue(root);
      const waitingCount = this.#waitingMessages(scheduler, actor).length;
      return { worker, id, name, turns: turns - undoneTurns, waitingCount, value };
    });
  }

  /** Actors that exist at the program's position. `undoneTurns`: turns between that position and the front. */
  #liveActors(scheduler: Scheduler): { actor: Actor; undoneTurns: number }[] {
    return scheduler.census.actors().flatMap((actor) => {
      const undoneTurns = this.#undoHistory?.undoneMessages(actor) ?? [];
      if (undoneTurns.some(({ call }) => turnSubjectName(call as TurnSubject) === 'construct')) return [];
      // The actor came into being in a turn after the program's position.
      if (actor.turns - undoneTurns.length < actor.censusTurn) return [];
      return [{ actor, undoneTurns: undoneTurns.length }];
    });
  }

  #digest(params: ThreadRequests['digest']['params']): string {
    const [state, scheduler] = [this.#programState(), this.#scheduler()];
    // The program's files are not loaded yet.
    if (state === undefined) return '';
    const { statementClock: statements } = this.#loader;
    const digest = (): string =>
      digestState({
        programState: state,
        scheduler,
        promiseTracker: this.#promiseTracker,
        variables: params.includeStatement ? this.#variables() : new Map(),
        query: params,
        mailboxOf: (actor) => (scheduler === undefined ? [] : this.#waitingMessages(scheduler, actor)),
      });
    return this.#tape().runApart(() => statements?.runApart(digest) ?? digest());
  }

  #waitingMessages(scheduler: Scheduler, actor: Actor): readonly Message[] {
    const waitingMessages = scheduler.mailboxOf(actor).filter((each) => each.kind === 'tell' || each.kind === 'send');
    const nextMessage = this.#nextMessage;
    const messages = nextMessage?.recipient === actor ? [nextMessage, ...waitingMessages] : waitingMessages;
    return this.#undoHistory?.waitingMessages(actor, messages) ?? messages;
  }

  #pendingPromises(params: PromisesQuery): ThreadPromises {
    if (this.#promiseTracker === undefined) return { promises: [], total: 0 };
    const scheduler = this.#scheduler();
    const promises = new PendingPromises({
      loader: this.#loader,
      worker: this.#worker,
      tracker: this.#promiseTracker,
      scheduler,
      objectDetails: this.#objectDetails,
      toValue: (eventual) => this.#valueInspector.toValue(eventual),
      objectWithId: (id) => this.#valueInspector.objectWithId(id),
      mailboxOf: (actor) => (scheduler === undefined ? [] : this.#waitingMessages(scheduler, actor)),
    });
    return promises.answer(params);
  }

  #mailbox({ actor: id, indexes }: ThreadRequests['mailbox']['params']): ThreadRequests['mailbox']['result'] {
    const scheduler = this.#scheduler();
    const actor = scheduler?.census.actors().find((each) => each.id === id);
    if (scheduler === undefined || actor === undefined) return { messages: [], arrived: 0, name: '' };
    const waitingMessages = this.#waitingMessages(scheduler, actor);
    const messages = indexes.map((index) => {
      const message = waitingMessages[index] as Message;
      const senderName = message.kind === 'send' ? message.sender.name : undefined;
      const values = message.args.map((arg) => this.#valueInspector.toValue(arg));
      return { subject: turnSubjectName(message.call as TurnSubject), sender: senderName, values };
    });
    return { messages, arrived: waitingMessages.length, name: actor.name };
  }
}

function toMessage({ actor: recipient, call, target, args, replyTo, sender }: StartedTurn): Message {
  if (sender !== undefined) return { kind: 'send', recipient, call, args, target, replyTo, sender };
  return { kind: 'tell', recipient, call: turnSubjectName(call), args };
}

export function toStatementLocation(probe: ProbeLocation, code: string, number: number): StatementLocation {
  const {
    file,
    line,
    column,
    endLine,
    endColumn,
    function: name,
    kind,
    functionOrdinal: ordinal,
    firstStatement: first,
  } = probe;
  return { file, line, column, endLine, endColumn, function: name, kind, ordinal, firstStatement: first, code, number };
}
