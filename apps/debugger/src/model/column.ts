// A number of each stretch, in as few bytes as all of them can be had in so far: of a million a column is one megabyte or eight. They come piece by piece (the protocol's `overview`); what is not
// there yet is 0.

export type Words = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** By bytes of each. */
const KINDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;
type Wide = keyof typeof KINDS;

export class Column {
  #words: Words;

  constructor(count: number) {
    this.#words = new Uint8Array(count);
  }

  /** Of a stretch at its place less one. */
  at(index: number): number {
    return this.#words[index] as number;
  }

  /** The first ones, as they stand here until others are put. */
  first(count: number): Words {
    return this.#words.subarray(0, count);
  }

  put(at: number, those: Words): void {
    if (those.BYTES_PER_ELEMENT > this.#words.BYTES_PER_ELEMENT) {
      const wider = new KINDS[those.BYTES_PER_ELEMENT as Wide](this.#words.length);
      wider.set(this.#words);
      this.#words = wider;
    }
    this.#words.set(those, at);
  }
}

/** As the protocol has columns. @param count how many these are */
export function wordsOf(base64: string, count: number): Words {
  const bytes = bytesOf(base64);
  const wide = count === 0 ? 1 : bytes.byteLength / count;
  return new KINDS[wide as Wide](bytes.buffer);
}

type Decoding = { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** Browsers from 2025 on have it, the rest takes ten times as long. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as Decoding;
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, base64);
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
