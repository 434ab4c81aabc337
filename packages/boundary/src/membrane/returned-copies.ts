// Copies of plain data that functions of packages have returned. Such data is usually new. If the same object of the host
// crosses again, its package keeps it: then a change that the program has made to the copy is lost, and the program is
// refused. Used only while recording.
import { types } from 'node:util';
import { createHiddenField } from '@turntable/core';
import { LoaderError } from '@turntable/loader';
import type { Handle } from './handle.ts';
import type { MembraneDeps } from './membrane-deps.ts';

type Data = Record<string, unknown>;

interface ReturnedCopy {
  readonly copy: Data;
  /** The copy as the program got it. */
  readonly known: Data;
  /** The function that returned the data. */
  readonly source: Handle;
}

const { getOwnPropertyDescriptor } = Reflect;

export interface ReturnedCopiesDeps {
  /** Whether a host object crosses as a handle or as the program's own object. */
  isKnown(value: object): boolean;
  readonly packageExportOf: MembraneDeps['packageExportOf'];
}

export class ReturnedCopies {
  readonly #byHostObject = createHiddenField<ReturnedCopy>();
  readonly #deps: ReturnedCopiesDeps;
  #isEmpty = true;

  constructor(deps: ReturnedCopiesDeps) {
    this.#deps = deps;
  }

  add(hostObject: object, copy: object, source: Handle): void {
    this.#isEmpty = false;
    const known = (Array.isArray(copy) ? copy.slice() : { ...copy }) as Data;
    this.#byHostObject.set(hostObject, { copy: copy as Data, known, source });
  }

  /** Returns the error for a value of the host that crosses, if the program has changed an earlier copy of it. */
  errorFor(value: unknown): LoaderError | undefined {
    return this.#isEmpty || !this.#isData(value) ? undefined : this.#search(value, new Set());
  }

  #search(value: object, visited: Set<object>): LoaderError | undefined {
    if (visited.has(value)) return undefined;
    visited.add(value);
    const returned = this.#byHostObject.get(value);
    const key = returned === undefined ? undefined : changedKey(value as Data, returned);
    if (returned !== undefined && key !== undefined) return this.#createError(key, returned.source);
    for (const name of Object.keys(value)) {
      const member: unknown = getOwnPropertyDescriptor(value, name)?.value;
      const error = this.#isData(member) ? this.#search(member, visited) : undefined;
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /** Whether a value is an array or a record that crosses as a copy. */
  #isData(value: unknown): value is object {
    if (typeof value !== 'object' || value === null || types.isProxy(value) || this.#deps.isKnown(value)) return false;
    if (Array.isArray(value)) return true;
    const prototype = Reflect.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null;
  }

  #createError(key: string, { label, hostObject }: Handle): LoaderError {
    const exported = this.#deps.packageExportOf(hostObject as object);
    const name = exported === undefined || exported.name === '' ? label : exported.name;
    const owner = exported === undefined ? 'an excluded package' : exported.file;
    return new LoaderError(
      'TT_COPY_CHANGED',
      `the program has changed "${key}" of an object that ${name === '' ? 'a function' : `${name}()`} of ${owner} returned and keeps; a recorded program has a copy of the object, so the change is lost; change the object by a function of the package, or do not exclude the package`,
    );
  }
}

/** Returns a key of a copy that the program has changed, unless the host's object has been changed in the same way. */
function changedKey(hostObject: Data, { copy, known }: ReturnedCopy): string | undefined {
  const written = Object.keys(copy).find((key) => {
    const isUnchanged = Object.hasOwn(known, key) && Object.is(copy[key], known[key]);
    return !isUnchanged && !Object.is(copy[key], hostObject[key]);
  });
  return written ?? Object.keys(known).find((key) => !Object.hasOwn(copy, key) && Object.hasOwn(hostObject, key));
}
