// A recording as one file. One that goes on is packed as far as it has come: traces may grow meanwhile, and are taken as long as they were; what
// retention deletes meanwhile is an error.

import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { rawSource, readWhole } from '../file-source.ts';
import { MANIFEST, parseSourceName, snapshotName, SNAPSHOTS, SOURCES, traceName, TRACES } from '../layout.ts';
import { decodeManifest, MANIFEST_LIMIT } from '../manifest.ts';
import { misuse, missing, RecordingError } from '../recording-error.ts';
import { namesIn, phasesIn, segmentsIn } from '../recordings.ts';
import { WholeFile } from '../whole-file.ts';
import {
  encodeDirectory,
  encodePackedBlock,
  encodePackedHeader,
  PACKED_BLOCK,
  type PackedFile,
} from './packed-format.ts';

/** Bytes that have been dealt with, of how many. */
export type Told = (done: number, of: number) => void;

export interface Packed {
  readonly file: string;
  readonly files: number;
  /** Of all files of the recording, and of the packed one. */
  readonly length: number;
  readonly bytes: number;
}

/** What is packed is mostly compressed already, and is to be sent about: it may take a little longer. */
const LEVEL = 6;
/** Bytes between two looks of the process at what else there is. */
const STRETCH = 16 << 20;

/** @throws {RecordingError} if the recording cannot be read, or the file is there already */
export async function packRecording(directory: string, file: string, told: Told = () => {}): Promise<Packed> {
  if (existsSync(file)) throw misuse(`${file} is there already; name another file, or remove it`);
  const { manifest, grown, sources } = momentOf(directory);
  const files = [{ name: MANIFEST, length: manifest.length }, ...sources, ...grown];
  const length = files.reduce((sum, each) => sum + each.length, 0);
  const output = new PackedOutput(file);
  try {
    output.add(encodeDirectory(files));
    output.add(manifest);
    let [done, rested] = [manifest.length, 0];
    for (const each of files.slice(1))
      for (const bytes of contentOf(directory, each)) {
        output.add(bytes);
        done += bytes.length;
        told(done, length);
        if (done - rested < STRETCH) continue;
        rested = done;
        await turn();
      }
    return { file, files: files.length, length, bytes: output.end() };
  } catch (error) {
    output.abandon();
    throw error;
  }
}

/** What there is of a recording now, which may go on: its manifest, and of its other files how long they are. */
export interface Moment {
  readonly manifest: Uint8Array;
  readonly grown: readonly PackedFile[];
  readonly sources: readonly PackedFile[];
}

export function momentOf(directory: string): Moment {
  // What is named by a manifest is there before it, and what a snapshot needs before that: the other way round nothing is missed.
  const grown = [...tracesIn(directory), ...snapshotsIn(directory)];
  const manifest = readWhole(join(directory, MANIFEST), MANIFEST_LIMIT);
  decodeManifest(manifest, join(directory, MANIFEST));
  return { manifest, grown, sources: sourcesIn(directory) };
}

class PackedOutput {
  readonly #path: string;
  readonly #file: WholeFile;
  readonly #hash = createHash('sha256');
  #place = 0;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#doing(() => new WholeFile(path));
    this.#write(encodePackedHeader());
  }

  add(content: Uint8Array): void {
    for (const piece of encodePackedBlock(content, this.#place, LEVEL)) this.#write(piece);
    this.#place += content.length;
  }

  /** How many bytes that are, all together. */
  end(): number {
    this.#write(this.#hash.digest(), false);
    this.#doing(() => this.#file.commit());
    return this.#bytes;
  }

  abandon(): void {
    this.#file.abandon();
  }

  #write(bytes: Uint8Array, counts = true): void {
    if (counts) this.#hash.update(bytes);
    this.#doing(() => this.#file.write(bytes));
    this.#bytes += bytes.length;
  }

  #doing<R>(write: () => R): R {
    try {
      return write();
    } catch (error) {
      const why = (error as Error).message;
      throw new RecordingError('TT_RECORDING_WRITE', `${this.#path} cannot be written: ${why}`, { cause: error });
    }
  }
}

function tracesIn(directory: string): PackedFile[] {
  return segmentsIn(directory).flatMap((segment) => sized(directory, `${TRACES}/${traceName(segment)}`));
}

function snapshotsIn(directory: string): PackedFile[] {
  return phasesIn(directory).flatMap((phase) => sized(directory, `${SNAPSHOTS}/${snapshotName(phase)}`));
}

function sourcesIn(directory: string): PackedFile[] {
  return namesIn(join(directory, SOURCES))
    .toSorted()
    .flatMap((name) => (parseSourceName(name) === undefined ? [] : sized(directory, `${SOURCES}/${name}`)));
}

/** Nothing, if it has just been deleted. */
function sized(directory: string, name: string): PackedFile[] {
  const stat = statSync(join(directory, name), { throwIfNoEntry: false });
  return stat === undefined ? [] : [{ name, length: stat.size }];
}

function* contentOf(directory: string, { name, length }: PackedFile): Generator<Uint8Array, void, undefined> {
  const path = join(directory, name);
  let source;
  try {
    source = rawSource(path);
  } catch (error) {
    if (!(error instanceof RecordingError && error.code === 'TT_RECORDING_MISSING')) throw error;
    throw missing(path, 'it has just been deleted to make room', 'pack it again, or when the program has ended', error);
  }
  try {
    for (let at = 0; at < length; at += PACKED_BLOCK) yield source.read(at, Math.min(PACKED_BLOCK, length - at));
  } finally {
    source.close();
  }
}
