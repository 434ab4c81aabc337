// The forms in which the program objects of one membrane are exported (`export-form.ts`). The form of an argument also
// depends on the called function.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';
import { exportFormOf, type ExportForm } from './export-form.ts';
import type { Handle } from './handle.ts';
import type { StandardOutput } from './standard-output.ts';
import type { Statics } from './static-objects.ts';

export interface ExportFormsDeps {
  readonly statics: Pick<Statics, 'isNeutral' | 'neutralPathOf'>;
  readonly output: Pick<StandardOutput, 'noteHandedOut'>;
  /** The label of a proxy's handle. */
  labelOf(proxy: object): string | undefined;
  toHost(value: unknown): unknown;
}

/** Builtin classes whose instances have no internal slots, so a Proxy can represent them. */
const TRANSPARENT_CLASSES = /EventEmitter|Generator/;
/** Methods of `MockTracker` that change the object they are given, which therefore must not be a copy. */
const MOCK_METHODS = /^(?:method|getter|setter|property)$/;
const MOCK_TRACKER = /(?:^|\.)(?:MockTracker|mock)$/;
/** Functions that clone an argument for another thread. The clone of a Proxy would lack an instance's fields. */
const CLONING_FUNCTIONS = /(?:^|\.)postMessage$|^parent\.send$|^worker_threads\.Worker$/;

export class ExportForms {
  readonly #deps: ExportFormsDeps;
  /** Whether several arguments of a call are being exported. The next five fields belong to that call. */
  #isExportingArguments = false;
  /** Whether the called function clones the argument that is being exported. */
  #isForCloning = false;
  /** Whether the called function is a package's, or one of Node's that has no path. */
  #isForPackage = false;
  /** Plain data that the call gets as a proxy: its receiver, or the argument that a mock tracker will change. */
  #notCopied: unknown;
  /** Copies of the call's plain arguments, because an object that is passed twice is one object for the host. */
  #callCopies: Map<object, object> | undefined;
  /** Plain objects that the host gets as proxies, not as copies. */
  readonly #uncopied = new WeakSet<object>();

  constructor(deps: ExportFormsDeps) {
    this.#deps = deps;
  }

  /** Whether arguments are being exported for a function of a package, or of Node's that has no path. */
  get isForPackage(): boolean {
    return this.#isForPackage;
  }

  formOf(value: object): ExportForm {
    // Node compares streams with its own standard output, so it must get the stream itself.
    if (this.#deps.output.noteHandedOut(value)) return 'raw';
    if (this.#uncopied.has(value)) return 'object';
    const form = exportFormOf(value, this.#isNeutral, this.#isTransparent);
    if (form === 'plain' && value === this.#notCopied) return 'object';
    if (!this.#isForCloning || types.isProxy(value) || Eventual.is(value)) return form;
    // Cloning a function fails, with an error that contains the function's text.
    if (form === 'function') return 'bare';
    return form === 'object' ? 'plain' : form;
  }

  readonly #isNeutral = (prototype: object): boolean => this.#deps.statics.isNeutral(prototype);
  readonly #isTransparent = (prototype: object): boolean =>
    TRANSPARENT_CLASSES.test(this.#deps.statics.neutralPathOf(prototype) ?? '');

  /** Returns the copies made so far for the call whose arguments are being exported; a new table outside of a call. */
  argumentCopies(): Map<object, object> {
    return this.#isExportingArguments ? (this.#callCopies ??= new Map()) : new Map();
  }

  /** Makes the host get a proxy of an object and not a copy, even if the object is plain data. */
  lendUncopied(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) this.#uncopied.add(value);
    return value;
  }

  /** Exports the receiver of a call without a copy: it may have many members, and getters that call the function. */
  exportReceiver(self: unknown): unknown {
    this.#notCopied = self;
    try {
      return this.#deps.toHost(self);
    } finally {
      this.#notCopied = undefined;
    }
  }

  /** @param self the receiver; undefined for a construction */
  exportArguments(values: readonly unknown[], handle: Handle, self: unknown): unknown[] {
    const hostValues: unknown[] = [];
    const isCloner = (handle.isCloner ??= CLONING_FUNCTIONS.test(handle.label));
    if (values.length === 0) return hostValues;
    const isMocker = (handle.isMocker ??= MOCK_METHODS.test(handle.label)) && this.#isMockTracker(self);
    if (isMocker) this.#notCopied = values[0];
    this.#isForPackage = handle.path === undefined;
    this.#isExportingArguments = values.length > 1 || isCloner;
    try {
      for (let i = 0; i < values.length; i++) {
        // A function after the message is a callback, not part of the clone.
        this.#isForCloning = isCloner && (i === 0 || typeof values[i] !== 'function');
        hostValues.push(this.#deps.toHost(values[i]));
      }
    } finally {
      this.#notCopied = undefined;
      this.#isForPackage = false;
      this.#isExportingArguments = false;
      this.#isForCloning = false;
      this.#callCopies = undefined;
    }
    return hostValues;
  }

  #isMockTracker(self: unknown): boolean {
    if ((typeof self !== 'object' && typeof self !== 'function') || self === null) return false;
    return MOCK_TRACKER.test(this.#deps.labelOf(self) ?? '');
  }
}
