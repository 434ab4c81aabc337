// `turntable unpack FILE`: unpacks a recording into a directory next to the others.
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { bytesOf } from '@turntable/loader';
import { unpackRecording, type UnpackedRecording, type UnpackOptions } from '@turntable/recording/packed';
import { UNPACK } from '../command-line/maintain-commands.ts';
import { ageError } from '../age/age-error.ts';
import { readAgeHeader } from '../age/age-header.ts';
import { parseArguments } from './arguments.ts';
import { isDirectory, ProgressLine, TemporaryDirectory } from '@turntable/replayer/replay';
import { formatCount, formatSize } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './failure.ts';
import { print } from '../printing.ts';

const DEFAULT_DIRECTORY = 'recordings';

export async function unpack(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, UNPACK, { subjectName: 'file', maxPositionals: 2 });
  const [file, target = DEFAULT_DIRECTORY] = typeof parsed === 'string' ? [] : parsed.positionals;
  if (typeof parsed === 'string' || file === undefined)
    return reportUsageError('unpack', typeof parsed === 'string' ? parsed : 'which file?');
  if (!existsSync(file)) return reportUsageError('unpack', `there is no file ${file}`);
  const { identity: identities, json, 'max-size': maxSize, 'max-files': maxFiles } = parsed.values;
  const limits = parseLimits(maxSize, maxFiles);
  if (typeof limits === 'string') return reportUsageError('unpack', limits);
  const progress = new ProgressLine();
  const onProgress: UnpackOptions['onProgress'] = (done, total) =>
    progress.show(() => `unpacking ${formatSize(done)} of ${formatSize(total)}`);
  try {
    if (identities.length === 0) checkNotEncrypted(file);
    const options = { ...limits, onProgress };
    const unpacked =
      identities.length === 0
        ? await unpackRecording(file, resolve(target), options)
        : await unpackEncrypted(file, resolve(target), identities, options);
    progress.clear();
    print(json ? `${JSON.stringify(unpacked)}\n` : resultText(unpacked));
    return 0;
  } catch (error) {
    progress.clear();
    return reportFailure('unpack', file, error);
  }
}

/** Parses the limits; returns the usage problem, if any. */
function parseLimits(size: string | undefined, files: string | undefined): UnpackOptions | string {
  const maxBytes = size === undefined ? undefined : bytesOf(size);
  if (size !== undefined && maxBytes === undefined) return `--max-size must be a size such as 10GB, not "${size}"`;
  if (files !== undefined && !/^\d{1,15}$/.test(files)) return `--max-files must be a number, not "${files}"`;
  return { maxBytes, maxFiles: files === undefined ? undefined : Number(files) };
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
  options: UnpackOptions,
): Promise<UnpackedRecording> {
  const [{ createDecrypter }, { decryptFile }] = await Promise.all([
    import('../age/age-keys.ts'),
    import('../age/decrypt-file.ts'),
  ]);
  const decrypter = createDecrypter(identities);
  const parent = dirname(target);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  using room = new TemporaryDirectory(join(parent, '.unpacking-'));
  const packed = join(room.path, basename(file, '.age'));
  await decryptFile(file, packed, decrypter);
  return await unpackRecording(packed, target, options);
}

function resultText({ directory, files, bytes }: UnpackedRecording): string {
  return `${directory}: ${formatCount(files, 'file')}, ${formatSize(bytes)}\n`;
}
