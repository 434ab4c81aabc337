// WriteTracker notes what the program writes on one thread, and so finds the statement that wrote a value last
// (docs/guide/debug.md, "Values that change"). ThreadController has one for the whole run of a process that tracks
// writes; InPlaceWriteFinder makes one for each task that it re-executes.
//
// The barriers of debug code report writes of properties, elements, private members and variables that functions share
// to the LastWriteIndex, which attributes them to the current statement. So every statement must be reported here
// before it begins. Every other variable belongs to one call: the trails keep its values at earlier statements.
//
// `addStatement` runs before every statement of the program. It allocates only what a trail keeps.
import { LastWriteIndex, type StatementPosition, type WritePosition } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { ReplayTape } from '@turntable/runtime';
import type { ThreadWriteResult, WriteRequest } from '@turntable/time-machine/replay-process';
import { CallTrail, type StartedStatement } from './call-trail.ts';
import { FirstValueTracker } from './first-value-tracker.ts';
import type { FrameRuns } from './frame-runs.ts';
import { FrameTrails, type PositionedStatement } from './frame-trails.ts';
import {
  LATER,
  LastWriteLookup,
  locateWrite,
  type LastWriteLookupDeps,
  type WriteTarget,
} from './last-write-lookup.ts';

/** Position of a thread that has moved back in place. */
export interface UndonePosition {
  /** The statement or the task before which the program is. */
  readonly position: WritePosition;
  /** Statement that is about to begin; undefined between two tasks. */
  readonly statement: StartedStatement | undefined;
}

export interface WriteTrackerOptions extends Partial<Pick<LastWriteLookupDeps, 'runLogged'>> {
  /** The task whose initial values count as writes, as in `LastWriteIndex`. */
  readonly initialValuesTask?: number | 'all' | undefined;
  /** Whether the tracked tasks can be undone. */
  readonly hasUndoLogs?: boolean | undefined;
}

/** Facts about one statement that tracking needs. */
interface ProbeTracking {
  /** Index of the local that is under construction and gets its fields without barriers; -1 if there is none. */
  readonly createdLocal: number;
  /** Whether the statement's function can be suspended. */
  readonly isSuspendable: boolean;
  /** The file, as in stacks, if the statement is top-level code. */
  readonly topLevelFile: string | undefined;
}

export class WriteTracker {
  readonly #loader: Loader;
  readonly #lastWrites: LastWriteIndex;
  readonly #firstValues: FirstValueTracker;
  readonly #callTrail = new CallTrail();
  readonly #frameRuns: FrameRuns;
  readonly #frameTrails = new FrameTrails();
  readonly #lookupDeps: LastWriteLookupDeps;
  readonly #hasUndoLogs: boolean;
  /** Tracking data by file and by statement number in the file. */
  readonly #trackingByFile = new Map<string, (ProbeTracking | undefined)[]>();
  /** Number of the current task; 0 before the first one, while the tracker does not listen. */
  #task = 0;
  /** Root of the actor of the current or next task; undefined if the task is not a turn. */
  #turnActor: object | undefined;
  /** The last statement: file, number in the file or -1 if none has begun in this turn, variables, position. */
  #file = '';
  #statement = -1;
  #locals: readonly unknown[] = [];
  #list = 0;
  #listStatement = 0;
  /** Entry of `#file` in `#trackingByFile`. */
  #fileTracking: (ProbeTracking | undefined)[] = [];

  constructor(
    loader: Loader,
    tape: () => ReplayTape,
    frameRuns: FrameRuns,
    { initialValuesTask, hasUndoLogs = false, runLogged }: WriteTrackerOptions,
  ) {
    this.#loader = loader;
    this.#frameRuns = frameRuns;
    this.#lastWrites = new LastWriteIndex(loader.realm, initialValuesTask);
    this.#firstValues = new FirstValueTracker(loader, this.#lastWrites);
    this.#hasUndoLogs = hasUndoLogs;
    const callStatements: LastWriteLookupDeps['callStatements'] = (earlier) => this.#callStatements(earlier);
    this.#lookupDeps = { loader, tape, lastWrites: this.#lastWrites, runLogged, callStatements };
  }

  /** @param self root of the actor whose turn starts next, if any */
  turnStarting(self: object | undefined): void {
    this.#turnActor = self;
    this.#statement = -1;
  }

  startTask(task: number): void {
    // Listening starts with the first task: the program does not write the state that a restore puts in place.
    if (this.#task === 0) this.#startListening();
    this.#task = task;
    this.#callTrail.clear();
    this.#frameTrails.startTask();
    this.#lastWrites.setStatement(task, 0, 0, '', -1);
  }

  /** Ends tracking. Noted writes stay; variables of statements do not. */
  endTask(): void {
    this.#callTrail.clear();
    this.#loader.undoLog?.setListener(undefined);
  }

  /** Must be called when the thread moves back: the writes of a re-execution are already noted. */
  pauseListening(): void {
    this.#loader.undoLog?.setListener(undefined);
  }

  /** Must be called when the thread has returned from a move back. */
  resumeListening(): void {
    if (this.#task > 0) this.#startListening();
  }

  #startListening(): void {
    this.#loader.undoLog?.setListener(this.#lastWrites, {
      includesTasks: this.#hasUndoLogs,
    });
  }

  /** Notes a statement that is about to begin. @param isRecorded whether `statementAt` must find it later */
  addStatement(
    file: string,
    statement: number,
    locals: readonly unknown[],
    list: number,
    listStatement: number,
    isRecorded: boolean,
  ): void {
    if (file !== this.#file) this.#enterFile(file);
    const tracking = (this.#fileTracking[statement] ??= this.#createTracking(file, statement));
    const { createdLocal, isSuspendable, topLevelFile } = tracking;
    this.#lastWrites.setStatement(this.#task, list, listStatement, file, statement);
    if (topLevelFile !== undefined) {
      const site = { task: this.#task, list, statement: listStatement, file, number: statement };
      this.#firstValues.addStatement(topLevelFile, site);
    }
    // The fields that the statement adds are found when the next statement begins.
    if (createdLocal !== -1) this.#lastWrites.noteCreation(locals[createdLocal]);
    this.#statement = statement;
    this.#locals = locals;
    this.#list = list;
    this.#listStatement = listStatement;
    const run = isSuspendable ? this.#frameRuns.current : undefined;
    if (run !== undefined) {
      const position = [this.#task, list, listStatement] as const;
      this.#frameTrails.addStatement(run, { file, statement, locals, position });
    }
    if (isRecorded) this.#callTrail.add({ file, statement, locals }, list, listStatement);
  }

  #enterFile(file: string): void {
    let tracking = this.#trackingByFile.get(file);
    if (tracking === undefined) this.#trackingByFile.set(file, (tracking = []));
    this.#file = file;
    this.#fileTracking = tracking;
  }

  #createTracking(file: string, statement: number): ProbeTracking {
    const probe = this.#loader.locateProbe(file, statement);
    if (probe === undefined) return { createdLocal: -1, isSuspendable: false, topLevelFile: undefined };
    const createdLocal = probe.isInConstruction ? probe.locals.indexOf('this') : -1;
    const topLevelFile = probe.functionOrdinal === -1 && probe.kind !== 'field' ? probe.file : undefined;
    return { createdLocal, isSuspendable: probe.isSuspendable, topLevelFile };
  }

  /** A statement of the current task, if it has begun and its variables are kept. */
  statementAt({ list, statement }: StatementPosition): StartedStatement | undefined {
    return this.#callTrail.find(list, statement);
  }

  /**
   * Finds the last write before the last added statement, or before the next task.
   *
   * @param thisActor root of the actor that `this` means, if not the current one
   * @returns also the target, so that the caller can search it in other tasks
   */
  find(request: WriteRequest, thisActor?: object): { result: ThreadWriteResult; target: WriteTarget | undefined } {
    const hasStatement = thisActor === undefined && this.#statement !== -1;
    const lookup = new LastWriteLookup(this.#lookupDeps, {
      statement: hasStatement ? { file: this.#file, statement: this.#statement, locals: this.#locals } : undefined,
      thisObject: thisActor ?? this.#turnActor,
      undonePosition: undefined,
    });
    this.#firstValues.checkAll();
    const result = lookup.find(request);
    return { result, target: lookup.target };
  }

  /** The target of an expression at the last added statement; undefined for a variable of one call. */
  targetOf(expression: string): WriteTarget | undefined {
    const statement = { file: this.#file, statement: this.#statement, locals: this.#locals };
    const scope = { statement, thisObject: this.#turnActor, undonePosition: undefined };
    return new LastWriteLookup(this.#lookupDeps, scope).targetOf(expression);
  }

  /** Position of the last write of a target; undefined if no write is known. */
  lastWriteOf(target: WriteTarget): WritePosition | undefined {
    this.#firstValues.checkAll();
    return target.lastWriteIn(this.#lastWrites)?.site;
  }

  /** Like `find`, for a thread that has moved back. The re-executed task is not tracked, so only noted writes count. */
  findUndone(request: WriteRequest, { position, statement }: UndonePosition, thisActor?: object): ThreadWriteResult {
    const lookup = new LastWriteLookup(this.#lookupDeps, {
      statement: thisActor === undefined ? statement : undefined,
      thisObject: thisActor,
      undonePosition: position,
    });
    // The actor of an undone turn is not known.
    if (thisActor === undefined && !lookup.hasStatement) return { part: request.expression, ...LATER, isPure: true };
    return this.#lastWrites.readAsOf(position, () => lookup.find(request));
  }

  /** Finds the last write of a target that another tracker has looked up. */
  findTarget(target: WriteTarget): ThreadWriteResult {
    const write = locateWrite(this.#loader, target.lastWriteIn(this.#lastWrites));
    return { part: target.expression, ...write, isPure: true };
  }

  #callStatements(earlierStatements: WriteRequest['earlierStatements']): readonly PositionedStatement[] {
    const taskStatements = earlierStatements.flatMap(([list, statement]): PositionedStatement[] => {
      const started = this.#callTrail.find(list, statement);
      return started === undefined ? [] : [{ ...started, position: [this.#task, list, statement] }];
    });
    const [, list, statement] = taskStatements[0]?.position ?? [0, this.#list, this.#listStatement];
    return [...this.#frameTrails.statementsBefore(list, statement, this.#task), ...taskStatements];
  }
}
