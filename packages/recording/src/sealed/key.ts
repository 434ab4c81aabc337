// The key of this process, if it has one: a file that the environment names, read once by each thread. Never the key itself: an environment goes into
// traces, and to whatever a program starts.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { RecordingError } from '../recording-error.ts';
import { KEY_LENGTH } from './seal.ts';

export const KEY_VARIABLE = 'TURNTABLE_KEY';
/** Under which other threads find it, whatever the program makes of its environment. */
const FOR_THREADS = 'turntable.key';

let known: { readonly file: string; readonly key: Uint8Array } | undefined;
/** Of a thread that has been told by others. */
let given: { readonly key: Uint8Array | undefined } | undefined;

export function useKey(key: Uint8Array | undefined): void {
  given = { key };
}

/** @throws {RecordingError} if one is named and cannot be had */
export function keyHere(): Uint8Array | undefined {
  if (given !== undefined) return given.key;
  const file = fileHere();
  if (file === undefined) return undefined;
  if (known?.file !== file) known = { file, key: readKey(file) };
  return known.key;
}

/** For all threads of this process from now on, before the program. @throws {RecordingError} if one is named and cannot be had */
export function takeKey(): void {
  const file = fileHere();
  keyHere();
  if (file === undefined) return;
  setEnvironmentData(FOR_THREADS, file);
  // And for processes that it starts, wherever they are.
  process.env[KEY_VARIABLE] = file;
}

function fileHere(): string | undefined {
  const taken = getEnvironmentData(FOR_THREADS) as unknown;
  if (typeof taken === 'string') return taken;
  const named = process.env[KEY_VARIABLE];
  return named === undefined || named === '' ? undefined : resolve(named);
}

/** 32 bytes, or 64 hexadecimal digits, or base64. */
export function readKey(file: string): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw wrong(file, `cannot be read: ${(error as Error).message}`, error);
  }
  if (bytes.length === KEY_LENGTH) return bytes;
  const text = bytes.toString('latin1').trim();
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[\w+/-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  throw wrong(file, `has no key: it takes ${KEY_LENGTH} bytes, or these as hexadecimal digits or in base64`);
}

function wrong(file: string, why: string, cause?: unknown): RecordingError {
  return new RecordingError('TT_RECORDING_KEY', `--key or ${KEY_VARIABLE} names ${file}, which ${why}`, {
    file,
    cause,
  });
}
