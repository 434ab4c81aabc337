// RequestDispatcher answers the coordinator's requests to one thread. ThreadInspector answers most of them; those about
// traces, writes, earlier statements and undo are answered here, with the instruments that have the data.
//
// ThreadController owns it. Requests arrive while the thread is blocked in its pause loop, or on its event loop; never
// during code of the program. Each request gets exactly one response: a result, or the text of an error.
import type { StatementPosition } from '@turntable/core';
import type { Scheduler } from '@turntable/runtime';
import type {
  CompletionName,
  EvaluationResult,
  ThreadName,
  ThreadRequests,
  ThreadWriteResult,
  WriteRequest,
} from '@turntable/time-machine/replay-process';
import type { Loader } from '../thread/loader.ts';
import type { ControlWords } from './control-words.ts';
import type { CoordinatorChannel, ThreadRequest } from './coordinator-channel.ts';
import type { TaskTracers } from './task-tracers.ts';
import type { ThreadInstruments } from './thread-instruments.ts';
import { stateRootsOf } from './thread-state.ts';
import type { UndonePosition } from './write-tracker.ts';

export interface RequestDispatcherDeps {
  readonly words: ControlWords;
  readonly channel: CoordinatorChannel;
  readonly taskTracers: TaskTracers;
  loader(): Loader | undefined;
  scheduler(): Scheduler | undefined;
  instruments(): ThreadInstruments;
  /** The program's position if it has moved back in place; otherwise undefined. */
  undonePosition(): UndonePosition | undefined;
  /** Sends the response to an `idleReport` request. */
  answerIdleRequest(id: number): void;
  /** Returns the result of a `replaceStopped` request. */
  replaceStopped(stopped: ThreadName): boolean;
}

export class RequestDispatcher {
  readonly #deps: RequestDispatcherDeps;
  /** Run number at the last request. Object numbers are valid within one run. */
  #lastRunNumber = 0;

  constructor(deps: RequestDispatcherDeps) {
    this.#deps = deps;
  }

  handle({ id, request, params }: ThreadRequest): void {
    const { words, channel, instruments } = this.#deps;
    const { runNumber } = words;
    if (runNumber !== this.#lastRunNumber) instruments().inspector?.forgetIds();
    this.#lastRunNumber = runNumber;
    if (request === 'idleReport') return this.#deps.answerIdleRequest(id);
    try {
      channel.send({ id, result: this.#resultOf(request, params) ?? null });
    } catch (error) {
      channel.send({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #resultOf(request: Exclude<ThreadRequest['request'], 'idleReport'>, params: unknown): unknown {
    const { inspector, undoHistory, writeTracker } = this.#deps.instruments();
    switch (request) {
      case 'replaceStopped':
        return this.#deps.replaceStopped(params as ThreadName);
      case 'taskTraces':
        return this.#deps.taskTracers.toTaskTraces();
      case 'undoEvaluation':
        undoHistory?.undoEvaluation();
        inspector?.evaluationUndone();
        return null;
      case 'canUndo':
        return undoHistory?.canUndo === true;
      case 'lastWrite':
        return this.#findLastWrite(params as WriteRequest);
      case 'evaluateAt':
        return this.#evaluateAt(params as ThreadRequests['evaluateAt']['params']);
      case 'namesAt':
        return this.#namesAt(params as ThreadRequests['namesAt']['params']);
      case 'localsAt': {
        const statement = writeTracker?.statementAt(params as StatementPosition);
        return statement === undefined ? [] : inspector?.localsOf(statement);
      }
      default:
        return inspector?.answer(request, params);
    }
  }

  #namesAt({ object, prefix, ...position }: ThreadRequests['namesAt']['params']): readonly CompletionName[] {
    const { inspector, writeTracker } = this.#deps.instruments();
    const statement = writeTracker?.statementAt(position);
    return (statement && inspector?.namesAt(statement, { object, prefix })) ?? [];
  }

  #evaluateAt({ expression, ...position }: ThreadRequests['evaluateAt']['params']): EvaluationResult | undefined {
    const { inspector, writeTracker } = this.#deps.instruments();
    const statement = writeTracker?.statementAt(position);
    if (statement === undefined) throw new RangeError('no statement of this task has started at this position');
    return inspector?.evaluateAt(statement, expression);
  }

  #findLastWrite(request: WriteRequest): ThreadWriteResult | undefined {
    const { writeTracker, writeFinder } = this.#deps.instruments();
    const { thisActor } = request;
    if (thisActor === undefined && writeTracker === undefined) return writeFinder?.find(request);
    const thisObject = thisActor && this.#rootOf(thisActor.actor);
    const undonePosition = this.#deps.undonePosition();
    if (undonePosition === undefined) return writeTracker?.find(request, thisObject).result;
    return writeTracker?.findUndone(request, undonePosition, thisObject);
  }

  #rootOf(actor: string): object {
    const loader = this.#deps.loader();
    const [root] = (loader && stateRootsOf(loader, this.#deps.scheduler(), actor)) ?? [];
    if (root?.[0] !== 'this') throw new TypeError(`${actor} is not an actor of this thread`);
    return root[1] as object;
  }
}
