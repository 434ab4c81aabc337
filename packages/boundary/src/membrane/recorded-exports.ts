// Exports of a recorded thread: the program objects that the host references, by number. A number is released when the
// collector has taken both the object and the host's view of it. An entry reports released numbers, also of handles, so
// that replays release them too.
import { types } from 'node:util';
import { Eventual, type EngineView, type TapeRecorder } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { MEMBRANE_EVENT } from './encoding.ts';
import type { Handle } from './handle.ts';
import { HandleLifetimes } from './handle-lifetimes.ts';
import type { OwnedEntry } from './membrane-state.ts';
import { ExportedObject, type Marks, type MembraneCounters } from './marks.ts';
import { enumerableKeys, type ExportForm } from './export-form.ts';
import type { ExportProxies } from './export-proxies.ts';
import type { Statics } from './static-objects.ts';
import { ExportedAbortSignals } from './exported-abort-signals.ts';
import { WeakTable } from './weak-table.ts';

const { getPrototypeOf } = Reflect;
const { prototype: signalPrototype } = AbortSignal;
const { isSharedArrayBuffer } = types;
const nativeSetImmediate = setImmediate;

export interface RecordedExportsDeps {
  readonly tape: TapeRecorder;
  readonly statics: Statics;
  readonly marks: Marks;
  readonly numbers: MembraneCounters;
  readonly proxies: ExportProxies;
  readonly engine: Pick<EngineView, 'weakKeys'>;
  exportForm(value: object): ExportForm;
  argumentCopies(): Map<object, object>;
  /** Notes a copy of plain data once it is complete. */
  onCopied(copy: object): void;
  registerSymbol(symbol: symbol): void;
  currentHome(): object;
  reportUnreplayable(use: string): void;
}

/** Marks a native promise that returns to the host as handled: the program must not report its rejection. */
export function markHandedOver(known: object): void {
  if (Eventual.is(known)) Eventual.markHandled(known);
}

export class RecordedExports {
  readonly #deps: RecordedExportsDeps;
  readonly abortSignals: ExportedAbortSignals = new ExportedAbortSignals();
  /** Exports that the host can still use. */
  readonly #byNumber: WeakTable<ExportedObject>;
  /** Numbers of collected objects and of finished surrogates, which the next entry will report. */
  readonly #unreported: Record<'exports' | 'handles' | 'contexts' | 'done', number[]> = {
    exports: [],
    handles: [],
    contexts: [],
    done: [],
  };
  #isReleaseScheduled = false;
  readonly #exportLifetimes = new HandleLifetimes((numbers) => this.#release(this.#unreported.exports, numbers));
  readonly #handleLifetimes = new HandleLifetimes((numbers) => this.#release(this.#unreported.handles, numbers));

  constructor(deps: RecordedExportsDeps) {
    this.#deps = deps;
    this.#byNumber = new WeakTable(deps.engine);
  }

  toHost(value: unknown): unknown {
    if (typeof value === 'symbol') this.#deps.registerSymbol(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const hostView = this.hostViewOf(value);
    if (hostView !== undefined) {
      markHandedOver(value);
      return hostView;
    }
    const { statics, proxies } = this.#deps;
    if (statics.isNeutral(value)) return value;
    const form = this.#deps.exportForm(value);
    if (form === 'plain' || form === 'array') {
      const copies = this.#deps.argumentCopies();
      return copies.get(value) ?? this.#copy(value, form, copies);
    }
    if (form === 'bare') return value;
    if (form !== 'raw') return this.exportObject(value, proxies.createProxy(value, form)).hostView;
    const { number } = this.exportObject(value, value);
    if (getPrototypeOf(value) === signalPrototype) this.abortSignals.add(value as AbortSignal, number);
    // The host may write to shared memory at any time.
    if (isSharedArrayBuffer(ArrayBuffer.isView(value) ? value.buffer : value))
      this.#deps.reportUnreplayable('SharedArrayBuffer');
    return value;
  }

  hostViewOf(value: object): object | undefined {
    const mark = this.#deps.marks.get(value);
    if (mark === undefined) return undefined;
    if (mark instanceof ExportedObject) return mark.programObject === value ? mark.hostView : undefined;
    return mark.proxy === value ? mark.hostObject : undefined;
  }

  /** Numbers an object, and marks the object and the host's view so that each leads to the other. */
  exportObject(programObject: object, hostView: object): ExportedObject {
    const exported = this.#register(programObject, hostView);
    const { marks } = this.#deps;
    marks.set(programObject, exported);
    if (hostView !== programObject) marks.set(hostView, exported);
    return exported;
  }

  entries(): OwnedEntry[] {
    return this.#byNumber.entries().map(([number, { programObject, home }]) => [number, programObject, home]);
  }

  /**
   * Releases the number once the handle is collected. No effect while the tape is paused: a snapshot has the handle.
   */
  trackLifetime(handle: Handle): void {
    if (!this.#deps.tape.isPaused) handle.lifetime = this.#handleLifetimes.tokenFor(handle.number);
  }

  /** Releases numbers of contexts in which the host can no longer call. */
  releaseContexts(numbers: readonly number[]): void {
    this.#release(this.#unreported.contexts, numbers);
  }

  reportDone(numbers: readonly number[]): void {
    if (!this.#deps.tape.isPaused) this.#release(this.#unreported.done, numbers);
  }

  /** Copies plain data at each crossing, because later changes of the original do not concern the host. */
  #copy(value: object, form: 'plain' | 'array', copies: Map<object, object>): object {
    const copy: object = form === 'array' ? [] : (Object.create(getPrototypeOf(value)) as object);
    copies.set(value, copy);
    this.#deps.marks.set(copy, this.#register(value, copy));
    if (form === 'array')
      for (const element of value as unknown[]) (copy as unknown[]).push(this.#copyMember(element, copies));
    else
      for (const key of enumerableKeys(value)) {
        const memberCopy = this.#copyMember((value as Record<PropertyKey, unknown>)[key], copies);
        // An assignment to `__proto__` would set the prototype.
        if (key in copy)
          Object.defineProperty(copy, key, { value: memberCopy, writable: true, enumerable: true, configurable: true });
        else (copy as Record<PropertyKey, unknown>)[key] = memberCopy;
      }
    this.#deps.onCopied(copy);
    return copy;
  }

  #copyMember(member: unknown, copies: Map<object, object>): unknown {
    if (typeof member !== 'object' || member === null || this.hostViewOf(member) !== undefined)
      return this.toHost(member);
    const copy = copies.get(member);
    if (copy !== undefined) return copy;
    if (this.#deps.statics.isNeutral(member)) return member;
    const form = this.#deps.exportForm(member);
    return form === 'plain' || form === 'array' ? this.#copy(member, form, copies) : this.toHost(member);
  }

  #register(programObject: object, hostView: object): ExportedObject {
    const number = this.#deps.numbers.exports++;
    const lifetime = this.#deps.tape.isPaused ? undefined : this.#exportLifetimes.tokenFor(number);
    const exported = new ExportedObject(number, programObject, hostView, this.#deps.currentHome(), lifetime);
    this.#byNumber.add(exported);
    return exported;
  }

  #release(unreported: number[], numbers: readonly number[]): void {
    for (const number of numbers) unreported.push(number);
    if (this.#isReleaseScheduled) return;
    this.#isReleaseScheduled = true;
    nativeSetImmediate(() => this.#releaseAll()).unref();
  }

  #releaseAll(): void {
    this.#isReleaseScheduled = false;
    const { exports, handles, contexts, done } = this.#unreported;
    this.#unreported.exports = [];
    this.#unreported.handles = [];
    this.#unreported.contexts = [];
    this.#unreported.done = [];
    for (const number of exports) this.#byNumber.delete(number);
    const released = [MEMBRANE_EVENT.released, exports, handles, contexts];
    this.#deps.tape.recordEntry(TRACE_SOURCES.device, 0, done.length === 0 ? released : [...released, done]);
  }
}
