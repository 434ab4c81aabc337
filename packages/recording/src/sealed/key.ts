// Key of this process, if any, read once per thread from the file that the environment names. The environment never
// holds the key itself, because traces and child processes get the environment.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { RecordingError } from '../recording-error.ts';
import { KEY_BYTES } from './sealing.ts';

export const KEY_VARIABLE = 'TURNTABLE_KEY';
/** Name of the environment data that tells other threads the key file, whatever the program does to `process.env`. */
const THREAD_DATA_KEY = 'turntable.key';

let cachedKey: { readonly file: string; readonly key: Uint8Array } | undefined;
/** Key that another thread has supplied, if one has. */
let threadKey: { readonly key: Uint8Array | undefined } | undefined;

export function setThreadKey(key: Uint8Array | undefined): void {
  threadKey = { key };
}

/** Returns the key; undefined if no key file is named. @throws {RecordingError} if the key file cannot be read */
export function currentKey(): Uint8Array | undefined {
  if (threadKey !== undefined) return threadKey.key;
  const file = keyFile();
  if (file === undefined) return undefined;
  if (cachedKey?.file !== file) cachedKey = { file, key: readKey(file) };
  return cachedKey.key;
}

/** Shares the key file with later threads, before the program starts. @throws {RecordingError} if it cannot be read */
export function shareKey(): void {
  const file = keyFile();
  currentKey();
  if (file === undefined) return;
  setEnvironmentData(THREAD_DATA_KEY, file);
  // The path is absolute, because child processes may have another working directory.
  process.env[KEY_VARIABLE] = file;
}

/** Path of the key file of this process; undefined if there is none. */
export function keyFile(): string | undefined {
  const sharedFile = getEnvironmentData(THREAD_DATA_KEY) as unknown;
  if (typeof sharedFile === 'string') return sharedFile;
  const configuredFile = process.env[KEY_VARIABLE];
  return configuredFile === undefined || configuredFile === '' ? undefined : resolve(configuredFile);
}

/**
 * Reads a key file: 32 bytes, or the same as hexadecimal digits or base64.
 * @param origin option or variable that names the file, for messages
 */
export function readKey(file: string, origin = `--key or ${KEY_VARIABLE}`): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw keyError(origin, file, `cannot be read: ${(error as Error).message}`, error);
  }
  if (bytes.length === KEY_BYTES) return bytes;
  const content = bytes.toString('latin1').trim();
  if (/^[0-9a-f]{64}$/i.test(content)) return Buffer.from(content, 'hex');
  if (/^[\w+/-]{43}=?$/.test(content)) return Buffer.from(content, 'base64');
  throw keyError(
    origin,
    file,
    `is not a key; a key file has ${KEY_BYTES} bytes, also as hexadecimal digits or in base64`,
  );
}

function keyError(origin: string, file: string, reason: string, cause?: unknown): RecordingError {
  return new RecordingError('TT_RECORDING_KEY', `${origin} names ${file}, which ${reason}`, {
    file,
    cause,
  });
}
