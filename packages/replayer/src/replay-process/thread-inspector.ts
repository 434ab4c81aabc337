// ThreadInspector answers the requests about one thread that do not need its control: location, stack frames,
// variables, objects, actors, mailboxes, promises and state; and it evaluates expressions. ThreadController owns it and
// reports each turn and each pause; RequestDispatcher passes the requests on.
//
// Every answer is for the position of the program, which is before that of the runtime if the thread has moved back in
// place. Only `evaluate` may run code of the program; everything else reads without evaluating any code.
import { withOutputObserver } from '@turntable/boundary';
import type { Loader } from '../thread/loader.ts';
import type { ProgramState } from '@turntable/program-state';
import type { ProbeLocation } from '@turntable/loader';
import type { ReplayTape, Scheduler } from '@turntable/runtime';
import type {
  CompletionName,
  Effects,
  NamesQuery,
  ValueEntry,
  EvaluationResult,
  FrameChoice,
  HeapGraph,
  Page,
  PromisesQuery,
  ThreadStack,
  ThreadPromises,
  ThreadRequestName,
  ThreadRequests,
} from '@turntable/time-machine/replay-process';
import { awaitingFramesOf, type AwaitingFrames } from './awaiting-frames.ts';
import { ActorInspector } from './actor-inspector.ts';
import type { StartedStatement } from './call-trail.ts';
import { memberNames, namesInScope } from './completion-names.ts';
import { ConsoleVariables } from './console-variables.ts';
import { evaluateInThread, type EvaluationScope } from './evaluation.ts';
import { actorRoot, fileRoots, heapGraphOf, variablesRoot } from './heap-graph.ts';
import type { FrameRuns } from './frame-runs.ts';
import type { UndoHistory } from './undo-history.ts';
import { PendingPromises } from './pending-promises.ts';
import type { PromiseTracker } from './promise-tracker.ts';
import { privateFields } from './private-fields.ts';
import { isObject } from '../replay/thread/is-object.ts';
import { ValueInspector, type ObjectDetails } from '../replay/thread/value-inspector.ts';
import { stackFramesAt } from './stack-frames.ts';
import { toStatementLocation } from './statement-location.ts';
import { digestState } from './state-digest.ts';
import { describeStateParts } from './state-parts.ts';
import { stateRootsOf } from './thread-state.ts';
import { topScopeOf, topVariableValue, type TopScope } from './top-scope.ts';
import type { StartedTurn } from '../replay/thread/task-tracker.ts';
import { boxesAt, commonVariablesAt, notKeptAt, variablesAt, type Variables } from './variables.ts';

/** Maximum length of the output of an evaluation, in characters. */
const MAX_OUTPUT_LENGTH = 100_000;

/** The requests that a ThreadInspector answers. RequestDispatcher answers the others. */
export type InspectorRequestName = Exclude<
  ThreadRequestName,
  'taskTraces' | 'lastWrite' | 'localsAt' | 'evaluateAt' | 'namesAt' | 'undoEvaluation' | 'canUndo'
>;

export interface ThreadInspectorDeps {
  readonly loader: Loader;
  readonly worker: number;
  tape(): ReplayTape;
  scheduler(): Scheduler | undefined;
  /** Undefined in processes that do not track promises. */
  readonly promiseTracker: PromiseTracker | undefined;
  /** Undefined in processes that cannot undo evaluations. */
  readonly undoHistory: UndoHistory | undefined;
  /** Undefined in processes that do not pause. */
  readonly frameRuns: FrameRuns | undefined;
  /** Undefined until the program's files are loaded; needed for digests. */
  programState(): ProgramState | undefined;
  /** Object numbers are greater than this number, so that numbers of different processes do not collide. */
  readonly firstObjectId: number;
}

/** Names in an awaiting frame. */
interface AwaitingScope {
  readonly variables: Variables;
  readonly notKept: readonly string[];
  readonly topScope: TopScope;
  /** Whether the frame is that of a file's own code. */
  readonly isTopLevel: boolean;
}

export class ThreadInspector {
  readonly #deps: ThreadInspectorDeps;
  readonly #loader: Loader;
  readonly #objectDetails: ObjectDetails;
  readonly #valueInspector: ValueInspector;
  readonly #actorInspector: ActorInspector;
  readonly #consoleVariables = new ConsoleVariables();
  /** Statement at which the thread is paused; undefined while it runs, and if it is paused between two tasks. */
  #pausedStatement: StartedStatement | undefined;

  constructor(deps: ThreadInspectorDeps) {
    const { loader, worker, scheduler, undoHistory, firstObjectId } = deps;
    this.#deps = deps;
    this.#loader = loader;
    this.#objectDetails = {
      waitersOf: (eventual) => loader.awaitingFrames(eventual),
      privateFieldsOf: (object) => privateFields(loader.realm, object),
    };
    this.#valueInspector = new ValueInspector(worker, this.#objectDetails, firstObjectId);
    const toValue = this.#valueInspector.toValue.bind(this.#valueInspector);
    this.#actorInspector = new ActorInspector({ scheduler, undoHistory, toValue });
  }

  /** Must be called before each task. @param turn the turn that starts next, if any */
  turnStarting(turn: StartedTurn | undefined): void {
    this.#actorInspector.turnStarting(turn);
  }

  taskStarted(): void {
    this.#actorInspector.taskStarted();
  }

  pausedAt(statement: StartedStatement): void {
    this.#pausedStatement = statement;
    this.#consoleVariables.clear();
  }

  resumed(): void {
    this.#pausedStatement = undefined;
    this.#consoleVariables.clear();
  }

  /** Must be called when the changes of evaluations have been undone. */
  evaluationUndone(): void {
    this.#consoleVariables.clear();
  }

  /** Makes all object numbers invalid. */
  forgetIds(): void {
    this.#valueInspector.forgetIds();
  }

  answer(requestName: InspectorRequestName, params: unknown): unknown {
    switch (requestName) {
      case 'location':
        return this.#statementLocation();
      case 'frames':
        return this.#stack();
      case 'locals':
        return this.#locals(params as FrameChoice);
      case 'expand':
        return this.#valueInspector.expand(params as Page & { readonly id: number });
      case 'text':
        return this.#valueInspector.readText(params as Page & { readonly id: number });
      case 'evaluate':
        return this.#evaluate(params as ThreadRequests['evaluate']['params']);
      case 'names':
        return this.#names(params as ThreadRequests['names']['params']);
      case 'actors':
        return this.#actorInspector.actors();
      case 'promises':
        return this.#pendingPromises(params as PromisesQuery);
      case 'state':
        return this.#stateParts(params as ThreadRequests['state']['params']);
      case 'heap':
        return this.#heap();
      case 'digest':
        return this.#digest(params as ThreadRequests['digest']['params']);
      case 'mailbox':
        return this.#actorInspector.mailbox(params as ThreadRequests['mailbox']['params']);
    }
  }

  get #probeLocation(): ProbeLocation | undefined {
    const paused = this.#pausedStatement;
    return paused && this.#loader.locateProbe(paused.file, paused.statement);
  }

  #stack(): ThreadStack {
    const probe = this.#probeLocation;
    if (probe === undefined) return { frames: [], moreAwaiting: 0 };
    const running = stackFramesAt(probe);
    const { frames, more } = this.#awaitingFrames();
    const awaiting = frames.map(({ description }, i) => ({ index: running.length + i, ...description }));
    return { frames: [...running, ...awaiting], moreAwaiting: more };
  }

  #awaitingFrames(): AwaitingFrames {
    const { undoHistory } = this.#deps;
    const job = undoHistory === undefined ? this.#loader.realm.jobs.runningTarget() : undoHistory.runningJob;
    return awaitingFramesOf(job, this.#loader);
  }

  #locals({ awaiting }: FrameChoice): ValueEntry[] {
    if (awaiting === undefined) return this.#pausedLocals();
    const { variables, notKept, topScope, isTopLevel } = this.#awaitingScope(awaiting);
    return [...this.#entriesOf(variables, isTopLevel ? topScope : new Map()), ...notKept.map(toNotKeptEntry)];
  }

  #pausedLocals(): ValueEntry[] {
    const { assigned } = this.#consoleVariables;
    return this.#localsOf(this.#pausedStatement).map((entry) =>
      entry.name in assigned ? this.#toEntry(entry.name, { value: assigned[entry.name] }) : entry,
    );
  }

  #awaitingScope(index: number): AwaitingScope {
    const found = this.#awaitingFrames().frames[index];
    if (found === undefined) throw new RangeError(`no frame ${index} awaits the paused statement`);
    const { frame, description } = found;
    return {
      ...this.#loader.suspendedVariables(frame),
      topScope: topScopeOf(this.#loader, description.location?.file),
      isTopLevel: this.#loader.realm.identify(frame.step as (...args: never[]) => unknown)?.ordinal === -1,
    };
  }

  #statementLocation(): object | null {
    const [probe, paused] = [this.#probeLocation, this.#pausedStatement];
    if (probe === undefined || paused === undefined) return null;
    return toStatementLocation(probe, paused.file, paused.statement);
  }

  /** Variables at the beginning of a statement. */
  localsOf(statement: StartedStatement): ValueEntry[] {
    return this.#locate(statement) === undefined ? [] : this.#localsOf(statement);
  }

  #localsOf(statement: StartedStatement | undefined): ValueEntry[] {
    const probe = statement && this.#locate(statement);
    const notKept = probe === undefined ? [] : notKeptAt(probe, statement?.locals ?? []);
    return [...this.#toEntries(probe, this.#variablesAt(statement)), ...notKept.map(toNotKeptEntry)];
  }

  #locate({ file, statement }: StartedStatement): ProbeLocation | undefined {
    return this.#loader.locateProbe(file, statement);
  }

  /** Evaluates an expression without side effects, with the variables at the beginning of an earlier statement. */
  evaluateAt(statement: StartedStatement, expression: string): EvaluationResult {
    return this.#evaluateIn(expression, this.#scopeAt(statement), 'none');
  }

  /** Names that can continue an expression at an earlier statement. */
  namesAt(statement: StartedStatement, query: NamesQuery): CompletionName[] {
    return this.#namesIn(this.#scopeAt(statement), query);
  }

  #names({ awaiting, ...query }: ThreadRequests['names']['params']): CompletionName[] {
    return this.#namesIn(awaiting === undefined ? this.#consoleScope() : this.#awaitingScope(awaiting), query);
  }

  #namesIn(scope: EvaluationScope, { object, prefix }: NamesQuery): CompletionName[] {
    const { realm } = this.#loader;
    const { variables, topScope = new Map() as TopScope } = scope;
    if (object === undefined) return namesInScope({ variables, topScope }, realm.ambient, prefix);
    const evaluation = evaluateInThread(object, scope, realm, {
      runApart: (run) => this.#runApart(run),
      runLogged: undefined,
    });
    if ('error' in evaluation) return [];
    const { value } = evaluation;
    const privateNames = isObject(value) ? privateFields(realm, value).map(([name]) => name) : [];
    return memberNames(value, privateNames, prefix);
  }

  #scopeAt(statement: StartedStatement | undefined): EvaluationScope {
    const probe = statement && this.#locate(statement);
    return {
      variables: this.#variablesAt(statement),
      notKept: probe === undefined ? [] : notKeptAt(probe, statement?.locals ?? []),
      topScope: topScopeOf(this.#loader, probe?.file),
    };
  }

  /** The scope of console inputs: that of the paused statement, with what earlier inputs have set. */
  #consoleScope(): EvaluationScope {
    const paused = this.#pausedStatement;
    const scope = this.#scopeAt(paused);
    const consoleVariables = this.#consoleVariables;
    const { assigned, declared } = consoleVariables;
    const probe = paused && this.#locate(paused);
    return {
      ...scope,
      variables: new Map([...scope.variables, ...toVariables(assigned), ...toVariables(declared)]),
      assignable: {
        boxes: probe === undefined || paused === undefined ? new Map() : boxesAt(probe, paused.locals),
        obstacles: paused === undefined ? new Map() : this.#loader.assignmentObstacles(paused.file, paused.statement),
        consoleVariables,
      },
    };
  }

  /** Variables at a statement; between two tasks, only `this`, if the next task is a turn. */
  #variablesAt(statement: StartedStatement | undefined): Variables {
    const probe = statement && this.#locate(statement);
    if (statement !== undefined) return probe === undefined ? new Map() : variablesAt(probe, statement.locals);
    const { thisObject } = this.#actorInspector;
    return thisObject === undefined ? new Map() : new Map([['this', { value: thisObject }]]);
  }

  /** Entries of variables. Top-level code, and a task that is no turn, also have the file's top-level variables. */
  #toEntries(probe: ProbeLocation | undefined, variables: Variables): ValueEntry[] {
    const isTopLevel =
      probe === undefined ? variables.size === 0 : probe.functionOrdinal === -1 && probe.kind !== 'field';
    return this.#entriesOf(variables, isTopLevel ? topScopeOf(this.#loader, probe?.file) : new Map());
  }

  /** @param topScope top-level variables to list as well */
  #entriesOf(variables: Variables, topScope: TopScope): ValueEntry[] {
    const ownVariables = [...topScope].flatMap(([name, variable]) =>
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

  #evaluate({ expression, effects, awaiting }: ThreadRequests['evaluate']['params']): EvaluationResult {
    if (awaiting !== undefined) return this.#evaluateIn(expression, this.#awaitingScope(awaiting), 'none');
    return this.#evaluateIn(expression, this.#consoleScope(), effects);
  }

  #evaluateIn(expression: string, names: EvaluationScope, effects: Effects): EvaluationResult {
    const { undoHistory } = this.#deps;
    let output = '';
    const runLogged = <T>(run: () => T, isWriting: boolean): T =>
      withOutputObserver(
        (text) => (output += text),
        () => (undoHistory === undefined ? run() : undoHistory.evaluate(run, isWriting)),
      );
    const evaluation = evaluateInThread(expression, names, this.#loader.realm, {
      runApart: (run) => this.#runApart(run),
      runLogged: effects === 'none' ? undefined : runLogged,
      runJobsUntil: undoHistory?.runJobsUntil.bind(undoHistory),
    });
    const { isPure } = evaluation;
    const isUndone = !isPure && undoHistory?.isEvaluationUndoable === true;
    const written = output === '' ? {} : { output: output.slice(0, MAX_OUTPUT_LENGTH) };
    if ('error' in evaluation) return { ...evaluation, ...written, value: undefined, isUndone };
    return { value: this.#valueInspector.toValue(evaluation.value), error: undefined, isPure, isUndone, ...written };
  }

  /** Runs code outside of the replay: it takes no events of the tape and counts no statements. */
  #runApart<T>(run: () => T): T {
    const { statementClock } = this.#loader;
    const { frameRuns, tape } = this.#deps;
    const runUncounted = (): T => (statementClock === undefined ? run() : statementClock.runApart(run));
    return tape().runApart(() => (frameRuns === undefined ? runUncounted() : frameRuns.runApart(runUncounted)));
  }

  #stateParts({ actor, maxParts }: ThreadRequests['state']['params']): ThreadRequests['state']['result'] | undefined {
    const roots = stateRootsOf(this.#loader, this.#deps.scheduler(), actor);
    return roots && describeStateParts(roots, this.#objectDetails, maxParts);
  }

  #heap(): HeapGraph {
    const existing = new Set(this.#actorInspector.actors().map(({ name }) => name));
    const actors = this.#deps.scheduler()?.census.actors() ?? [];
    const awaiting = this.#awaitingFrames().frames.map(({ frame, description }) =>
      variablesRoot(
        `variables of ${description.function || 'the file'}`,
        this.#loader.suspendedVariables(frame).variables,
      ),
    );
    const roots = [
      variablesRoot('variables of the statement', this.#variablesAt(this.#pausedStatement)),
      ...awaiting,
      ...actors.filter(({ name }) => existing.has(name)).map(({ name, root }) => actorRoot(name, root)),
      ...fileRoots(this.#loader),
    ];
    const capturesOf = (fn: object): readonly unknown[] | undefined =>
      this.#loader.realm.identify(fn as (...args: never[]) => unknown)?.captures;
    return this.#runApart(() => heapGraphOf(roots, { details: this.#objectDetails, capturesOf }));
  }

  #digest(query: ThreadRequests['digest']['params']): string {
    const { promiseTracker, scheduler, programState } = this.#deps;
    const state = programState();
    // The program's files are not loaded yet.
    if (state === undefined) return '';
    return this.#runApart(() =>
      digestState({
        programState: state,
        scheduler: scheduler(),
        promiseTracker,
        variables: query.includeStatement ? this.#commonVariables() : new Map(),
        query,
        mailboxOf: (actor) => this.#actorInspector.waitingMessages(actor),
      }),
    );
  }

  #commonVariables(): Variables {
    const [probe, paused] = [this.#probeLocation, this.#pausedStatement];
    return probe === undefined || paused === undefined
      ? this.#variablesAt(undefined)
      : commonVariablesAt(probe, paused.locals);
  }

  #pendingPromises(query: PromisesQuery): ThreadPromises {
    const { worker, promiseTracker, scheduler } = this.#deps;
    if (promiseTracker === undefined) return { promises: [], total: 0 };
    const promises = new PendingPromises({
      loader: this.#loader,
      worker,
      tracker: promiseTracker,
      scheduler: scheduler(),
      objectDetails: this.#objectDetails,
      toValue: (eventual) => this.#valueInspector.toValue(eventual),
      objectWithId: (id) => this.#valueInspector.objectWithId(id),
      mailboxOf: (actor) => this.#actorInspector.waitingMessages(actor),
    });
    return promises.answer(query);
  }
}

function toVariables(values: Readonly<Record<string, unknown>>): [string, { readonly value: unknown }][] {
  return Object.entries(values).map(([name, value]) => [name, { value }]);
}

function toNotKeptEntry(name: string): ValueEntry {
  return { name, kind: 'variable', isEnumerable: true, value: undefined, isNotKept: true };
}
