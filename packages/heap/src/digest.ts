// MurmurHash3 x86_128 (Austin Appleby, public domain): a digest that tells states apart, but does not resist an
// attacker who constructs two states with the same digest.

const { imul } = Math;

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function mix(value: number): number {
  value = imul(value ^ (value >>> 16), 0x85ebca6b | 0);
  value = imul(value ^ (value >>> 13), 0xc2b2ae35 | 0);
  return value ^ (value >>> 16);
}

/** Returns a digest of 32 hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  const C = [0x239b961b, 0xab0e9789 | 0, 0x38b34ae5, 0xa1e38b93 | 0] as const;
  const D = [0x561ccd1b, 0x0bcaa747, 0x96cd1c35 | 0, 0x32ac3b17] as const;
  const stateRotations = [19, 17, 15, 13] as const;
  const blockRotations = [15, 16, 17, 18] as const;
  const h: [number, number, number, number] = [0, 0, 0, 0];
  const { length } = bytes;
  const word = (offset: number): number =>
    (bytes[offset] ?? 0) |
    ((bytes[offset + 1] ?? 0) << 8) |
    ((bytes[offset + 2] ?? 0) << 16) |
    ((bytes[offset + 3] ?? 0) << 24);
  for (let offset = 0; offset < length; offset += 16) {
    const isTail = offset + 16 > length;
    for (let i = 0; i < 4; i++) {
      let k = imul(word(offset + 4 * i), C[i as 0]);
      k = imul(rotate(k, blockRotations[i as 0]), C[((i + 1) & 3) as 0]);
      h[i as 0] ^= k;
      if (isTail) continue;
      h[i as 0] = (imul((rotate(h[i as 0], stateRotations[i as 0]) + h[((i + 1) & 3) as 0]) | 0, 5) + D[i as 0]) | 0;
    }
  }
  for (let i = 0; i < 4; i++) h[i as 0] ^= length;
  const sum = (): void => {
    h[0] = (h[0] + h[1] + h[2] + h[3]) | 0;
    for (let i = 1; i < 4; i++) h[i as 0] = (h[i as 0] + h[0]) | 0;
  };
  sum();
  for (let i = 0; i < 4; i++) h[i as 0] = mix(h[i as 0]);
  sum();
  let hex = '';
  for (let i = 0; i < 4; i++) hex += (h[i as 0] >>> 0).toString(16).padStart(8, '0');
  return hex;
}
