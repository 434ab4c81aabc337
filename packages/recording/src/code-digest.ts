// Digest of the code that a recording or a state brings along. Consent to run it is consent to this digest.
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { MANIFEST_FILE, MODULE_LOG_FILE, SNAPSHOTS_DIRECTORY } from './file-names.ts';
import { OPEN_FLAGS } from './file-source.ts';
import { notAFileError } from './recording-error.ts';

const CHUNK_BYTES = 1 << 20;

/**
 * Returns the digest of everything in a recording that code comes from: the manifest, which has the digests of all
 * sources, the log of modules, and the snapshots. Of a packed recording or a state it is the digest of the file.
 * Rejects if a file cannot be read, and for a directory that is not a recording.
 */
export async function digestCode(path: string): Promise<string> {
  const target = realpathSync(path);
  const files = statSync(target).isDirectory() ? filesWithCode(target) : [target];
  const hash = createHash('sha256');
  for (const file of files) await hashFile(hash, file, relative(target, file));
  return hash.digest('hex');
}

async function hashFile(hash: Hash, file: string, name: string): Promise<void> {
  const handle = await open(file, OPEN_FLAGS);
  try {
    const stat = await handle.stat();
    // Reading a pipe or device might never end.
    if (!stat.isFile()) throw notAFileError(file);
    hash.update(`${JSON.stringify([name, stat.size])}\n`);
    // A file that grows is read up to its size.
    if (stat.size === 0) return;
    const content = handle.createReadStream({ end: stat.size - 1, highWaterMark: CHUNK_BYTES, autoClose: false });
    for await (const chunk of content) hash.update(chunk as Buffer);
  } finally {
    await handle.close();
  }
}

function filesWithCode(recording: string): string[] {
  const moduleLog = join(recording, MODULE_LOG_FILE);
  const snapshots = join(recording, SNAPSHOTS_DIRECTORY);
  const snapshotNames = existsSync(snapshots) ? readdirSync(snapshots).toSorted() : [];
  return [
    join(recording, MANIFEST_FILE),
    ...(existsSync(moduleLog) ? [moduleLog] : []),
    ...snapshotNames.map((name) => join(snapshots, name)),
  ];
}
