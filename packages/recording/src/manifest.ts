// Description of a recording: its process, code and environment. A JSON file that is replaced whole on every change. A
// missing field is an error, and so is an invalid value. The content of `notes` belongs to the users and is not
// checked.

import crypto from 'node:crypto';
import os from 'node:os';
import { withChecks, withoutChecksum } from './checked-json.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { damagedError, foreignFormatError } from './recording-error.ts';
import { isTag, type RecordingSeal } from './sealed/recording-seal.ts';
import { VERSION } from './version.ts';

// Node's own functions. A recorded program gets substitutes, whose results are part of its trace.
const { hostname } = os;
const { randomBytes } = crypto;
const NativeDate = Date;

export const MANIFEST_FORMAT = 'turntable-recording';
export const MANIFEST_VERSION = 4;
export const MAX_MANIFEST_BYTES = 64 << 20;
/** Size of the id of a recording. */
const ID_BYTES = 16;

export interface Versions {
  readonly turntable: string;
  readonly node: string;
  readonly v8: string;
  /** Null if Node lacks full ICU. */
  readonly icu: string | null;
  readonly tz: string | null;
}

/** A module, and the SHA-256 under which `sources` holds its text. A URL is listed once for each of its texts. */
export interface ManifestModule {
  readonly url: string;
  readonly sha256: string;
  /** Settings that affect the compilation, if any. */
  readonly settings?: string;
}

/** Path of a file in the recording's directory, with slashes, and its size. */
export type FileSize = readonly [name: string, bytes: number];

/** The snapshot from which the program was restored. */
export interface SnapshotOrigin {
  readonly recording: string;
  readonly phase: number;
}

export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  readonly version: number;
  /** Random hexadecimal digits, to which the parts of a sealed recording are bound. */
  readonly id: string;
  /** ISO time at which the recording was created. */
  readonly created: string;
  /** ISO time of a normal end; null during recording and after a kill. */
  readonly ended: string | null;
  /**
   * Why recording ended before the program: `restored` if a restored epoch continues, the signal that ended the
   * process, or the reason of a pause.
   */
  readonly endReason: string | null;
  /** The snapshot from which the program was restored, if any. */
  readonly restoredFrom: SnapshotOrigin | null;
  /** Number of the epoch: how often state was restored into this process before. */
  readonly epoch: number;
  readonly pid: number;
  readonly host: string;
  readonly versions: Versions;
  /** Time zone of the process, set by the environment or the machine. */
  readonly timeZone: string;
  readonly locale: string;
  /** Platform and architecture in Node's terms: `linux-x64`. */
  readonly platform: string;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  /** Values of the environment variables that the caller selected. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** URL of the program's entry point. */
  readonly entry: string | null;
  readonly workers: number;
  readonly devices: readonly Json[];
  readonly notes: JsonObject;
  readonly modules: readonly ManifestModule[];
  /** Loaded packages: each is the URL of its directory and its version, separated by a space. */
  readonly packages?: readonly string[];
  /** URLs of the files outside of packages that were loaded natively, such as excluded ones. Their texts are not recorded. */
  readonly deviceFiles?: readonly string[];
  /** Recording of the nearest recorded ancestor process. */
  readonly parent?: string;
  /** Exit code, if the process ended by itself. */
  readonly exitCode?: number;
  /** Sources of output that is neither recorded nor compared, such as child processes. */
  readonly unseenOutput?: readonly string[];
  /**
   * All data files of an ended recording, with their sizes. Sources of modules are left out, because `modules` lists
   * them.
   */
  readonly files?: readonly FileSize[];
  /**
   * The first recorded phase, after recording began later or retention deleted the start; null before recording
   * begins; left out if the start of the program is recorded.
   */
  readonly firstPhase?: number | null;
  /** Names of redacted values, if any. A redacted recording can be inspected but not replayed. */
  readonly redacted?: readonly string[];
  /** Tag of all other fields, in a sealed recording. */
  readonly seal?: string;
}

/** Fields that may change after the start. */
export type ManifestPatch = Partial<
  Pick<Manifest, 'entry' | 'workers' | 'devices' | 'notes' | 'packages' | 'deviceFiles' | 'exitCode' | 'unseenOutput'>
>;

export interface ProcessDescription {
  /** Version of Turntable that records. */
  readonly turntable: string;
  /** Names of recorded environment variables. Only `TZ` is implied, because others may hold secrets. */
  readonly env?: readonly string[];
  readonly entry?: string | null;
  /** Arguments of the program, if they differ from those of the process. */
  readonly argv?: readonly string[] | undefined;
  readonly workers: number;
  readonly restoredFrom?: SnapshotOrigin | undefined;
  readonly epoch?: number;
  readonly parent?: string | undefined;
  readonly devices?: readonly Json[];
  readonly notes?: JsonObject;
}

/** Returns the manifest of a recording of this process that starts now. */
export function describeProcess(description: ProcessDescription): Manifest {
  const { versions, argv, execArgv, pid, env } = process;
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
  const variables = ['TZ', ...(description.env ?? [])].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    format: MANIFEST_FORMAT,
    version: MANIFEST_VERSION,
    id: newRecordingId(),
    created: new NativeDate().toISOString(),
    ended: null,
    endReason: null,
    restoredFrom: description.restoredFrom ?? null,
    epoch: description.epoch ?? 0,
    ...(description.parent !== undefined && { parent: description.parent }),
    pid,
    host: hostname(),
    versions: {
      turntable: description.turntable,
      node: versions.node,
      v8: versions.v8,
      icu: versions['icu'] ?? null,
      tz: versions['tz'] ?? null,
    },
    timeZone,
    locale,
    platform: `${process.platform}-${process.arch}`,
    argv: [...(description.argv ?? argv)],
    execArgv: [...execArgv],
    env: Object.fromEntries(variables),
    cwd: process.cwd(),
    entry: description.entry ?? null,
    workers: description.workers,
    devices: description.devices ?? [],
    notes: description.notes ?? {},
    modules: [],
  };
}

export function newRecordingId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

/** @param seal seal of the recording, if it is sealed */
export function encodeManifest(manifest: Manifest, seal?: RecordingSeal): Uint8Array {
  const { seal: _, ...fields } = manifest;
  return Buffer.from(`${JSON.stringify(withChecks(fields, 'manifest', seal), undefined, 2)}\n`);
}

/** Decodes a manifest. Its seal is not verified. */
export function decodeManifest(bytes: Uint8Array, file: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw damagedError(file, 0, 'JSON in UTF-8', error);
  }
  if (!isJsonObject(value) || value['format'] !== MANIFEST_FORMAT)
    throw foreignFormatError(file, 0, `${file} is not the manifest of a recording; name the directory of a recording`);
  // The version must be checked first: other formats have other fields.
  if (value['version'] !== MANIFEST_VERSION)
    throw foreignFormatError(
      file,
      0,
      `recorded by ${writerOf(value)} (format ${JSON.stringify(value['version'])}); this is ${VERSION} (format ${MANIFEST_VERSION}); replay it with that version`,
    );
  for (const [field, check] of Object.entries(FIELD_CHECKS)) {
    if (!Object.hasOwn(value, field) || !check.accepts(value[field]))
      throw damagedError(file, 0, `${check.expected} in the field ${field}`);
  }
  for (const [field, check] of Object.entries(OPTIONAL_FIELD_CHECKS))
    if (Object.hasOwn(value, field) && !check.accepts(value[field]))
      throw damagedError(file, 0, `${check.expected} in the field ${field}`);
  const fields = withoutChecksum(value);
  if (fields === undefined)
    throw damagedError(
      file,
      0,
      'the checksum of the other fields',
      undefined,
      'the manifest was edited or is damaged; copy the recording again from where it was made',
    );
  return fields as Manifest;
}

function writerOf({ versions }: Readonly<Record<string, unknown>>): string {
  const version = isJsonObject(versions) ? versions['turntable'] : undefined;
  return typeof version === 'string' ? `Turntable ${version}` : 'another version of Turntable';
}

interface FieldCheck {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

type FieldChecks = Readonly<Record<string, FieldCheck>>;

const stringCheck: FieldCheck = { expected: 'a text', accepts: (value) => typeof value === 'string' };
const countCheck: FieldCheck = {
  expected: 'a count',
  accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const timeCheck: FieldCheck = {
  expected: 'a time',
  accepts: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
};
const anyCheck: FieldCheck = { expected: 'a value', accepts: () => true };
const objectCheck: FieldCheck = { expected: 'an object', accepts: isJsonObject };
const nullable = (inner: FieldCheck): FieldCheck => ({
  expected: `${inner.expected} or null`,
  accepts: (value) => value === null || inner.accepts(value),
});
const listOf = (elementCheck: FieldCheck, expected: string): FieldCheck => ({
  expected,
  accepts: (value) => Array.isArray(value) && value.every((each) => elementCheck.accepts(each)),
});
/** @param optional checks of the optional fields */
const objectOf = (checks: FieldChecks, expected: string, optional: FieldChecks = {}): FieldCheck => ({
  expected,
  accepts: (value) =>
    isJsonObject(value) &&
    Object.entries(checks).every(([name, check]) => Object.hasOwn(value, name) && check.accepts(value[name])) &&
    Object.entries(optional).every(([name, check]) => !Object.hasOwn(value, name) || check.accepts(value[name])),
});
/** Accepts only a SHA-256, because a digest is used as a file name. */
const digestCheck: FieldCheck = {
  expected: 'a SHA-256',
  accepts: (value) => typeof value === 'string' && isSha256(value),
};

const idCheck: FieldCheck = {
  expected: 'an id',
  accepts: (value) => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value),
};

/** Not every URL with the scheme `file:` has a path. */
const urlCheck: FieldCheck = {
  expected: 'a path or URL',
  accepts: (value) => typeof value === 'string' && isPathOrUrl(value),
};

const fileCheck: FieldCheck = {
  expected: 'a file and its size',
  accepts: (value) => Array.isArray(value) && stringCheck.accepts(value[0]) && countCheck.accepts(value[1]),
};

const FIELD_CHECKS: Readonly<Record<Exclude<keyof Manifest, keyof typeof OPTIONAL_FIELD_CHECKS>, FieldCheck>> = {
  format: stringCheck,
  version: countCheck,
  id: idCheck,
  created: timeCheck,
  ended: nullable(timeCheck),
  endReason: nullable(stringCheck),
  restoredFrom: nullable(objectOf({ recording: stringCheck, phase: countCheck }, 'a recording and a phase')),
  epoch: countCheck,
  pid: countCheck,
  host: stringCheck,
  versions: objectOf(
    {
      turntable: stringCheck,
      node: stringCheck,
      v8: stringCheck,
      icu: nullable(stringCheck),
      tz: nullable(stringCheck),
    },
    'versions',
  ),
  timeZone: stringCheck,
  locale: stringCheck,
  platform: stringCheck,
  argv: listOf(stringCheck, 'texts'),
  execArgv: listOf(stringCheck, 'texts'),
  env: {
    expected: 'texts by name',
    accepts: (value) => isJsonObject(value) && Object.values(value).every((each) => stringCheck.accepts(each)),
  },
  cwd: stringCheck,
  entry: nullable(urlCheck),
  workers: countCheck,
  devices: listOf(anyCheck, 'a list'),
  notes: objectCheck,
  modules: listOf(
    objectOf({ url: urlCheck, sha256: digestCheck }, 'a module', { settings: stringCheck }),
    'modules with their SHA-256',
  ),
};

const OPTIONAL_FIELD_CHECKS = {
  unseenOutput: listOf(stringCheck, 'texts'),
  files: listOf(fileCheck, 'files with their sizes'),
  firstPhase: nullable(countCheck),
  redacted: listOf(stringCheck, 'texts'),
  packages: listOf(stringCheck, 'texts'),
  deviceFiles: listOf(stringCheck, 'texts'),
  parent: stringCheck,
  exitCode: countCheck,
  seal: { expected: 'a tag', accepts: (value) => typeof value === 'string' && isTag(value) } satisfies FieldCheck,
};

/** Whether a text is a path, the URL of a local file, or any other URL. */
export function isPathOrUrl(value: string): boolean {
  if (!value.startsWith('file:')) return true;
  try {
    const { host, pathname } = new URL(value);
    return host === '' && !/%2f|%00/i.test(pathname) && decodeURIComponent(pathname) !== '';
  } catch {
    return false;
  }
}

export function isSha256(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value);
}
