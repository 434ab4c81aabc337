// Replaces Node's sources of randomness: `Math.random`, and the functions of `crypto` on the program side
// (classification/builtins.ts). Node's functions always run, so that they validate their arguments; a replay replaces
// their random results with the recorded ones.
import crypto from 'node:crypto';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { InputTape } from './input-tape.ts';
import { random, seedRandom } from './random.ts';
import { replaceFunctions, wrapFunction } from '@turntable/loader';

type AnyFunction = (this: unknown, ...args: never[]) => unknown;
type Bytes = Uint8Array<ArrayBufferLike>;
type WebCrypto = typeof globalThis.crypto;

const { apply } = Reflect;
const nativeRandomBytes = crypto.randomBytes as (size: number) => Buffer;

/** @param isFromStart whether the tape contains the start of the program; otherwise a restored state sets the seed */
export function installRandomness(inputTape: InputTape, isFromStart: boolean): void {
  const seed = (): Uint8Array => Uint8Array.from(nativeRandomBytes(16));
  seedRandom(isFromStart ? inputTape.wrapSource(TRACE_SOURCES.seed, seed)() : seed());
  const { random: nativeRandom } = Math;
  const { isHostCaller } = inputTape;
  const { random: recordedRandom } = {
    random: (): number => (isHostCaller(recordedRandom) ? nativeRandom() : random()),
  };
  replaceFunctions(Math, { random: recordedRandom });
  const { crypto: webCrypto } = globalThis;
  installFillFunctions(inputTape, webCrypto);
  installStringFunctions(inputTape, webCrypto);
}

function installFillFunctions(inputTape: InputTape, webCrypto: WebCrypto): void {
  const recordFill = (bytes: Bytes): void => {
    const recordedBytes = inputTape.wrapSource(TRACE_SOURCES.randomness, () => Uint8Array.from(bytes))();
    if (inputTape.isReplay) bytes.set(recordedBytes);
  };
  const { randomFillSync } = crypto;
  const { getRandomValues: nativeGetRandomValues } = Reflect.getPrototypeOf(webCrypto) as WebCrypto;
  replaceFunctions(crypto, {
    randomFillSync(buffer: ArrayBuffer | ArrayBufferView, offset: number = 0, size?: number): unknown {
      apply(randomFillSync as AnyFunction, crypto, arguments as never);
      const elementSize = (buffer as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
      const bytes = ArrayBuffer.isView(buffer)
        ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
        : new Uint8Array(buffer);
      recordFill(bytes.subarray(offset * elementSize, size === undefined ? undefined : (offset + size) * elementSize));
      return buffer;
    },
  });
  // `crypto.getRandomValues` calls this method.
  replaceFunctions(Reflect.getPrototypeOf(webCrypto) as object, {
    getRandomValues(this: unknown, view: ArrayBufferView): unknown {
      const filled: unknown = apply(nativeGetRandomValues as unknown as AnyFunction, this, arguments as never);
      recordFill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
      return filled;
    },
  });
}

function installStringFunctions(inputTape: InputTape, webCrypto: WebCrypto): void {
  const recordStrings = (holder: object, name: string): void => {
    if (!(name in holder)) return;
    let drawn: string;
    const readDrawn = inputTape.wrapSource(TRACE_SOURCES.randomness, () => drawn);
    wrapFunction(holder, name, (native, self, args) => {
      drawn = apply(native, self, args) as string;
      return readDrawn();
    });
  };
  recordStrings(crypto, 'randomUUID');
  recordStrings(crypto, 'randomUUIDv7');
  recordStrings(Reflect.getPrototypeOf(webCrypto) as object, 'randomUUID');
}
