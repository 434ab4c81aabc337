// `turntable unpack FILE`: unpacks a recording into a directory next to the others.
import { existsSync, mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { unpackRecording, type PackProgress, type UnpackedRecording } from '@turntable/recording/packed';
import { UNPACK } from '../command-line/maintain-commands.ts';
import { ageError } from '../age/age-error.ts';
import { readAgeHeader } from '../age/age-header.ts';
import { parseArguments } from './arguments.ts';
import { isDirectory, ProgressLine, TemporaryDirectory } from '@turntable/replayer/replay';
import { formatCount, formatSize } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './failure.ts';

const DEFAULT_DIRECTORY = 'recordings';

export async function unpack(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, UNPACK, { subjectName: 'file', maxPositionals: 2 });
  const [file, target = DEFAULT_DIRECTORY] = typeof parsed === 'string' ? [] : parsed.positionals;
  if (typeof parsed === 'string' || file === undefined)
    return reportUsageError('unpack', typeof parsed === 'string' ? parsed : 'which file?');
  if (!existsSync(file)) return reportUsageError('unpack', `there is no file ${file}`);
  const { identity: identities, json } = parsed.values;
  const progress = new ProgressLine();
  const onProgress: PackProgress = (done, total) =>
    progress.show(() => `unpacking ${formatSize(done)} of ${formatSize(total)}`);
  try {
    if (identities.length === 0) checkNotEncrypted(file);
    const unpacked =
      identities.length === 0
        ? await unpackRecording(file, resolve(target), onProgress)
        : await unpackEncrypted(file, resolve(target), identities, onProgress);
    progress.clear();
    process.stdout.write(json ? `${JSON.stringify(unpacked)}\n` : resultText(unpacked));
    return 0;
  } catch (error) {
    progress.clear();
    return reportFailure('unpack', file, error);
  }
}

function checkNotEncrypted(file: string): void {
  if (isDirectory(file) || readAgeHeader(file) === undefined) return;
  throw ageError(file, `${file} is encrypted with age; name the file with your identity: --identity FILE`);
}

/** Decrypts the file beside the target, so that nothing is unpacked before all of it is verified. */
async function unpackEncrypted(
  file: string,
  target: string,
  identities: readonly string[],
  onProgress: PackProgress,
): Promise<UnpackedRecording> {
  const [{ createDecrypter }, { decryptFile }] = await Promise.all([
    import('../age/age-keys.ts'),
    import('../age/decrypt-file.ts'),
  ]);
  const decrypter = createDecrypter(identities);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  using room = new TemporaryDirectory(join(target, '.unpacking-'));
  const packed = join(room.path, basename(file, '.age'));
  await decryptFile(file, packed, decrypter);
  return await unpackRecording(packed, target, onProgress);
}

function resultText({ directory, files, bytes }: UnpackedRecording): string {
  return `${directory}: ${formatCount(files, 'file')}, ${formatSize(bytes)}\n`;
}
