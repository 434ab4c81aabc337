// Handles of a recorded thread: created when a host object first crosses the membrane, and found by its mark afterwards.
import { HANDLE_KIND } from './encoding.ts';
import { Handle, handleKindOf } from './handle.ts';
import type { MembraneCounters, Marks } from './marks.ts';
import type { RecordedExports } from './recorded-exports.ts';
import { isResponseClass, onResponseAborted } from './response-aborts.ts';
import type { Statics } from './static-objects.ts';
import { isDone, LiveSurrogates, SurrogateKinds, type SurrogateType } from './surrogates.ts';

export interface RecordedHandlesDeps {
  readonly statics: Statics;
  readonly marks: Marks;
  readonly numbers: MembraneCounters;
  readonly exports: Pick<RecordedExports, 'trackLifetime' | 'reportDone'>;
  readonly surrogateTypes: readonly SurrogateType[];
  /** Creates a handle and marks its proxy. */
  createHandle(
    number: number,
    path: string | undefined,
    kind: number,
    label: string,
    hostObject: object,
    surrogate?: { readonly kind: number; readonly object: object },
  ): Handle;
  handleFromProxy(proxy: object): Handle | undefined;
  /** Called when the client of a response has disconnected. */
  onResponseAborted(response: Handle): void;
}

export class RecordedHandles {
  readonly #deps: RecordedHandlesDeps;
  readonly #surrogateKinds = new SurrogateKinds();
  readonly #liveSurrogates: LiveSurrogates;

  constructor(deps: RecordedHandlesDeps) {
    this.#deps = deps;
    const { exports, surrogateTypes } = deps;
    this.#liveSurrogates = new LiveSurrogates(
      ({ hostObject, surrogateKind }) => isDone(hostObject, surrogateTypes[surrogateKind as number]?.donePath ?? []),
      (numbers) => exports.reportDone(numbers),
    );
  }

  /** Returns the handle of an object that every process has. */
  ofStatic(hostObject: object): Handle {
    const { statics, marks } = this.#deps;
    const mark = marks.get(hostObject);
    if (mark instanceof Handle) return mark;
    const path = statics.pathOf(hostObject) ?? '';
    const handle = this.#deps.createHandle(-1, path, handleKindOf(hostObject), path, hostObject);
    marks.set(hostObject, handle);
    return handle;
  }

  create(hostObject: object, kind: number, label: string): Handle {
    const { numbers } = this.#deps;
    const handle = this.#deps.createHandle(numbers.handles++, undefined, kind, label, hostObject);
    this.#addNumbered(handle, hostObject);
    if (isResponseClass(label)) onResponseAborted(hostObject, () => this.#deps.onResponseAborted(handle));
    return handle;
  }

  /** @param initialValues values passed to the surrogate's constructor; a surrogate among them is its owner */
  createSurrogate(hostObject: object, kind: number, object: object, initialValues: readonly unknown[]): Handle {
    const number = this.#deps.numbers.handles++;
    const surrogate = { kind, object };
    const handle = this.#deps.createHandle(number, undefined, HANDLE_KIND.object, '', hostObject, surrogate);
    this.#addNumbered(handle, hostObject);
    const initialHandles = initialValues.map((value) =>
      typeof value === 'object' && value !== null ? this.#deps.handleFromProxy(value) : undefined,
    );
    this.#liveSurrogates.add(handle, initialHandles);
    return handle;
  }

  #addNumbered(handle: Handle, hostObject: object): void {
    this.#deps.marks.set(hostObject, handle);
    this.#deps.exports.trackLifetime(handle);
  }

  /** Declares the surrogate type of host objects that inherit from `prototype`. */
  registerSurrogateKind(prototype: object, kind: number): void {
    this.#surrogateKinds.register(prototype, kind);
  }

  /** Returns the number of the surrogate type that is declared for a prototype or for one that it inherits from. */
  surrogateKindOf(prototype: object | null): number | undefined {
    return this.#surrogateKinds.kindOf(prototype);
  }

  surrogateType(kind: number): SurrogateType {
    return this.#deps.surrogateTypes[kind] as SurrogateType;
  }

  /** Numbers, surrogates and surrogate types of the surrogates that the host is not done with. */
  liveSurrogates(): [number: number, surrogate: object, kind: number][] {
    return this.#liveSurrogates
      .handles()
      .map(({ number, proxy, surrogateKind }) => [number, proxy, surrogateKind as number]);
  }
}
