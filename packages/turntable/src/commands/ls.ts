// `turntable ls [DIR]`: lists the recordings of a directory, packed ones included, with program, size and uses.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listRecordings, openRecording, RecordingError, type Manifest } from '@turntable/recording';
import { describePacked, isPackedFile } from '@turntable/recording/packed';
import { LS } from '../command-line/inspect-commands.ts';
import { parseArguments } from './arguments.ts';
import { exitCodeOf, isDirectory, recordingPathProblem, UNREADABLE_EXIT_CODE } from '@turntable/replayer/replay';
import { formatCount, formatSize, sanitizeText } from '@turntable/replayer/entry';
import { reportUsageError } from './failure.ts';
import { print } from '../printing.ts';

const DEFAULT_DIRECTORY = 'recordings';

export interface ListedRecording {
  readonly name: string;
  /** Path of the recording's directory or of the packed file. */
  readonly directory: string;
  readonly isPacked: boolean;
  /** Whether its contents can only be read with a key. */
  readonly isSealed?: boolean;
  /** Whether the recording is sealed and there is no key, so that its manifest may have been changed. */
  readonly isUnverified?: boolean;
  /** Reason why the remaining properties are unknown. */
  readonly reason?: string;
  readonly entry?: string | null;
  readonly created?: string;
  /** Null if the program still runs or was killed. */
  readonly ended?: string | null;
  /** Absent if the program still runs, or was killed. */
  readonly exitCode?: number;
  /** Recording of the process that started this one. */
  readonly parent?: string;
  /** Total size on disk. */
  readonly bytes: number;
  /** Descriptions of missing or damaged parts. */
  readonly missingParts?: readonly string[];
  readonly snapshots?: number;
  readonly workers?: number;
  /** Phases that have traces, ascending; empty without traces. */
  readonly traces?: readonly number[];
  readonly devices?: readonly string[];
}

export function ls(args: readonly string[]): number {
  const parsed = parseArguments(args, LS, { subjectName: 'directory' });
  const [path = DEFAULT_DIRECTORY] = typeof parsed === 'string' ? [] : parsed.positionals;
  const isDefault = typeof parsed !== 'string' && parsed.positionals.length === 0;
  const problem =
    typeof parsed === 'string' ? parsed : isDefault ? missingDirectoryMessage() : recordingPathProblem(path);
  if (typeof parsed === 'string' || problem !== undefined) return reportUsageError('ls', problem);
  const all = recordingsIn(path);
  print(parsed.values.json ? `${JSON.stringify(all)}\n` : listText(all, path));
  return isRecording(path) ? exitCodeFor(all[0]) : 0;
}

function isRecording(path: string): boolean {
  return !isDirectory(path) || existsSync(join(path, 'manifest.json'));
}

/** Exit code for one recording. */
function exitCodeFor(listed: ListedRecording | undefined): number {
  if (listed === undefined || listed.reason !== undefined) return UNREADABLE_EXIT_CODE;
  const { missingParts = [] } = listed;
  return exitCodeOf(missingParts.length > 0 ? 'incomplete' : 'same');
}

function missingDirectoryMessage(): string | undefined {
  if (isDirectory(DEFAULT_DIRECTORY)) return undefined;
  return `there is no directory ${DEFAULT_DIRECTORY} here; create one with turntable record FILE, or list another with turntable ls DIR`;
}

/** Lists recordings from oldest to newest, then packed files. A path to one recording lists only that one. */
export function recordingsIn(path: string): ListedRecording[] {
  if (!isDirectory(path)) return [describePackedFile(path)];
  if (isRecording(path)) return [describeDirectory(path)];
  const packed = readdirSync(path).filter((name) => name.endsWith('.ttr') && isPackedFile(join(path, name)));
  return [
    ...listRecordings(path).map((each) => describeDirectory(each.directory)),
    ...packed.toSorted().map((name) => describePackedFile(join(path, name))),
  ];
}

function describeDirectory(directory: string): ListedRecording {
  const base = { name: basename(directory), directory, bytes: directoryBytes(directory), isPacked: false };
  return describeOrExplain(base, () => {
    const recording = openRecording(directory);
    const { isSealed, isUnverified } = recording;
    // Without the key, the snapshots of a sealed recording can be counted, but not read.
    const snapshots = isSealed ? recording.phases() : recording.snapshots();
    return {
      ...base,
      ...manifestFields(recording.manifest),
      isSealed,
      isUnverified,
      missingParts: [...recording.missingParts(), ...recording.damagedSnapshots.map(({ error }) => error.message)],
      snapshots: snapshots.length,
      traces: [...new Set(recording.traces().flatMap(({ phases }) => phases))].toSorted((a, b) => a - b),
    };
  });
}

function describePackedFile(file: string): ListedRecording {
  const base = { name: basename(file), directory: file, bytes: statSync(file).size, isPacked: true };
  return describeOrExplain(base, () => {
    const { manifest, isUnverified, snapshots, traces } = describePacked(file);
    const isSealed = manifest.seal !== undefined;
    return {
      ...base,
      ...manifestFields(manifest),
      isSealed,
      isUnverified,
      snapshots: snapshots.length,
      traces,
    };
  });
}

function manifestFields(manifest: Manifest): Partial<ListedRecording> {
  const { entry, created, ended, exitCode, workers, devices, parent } = manifest;
  return {
    entry,
    created,
    ended,
    ...(exitCode !== undefined && { exitCode }),
    workers,
    devices: devices.map(String),
    ...(parent !== undefined && { parent }),
  };
}

function describeOrExplain(base: ListedRecording, describe: () => ListedRecording): ListedRecording {
  try {
    return describe();
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { ...base, reason: error.message };
  }
}

/** Total size of the readable files. A file of another user must not keep the recording from being listed. */
function directoryBytes(directory: string): number {
  try {
    return readdirSync(directory, { withFileTypes: true }).reduce((sum, each) => {
      const path = join(directory, each.name);
      if (each.isDirectory()) return sum + directoryBytes(path);
      return sum + (each.isFile() ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0);
    }, 0);
  } catch {
    return 0;
  }
}

function listText(all: readonly ListedRecording[], directory: string): string {
  if (all.length === 0) return `no recordings in ${directory}\n`;
  const rows = all.map((each) => [
    each.name,
    formatSize(each.bytes),
    ...(each.reason === undefined
      ? [programOf(each), formatCount(each.snapshots ?? 0, 'snapshot'), tracesText(each), stateText(each)]
      : [each.reason]),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(
      ...rows.map((row) => (row.length > 3 ? (row[column]?.length ?? 0) : column < 2 ? (row[column]?.length ?? 0) : 0)),
    ),
  );
  const summary = `${formatCount(all.length, 'recording')} in ${directory}, ${formatSize(all.reduce((sum, { bytes }) => sum + bytes, 0))}`;
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i === 1 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [summary, ...lines].map((line) => `${sanitizeText(line)}\n`).join('');
}

function programOf({ entry }: ListedRecording): string {
  if (entry?.startsWith('file:') !== true) return entry ?? 'a program';
  const file = fileURLToPath(entry);
  const nearPath = relative(process.cwd(), file);
  return nearPath.startsWith('..') ? file : nearPath;
}

function tracesText({ traces = [], devices = [] }: ListedRecording): string {
  const [first] = traces;
  if (first === undefined) return 'no traces';
  const tracesFrom = first === 0 ? 'traces' : `traces from ${first} on`;
  return devices.length === 0 ? tracesFrom : `${tracesFrom} without ${devices.join(', ')}`;
}

function stateText(listed: ListedRecording): string {
  const { ended, exitCode = 0, isPacked, isSealed, isUnverified, parent, missingParts = [] } = listed;
  const end = ended === null ? 'not ended' : exitCode === 0 ? 'ended' : `ended with exit code ${exitCode}`;
  const parentText = parent === undefined ? '' : `, started by ${parent}`;
  const attributes = `${isPacked ? ', packed' : ''}${isSealed === true ? ', sealed' : ''}${isUnverified === true ? ', unverified without --key' : ''}`;
  const [missing] = missingParts;
  const others = missingParts.length > 1 ? ` (and ${missingParts.length - 1} more)` : '';
  const missingText = missing === undefined ? '' : `, incomplete: ${missing}${others}`;
  return `${end}${attributes}${parentText}${missingText}`;
}
