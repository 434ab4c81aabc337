// Verifies a recording with the key of this process: its manifest, its module log, and that its files are its own.
// Contents of files are verified when they are read. A killed process leaves a manifest without a list of files, and
// files that end anywhere; neither is an error.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ByteSource } from '../byte-source.ts';
import { verifyTag } from '../checked-json.ts';
import { MANIFEST_FILE } from '../file-names.ts';
import { openRawSource } from '../file-source.ts';
import type { FileSize } from '../manifest.ts';
import { verifyModuleLog } from '../module-log.ts';
import { RecordingError } from '../recording-error.ts';
import { listDataFileNames, listSourceFiles, type StoredManifest } from '../recordings.ts';
import { currentKey } from './key.ts';
import { sealError } from './seal-errors.ts';
import { sealForReading, type RecordingSeal } from './recording-seal.ts';
import { readSealedHeader } from './sealed-source.ts';

/**
 * Does nothing without a key.
 * @throws {RecordingError} if the key is another one, or the recording is not as it was sealed
 */
export function verifySeal(directory: string, { manifest, logged }: StoredManifest): void {
  if (currentKey() === undefined) return;
  const file = join(directory, MANIFEST_FILE);
  const seal = sealForReading(manifest);
  if (seal === undefined)
    throw sealError(file, 'has no seal, but a key was given', {
      remedy:
        'the recording was made without a key, or was replaced; if you trust it, open it without --key and TURNTABLE_KEY',
    });
  verifyTag(manifest, 'manifest', seal, file);
  verifyModuleLog(directory, manifest, logged, seal);
  for (const name of [...listSourceFiles(directory), ...listDataFileNames(directory)])
    verifyPlace(join(directory, name), seal);
  const [missing] = missingFiles(directory, manifest.files ?? []);
  if (missing !== undefined)
    throw sealError(directory, `is not as it ended: ${missing}`, {
      remedy: 'a file was removed or cut off since then; copy the recording again from where it was made',
    });
}

/** Descriptions of the files that are missing or shorter than listed. Does not read them. */
export function missingFiles(directory: string, files: readonly FileSize[]): string[] {
  return files.flatMap(([name, bytes]) => {
    const size = statSync(join(directory, name), { throwIfNoEntry: false })?.size;
    if (size === undefined) return [`${name} is missing`];
    return size < bytes ? [`${name} is cut off: it has ${size} of ${bytes} bytes`] : [];
  });
}

/** @throws {RecordingError} if the file is not one of the recording */
function verifyPlace(path: string, seal: RecordingSeal): void {
  let source: ByteSource;
  try {
    source = openRawSource(path);
  } catch (error) {
    // Retention has just deleted the file.
    if (error instanceof RecordingError && error.code === 'TT_RECORDING_MISSING') return;
    throw error;
  }
  try {
    readSealedHeader(source, seal);
  } finally {
    source.close();
  }
}
