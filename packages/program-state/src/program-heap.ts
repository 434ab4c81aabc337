// The roots from which a program's state is written, and the adapters of the loader's objects. The order of adapters is
// part of the format.

import { types } from 'node:util';
import { internals, type ModuleRecord } from '@turntable/core';
import {
  CodeAdapters,
  Heap,
  createModuleAdapter,
  createNodePorts,
  type ObjectAdapter,
  type CodeFactories,
  type KnownObjects,
} from '@turntable/heap';
import type { PrivateMemberStore, DeviceRoot, InputsState, TimerState } from '@turntable/boundary';
import { createModuleObjectAdapter, createRequireAdapter } from './commonjs-adapters.ts';
import { createAsyncResourceAdapter } from './async-resource-adapter.ts';
import type { BuiltinBindingsState } from './builtin-bindings.ts';
import type { ChannelAdapter } from './channel-adapter.ts';
import type { HandlePass } from './handle-capturer.ts';
import { createNodeErrorAdapter } from './node-error-adapter.ts';
import type { ProcessState } from './process-state.ts';
import type { ProgramNames } from './program-names.ts';
import type { ProgramStateDeps } from './program-state-deps.ts';
import { codeEntriesOf, isHostSideRecord, type RecordNumbers, type RestoredRecords } from './records.ts';
import type { RejectionHandlerAdapter } from './rejection-handler-adapter.ts';
import { createTimerAdapter } from './timer-adapter.ts';
import { createWebDataAdapter } from './web-data-adapter.ts';

type RootJob = readonly [target: unknown, kind: number, value: unknown];

/** The roots of the heap. */
export interface ProgramRoots {
  readonly records: readonly ModuleRecord[];
  /** `require.cache`: file names and modules alternate. */
  readonly cache: readonly unknown[];
  readonly main: unknown;
  readonly jobs: readonly RootJob[];
  readonly ticks: readonly unknown[];
  readonly rejections: readonly object[];
  readonly handledLate: readonly object[];
  /** Eventuals that wait for native promises. */
  readonly pendingEventuals: readonly object[];
  /** Pending timers in firing order. */
  readonly timers: readonly object[];
  readonly process: ProcessState;
  /** Null unless the program is recorded. */
  readonly inputs: InputsState | null;
  /** Imports of builtins that the program has changed. */
  readonly bindings: BuiltinBindingsState;
  readonly channels: readonly object[];
  /** Declared devices, in order of declaration. */
  readonly devices: readonly DeviceRoot[];
}

export interface HeapPass {
  readonly heap: Heap;
  readonly adapters: CodeAdapters;
}

export class ProgramHeap {
  readonly #deps: ProgramStateDeps;
  readonly #names: ProgramNames;
  readonly #known: KnownObjects;
  readonly #rejectionAdapter: RejectionHandlerAdapter;
  readonly #channelAdapter: ChannelAdapter;
  readonly #moduleAdapter = createModuleObjectAdapter();
  readonly #errorAdapter = createNodeErrorAdapter();
  readonly #webDataAdapter: ObjectAdapter;

  constructor(
    deps: ProgramStateDeps,
    names: ProgramNames,
    rejections: RejectionHandlerAdapter,
    channels: ChannelAdapter,
  ) {
    const { lazyGlobals } = deps.loaderRealm;
    this.#deps = deps;
    this.#names = names;
    this.#known = names.known;
    this.#rejectionAdapter = rejections;
    this.#channelAdapter = channels;
    this.#webDataAdapter = createWebDataAdapter(
      (name) => (lazyGlobals.isLoaded ? this.#known.objectNamed(name) : undefined),
      () => this.#names.nameLazyGlobals(),
    );
  }

  #codeAdapters: CodeAdapters | undefined;

  /** Access to private members of devices, through the heap of the last pass. */
  get deviceMemberStore(): PrivateMemberStore {
    return this.#names.handleCapturer.createMemberStore(() => this.#codeAdapters as CodeAdapters);
  }

  /** Creates the heap for one capture or one restore. */
  createPass(
    recordNumbers: RecordNumbers,
    restoredRecords: RestoredRecords | undefined,
    captureTime: number | undefined,
    handles: HandlePass,
    {
      more: extraAdapters = [],
      states: timerStates,
    }: { more?: readonly ObjectAdapter[]; states?: Pick<ReadonlyMap<object, TimerState>, 'get'> } = {},
  ): HeapPass {
    const { realm, program } = this.#deps;
    this.#names.nameModuleObjects();
    const adapters = new CodeAdapters(realm, {
      entriesOf: (record) => codeEntriesOf(this.#deps, record as ModuleRecord),
      factoriesOf: (record) =>
        (restoredRecords as RestoredRecords).factoriesOf(record as ModuleRecord) as CodeFactories,
    });
    handles.memberAccess = adapters;
    this.#codeAdapters = adapters;
    const ports = createNodePorts(realm, {
      types,
      known: this.#known,
      code: adapters,
      isOmitted: handles.isOmitted,
      adapters: [
        createModuleAdapter({
          numberOf: (record) => recordNumbers.numberOf(record),
          recordAt: (number) => restoredRecords?.records[number],
          isHostSide: isHostSideRecord,
        }),
        this.#moduleAdapter,
        createTimerAdapter(this.#deps.loaderRealm.timers, captureTime, timerStates),
        ...extraAdapters,
        this.#errorAdapter,
        this.#webDataAdapter,
        this.#channelAdapter,
        createAsyncResourceAdapter(this.#deps.realm),
        this.#rejectionAdapter,
        createRequireAdapter((module) => program.commonJs.requireFunction(module)),
        ...handles.adapters,
      ],
    });
    const relocation = this.#names.relocation;
    const relocateString = (text: string): string => relocation.relocateText(text);
    return {
      heap: new Heap({
        ...ports,
        program: program.entryPoint.url ?? '',
        ...(relocation.isEmpty ? {} : { relocateString }),
      }),
      adapters,
    };
  }

  collectRoots(
    recordNumbers: RecordNumbers,
    timers: readonly object[],
    withTimes: boolean,
    pendingEventuals: readonly object[] = this.#deps.realm.parts.eventuals.trackedEventuals(),
  ): ProgramRoots {
    const { realm, program } = this.#deps;
    const { jobs, ticks, rejections, handledLate } = internals.readQueues(realm);
    return {
      records: [...recordNumbers.records],
      // Modules of devices beyond a membrane do not exist in a replay, nor do JSON files that such modules have read.
      cache: Object.entries(program.commonJs.cache)
        .filter(
          ([file, module]) =>
            !program.verdicts.isBeyondMembrane(file) &&
            !program.verdicts.isBeyondMembrane((module as NodeModule | undefined)?.parent?.filename ?? file),
        )
        .flat(),
      main: process.mainModule,
      jobs: jobs.map(({ target, kind, value }) => [target, kind, value] as const),
      // Ticks of devices are not state.
      ticks: ticks.filter(({ callback }) => this.#isProgramCallback(callback)),
      rejections,
      handledLate,
      pendingEventuals,
      timers,
      process: this.#names.processState.read(withTimes),
      inputs: this.#deps.loaderRealm.inputs?.capture() ?? null,
      bindings: this.#names.builtinBindings.read(),
      channels: this.#channelAdapter.channelsWithListeners(),
      devices: this.#deps.devices.read(this.#known, this.deviceMemberStore).roots,
    };
  }

  #isProgramCallback(callback: (...args: never[]) => unknown): boolean {
    const isKnown = internals.isCapturable(callback) || this.#known.nameOf(callback) !== undefined;
    return isKnown || this.#rejectionAdapter.takeApart(callback) !== undefined;
  }
}
