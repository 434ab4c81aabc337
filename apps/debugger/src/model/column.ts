// A column: a number for each task of a recording, in a typed array with elements of the size that the largest number
// needs. Columns arrive in pages (`overview` of the protocol); the numbers of tasks that are not loaded are 0.

export type NumberArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The array type for each number of bytes per value. */
const ARRAY_TYPES = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;
type ByteWidth = keyof typeof ARRAY_TYPES;

export class Column {
  #values: NumberArray;

  constructor(count: number) {
    this.#values = new Uint8Array(count);
  }

  /** Returns the number of a task. @param index the task's order minus one */
  at(index: number): number {
    return this.#values[index] as number;
  }

  /** Returns the first `count` values as a view, in which later writes are visible unless they need a wider array. */
  prefix(count: number): NumberArray {
    return this.#values.subarray(0, count);
  }

  write(offset: number, values: NumberArray): void {
    if (values.BYTES_PER_ELEMENT > this.#values.BYTES_PER_ELEMENT) {
      const wider = new ARRAY_TYPES[values.BYTES_PER_ELEMENT as ByteWidth](this.#values.length);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values.set(values, offset);
  }
}

/** Decodes one page of a column, whose values have equal widths. @param count number of values in the page */
export function decodeColumn(base64: string, count: number): NumberArray {
  const bytes = decodeBase64(base64);
  const width = count === 0 ? 1 : bytes.byteLength / count;
  return new ARRAY_TYPES[width as ByteWidth](bytes.buffer);
}

type Base64Decoding = { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** Decodes base64, with the native function of browsers since 2025: the fallback takes ten times as long. */
function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as Base64Decoding;
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, base64);
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
