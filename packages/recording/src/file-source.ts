// Random access to an open file. The file stays readable after the writer's retention has deleted it.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { ByteSource } from './byte-source.ts';
import { damagedError, missingError, notAFileError, RecordingError, systemCode } from './recording-error.ts';
import type { RecordingSeal } from './sealed/recording-seal.ts';
import { openSealedSource } from './sealed/sealed-source.ts';

/** Flags for untrusted recordings: a file must be neither a link nor a pipe that blocks on opening. */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function openFile(path: string): number {
  try {
    return openSync(path, OPEN_FLAGS);
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw missingError(path, 'there is no such file', 'it was never written, or retention has deleted it', error);
    throw new RecordingError('TT_RECORDING', `${path} cannot be opened: ${(error as Error).message}`, {
      file: path,
      cause: error,
    });
  }
}

/** Opens the content of a file. @param seal seal of the recording, if it is sealed */
export function openFileSource(path: string, seal?: RecordingSeal): ByteSource {
  const source = openRawSource(path);
  return seal === undefined ? source : openSealedSource(source, seal);
}

/** Opens the bytes of a file as stored. */
export function openRawSource(path: string): ByteSource {
  const descriptor = openFile(path);
  const stat = fstatSync(descriptor);
  if (!stat.isFile()) {
    closeSync(descriptor);
    throw notAFileError(path);
  }
  let isOpen = true;
  return {
    name: path,
    size: stat.size,
    read(offset, length) {
      if (!isOpen) throw new RecordingError('TT_RECORDING_USE', `${path} has been closed; open it again`);
      const bytes = Buffer.allocUnsafeSlow(length);
      let bytesRead = 0;
      while (bytesRead < length) {
        const count = readSome(descriptor, bytes, bytesRead, offset + bytesRead, path);
        if (count === 0)
          throw damagedError(path, offset + bytesRead, `${length - bytesRead} more bytes, but the file was truncated`);
        bytesRead += count;
      }
      return bytes;
    },
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

function readSome(descriptor: number, bytes: Uint8Array, bufferOffset: number, offset: number, path: string): number {
  try {
    return readSync(descriptor, bytes, bufferOffset, bytes.length - bufferOffset, offset);
  } catch (error) {
    throw damagedError(path, offset, `readable bytes, but: ${(error as Error).message}`, error);
  }
}

export function readFile(path: string, limit: number, seal?: RecordingSeal): Uint8Array {
  const source = openFileSource(path, seal);
  try {
    if (source.size > limit) {
      throw new RecordingError(
        'TT_RECORDING_TOO_LARGE',
        `${path} has ${source.size} bytes, more than the limit of ${limit}; it is not part of a recording`,
        { file: path },
      );
    }
    return source.read(0, source.size);
  } finally {
    source.close();
  }
}
