// Promises that represent native ones in the program, in a recorded thread. The settlement is an entry of the trace, of
// source `settled`.
import type { Handle } from './handle.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { HostState } from './host-state.ts';
import type { MembraneCounters } from './marks.ts';
import type { MembraneDeps } from './membrane-deps.ts';
import type { OwnedEntry } from './membrane-state.ts';
import { PendingTable } from './pending-table.ts';
import type { RecordedExports } from './recorded-exports.ts';
import type { RecordedSharedData } from './recorded-shared-data.ts';
import type { ReturnedCopies } from './returned-copies.ts';

export interface RecordedPromisesDeps extends Pick<MembraneDeps, 'createPromise' | 'currentHome'> {
  readonly numbers: MembraneCounters;
  readonly exports: RecordedExports;
  readonly events: EventRecorder;
  readonly hostState: HostState;
  readonly sharedData: RecordedSharedData;
  readonly returnedCopies: ReturnedCopies;
}

const { apply } = Reflect;
const { then: nativePromiseThen } = Promise.prototype as { then: (this: unknown, ...args: unknown[]) => unknown };

export class RecordedPromises {
  readonly #deps: RecordedPromisesDeps;
  /** The promises that represent native ones. */
  readonly #promises = new WeakSet<object>();
  /** The promises by number, until the native promises are settled. */
  readonly #pending = new PendingTable<{ readonly promise: object; readonly home: object }>();

  constructor(deps: RecordedPromisesDeps) {
    this.#deps = deps;
  }

  /** Whether an object is a promise that represents a native one. */
  has(value: object): boolean {
    return this.#promises.has(value);
  }

  pending(): OwnedEntry[] {
    return this.#pending.entries().map(([number, { promise, home }]) => [number, promise, home]);
  }

  /** Creates the promise that represents a native one. @param source the function of a package that has returned it */
  adopt(hostObject: object, source: Handle | undefined): object {
    const { numbers, exports, events, hostState, sharedData, returnedCopies } = this.#deps;
    const { promise, settle, noteRejection } = this.#deps.createPromise();
    const number = numbers.promises++;
    this.#promises.add(promise);
    this.#pending.add(number, { promise, home: this.#deps.currentHome() });
    exports.exportObject(promise, hostObject);
    const createHandler =
      (isHostFulfilled: boolean) =>
      (hostValue: unknown): void => {
        const refusal = returnedCopies.errorFor(hostValue);
        const isFulfilled = isHostFulfilled && refusal === undefined;
        const value: unknown = refusal ?? hostValue;
        sharedData.afterSettlement(hostObject);
        hostState.recordProperties();
        hostState.recordBufferWrites(false);
        hostState.lentBuffers.release(promise);
        this.#pending.take(number);
        if (!isFulfilled) noteRejection(value);
        const programValue = isFulfilled ? events.returnedToProgram(value, source) : events.toProgram(value, false);
        events.recordSettlement(number, isFulfilled);
        settle(isFulfilled, programValue);
      };
    apply(nativePromiseThen, hostObject, [createHandler(true), createHandler(false)]);
    return promise;
  }
}
