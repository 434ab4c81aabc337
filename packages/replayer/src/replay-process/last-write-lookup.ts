// LastWriteLookup answers one question about one thread: which statement wrote the value of this expression last? A
// WriteTracker makes one lookup for each request, from its notes and the scope that the expression is read in.
//
// Properties, elements, entries, private members and shared variables are in the LastWriteIndex. Every other variable
// belongs to one call: it was written by the latest earlier statement of the call that found another value in it.
//
// A lookup changes no notes. It evaluates only the object and the key of an access. The result is not `isPure` if that
// may have run code of the program.
import { isLater, type LastWrite, type LastWriteIndex, type WritePosition } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { ProbeLocation } from '@turntable/loader';
import type { ReplayTape } from '@turntable/runtime';
import { types } from 'node:util';
import type { ThreadWriteResult, WriteRequest } from '@turntable/time-machine/replay-process';
import { isObject } from '../replay/thread/is-object.ts';
import type { StartedStatement } from './call-trail.ts';
import { evaluateInThread, type EvaluationModes } from './evaluation.ts';
import type { PositionedStatement } from './frame-trails.ts';
import { parseLastAccess, type LastAccess } from './last-access.ts';
import { toStatementLocation } from './statement-location.ts';
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

/** The scope that an expression is read in, and the position up to which writes count. */
export interface LookupScope {
  /** The statement whose variables the expression can name. */
  readonly statement: StartedStatement | undefined;
  /** Value of `this` if there is no statement. */
  readonly thisObject: object | undefined;
  /** Position of a thread that has moved back in place; otherwise undefined. */
  readonly undonePosition: WritePosition | undefined;
}

export interface LastWriteLookupDeps {
  readonly loader: Loader;
  tape(): ReplayTape;
  readonly lastWrites: LastWriteIndex;
  /** Runs an evaluation so that it can be undone. Present if the tracker serves the re-execution of one task. */
  readonly runLogged: EvaluationModes['runLogged'];
  /** Earlier statements of the current call in execution order, also of earlier tasks if the call was suspended. */
  callStatements(earlierStatements: WriteRequest['earlierStatements']): readonly PositionedStatement[];
}

const UNWRITTEN: LocatedWrite = { kind: 'unwritten', isApproximate: false, at: undefined };
const PASSED: LocatedWrite = { kind: 'passed', isApproximate: false, at: undefined };
const CAPTURED: LocatedWrite = { kind: 'captured', isApproximate: false, at: undefined };
/** Result for a thread that has moved back, whose notes cannot tell. The caller must search in another process. */
export const LATER: LocatedWrite = { kind: 'later', isApproximate: false, at: undefined };
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;

export class LastWriteLookup {
  readonly #deps: LastWriteLookupDeps;
  readonly #scope: LookupScope;
  /** Probe of the scope's statement; undefined if there is no statement, or it has no source. */
  readonly #probe: ProbeLocation | undefined;
  #isPure = true;
  #target: WriteTarget | undefined;

  constructor(deps: LastWriteLookupDeps, scope: LookupScope) {
    this.#deps = deps;
    this.#scope = scope;
    const { statement } = scope;
    this.#probe = statement && deps.loader.locateProbe(statement.file, statement.statement);
  }

  /** Whether the expression can name variables of a statement, whose source is known. */
  get hasStatement(): boolean {
    return this.#probe !== undefined;
  }

  find(request: WriteRequest): ThreadWriteResult {
    return { ...this.#findExpression(request.expression, request), isPure: this.#isPure };
  }

  /** The part of an object that `find` looked up last; undefined if the expression was a variable of a call. */
  get target(): WriteTarget | undefined {
    return this.#target;
  }

  /** The part of an object that an expression names, or the box of a variable; undefined for a variable of one call. */
  targetOf(expression: string): WriteTarget | undefined {
    const access = parseLastAccess(expression);
    if (access === undefined) throw notWritable(expression);
    const index = access.kind === 'variable' ? (this.#probe?.locals.indexOf(access.name) ?? -1) : -1;
    if (this.#probe !== undefined && index !== -1) {
      if (this.#probe.boxed[index] !== true) return undefined;
      const box = this.#scope.statement?.locals[index] as object;
      return { expression, object: box, key: 'v', lastWriteIn: (writes) => writes.lastPropertyWrite(box, 'v') };
    }
    if (access.kind === 'variable') this.#findTopVariable(expression, access.name);
    else this.#findPart(expression, access);
    return this.#target;
  }

  #findExpression(expression: string, request: WriteRequest): LocatedPartWrite {
    const access = parseLastAccess(expression);
    if (access === undefined) throw notWritable(expression);
    const result =
      access.kind === 'variable'
        ? this.#findVariable(expression, access.name, request)
        : this.#findPart(expression, access);
    // A part without a noted write was written together with its object, whose write counts.
    const isPartOfWrittenObject =
      result.kind === 'unwritten' && request.isWholeRecording && access.kind !== 'variable' && access.target !== 'this';
    return isPartOfWrittenObject ? this.#findExpression(access.target, request) : { part: expression, ...result };
  }

  #findPart(expression: string, access: Exclude<LastAccess, { readonly kind: 'variable' }>): LocatedWrite {
    const object = this.#objectOf(access.target);
    switch (access.kind) {
      case 'private': {
        const { name } = access;
        return this.#findTarget(expression, object, `#${name}`, (writes) => writes.lastPrivateWrite(object, name));
      }
      case 'property':
        return this.#findProperty(expression, object, access.name);
      case 'element': {
        const key = this.#evaluate(access.key);
        return this.#findProperty(expression, object, typeof key === 'symbol' ? key : String(key));
      }
      case 'entry': {
        const key = this.#evaluate(access.key);
        return this.#findTarget(expression, object, key, (writes) => writes.lastEntryWrite(object, key));
      }
    }
  }

  /** Finds the own property, or the inherited one of the nearest prototype. */
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

  #findOwnProperty(expression: string, object: object, key: PropertyKey): LocatedWrite {
    const owner = ArrayBuffer.isView(object) ? object.buffer : object;
    return this.#findTarget(expression, owner, key, (writes) => writes.lastPropertyWrite(object, key));
  }

  #findTarget(expression: string, object: object, key: unknown, lastWriteIn: WriteTarget['lastWriteIn']): LocatedWrite {
    this.#target = { expression, object, key, lastWriteIn };
    return this.#toLocatedWrite(lastWriteIn(this.#deps.lastWrites));
  }

  /**
   * Locates a write. For a thread that has moved back, the result is `LATER` if there is no write before its position:
   * objects that a re-execution created have no noted writes.
   */
  #toLocatedWrite(lastWrite: LastWrite | undefined): LocatedWrite {
    const { undonePosition } = this.#scope;
    if (undonePosition !== undefined && (lastWrite === undefined || !isLater(undonePosition, lastWrite.site)))
      return LATER;
    return locateWrite(this.#deps.loader, lastWrite);
  }

  #findVariable(expression: string, name: string, request: WriteRequest): LocatedWrite {
    const { lastWrites } = this.#deps;
    const probe = this.#probe;
    const index = probe?.locals.indexOf(name) ?? -1;
    if (probe === undefined || index === -1) return this.#findTopVariable(expression, name);
    const locals = this.#scope.statement?.locals ?? [];
    const currentValue = variablesAt(probe, locals).get(name);
    if (currentValue === undefined) throw new TypeError(`${name} has no value yet`);
    const box = probe.boxed[index] === true ? (locals[index] as object) : undefined;
    const sharedWrite = box && lastWrites.lastPropertyWrite(box, 'v');
    if (sharedWrite !== undefined) return this.#toLocatedWrite(sharedWrite);
    // The trail has the statements of the first execution.
    if (this.#scope.undonePosition !== undefined) return LATER;
    const callStatements = this.#deps.callStatements(request.earlierStatements);
    const write = this.#findChange(callStatements, name, currentValue.value);
    if (write !== undefined) return write;
    const isCaptured = probe.captures.includes(name);
    // The write may precede the tracked tasks.
    if (isCaptured && box !== undefined && !request.isWholeRecording)
      return this.#findOwnProperty(expression, box, 'v');
    if (isCaptured) return CAPTURED;
    // The call may have begun before the tracked task.
    if (this.#deps.runLogged !== undefined && probe.isSuspendable) return UNWRITTEN;
    // The variable has its value since the call began, if that was in a tracked task.
    return { ...PASSED, at: callStatements[0]?.position };
  }

  /** Finds the latest statement of a call that began while the variable had another value, or none. */
  #findChange(statements: readonly PositionedStatement[], name: string, value: unknown): LocatedWrite | undefined {
    const { loader } = this.#deps;
    const change = statements.findLast(({ file, statement, locals }) => {
      const probe = loader.locateProbe(file, statement);
      const variable = probe && variablesAt(probe, locals).get(name);
      return variable === undefined || !Object.is(variable.value, value);
    });
    if (change === undefined) return undefined;
    const location = locationOf(loader, change.file, change.statement);
    return { kind: 'written', isApproximate: false, at: change.position, location };
  }

  #findTopVariable(expression: string, name: string): LocatedWrite {
    const variable = topScopeOf(this.#deps.loader, this.#probe?.file).get(name);
    if (variable === undefined)
      throw new TypeError(
        `there is no variable ${name} here; if this statement declares it, step into the calls of the statement`,
      );
    if ('cell' in variable) return this.#findOwnProperty(expression, variable.cell, 'v');
    const { record } = variable;
    return this.#findTarget(expression, record, name, (writes) => writes.lastVariableWrite(record, name));
  }

  #objectOf(expression: string): object {
    const value = this.#evaluate(expression);
    if (isObject(value)) return value;
    throw new TypeError(
      `${expression} is ${value === null ? 'null' : typeof value}, which has no parts that are written`,
    );
  }

  #evaluate(expression: string): unknown {
    const { tape, runLogged } = this.#deps;
    const { realm, statementClock, undoLog } = this.#deps.loader;
    const runApart = <T>(run: () => T): T => {
      const runUnlogged = (): T => (undoLog === undefined ? run() : undoLog.runApart(run));
      return tape().runApart(() =>
        statementClock === undefined ? runUnlogged() : statementClock.runApart(runUnlogged),
      );
    };
    const topScope = topScopeOf(this.#deps.loader, this.#probe?.file);
    const evaluation = evaluateInThread(expression, { variables: this.#variables(), topScope }, realm, {
      runApart,
      runLogged: runLogged ?? ((run) => run()),
    });
    this.#isPure &&= evaluation.isPure;
    if ('error' in evaluation) throw new TypeError(evaluation.error);
    return evaluation.value;
  }

  #variables(): Variables {
    const { statement, thisObject } = this.#scope;
    return this.#probe === undefined
      ? new Map([['this', { value: thisObject }]])
      : variablesAt(this.#probe, statement?.locals ?? []);
  }
}

function notWritable(expression: string): TypeError {
  return new TypeError(
    `${expression} must be a variable, property or entry, such as total, this.sum, items[2].price, this.#name, stock.get('tea')`,
  );
}

/** Converts a noted write to a result, which is `unwritten` if there is no write. */
export function locateWrite(loader: Loader, lastWrite: LastWrite | undefined): LocatedWrite {
  if (lastWrite === undefined) return UNWRITTEN;
  const { task, list, statement, file, number } = lastWrite.site;
  return {
    kind: lastWrite.isCreation === true ? 'created' : 'written',
    isApproximate: lastWrite.isWholeObject,
    at: [task, list, statement],
    location: locationOf(loader, file, number),
  };
}

function locationOf(loader: Loader, file: string, statement: number): LocatedWrite['location'] {
  const probe = loader.locateProbe(file, statement);
  return probe && toStatementLocation(probe, file, statement);
}
