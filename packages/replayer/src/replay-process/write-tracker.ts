// Tracks what the program of one thread writes and finds the statement that gave something its current value
// (docs/time-machine.md, "Who has written this"). The barriers of debug mode report properties, elements, members and
// variables that closures share. Other variables belong to one call; the trail of the task keeps their values at the
// earlier statements of the call.
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

/** What an expression leads to: part of an object, of which another task may be asked as well. */
export interface WriteTarget {
  /** The expression. */
  readonly expression: string;
  readonly object: object;
  /** As undo logs have it. */
  readonly key: unknown;
  lastWriteIn(lastWrites: LastWriteIndex): LastWrite | undefined;
}

/** Where a thread stands that has gone back. */
export interface UndonePosition {
  /** The statement, or the task, before which it is. */
  readonly position: WritePosition;
  /** Nothing between two tasks. */
  readonly statement: StartedStatement | undefined;
}

export interface WriteTrackerOptions {
  /** As of `WriteNotes`. */
  readonly initialValuesTask?: number | 'all' | undefined;
  /** Tasks can be undone that are noted here. */
  readonly hasUndoLogs?: boolean | undefined;
  /** Where only one task is noted, which is run once more: what is evaluated there is taken back. */
  readonly runLogged?: (<T>(run: () => T, isWriting: boolean) => T) | undefined;
}

/** Of a statement. */
interface ProbeTracking {
  /** Which local is an object that comes into being there, which is given things without barriers; -1 if none is. */
  readonly createdLocal: number;
  /** The number of its function, if that can be suspended; else -1. */
  readonly functionNumber: number;
  /** The file, as stacks have it, where it is that one's own, of no function. */
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
  /** By file, and the number of the statement in it. */
  readonly #trackingByFile = new Map<string, (ProbeTracking | undefined)[]>();
  /** Of the file that ran last. */
  #file = '';
  #fileTracking: (ProbeTracking | undefined)[] = [];
  /** Those that can be suspended, by their files and ordinals. */
  readonly #functionNumbers = new Map<string, number>();
  #task = 0;
  #turnActor: object | undefined;
  /** Whose state is asked about, whoever has the turn. */
  #thisActor: object | undefined;
  /** Nothing of the program was run for an answer. */
  #isPure = true;
  /** Of the statement that it has come to last. */
  #list = 0;
  #listStatement = 0;
  #statement = -1;
  #locals: readonly unknown[] = [];
  /** Where it stands, or has come by last. */
  #scope: { readonly probe: ProbeLocation; readonly locals: readonly unknown[] } | undefined;
  readonly #runLogged: WriteTrackerOptions['runLogged'];
  readonly #hasUndoLogs: boolean;
  #undonePosition: UndonePosition | undefined;
  /** What was asked last, as far as another task may know of it. */
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

  /** @param self the actor whose turn comes next, if one does */
  turnStarting(self: object | undefined): void {
    this.#turnActor = self;
    this.#statement = -1;
  }

  startTask(task: number): void {
    // Not before: a state that is put in place is not written by the program.
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

  /** The thread goes back: what it does there is noted already. */
  pauseListening(): void {
    this.#loader.undoLog?.setListener(undefined);
  }

  /** It is where it has come to. */
  resumeListening(): void {
    if (this.#task > 0) this.#startListening();
  }

  /** Nothing is told of any more, and no variables are asked for. */
  endTask(): void {
    this.#callTrail.clear();
    this.#loader.undoLog?.setListener(undefined);
  }

  /** Before every statement, which is at this position. @param isRecorded whether it may be asked what variables were there */
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
    // What the statement gives it is seen when the next one begins.
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

  /** A statement of the task in which it stands. */
  statementAt({ list, statement }: StatementPosition): StartedStatement | undefined {
    return this.#callTrail.find(list, statement);
  }

  /** @param thisActor the actor that `this` is, if that is another one than where it stands */
  find(request: WriteRequest, thisActor?: object): ThreadWriteResult {
    const probe = this.#statement === -1 ? undefined : this.#loader.locateProbe(this.#file, this.#statement);
    this.#thisActor = thisActor;
    this.#scope = thisActor === undefined && probe !== undefined ? { probe, locals: this.#locals } : undefined;
    this.#isPure = true;
    this.lastTarget = undefined;
    this.#firstValues.checkAll();
    return { ...this.#findExpression(request.expression, request), isPure: this.#isPure };
  }

  /** The same where the thread has gone back to, whose task is run once more there and not noted. */
  findUndone(request: WriteRequest, undonePosition: UndonePosition, thisActor?: object): ThreadWriteResult {
    const { statement } = undonePosition;
    const probe = statement && this.#loader.locateProbe(statement.file, statement.statement);
    // Whose turn it was is not noted.
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

  /** Of what somebody else has found. */
  findTarget(target: WriteTarget): ThreadWriteResult {
    return { part: target.expression, ...this.#toLocatedWrite(target.lastWriteIn(this.#lastWrites)), isPure: true };
  }

  #findExpression(expression: string, request: WriteRequest): LocatedPartWrite {
    const step = parseLastAccess(expression);
    if (step === undefined)
      throw new TypeError(
        `"${expression}" is no variable, property or entry: such as total, this.sum, items[2].price, this.#name, stock.get('tea')`,
      );
    const result =
      step.kind === 'variable' ? this.#findVariable(expression, step.name, request) : this.#findPart(expression, step);
    // Nobody has written it by itself: it has come with the object, wherever that was put.
    const isPartOfWrittenObject =
      result.kind === 'unwritten' && request.isWholeRecording && step.kind !== 'variable' && step.target !== 'this';
    return isPartOfWrittenObject ? this.#findExpression(step.target, request) : { part: expression, ...result };
  }

  #findPart(expression: string, step: Exclude<LastAccess, { readonly kind: 'variable' }>): LocatedWrite {
    const object = this.#objectOf(step.target);
    switch (step.kind) {
      case 'private':
        return this.#findWrite({
          expression,
          object,
          key: `#${step.name}`,
          lastWriteIn: (lastWrites) => lastWrites.lastPrivateWrite(object, step.name),
        });
      case 'property':
        return this.#findProperty(expression, object, step.name);
      case 'element': {
        const key = this.#evaluate(step.key);
        return this.#findProperty(expression, object, typeof key === 'symbol' ? key : String(key));
      }
      case 'entry': {
        const key = this.#evaluate(step.key);
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

  /** Where the thread has gone back to, what it makes once more is another object, of which nothing is noted. */
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

  /** Its own, or that of the object that it has it from. */
  #findProperty(expression: string, object: object, key: PropertyKey): LocatedWrite {
    for (
      let current: object | null = object;
      current !== null && !types.isProxy(current);
      current = getPrototypeOf(current) as object | null
    ) {
      const descriptor = getOwnPropertyDescriptor(current, key);
      if (descriptor === undefined) continue;
      if (!('value' in descriptor))
        throw new TypeError(`${String(key)} is an accessor: what it answers is written elsewhere`);
      return this.#findOwnProperty(expression, current, key);
    }
    // Perhaps it was deleted.
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
    // The call's statements are those of the first time.
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
    // It may have been written before anybody noted that.
    if (isCaptured && box !== undefined && !isWholeRecording) return this.#findOwnProperty(expression, box, 'v');
    if (isCaptured) return CAPTURED;
    // Its call may have begun before the task that is noted.
    if (this.#runLogged !== undefined && probe.isSuspendable) return UNWRITTEN;
    // Where the call has begun, if it went on here.
    return { ...PASSED, at: callStatements[0]?.position };
  }

  /** Of the call where it stands, in order: of this task, and of those before in which it has run. */
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
