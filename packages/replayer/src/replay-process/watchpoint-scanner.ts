// Reports each write that changes a watched value, from the statement on at which the expression was bound. A part of an
// object, or a variable that functions share, is watched wherever it is written. Any other variable belongs to one call
// and is watched until the call ends or, in an async function, until it is suspended.
import type { ProbeLocation } from '@turntable/loader';
import type { ThreadHit, WatchpointOptions } from '@turntable/time-machine/replay-process';
import util, { types } from 'node:util';
import type { Loader } from '../thread/loader.ts';
import { valueLine } from '../replay/thread/value-inspector.ts';
import { parseLastAccess } from './last-access.ts';
import type { WriteTarget } from './last-write-lookup.ts';
import { privateFields } from './private-fields.ts';
import { topScopeOf, topVariableValue } from './top-scope.ts';
import { variablesAt } from './variables.ts';
import type { WriteTracker } from './write-tracker.ts';

type Position = readonly [task: number, list: number, statement: number];
type ValueReader = () => unknown;

/** Maximum number of frames that are counted to tell calls of a function apart. */
const MAX_FRAMES = 200;
const MAX_PREVIEW_DEPTH = 0;

export interface WatchpointScannerDeps {
  readonly loader: Loader;
  readonly writeTracker: WriteTracker;
  sendHits(hits: readonly ThreadHit[]): void;
}

interface WatchedTarget {
  readonly target: WriteTarget;
  readonly read: ValueReader;
  value: unknown;
  lastWrite: Position | undefined;
  /** Noted writes of this task that have not changed the value yet: their statements may still evaluate it. */
  readonly pendingWrites: Position[];
}

interface WatchedLocal {
  readonly name: string;
  readonly functionOrdinal: number;
  readonly file: string;
  readonly depth: number;
  value: unknown;
  /** The last statement of the call. */
  lastStatement: Position;
}

export class WatchpointScanner {
  readonly #options: WatchpointOptions;
  readonly #deps: WatchpointScannerDeps;
  #target: WatchedTarget | undefined;
  #local: WatchedLocal | undefined;
  #isBound = false;

  constructor(options: WatchpointOptions, deps: WatchpointScannerDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Must be called before each statement of the thread, after the write tracker. */
  addStatement(file: string, statement: number, locals: readonly unknown[], position: Position): void {
    if (!this.#isBound) {
      if (this.#isBindingPosition(position)) this.#bind(file, statement, locals, position);
    } else if (this.#target !== undefined) this.#checkTarget(this.#target);
    else if (this.#local !== undefined) this.#checkLocal(this.#local, { file, statement, locals, position });
  }

  /** Must be called after each task. */
  taskEnded(): void {
    if (this.#target !== undefined) {
      this.#checkTarget(this.#target);
      this.#target.pendingWrites.length = 0;
    }
    this.#local = undefined;
  }

  #isBindingPosition([task, list, statement]: Position): boolean {
    const { task: boundTask, list: boundList, statement: boundStatement } = this.#options;
    if (task !== boundTask) return false;
    return boundStatement === 0 || (list === boundList && statement === boundStatement);
  }

  #bind(file: string, statement: number, locals: readonly unknown[], position: Position): void {
    this.#isBound = true;
    const { loader, writeTracker } = this.#deps;
    const { expression } = this.#options;
    try {
      const target = writeTracker.targetOf(expression);
      const probe = loader.locateProbe(file, statement);
      if (target !== undefined) {
        const read = this.#readerOf(expression, target, probe);
        this.#target = { target, read, value: read(), lastWrite: positionOf(writeTracker, target), pendingWrites: [] };
      } else if (probe !== undefined) this.#bindLocal(expression.trim(), file, probe, locals, position);
    } catch (error) {
      this.#deps.sendHits([[...position, 0, null, (error as Error).message]]);
    }
  }

  #bindLocal(name: string, file: string, probe: ProbeLocation, locals: readonly unknown[], position: Position): void {
    this.#local = {
      name,
      functionOrdinal: probe.functionOrdinal,
      file,
      depth: util.getCallSites(MAX_FRAMES).length,
      value: variablesAt(probe, locals).get(name)?.value,
      lastStatement: position,
    };
  }

  /** Creates a reader of the target's value that runs no code of the program. */
  #readerOf(expression: string, { object, key }: WriteTarget, probe: ProbeLocation | undefined): ValueReader {
    const access = parseLastAccess(expression);
    const { realm } = this.#deps.loader;
    if (access?.kind === 'private') {
      const name = `#${access.name}`;
      return () => privateFields(realm, object).find(([each]) => each === name)?.[1];
    }
    if (access?.kind === 'entry') {
      if (types.isMap(object)) return () => Map.prototype.get.call(object, key) as unknown;
      if (types.isSet(object)) return () => Set.prototype.has.call(object, key);
      return () => undefined;
    }
    const variable =
      access?.kind === 'variable' ? topScopeOf(this.#deps.loader, probe?.file).get(access.name) : undefined;
    if (variable !== undefined && !(probe?.locals.includes(expression.trim()) ?? false))
      return () => topVariableValue(variable)?.value;
    return () => dataProperty(object, key as PropertyKey);
  }

  /**
   * Reports a change of the value. A write is noted before its statement evaluates the new value. So a statement may run
   * between the note and the write, for example in a function that the writing statement calls.
   */
  #checkTarget(watched: WatchedTarget): void {
    const { pendingWrites } = watched;
    const write = positionOf(this.#deps.writeTracker, watched.target);
    const isNoted = write !== undefined && !isSamePosition(write, watched.lastWrite);
    const value = watched.read();
    if (Object.is(value, watched.value)) {
      if (isNoted) pendingWrites.push(write);
      watched.lastWrite = write;
      return;
    }
    const position = isNoted ? write : (pendingWrites.pop() ?? write);
    watched.lastWrite = write;
    if (position !== undefined) this.#report(position, watched.value, value);
    watched.value = value;
  }

  #checkLocal(
    watched: WatchedLocal,
    {
      file,
      statement,
      locals,
      position,
    }: {
      readonly file: string;
      readonly statement: number;
      readonly locals: readonly unknown[];
      readonly position: Position;
    },
  ): void {
    if (file !== watched.file) return;
    const probe = this.#deps.loader.locateProbe(file, statement);
    if (probe?.functionOrdinal !== watched.functionOrdinal) return;
    const depth = util.getCallSites(MAX_FRAMES).length;
    if (depth > watched.depth) return;
    const isOtherCall =
      depth < watched.depth || (isCallStart(probe, statement) && !isSamePosition(position, watched.lastStatement));
    if (isOtherCall) {
      this.#local = undefined;
      return;
    }
    const value = variablesAt(probe, locals).get(watched.name)?.value;
    if (!Object.is(value, watched.value)) {
      this.#report(watched.lastStatement, watched.value, value);
      watched.value = value;
    }
    watched.lastStatement = position;
  }

  #report(position: Position, before: unknown, after: unknown): void {
    const text = JSON.stringify([valueLine(before, MAX_PREVIEW_DEPTH), valueLine(after, MAX_PREVIEW_DEPTH)]);
    this.#deps.sendHits([[...position, 0, text]]);
  }
}

function positionOf(writeTracker: WriteTracker, target: WriteTarget): Position | undefined {
  const write = writeTracker.lastWriteOf(target);
  return write && [write.task, write.list, write.statement];
}

function isSamePosition(first: Position, second: Position | undefined): boolean {
  return second !== undefined && first.every((part, i) => part === second[i]);
}

function isCallStart({ firstStatement, kind }: ProbeLocation, statement: number): boolean {
  return statement === firstStatement && kind !== 'iteration';
}

/** The value of an own or inherited data property; undefined for an accessor. */
function dataProperty(object: object, key: PropertyKey): unknown {
  for (
    let at: object | null = object;
    at !== null && !types.isProxy(at);
    at = Object.getPrototypeOf(at) as object | null
  ) {
    const descriptor = Object.getOwnPropertyDescriptor(at, key);
    if (descriptor !== undefined) return descriptor.value as unknown;
  }
  return undefined;
}
