// A number of each task, in as few bytes as all of them can be had in so far: of a million a column is one megabyte or eight. They come piece by piece (the protocol's `overview`); what is not
// there yet is 0.

export type NumberArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** By bytes of each. */
const ARRAY_TYPES = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;
type ByteWidth = keyof typeof ARRAY_TYPES;

export class Column {
  #values: NumberArray;

  constructor(count: number) {
    this.#values = new Uint8Array(count);
  }

  /** Of a task at its place less one. */
  at(index: number): number {
    return this.#values[index] as number;
  }

  /** The first ones, as they stand here until others are put. */
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

/** As the protocol has columns. @param count how many these are */
export function decodeColumn(base64: string, count: number): NumberArray {
  const bytes = decodeBase64(base64);
  const width = count === 0 ? 1 : bytes.byteLength / count;
  return new ARRAY_TYPES[width as ByteWidth](bytes.buffer);
}

type Base64Decoding = { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** Browsers from 2025 on have it, the rest takes ten times as long. */
function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as Base64Decoding;
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, base64);
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
