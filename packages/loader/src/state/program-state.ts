// The state of a thread's program as bytes, taken at a job boundary, and a program that goes on from such bytes: module records, CommonJS
// cache, queues and what all of it leads to. Must be made before the program's first line, for what a program changes of the
// language's own objects is told from what was there before. Restoring evaluates nothing of the program.
import { types } from 'node:util';
import { evaluate, internals, namespaceOf, type Boundary, type ModuleRecord, type Realm } from '@turntable/core';
import {
  CodeAdapters,
  codePorts,
  Heap,
  KnownObjects,
  moduleAdapter,
  type Factories,
  type HeapPorts,
} from '@turntable/heap';
import { LoaderError } from '../errors.ts';
import { requireOwner } from '../require-function.ts';
import { NodeModules } from '../resolution.ts';
import { moduleObjects, requireFunctions } from './adapters.ts';
import { decodeState, encodeState, type ProgramHead } from './container.ts';
import { hostSamples } from './host-samples.ts';
import { nameBuiltin, nameGlobals } from './host-names.ts';
import { nodeAbortError, nodeErrors } from './node-errors.ts';
import { readProcess, writeProcess, type ProcessState } from './process-state.ts';
import { rejectionHandlers } from './rejection-handlers.ts';
import {
  describeRecords,
  entriesOf,
  isOutside,
  originOf,
  RecordNumbers,
  restoreRecords,
  type RecordSources,
  type RestoredRecords,
} from './records.ts';

export interface StateParts extends RecordSources {
  readonly realm: Realm;
}

type Job = readonly [target: unknown, kind: number, value: unknown];

/** What the heap is written from. */
interface Roots {
  readonly records: readonly ModuleRecord[];
  /** `require.cache`: names and modules in turn. */
  readonly cache: readonly unknown[];
  readonly main: unknown;
  readonly jobs: readonly Job[];
  readonly ticks: readonly unknown[];
  readonly rejections: readonly object[];
  readonly process: ProcessState;
}

interface Pass {
  readonly heap: Heap;
  readonly adapters: CodeAdapters;
}

export class ProgramState {
  readonly #parts: StateParts;
  readonly #known: KnownObjects;
  readonly #rejections = rejectionHandlers();

  constructor(parts: StateParts) {
    this.#parts = parts;
    const { realm, program } = parts;
    this.#known = new KnownObjects(realm, {
      isProxy: types.isProxy,
      more: {
        process,
        'core:ambient': realm.ambient,
        'require.cache': program.cache,
        'node:module': NodeModules as object,
        'turntable:inside': program.natives,
        'turntable:AbortError': nodeAbortError(program.natives['on'] as never),
        'turntable:emitRejection': this.#rejections.emits,
      },
      samples: hostSamples(),
    });
    nameGlobals(this.#known);
    program.metBuiltin = (name, exports) => nameBuiltin(this.#known, name, exports);
    for (const name of program.builtins) nameBuiltin(this.#known, name, program.builtin(name));
  }

  /** Calls `observer` at every job boundary: the only moments at which there can be a capture. */
  observe(observer: ((after: Boundary) => void) | undefined): void {
    this.#parts.realm.jobs.observe(observer);
  }

  /** Only at a job boundary. `inTick`: ticks go before jobs. */
  capture(inTick = false): Uint8Array {
    const numbers = new RecordNumbers(this.#parts);
    const { heap, adapters } = this.#pass(numbers, undefined);
    const bytes = heap.write(this.#roots(numbers));
    return encodeState(this.#head(numbers, adapters, inTick), bytes);
  }

  /** Equal for equal states. */
  hash(): string {
    const numbers = new RecordNumbers(this.#parts);
    return this.#pass(numbers, undefined).heap.hash(this.#roots(numbers));
  }

  /**
   * Goes on from the bytes, in a process in which no program has been loaded. Answers at the end of the entry point, if that is an ES
   * module, with its failure.
   */
  async resume(bytes: Uint8Array): Promise<void> {
    const { head, heap: heapBytes } = decodeState(bytes);
    const { program, code } = this.#parts;
    if (head.transform !== code.transformer.version || major(head.node) !== major(process.version)) {
      throw new LoaderError(
        'TT_STATE',
        `the state was captured by another version: transform ${head.transform} on Node ${head.node}, ` +
          `here it is ${code.transformer.version} on ${process.version}; restore it with the versions it was captured by`,
      );
    }
    if (process.cwd() !== head.cwd) process.chdir(head.cwd);
    program.mainUrl = head.main ?? undefined;
    for (const file of head.nativeFiles) program.nativeFiles.add(file);
    for (const name of head.builtins) program.builtin(name);
    const restored = await restoreRecords(this.#parts, head);
    const namespaces = restored.records.flatMap((record, i) =>
      head.records[i]?.namespace === true ? [[record, program.restoreNamespace(record)] as const] : [],
    );
    restored.records.forEach((record, i) => head.records[i]?.meta === true && record.meta);
    const numbers = new RecordNumbers(this.#parts);
    const { heap } = this.#pass(numbers, restored);
    const roots = heap.read(heapBytes) as Roots;
    for (const [, finish] of namespaces) finish();
    this.#resume(roots, head.inTick);
    const main = head.main === null ? undefined : program.graph.records.get(head.main);
    if (main !== undefined && originOf(main)?.what === 'module') await evaluate(main);
  }

  #resume(roots: Roots, inTick: boolean): void {
    const { program, realm } = this.#parts;
    const names = Object.keys(program.cache);
    for (const name of names) Reflect.deleteProperty(program.cache, name);
    for (let i = 0; i < roots.cache.length; i += 2) program.cache[String(roots.cache[i])] = roots.cache[i + 1] as never;
    if (roots.main !== undefined) process.mainModule = roots.main as NodeModule;
    writeProcess(roots.process);
    const queue = (): void => {
      internals.writeQueues(realm, {
        jobs: roots.jobs.map(([target, kind, value]) => ({ target, kind, value })),
        ticks: roots.ticks,
        rejections: roots.rejections,
      } as never);
      realm.jobs.anchor();
    };
    // Ticks go first when they are queued from a tick, jobs when it is done from a microtask, as a module's evaluation is.
    if (inTick) process.nextTick(queue);
    else queue();
  }

  #pass(numbers: RecordNumbers, restored: RestoredRecords | undefined): Pass {
    const { realm, program } = this.#parts;
    this.#nameModules();
    const adapters = new CodeAdapters(realm, {
      entriesOf: (record) => entriesOf(this.#parts, record as ModuleRecord),
      factories: (record) => (restored as RestoredRecords).factories(record as ModuleRecord) as Factories,
    });
    const { adapters: functions, ...members } = codePorts(adapters);
    const ports: HeapPorts = {
      realm,
      types,
      known: this.#known,
      program: program.mainUrl ?? '',
      ...members,
      adapters: [
        ...(functions ?? []),
        moduleAdapter({
          numberOf: (record) => numbers.of(record),
          recordAt: (number) => restored?.records[number],
          isOutside,
        }),
        moduleObjects(),
        nodeErrors(),
        this.#rejections,
        requireFunctions({ ownerOf: requireOwner, create: (module) => program.requireFunction(module) }),
      ],
    };
    return { heap: new Heap(ports), adapters };
  }

  /** What a module's code can hold of its record. */
  #nameModules(): void {
    for (const record of this.#parts.program.graph.records.values()) {
      if (record.namespace !== undefined) this.#known.add(`namespace of ${record.key}`, namespaceOf(record), 'alone');
      if (record.metaObject !== undefined) {
        this.#known.add(`import.meta of ${record.key}`, record.metaObject, 'alone');
        const { resolve } = record.metaObject;
        if (typeof resolve === 'function') this.#known.add(`import.meta.resolve of ${record.key}`, resolve, 'alone');
      }
    }
  }

  #roots(numbers: RecordNumbers): Roots {
    const { realm, program } = this.#parts;
    const { jobs, ticks, rejections } = internals.readQueues(realm);
    return {
      records: [...numbers.list],
      cache: Object.entries(program.cache).flat(),
      main: process.mainModule,
      jobs: jobs.map(({ target, kind, value }) => [target, kind, value] as const),
      // What devices have put there is theirs.
      ticks: ticks.filter(({ callback }) => this.#isOfProgram(callback)),
      rejections,
      process: readProcess(),
    };
  }

  #isOfProgram(callback: (...args: never[]) => unknown): boolean {
    return internals.isOurs(callback) || this.#known.nameOf(callback) !== undefined;
  }

  #head(numbers: RecordNumbers, adapters: CodeAdapters, inTick: boolean): ProgramHead {
    const { program, code } = this.#parts;
    return {
      transform: code.transformer.version,
      node: process.version,
      main: program.mainUrl ?? null,
      cwd: process.cwd(),
      asyncOrder: program.graph.asyncOrder,
      inTick,
      builtins: [...program.builtins],
      nativeFiles: [...program.nativeFiles],
      records: describeRecords(this.#parts, numbers, adapters.selection()),
    };
  }
}

function major(version: string): string {
  return /^v?(\d+)/.exec(version)?.[1] ?? version;
}
