// What the state of a program is written from, and what it is written and read with: its roots, and an adapter for each sort of objects that are the
// loader's, in an order which is part of the format.

import { types } from 'node:util';
import { internals, type ModuleRecord } from '@turntable/core';
import {
  CodeAdapters,
  Heap,
  moduleAdapter,
  nodePorts,
  type Adapter,
  type Factories,
  type KnownObjects,
} from '@turntable/heap';
import type { DeviceMembers, DeviceRoot, InputsState, TimerState } from '@turntable/boundary';
import { moduleObjects, requireFunctions } from './adapters.ts';
import { asyncResources } from './async-resources.ts';
import type { BindingsState } from './builtin-bindings.ts';
import type { ChannelObjects } from './channel-objects.ts';
import type { HandlePass } from './handles.ts';
import { nodeErrors } from './node-errors.ts';
import type { ProcessState } from './process-state.ts';
import type { ProgramNames } from './program-names.ts';
import type { ProgramStateDeps } from './program-state-deps.ts';
import { entriesOf, isOutside, type RecordNumbers, type RestoredRecords } from './records.ts';
import type { RejectionHandlers } from './rejection-handlers.ts';
import { timerObjects } from './timer-objects.ts';
import { webData } from './web-data.ts';

type Job = readonly [target: unknown, kind: number, value: unknown];

/** What the heap is written from. */
export interface Roots {
  readonly records: readonly ModuleRecord[];
  /** `require.cache`: names and modules in turn. */
  readonly cache: readonly unknown[];
  readonly main: unknown;
  readonly jobs: readonly Job[];
  readonly ticks: readonly unknown[];
  readonly rejections: readonly object[];
  readonly handledLate: readonly object[];
  /** What waits for native promises. */
  readonly waiting: readonly object[];
  /** Those that wait, in the order in which they will fire. */
  readonly timers: readonly object[];
  readonly process: ProcessState;
  /** Of a program that is recorded. */
  readonly inputs: InputsState | null;
  /** Imports of builtins. */
  readonly bindings: BindingsState;
  readonly channels: readonly object[];
  /** In the order of their declarations. */
  readonly devices: readonly DeviceRoot[];
}

export interface Pass {
  readonly heap: Heap;
  readonly adapters: CodeAdapters;
}

export class ProgramHeap {
  readonly #parts: ProgramStateDeps;
  readonly #names: ProgramNames;
  readonly #known: KnownObjects;
  readonly #rejections: RejectionHandlers;
  readonly #channels: ChannelObjects;
  readonly #modules = moduleObjects();
  readonly #errors = nodeErrors();
  readonly #webData: Adapter;

  constructor(parts: ProgramStateDeps, names: ProgramNames, rejections: RejectionHandlers, channels: ChannelObjects) {
    const { lazyGlobals } = parts.loaderRealm;
    this.#parts = parts;
    this.#names = names;
    this.#known = names.known;
    this.#rejections = rejections;
    this.#channels = channels;
    this.#webData = webData(
      (name) => (lazyGlobals.isLoaded ? this.#known.named(name) : undefined),
      () => this.#names.giveLazy(),
    );
  }

  #code: CodeAdapters | undefined;

  /** As the heap of the last pass knows them. */
  get deviceMembers(): DeviceMembers {
    return this.#names.handles.declared(() => this.#code as CodeAdapters);
  }

  /** A heap for one capture or one reading. */
  pass(
    numbers: RecordNumbers,
    restored: RestoredRecords | undefined,
    now: number | undefined,
    handles: HandlePass,
    { more = [], states }: { more?: readonly Adapter[]; states?: Pick<ReadonlyMap<object, TimerState>, 'get'> } = {},
  ): Pass {
    const { realm, program } = this.#parts;
    this.#names.giveModules();
    const adapters = new CodeAdapters(realm, {
      entriesOf: (record) => entriesOf(this.#parts, record as ModuleRecord),
      factories: (record) => (restored as RestoredRecords).factories(record as ModuleRecord) as Factories,
    });
    handles.members = adapters;
    this.#code = adapters;
    const ports = nodePorts(realm, {
      types,
      known: this.#known,
      code: adapters,
      leaves: handles.leaves,
      adapters: [
        moduleAdapter({
          numberOf: (record) => numbers.of(record),
          recordAt: (number) => restored?.records[number],
          isOutside,
        }),
        this.#modules,
        timerObjects(this.#parts.loaderRealm.timers, now, states),
        ...more,
        this.#errors,
        this.#webData,
        this.#channels,
        asyncResources(this.#parts.realm),
        this.#rejections,
        requireFunctions((module) => program.commonJs.requireFunction(module)),
        ...handles.adapters,
      ],
    });
    const relocation = this.#names.relocation;
    const renames = (text: string): string => relocation.text(text);
    return {
      heap: new Heap({ ...ports, program: program.entry.url ?? '', ...(relocation.isNone ? {} : { renames }) }),
      adapters,
    };
  }

  roots(
    numbers: RecordNumbers,
    timers: readonly object[],
    timed: boolean,
    waiting: readonly object[] = this.#parts.realm.parts.eventuals.followed(),
  ): Roots {
    const { realm, program } = this.#parts;
    const { jobs, ticks, rejections, handledLate } = internals.readQueues(realm);
    return {
      records: [...numbers.list],
      // What devices have loaded beyond a membrane is not there where the program runs again.
      cache: Object.entries(program.commonJs.cache)
        // What they read (JSON) neither.
        .filter(
          ([file, module]) =>
            !program.verdicts.isBeyondMembrane(file) &&
            !program.verdicts.isBeyondMembrane((module as NodeModule | undefined)?.parent?.filename ?? file),
        )
        .flat(),
      main: process.mainModule,
      jobs: jobs.map(({ target, kind, value }) => [target, kind, value] as const),
      // What devices have put there is theirs.
      ticks: ticks.filter(({ callback }) => this.#isOfProgram(callback)),
      rejections,
      handledLate,
      waiting,
      timers,
      process: this.#names.process.read(timed),
      inputs: this.#parts.loaderRealm.inputs?.read() ?? null,
      bindings: this.#names.bindings.read(),
      channels: this.#channels.listenedTo(),
      devices: this.#parts.devices.read(this.#known, this.deviceMembers).roots,
    };
  }

  #isOfProgram(callback: (...args: never[]) => unknown): boolean {
    const isNamed = internals.isOurs(callback) || this.#known.nameOf(callback) !== undefined;
    return isNamed || this.#rejections.take(callback) !== undefined;
  }
}
