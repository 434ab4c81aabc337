// Names of the values in the events of a trace, as the membrane encodes them: an object is a list of keys and values in
// turn, and the properties of a host object are read one by one after their keys.
import { TRACE_SOURCES } from '../trace-sources.ts';
import type { TraceValue } from '../trace/trace-events.ts';

/** Forms of encoded values (`VALUE_FORM` of the membrane): the first item of a list. */
const PLAIN_FORM = 5;
const ARRAY_FORM = 6;
const ROWS_FORM = 15;
/** Operations on host objects (`OP` of the membrane): the second item of an outcome. */
const DESCRIBE = 5;
const KEYS = 6;

type List = readonly TraceValue[];

/** Returns the key before an item of an encoded object or of encoded rows; undefined for other lists. */
export function keyBefore(list: List, i: number): string | undefined {
  const [form, hasNullPrototype] = list;
  const firstValue = form === PLAIN_FORM ? 3 : 4;
  if ((form !== PLAIN_FORM && form !== ROWS_FORM) || typeof hasNullPrototype !== 'boolean') return undefined;
  const key = i >= firstValue && (i - firstValue) % 2 === 0 ? list[i - 1] : undefined;
  return typeof key === 'string' ? key : undefined;
}

export interface HostRead {
  /** Name of the property that is read; undefined if it is not known. */
  readonly name: string | undefined;
  /** Whether the result is a list of keys, which do not name the items after them. */
  readonly isKeyList: boolean;
}

const UNNAMED: HostRead = { name: undefined, isKeyList: false };

/** Follows the reads of host objects on one thread. */
export class HostReads {
  #keys: List = [];

  next(source: number, value: TraceValue): HostRead {
    if (source !== TRACE_SOURCES.device || !Array.isArray(value)) return UNNAMED;
    const [, operation, result] = value as List;
    if (operation === KEYS && Array.isArray(result) && (result as List)[0] === ARRAY_FORM) {
      this.#keys = (result as List).slice(1);
      return { name: undefined, isKeyList: true };
    }
    if (operation !== DESCRIBE) return UNNAMED;
    const [key, ...others] = this.#keys;
    this.#keys = others;
    return { name: typeof key === 'string' ? key : undefined, isKeyList: false };
  }
}
