// Fast checksum over 32-bit words: detects damage, not malice. It processes two words at a time, so that
// multiplications overlap. It is computed part by part, so that little is left at the end of a capture.

const IS_LITTLE = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

export class Checksum {
  private a = 0x9e3779b1 | 0;
  private b = 0x85ebca77 | 0;
  private length = 0;

  /** Adds bytes. Their number must be a multiple of eight, except in the last call. */
  add(bytes: Uint8Array, from: number, to: number): void {
    let { a, b } = this;
    let i = from;
    // On little-endian machines, reading whole words is four times as fast.
    if (IS_LITTLE && ((bytes.byteOffset + from) & 3) === 0) {
      const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, ((to - from) >>> 3) << 1);
      const { length } = words;
      for (let w = 0; w < length; w += 2) {
        a = Math.imul(a ^ (words[w] as number), 0x01000193);
        b = Math.imul(b + (words[w + 1] as number), 0xc2b2ae3d | 0) ^ (b >>> 15);
        a ^= a >>> 13;
      }
      i += length << 2;
    }
    for (; i + 8 <= to; i += 8) {
      const low =
        (bytes[i] as number) |
        ((bytes[i + 1] as number) << 8) |
        ((bytes[i + 2] as number) << 16) |
        ((bytes[i + 3] as number) << 24);
      const high =
        (bytes[i + 4] as number) |
        ((bytes[i + 5] as number) << 8) |
        ((bytes[i + 6] as number) << 16) |
        ((bytes[i + 7] as number) << 24);
      a = Math.imul(a ^ low, 0x01000193);
      b = Math.imul(b + high, 0xc2b2ae3d | 0) ^ (b >>> 15);
      a ^= a >>> 13;
    }
    for (; i < to; i++) a = Math.imul(a ^ (bytes[i] as number), 0x01000193);
    this.a = a;
    this.b = b;
    this.length += to - from;
  }

  get value(): number {
    let a = this.a ^ this.b;
    a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
    a = Math.imul(a ^ (a >>> 15), 0x846ca68b | 0);
    return (a ^ (a >>> 16) ^ this.length) >>> 0;
  }
}

export function checksumOf(bytes: Uint8Array, from: number, to: number): number {
  const sum = new Checksum();
  sum.add(bytes, from, to);
  return sum.value;
}
