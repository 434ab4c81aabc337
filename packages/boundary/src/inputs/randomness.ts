// Stands in for what Node draws by chance: `Math.random`, and of `crypto` what is inside of the membrane (classification/builtins.ts). Node's functions run in
// either case, so that arguments are refused in their words; in a run again what they draw is replaced by what was drawn.
import crypto from 'node:crypto';
import { SOURCES } from '@turntable/recording/sources';
import type { Asking } from './asking.ts';
import { random, seedRandom } from './random.ts';
import { standInAll, standInBy } from '@turntable/loader';

type Fn = (this: unknown, ...args: never[]) => unknown;
type Bytes = Uint8Array<ArrayBufferLike>;
type WebCrypto = typeof globalThis.crypto;

const { apply } = Reflect;
const nativeRandomBytes = crypto.randomBytes as (size: number) => Buffer;

/** `begins`: the tape has the start of the program; else a state will say how the sequence goes on. */
export function placeRandomness(asking: Asking, begins: boolean): void {
  const seed = (): Uint8Array => Uint8Array.from(nativeRandomBytes(16));
  seedRandom(begins ? asking.source(SOURCES.seed, seed)() : seed());
  const { random: nativeRandom } = Math;
  const { isOutside } = asking;
  standInAll(Math, { random: () => (isOutside() ? nativeRandom() : random()) });
  const { crypto: web } = globalThis;
  placeFilling(asking, web);
  placeDrawing(asking, web);
}

function placeFilling(asking: Asking, web: WebCrypto): void {
  const fill = (bytes: Bytes): void => {
    const drawn = asking.source(SOURCES.randomness, () => Uint8Array.from(bytes))();
    if (asking.isReplay) bytes.set(drawn);
  };
  const { randomFillSync } = crypto;
  const { getRandomValues: webValues } = Reflect.getPrototypeOf(web) as WebCrypto;
  standInAll(crypto, {
    randomFillSync(buffer: ArrayBuffer | ArrayBufferView, offset: number = 0, size?: number): unknown {
      apply(randomFillSync as Fn, crypto, arguments as never);
      const unit = (buffer as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
      const all = ArrayBuffer.isView(buffer)
        ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
        : new Uint8Array(buffer);
      fill(all.subarray(offset * unit, size === undefined ? undefined : (offset + size) * unit));
      return buffer;
    },
  });
  // The module's own calls this one.
  standInAll(Reflect.getPrototypeOf(web) as object, {
    getRandomValues(this: unknown, view: ArrayBufferView): unknown {
      const filled: unknown = apply(webValues as unknown as Fn, this, arguments as never);
      fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
      return filled;
    },
  });
}

function placeDrawing(asking: Asking, web: WebCrypto): void {
  const drawing = (holder: object, name: string): void => {
    if (!(name in holder)) return;
    let drawn: string;
    const ask = asking.source(SOURCES.randomness, () => drawn);
    standInBy(holder, name, (native, self, args) => {
      drawn = apply(native, self, args) as string;
      return ask();
    });
  };
  drawing(crypto, 'randomUUID');
  drawing(crypto, 'randomUUIDv7');
  drawing(Reflect.getPrototypeOf(web) as object, 'randomUUID');
}
