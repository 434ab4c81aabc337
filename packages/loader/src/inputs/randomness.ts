// Stands in for what Node draws by chance: `Math.random`, and of `crypto` what answers at once. Node's functions run in either case, so that
// arguments are refused in their words; in a run again what they draw is replaced by what was drawn.
import crypto, { type KeyObject } from 'node:crypto';
import { SOURCES } from '@turntable/recording/sources';
import type { Asking } from './asking.ts';
import { random, seedRandom } from './random.ts';
import { standIn } from '../realm/stand-in.ts';
import { noteCalls } from './unreplayable.ts';
import type { TapeValue } from '@turntable/core';

type Fn = (this: unknown, ...args: never[]) => unknown;
type Bytes = Uint8Array<ArrayBufferLike>;
type WebCrypto = typeof globalThis.crypto;

const { apply } = Reflect;
const nativeRandomBytes = crypto.randomBytes as (size: number) => Buffer;
const { createSecretKey, createPrivateKey, createPublicKey } = crypto;

/** `begins`: the tape has the start of the program; else a state will say how the sequence goes on. */
export function placeRandomness(asking: Asking, begins: boolean): void {
  const seed = (): Uint8Array => Uint8Array.from(nativeRandomBytes(16));
  seedRandom(begins ? asking.source(SOURCES.seed, seed)() : seed());
  standIn(Math, 'random', { random: () => random() }.random);
  const { crypto: web } = globalThis;
  placeFilling(asking, web);
  placeDrawing(asking, web);
  placeKeys(asking);
}

/** Over bytes that somebody has. */
function placeFilling(asking: Asking, web: WebCrypto): void {
  const { cannotReplay } = asking;
  const fill = (bytes: Bytes): void => {
    const drawn = asking.source(SOURCES.randomness, () => Uint8Array.from(bytes))();
    if (asking.isReplay) bytes.set(drawn);
  };
  const { randomFillSync, randomFill, randomBytes } = crypto;
  const { getRandomValues: webValues } = Reflect.getPrototypeOf(web) as WebCrypto;
  const drawingBytes = (native: Fn, name: string): Fn =>
    ({
      [name](this: unknown, _size: number, callback?: unknown): unknown {
        const bytes = apply(native, this, arguments as never) as Bytes;
        if (callback === undefined) fill(bytes);
        else cannotReplay(`crypto.${name} with a callback`);
        return bytes;
      },
    })[name] as Fn;
  const filling = (native: Fn, name: string): Fn =>
    ({
      [name](this: unknown, view: ArrayBufferView): unknown {
        const filled = apply(native, this, arguments as never);
        fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
        return filled;
      },
    })[name] as Fn;
  standIn(crypto, 'randomBytes', drawingBytes(randomBytes as Fn, 'randomBytes'));
  // Another name of it, behind an accessor.
  const other = Reflect.getOwnPropertyDescriptor(crypto, 'pseudoRandomBytes');
  if (other?.get !== undefined)
    Object.defineProperty(crypto, 'pseudoRandomBytes', { ...other, get: () => crypto.randomBytes });
  standIn(
    crypto,
    'randomFillSync',
    {
      randomFillSync(buffer: ArrayBuffer | ArrayBufferView, offset: number = 0, size?: number): unknown {
        apply(randomFillSync as Fn, crypto, arguments as never);
        const unit = (buffer as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
        const all = ArrayBuffer.isView(buffer)
          ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
          : new Uint8Array(buffer);
        fill(all.subarray(offset * unit, size === undefined ? undefined : (offset + size) * unit));
        return buffer;
      },
    }.randomFillSync as Fn,
  );
  standIn(
    crypto,
    'randomFill',
    {
      randomFill(...args: never[]): unknown {
        cannotReplay('crypto.randomFill');
        return apply(randomFill as Fn, crypto, args);
      },
    }.randomFill,
  );
  // The module's own calls this one.
  standIn(
    Reflect.getPrototypeOf(web) as object,
    'getRandomValues',
    filling(webValues as unknown as Fn, 'getRandomValues'),
  );
}

/** A value that is made of chance. */
function placeDrawing(asking: Asking, web: WebCrypto): void {
  const { cannotReplay } = asking;
  const drawing = (holder: object, name: string, callbackAt = Infinity): void => {
    const native = (holder as Record<string, Fn | undefined>)[name];
    if (native === undefined) return;
    let drawn: TapeValue;
    const ask = asking.source(SOURCES.randomness, () => drawn);
    const { [name]: own } = {
      [name](this: unknown, ...args: never[]): unknown {
        const value = apply(native, this, args);
        if (args.slice(callbackAt).some((each) => typeof each === 'function')) {
          cannotReplay(`crypto.${name} with a callback`);
          return value;
        }
        const isBuffer = Buffer.isBuffer(value);
        const isArrayBuffer = value instanceof ArrayBuffer;
        drawn = (isBuffer || isArrayBuffer ? new Uint8Array(value as ArrayBuffer) : value) as TapeValue;
        const answer = ask();
        if (!asking.isReplay) return value;
        if (isBuffer) return Buffer.from(answer as Bytes);
        return isArrayBuffer ? Uint8Array.from(answer as Bytes).buffer : answer;
      },
    };
    standIn(holder, name, own as Fn);
  };
  drawing(crypto, 'randomUUID');
  drawing(crypto, 'randomUUIDv7');
  drawing(Reflect.getPrototypeOf(web) as object, 'randomUUID');
  drawing(crypto, 'randomInt', 1);
  drawing(crypto, 'generatePrimeSync');
  // Some ciphers and signatures are made of chance, too.
  drawing(crypto, 'sign', 3);
  drawing(crypto, 'publicEncrypt');
  drawing((crypto.Sign as unknown as { prototype: object }).prototype, 'sign');
}

type Exported = string | Uint8Array | { readonly type: string; readonly bytes: Uint8Array };

function placeKeys(asking: Asking): void {
  const { generateKeySync, generateKeyPairSync } = crypto;
  const { source, isReplay, cannotReplay } = asking;
  let made: TapeValue;
  const ask = source(SOURCES.randomness, () => made);
  standIn(
    crypto,
    'generateKeySync',
    {
      generateKeySync(...args: never[]): unknown {
        const key = apply(generateKeySync as Fn, crypto, args) as KeyObject;
        made = Uint8Array.from(key.export());
        const bytes = ask() as Uint8Array;
        return isReplay ? createSecretKey(bytes) : key;
      },
    }.generateKeySync,
  );
  standIn(
    crypto,
    'generateKeyPairSync',
    {
      generateKeyPairSync(...args: never[]): unknown {
        const pair = apply(generateKeyPairSync as Fn, crypto, args) as Record<'publicKey' | 'privateKey', unknown>;
        made = [exported(pair.publicKey), exported(pair.privateKey)] as unknown as TapeValue;
        const [publicKey, privateKey] = ask() as unknown as readonly [Exported, Exported];
        return isReplay ? { publicKey: imported(publicKey), privateKey: imported(privateKey) } : pair;
      },
    }.generateKeyPairSync,
  );
  const subtle = Reflect.getPrototypeOf(crypto.subtle) as Record<string, Fn>;
  noteCalls(cannotReplay, [
    [crypto, 'generateKey', 'crypto.generateKey'],
    [crypto, 'generateKeyPair', 'crypto.generateKeyPair'],
    [crypto, 'generatePrime', 'crypto.generatePrime'],
    [subtle, 'generateKey', 'crypto.subtle.generateKey'],
    [(crypto.ECDH as unknown as { prototype: object }).prototype, 'generateKeys', 'crypto.createECDH().generateKeys'],
  ]);
}

/** `string` and bytes if the program has asked for an encoding. */
function exported(key: unknown): Exported {
  if (typeof key === 'string') return key;
  if (key instanceof Uint8Array) return Uint8Array.from(key);
  const object = key as KeyObject;
  const bytes =
    object.type === 'private'
      ? object.export({ type: 'pkcs8', format: 'der' })
      : object.export({ type: 'spki', format: 'der' });
  return { type: object.type, bytes: Uint8Array.from(bytes) };
}

function imported(key: Exported): unknown {
  if (typeof key === 'string') return key;
  if (key instanceof Uint8Array) return Buffer.from(key);
  const bytes = Buffer.from(key.bytes);
  return key.type === 'private'
    ? createPrivateKey({ key: bytes, type: 'pkcs8', format: 'der' })
    : createPublicKey({ key: bytes, type: 'spki', format: 'der' });
}
