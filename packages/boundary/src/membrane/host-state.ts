// Changes by the host that call no program code. They are found by comparison, and recorded as operations of the host.
import type { TapeRecorder } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { OP, OP_FLAG } from './encoding.ts';
import type { EventRecorder } from './event-recorder.ts';
import { HostExitCode } from './host-exit-code.ts';
import { LentBuffers } from './lent-buffers.ts';
import type { ExportedObject, Marks } from './marks.ts';
import { SharedProperties } from './shared-properties.ts';

export interface HostStateDeps {
  readonly tape: TapeRecorder;
  readonly marks: Marks;
  readonly events: EventRecorder;
}

export class HostState {
  readonly #deps: HostStateDeps;
  /** Program buffers that a running host call may write to. */
  readonly lentBuffers = new LentBuffers();
  readonly exitCode = new HostExitCode();
  /** Created once the program has loaded `node:test`, whose mocks replace globals without crossing the membrane. */
  #sharedProperties: SharedProperties | undefined;

  constructor(deps: HostStateDeps) {
    this.#deps = deps;
  }

  watchSharedProperties(): void {
    this.#sharedProperties ??= new SharedProperties();
  }

  /** Records the shared properties and the exit code that the host has set. */
  recordProperties(): void {
    const { events } = this.#deps;
    if (this.exitCode.takeChange()) events.recordCallback(OP.set, process, 'exitCode', [process.exitCode], false);
    this.#sharedProperties?.check(
      (holder, key, value) => events.recordCallback(OP.set, holder, key, [value], false)[0],
    );
  }

  /**
   * Records the bytes that the host has written to lent buffers. Must precede any event that could show them.
   * @param isNested whether a host call is running
   */
  recordBufferWrites(isNested: boolean): void {
    const { tape, marks, events } = this.#deps;
    if (this.lentBuffers.isEmpty || tape.isPaused) return;
    this.lentBuffers.reportWrites((view, offset, bytes) => {
      const { number } = marks.get(view) as ExportedObject;
      if (isNested) events.recordOutcome([events.predictedCount, OP.fill | OP_FLAG.callback, number, offset, bytes]);
      else tape.recordEntry(TRACE_SOURCES.device, number, [OP.fill | OP_FLAG.callback, 0, offset, bytes]);
    });
  }
}
