// Limits on unpacking: a small packed file can hold more than a disk. They are compared with the list of files before
// anything is written. Reading then refuses content beyond the listed lengths, so they hold while files are written.
import { RecordingError } from '../recording-error.ts';

/** Twice the size at which recordings continue without their oldest parts by default. */
const MAX_UNPACKED_BYTES = 2 ** 32;
const MAX_UNPACKED_FILES = 100_000;
/** Maximum size of the files in relation to that of the packed file. Recordings are compressed already. */
const MAX_UNPACK_RATIO = 100;
/** Size up to which the ratio does not matter. */
const MIN_CHECKED_BYTES = 64 << 20;

export interface UnpackLimits {
  /** Maximum size of all files. A given size also replaces the limit on the ratio. */
  readonly maxBytes?: number | undefined;
  readonly maxFiles?: number | undefined;
}

export interface PackedSizes {
  /** Path of the packed file. */
  readonly file: string;
  readonly packedBytes: number;
  /** Size of all files. */
  readonly bytes: number;
  readonly files: number;
}

/** @throws {RecordingError} that names the exceeded limit and the option that raises it */
export function checkUnpackLimits({ file, packedBytes, bytes, files }: PackedSizes, limits: UnpackLimits): void {
  const { maxBytes = MAX_UNPACKED_BYTES, maxFiles = MAX_UNPACKED_FILES } = limits;
  const refuse = (problem: string, option: string): never => {
    const remedy = `if you trust its source, raise the limit with turntable unpack ${option}`;
    throw new RecordingError('TT_RECORDING_TOO_LARGE', `${file} ${problem}; ${remedy}`, { file });
  };
  if (files > maxFiles) refuse(`holds ${files} files, more than the limit of ${maxFiles}`, `--max-files ${files}`);
  if (bytes > maxBytes) refuse(`holds ${bytes} bytes, more than the limit of ${maxBytes}`, `--max-size ${bytes}`);
  if (limits.maxBytes === undefined && bytes > Math.max(MIN_CHECKED_BYTES, MAX_UNPACK_RATIO * packedBytes))
    refuse(
      `holds ${bytes} bytes in ${packedBytes}, more than the limit of ${MAX_UNPACK_RATIO} times`,
      `--max-size ${bytes}`,
    );
}
