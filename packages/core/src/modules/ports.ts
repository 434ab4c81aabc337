// What module records need of the rest of core and of the outside. Nothing here touches files, clocks or Node: resolving,
// reading and compiling come in as a host, so that a graph runs in a `vm` context or a test as it does in Node.
import type { Cell } from '../cell.ts';
import type { ModuleRecord } from './record.ts';
import type { ModuleRequest } from './table.ts';

/** As much of core's `Frame` as module evaluation uses. */
export interface ModuleFrame {
  pc: number;
  s0: unknown;
  s1: unknown;
}

export type ModuleStep = (frame: ModuleFrame, value: unknown, how: 0 | 1 | 2) => unknown;

/** The eventual operations evaluation is built on: settled by core itself, never through a patched `then`. */
export interface ModuleRealm {
  createFrame(step: ModuleStep): ModuleFrame;
  /** Runs the first step of `frame` now; the eventual of its end. */
  async(frame: ModuleFrame): object;
  /** Suspends `frame` at point `k` until `value` has settled. */
  await(frame: ModuleFrame, k: number, value: unknown): unknown;
  createEventual(): object;
  resolveEventual(eventual: object, value: unknown): void;
  rejectEventual(eventual: object, reason: unknown): void;
  /** The realm object handed to transformed code as `$$R`. */
  readonly forCode: unknown;
}

export interface ModuleHost {
  /** HostLoadImportedModule: the one record for this request of this referrer. Throws what the import must throw. */
  load(referrer: ModuleRecord, request: ModuleRequest): ModuleRecord;
  /** Fills `import.meta`, an object without prototype. */
  fillMeta?(record: ModuleRecord, meta: Record<string, unknown>): void;
  /** A chance to say more about a name that a module does not export; the result is thrown. */
  explainMissingExport?(record: ModuleRecord, request: ModuleRequest, name: string, error: SyntaxError): unknown;
  /** A namespace object better than core's imitation, which is made if this answers nothing. */
  createNamespace?(record: ModuleRecord, bindings: ReadonlyMap<string, Cell>): object | undefined;
  /** A chance to say more about what ended an evaluation that was asked for by `record`; the thrown value may be changed in place. */
  explainFailure?(record: ModuleRecord, reason: unknown): void;
  /** Where a record comes from, as error messages name it; its key otherwise. */
  placeOf?(record: ModuleRecord): string;
  /** The file name of the CommonJS module that a synthetic record stands for. */
  commonjsFileOf?(record: ModuleRecord): string | undefined;
}
