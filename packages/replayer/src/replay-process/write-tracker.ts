// WriteTracker notes what the program writes on one thread and finds the statement that wrote a value last
// (docs/time-machine.md, "Who has written this"). The barriers of debug mode report writes of properties, elements,
// members and variables that closures share. Every other variable belongs to one call; the trail of the task keeps its
// values at the earlier statements of that call.
import { isLater, LastWriteIndex, type LastWrite, type StatementPosition, type WritePosition } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { ProbeLocation } from '@turntable/loader';
import type { ReplayTape } from '@turntable/runtime';
import { types } from 'node:util';
import type { ThreadWriteResult, WriteRequest } from '@turntable/time-machine/replay-process';
import { CallTrail, type StartedStatement } from './call-trail.ts';
import { evaluateInThread } from './evaluation.ts';
import { FirstValueTracker } from './first-value-tracker.ts';
import { FrameTrails, type PositionedStatement } from './frame-trails.ts';
import { parseLastAccess, type LastAccess } from './last-access.ts';
import { toStatementLocation } from './thread-inspector.ts';
import { topScopeOf } from './top-scope.ts';
import { variablesAt, type Variables } from './variables.ts';

type LocatedWrite = Omit<ThreadWriteResult, 'part' | 'isPure'>;
type LocatedPartWrite = Omit<ThreadWriteResult, 'isPure'>;

/** Part of an object whose last write is searched, also in other tasks. */
export interface WriteTarget {
  readonly expression: string;
  readonly object: object;
  /** The key under which undo logs note writes of this part. */
  readonly key: unknown;
  lastWriteIn(lastWrites: LastWriteIndex): LastWrite | undefined;
}

/** Position of a thread that has moved back in place. */
export interface UndonePosition {
  /** The statement or the task before which the program is. */
  readonly position: WritePosition;
  /** Undefined between two tasks. */
  readonly statement: StartedStatement | undefined;
}

export interface WriteTrackerOptions {
  /** The task whose first values count as writes, as in `LastWriteIndex`. */
  readonly initialValuesTask?: number | 'all' | undefined;
  /** Whether the tracked tasks can be undone. */
  readonly hasUndoLogs?: boolean | undefined;
  /** Runs an evaluation so that it can be undone. Present if the tracker serves the re-execution of one task. */
  readonly runLogged?: (<T>(run: () => T, isWriting: boolean) => T) | undefined;
}

/** Facts about one statement that tracking needs. */
interface ProbeTracking {
  /** Index of the local that is under construction and gets its fields without barriers; -1 if there is none. */
  readonly createdLocal: number;
  /** Number of the statement's function if it can be suspended, otherwise -1. */
  readonly functionNumber: number;
  /** The file, as in stacks, if the statement is top-level code. */
  readonly topLevelFile: string | undefined;
}

const UNWRITTEN: LocatedWrite = { kind: 'unwritten', isApproximate: false, at: undefined };
const PASSED: LocatedWrite = { kind: 'passed', isApproximate: false, at: undefined };
const CAPTURED: LocatedWrite = { kind: 'captured', isApproximate: false, at: undefined };
const LATER: LocatedWrite = { kind: 'later', isApproximate: false, at: undefined };
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;

export class WriteTracker {
  readonly #loader: Loader;
  readonly #tape: () => ReplayTape;
  readonly #lastWrites: LastWriteIndex;
  readonly #firstValues: FirstValueTracker;
  readonly #callTrail = new CallTrail();
  readonly #frameTrails = new FrameTrails();
  /** Indexed by file and by statement number in the file. */
  readonly #trackingByFile = new Map<string, (ProbeTracking | undefined)[]>();
  /** The file of the last statement. */
  #file = '';
  #fileTracking: (ProbeTracking | undefined)[] = [];
  /** Numbers of functions that can be suspended, by file and ordinal. */
  readonly #functionNumbers = new Map<string, number>();
  #task = 0;
  #turnActor: object | undefined;
  /** The actor that `this` means in a request, instead of the turn's actor. */
  #thisActor: object | undefined;
  /** Whether the request was answered without running code of the program. */
  #isPure = true;
  /** Position, number and variables of the last statement. */
  #list = 0;
  #listStatement = 0;
  #statement = -1;
  #locals: readonly unknown[] = [];
  /** The statement whose variables the request can name. */
  #scope: { readonly probe: ProbeLocation; readonly locals: readonly unknown[] } | undefined;
  readonly #runLogged: WriteTrackerOptions['runLogged'];
  readonly #hasUndoLogs: boolean;
  #undonePosition: UndonePosition | undefined;
  /** Target of the last request, for other tasks to search. */
  lastTarget: WriteTarget | undefined;

  constructor(
    loader: Loader,
    tape: () => ReplayTape,
    { initialValuesTask, hasUndoLogs = false, runLogged }: WriteTrackerOptions,
  ) {
    this.#loader = loader;
    this.#tape = tape;
    this.#lastWrites = new LastWriteIndex(loader.realm, initialValuesTask);
    this.#firstValues = new FirstValueTracker(loader, this.#lastWrites);
    this.#runLogged = runLogged;
    this.#hasUndoLogs = hasUndoLogs;
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

  #startListening(): void {
    this.#loader.undoLog?.setListener(this.#lastWrites, {
      onFrameRun: this.#frameTrails.onFrameRun,
      includesTasks: this.#hasUndoLogs,
    });
  }

  /** Called when the thread moves back: writes of a re-execution are already noted. */
  pauseListening(): void {
    this.#loader.undoLog?.setListener(undefined);
  }

  /** Called when the thread is at the front again. */
  resumeListening(): void {
    if (this.#task > 0) this.#startListening();
  }

  /** Ends tracking. Noted writes stay; variables of statements do not. */
  endTask(): void {
    this.#callTrail.clear();
    this.#loader.undoLog?.setListener(undefined);
  }

  /** Notes a statement that is about to begin. @param isRecorded whether its variables can be asked for later */
  addStatement(
    file: string,
    statement: number,
    locals: readonly unknown[],
    list: number,
    listStatement: number,
    isRecorded: boolean,
  ): void {
    if (file !== this.#file) this.#enterFile(file);
    const { createdLocal, functionNumber, topLevelFile } = (this.#fileTracking[statement] ??= this.#createTracking(
      file,
      statement,
    ));
    this.#lastWrites.setStatement(this.#task, list, listStatement, file, statement);
    if (topLevelFile !== undefined)
      this.#firstValues.addStatement(topLevelFile, {
        task: this.#task,
        list,
        statement: listStatement,
        file,
        number: statement,
      });
    // The fields that the statement adds show when the next statement begins.
    if (createdLocal !== -1) this.#lastWrites.noteCreation(locals[createdLocal]);
    this.#statement = statement;
    this.#locals = locals;
    this.#list = list;
    this.#listStatement = listStatement;
    if (functionNumber !== -1)
      this.#frameTrails.addStatement(functionNumber, {
        file,
        statement,
        locals,
        position: [this.#task, list, listStatement],
      });
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
    if (probe === undefined) return { createdLocal: -1, functionNumber: -1, topLevelFile: undefined };
    const createdLocal = probe.isInConstruction ? probe.locals.indexOf('this') : -1;
    const topLevelFile = probe.functionOrdinal === -1 && probe.kind !== 'field' ? probe.file : undefined;
    if (!probe.isSuspendable) return { createdLocal, functionNumber: -1, topLevelFile };
    const key = `${file} ${probe.functionOrdinal}`;
    const functionNumber = this.#functionNumbers.get(key) ?? this.#functionNumbers.size;
    this.#functionNumbers.set(key, functionNumber);
    return { createdLocal, functionNumber, topLevelFile };
  }

  /** A statement of the current task that has begun. */
  statementAt({ list, statement }: StatementPosition): StartedStatement | undefined {
    return this.#callTrail.find(list, statement);
  }

  /** @param thisActor root of the actor that `this` means, if not the current one */
  find(request: WriteRequest, thisActor?: object): ThreadWriteResult {
    const probe = this.#statement === -1 ? undefined : this.#loader.locateProbe(this.#file, this.#statement);
    this.#thisActor = thisActor;
    this.#scope = thisActor === undefined && probe !== undefined ? { probe, locals: this.#locals } : undefined;
    this.#isPure = true;
    this.lastTarget = undefined;
    this.#firstValues.checkAll();
    return { ...this.#findExpression(request.expression, request), isPure: this.#isPure };
  }

  /** As `find`, for a thread that has moved back: the re-executed task is not tracked, so only noted writes count. */
  findUndone(request: WriteRequest, undonePosition: UndonePosition, thisActor?: object): ThreadWriteResult {
    const { statement } = undonePosition;
    const probe = statement && this.#loader.locateProbe(statement.file, statement.statement);
    // The actor of an undone turn is not known.
    if (thisActor === undefined && (statement === undefined || probe === undefined))
      return { part: request.expression, ...LATER, isPure: true };
    this.#thisActor = thisActor;
    this.#scope = thisActor === undefined && statement && probe ? { probe, locals: statement.locals } : undefined;
    this.#isPure = true;
    this.#undonePosition = undonePosition;
    try {
      const result = this.#lastWrites.readAsOf(undonePosition.position, () =>
        this.#findExpression(request.expression, request),
      );
      return { ...result, isPure: this.#isPure };
    } finally {
      this.#undonePosition = undefined;
    }
  }

  /** Searches the target of another tracker's request. */
  findTarget(target: WriteTarget): ThreadWriteResult {
    return { part: target.expression, ...this.#toLocatedWrite(target.lastWriteIn(this.#lastWrites)), isPure: true };
  }

  #findExpression(expression: string, request: WriteRequest): LocatedPartWrite {
    const access = parseLastAccess(expression);
    if (access === undefined)
      throw new TypeError(
        `"${expression}" is no variable, property or entry: such as total, this.sum, items[2].price, this.#name, stock.get('tea')`,
      );
    const result =
      access.kind === 'variable'
        ? this.#findVariable(expression, access.name, request)
        : this.#findPart(expression, access);
    // The part was written together with its object, whose write counts.
    const isPartOfWrittenObject =
      result.kind === 'unwritten' && request.isWholeRecording && access.kind !== 'variable' && access.target !== 'this';
    return isPartOfWrittenObject ? this.#findExpression(access.target, request) : { part: expression, ...result };
  }

  #findPart(expression: string, access: Exclude<LastAccess, { readonly kind: 'variable' }>): LocatedWrite {
    const object = this.#objectOf(access.target);
    switch (access.kind) {
      case 'private':
        return this.#findWrite({
          expression,
          object,
          key: `#${access.name}`,
          lastWriteIn: (lastWrites) => lastWrites.lastPrivateWrite(object, access.name),
        });
      case 'property':
        return this.#findProperty(expression, object, access.name);
      case 'element': {
        const key = this.#evaluate(access.key);
        return this.#findProperty(expression, object, typeof key === 'symbol' ? key : String(key));
      }
      case 'entry': {
        const key = this.#evaluate(access.key);
        return this.#findWrite({
          expression,
          object,
          key,
          lastWriteIn: (lastWrites) => lastWrites.lastEntryWrite(object, key),
        });
      }
    }
  }

  #findWrite(target: WriteTarget): LocatedWrite {
    this.lastTarget = target;
    return this.#toLocatedWrite(target.lastWriteIn(this.#lastWrites));
  }

  /** A write after the program's position does not count. Objects that a re-execution created have no noted writes. */
  #toLocatedWrite(lastWrite: LastWrite | undefined): LocatedWrite {
    if (
      this.#undonePosition !== undefined &&
      (lastWrite === undefined || !isLater(this.#undonePosition.position, lastWrite.site))
    )
      return LATER;
    if (lastWrite === undefined) return UNWRITTEN;
    const { task, list, statement, file, number } = lastWrite.site;
    const kind = lastWrite.isCreation === true ? 'created' : 'written';
    return {
      kind,
      isApproximate: lastWrite.isWholeObject,
      at: [task, list, statement],
      location: this.#locationOf(file, number),
    };
  }

  #locationOf(file: string, statement: number): LocatedWrite['location'] {
    const probe = this.#loader.locateProbe(file, statement);
    return probe && toStatementLocation(probe, file, statement);
  }

  #findOwnProperty(expression: string, object: object, key: PropertyKey): LocatedWrite {
    const owner = ArrayBuffer.isView(object) ? object.buffer : object;
    return this.#findWrite({
      expression,
      object: owner,
      key,
      lastWriteIn: (lastWrites) => lastWrites.lastPropertyWrite(object, key),
    });
  }

  /** The own property, or the inherited one of the nearest prototype. */
  #findProperty(expression: string, object: object, key: PropertyKey): LocatedWrite {
    for (
      let current: object | null = object;
      current !== null && !types.isProxy(current);
      current = getPrototypeOf(current) as object | null
    ) {
      const descriptor = getOwnPropertyDescriptor(current, key);
      if (descriptor === undefined) continue;
      if (!('value' in descriptor))
        throw new TypeError(`${String(key)} is an accessor: its value is written elsewhere`);
      return this.#findOwnProperty(expression, current, key);
    }
    // The property may have been deleted.
    return this.#findOwnProperty(expression, object, key);
  }

  #findVariable(expression: string, name: string, { earlierStatements, isWholeRecording }: WriteRequest): LocatedWrite {
    const { probe, locals } = this.#scope ?? {};
    const index = probe?.locals.indexOf(name) ?? -1;
    if (probe === undefined || index === -1) return this.#findTopVariable(expression, name);
    const currentValue = variablesAt(probe, locals ?? []).get(name);
    if (currentValue === undefined) throw new TypeError(`${name} has no value yet`);
    const box = probe.boxed[index] === true ? (locals?.[index] as object) : undefined;
    const sharedWrite = box && this.#lastWrites.lastPropertyWrite(box, 'v');
    if (sharedWrite !== undefined) return this.#toLocatedWrite(sharedWrite);
    // The trail has the statements of the first execution.
    if (this.#undonePosition !== undefined) return LATER;
    const callStatements = this.#callStatements(earlierStatements);
    for (const callStatement of callStatements.toReversed()) {
      const earlierValue = this.#valueAt(callStatement, name);
      if (earlierValue === undefined || !Object.is(earlierValue.value, currentValue.value))
        return {
          kind: 'written',
          isApproximate: false,
          at: callStatement.position,
          location: this.#locationOf(callStatement.file, callStatement.statement),
        };
    }
    const isCaptured = probe.captures.includes(name);
    // The write may precede the tracked tasks.
    if (isCaptured && box !== undefined && !isWholeRecording) return this.#findOwnProperty(expression, box, 'v');
    if (isCaptured) return CAPTURED;
    // The call may have begun before the tracked task.
    if (this.#runLogged !== undefined && probe.isSuspendable) return UNWRITTEN;
    // The variable has its value since the call began, if that was in a tracked task.
    return { ...PASSED, at: callStatements[0]?.position };
  }

  /** Earlier statements of the current call in execution order, also of earlier tasks if the call was suspended. */
  #callStatements(earlierStatements: WriteRequest['earlierStatements']): readonly PositionedStatement[] {
    const taskStatements = earlierStatements.flatMap(([list, statement]): PositionedStatement[] => {
      const started = this.#callTrail.find(list, statement);
      return started === undefined ? [] : [{ ...started, position: [this.#task, list, statement] }];
    });
    const [, list, statement] = taskStatements[0]?.position ?? [0, this.#list, this.#listStatement];
    return [...this.#frameTrails.statementsBefore(list, statement, this.#task), ...taskStatements];
  }

  #valueAt({ file, statement, locals }: StartedStatement, name: string): { readonly value: unknown } | undefined {
    const probe = this.#loader.locateProbe(file, statement);
    return probe && variablesAt(probe, locals).get(name);
  }

  #findTopVariable(expression: string, name: string): LocatedWrite {
    const variable = topScopeOf(this.#loader, this.#scope?.probe.file).get(name);
    if (variable === undefined) throw new TypeError(`there is no variable ${name} here`);
    if ('cell' in variable) return this.#findOwnProperty(expression, variable.cell, 'v');
    const { record } = variable;
    return this.#findWrite({
      expression,
      object: record,
      key: name,
      lastWriteIn: (lastWrites) => lastWrites.lastVariableWrite(record, name),
    });
  }

  #objectOf(expression: string): object {
    const value = this.#evaluate(expression);
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') return value;
    throw new TypeError(
      `${expression} is ${value === null ? 'null' : typeof value}, which has no parts that are written`,
    );
  }

  #evaluate(expression: string): unknown {
    const { realm, statementClock: statements, undoLog } = this.#loader;
    const runApart = <T>(run: () => T): T => {
      const runUnlogged = (): T => (undoLog === undefined ? run() : undoLog.runApart(run));
      return this.#tape().runApart(() => (statements === undefined ? runUnlogged() : statements.runApart(runUnlogged)));
    };
    const topScope = topScopeOf(this.#loader, this.#scope?.probe.file);
    const evaluation = evaluateInThread(expression, { variables: this.#variables(), topScope }, realm, {
      runApart,
      runLogged: this.#runLogged ?? ((run) => run()),
    });
    this.#isPure &&= evaluation.isPure;
    if ('error' in evaluation) throw new TypeError(evaluation.error);
    return evaluation.value;
  }

  #variables(): Variables {
    const { probe, locals = [] } = this.#scope ?? {};
    return probe === undefined
      ? new Map([['this', { value: this.#thisActor ?? this.#turnActor }]])
      : variablesAt(probe, locals);
  }
}
