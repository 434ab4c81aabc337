// What a recording says of itself: what wrote it, with which code, under which circumstances. JSON for people and programs, replaced whole
// whenever something is added. What it lacks or has besides is an error by the name of the field, except under `notes`, which is its users'.

import os from 'node:os';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { damagedError, foreignFormatError } from './recording-error.ts';
import { VERSION } from './version.ts';

/** The host's own: in a program that is recorded others stand in their place, whose answers are the program's. */
const { hostname } = os;
const NativeDate = Date;

export const MANIFEST_FORMAT = 'turntable-recording';
export const MANIFEST_VERSION = 2;
export const MAX_MANIFEST_BYTES = 64 << 20;

export interface Versions {
  readonly turntable: string;
  readonly node: string;
  readonly v8: string;
  /** Null where Node has no full ICU. */
  readonly icu: string | null;
  readonly tz: string | null;
}

/** A module and the SHA-256 of its text, under which `sources` has it. A URL stands here once for each text it had. */
export interface ManifestModule {
  readonly url: string;
  readonly sha256: string;
  /** What besides its text and name decided how it was compiled, where that is anything. */
  readonly settings?: string;
}

/** A snapshot and the directory of its recording. */
export interface SnapshotOrigin {
  readonly recording: string;
  readonly phase: number;
}

export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  readonly version: number;
  /** ISO time. */
  readonly created: string;
  /** ISO time of an orderly end; null while the recording goes on, and for good if the process was killed. */
  readonly ended: string | null;
  /** Why it has ended, if not because the program has: `restored`, in the place of its process the program goes on from a snapshot; the signal by which it has ended itself. */
  readonly endReason: string | null;
  /** What the program has gone on from, if it did not begin anew. */
  readonly restoredFrom: SnapshotOrigin | null;
  /** How often the process had gone on in place before. */
  readonly epoch: number;
  readonly pid: number;
  readonly host: string;
  readonly versions: Versions;
  /** Name of the time zone, whether the environment set it or the machine. */
  readonly timeZone: string;
  readonly locale: string;
  /** As Node calls it: `linux-x64`. */
  readonly platform: string;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  /** Those variables that the caller chose, and only if they were set. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** URL of the entry point. */
  readonly entry: string | null;
  readonly workers: number;
  readonly devices: readonly Json[];
  readonly notes: JsonObject;
  readonly modules: readonly ManifestModule[];
  /** Of each installed package that was reached the URL of its directory and its version, with a space between. */
  readonly packages?: readonly string[];
  /** Name of the recording of the process that has started this one, directly or by others, if that was recorded. */
  readonly parent?: string;
  /** Of the process, if it has ended by itself, whatever by. */
  readonly exitCode?: number;
  /** Names of what has been taken out of it, if anything has: then it is to be looked at, and no run that can be had again. */
  readonly redacted?: readonly string[];
}

/** What may be changed after the start. */
export type ManifestPatch = Partial<
  Pick<Manifest, 'entry' | 'workers' | 'devices' | 'notes' | 'packages' | 'exitCode'>
>;

export interface ProcessDescription {
  /** Version of Turntable. */
  readonly turntable: string;
  /** Names of the environment variables that are recorded. `TZ` always is, no other one: they hold secrets. */
  readonly env?: readonly string[];
  readonly entry?: string | null;
  /** Of the program, if the process was started with others. */
  readonly argv?: readonly string[] | undefined;
  readonly workers: number;
  readonly restoredFrom?: SnapshotOrigin | undefined;
  readonly epoch?: number;
  readonly parent?: string | undefined;
  readonly devices?: readonly Json[];
  readonly notes?: JsonObject;
}

/** The manifest of a recording of this process that begins now. */
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

export function encodeManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(JSON.stringify(manifest, undefined, 2) + '\n');
}

export function decodeManifest(bytes: Uint8Array, file: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw damagedError(file, 0, 'JSON in UTF-8', error);
  }
  if (!isJsonObject(value) || value['format'] !== MANIFEST_FORMAT)
    throw foreignFormatError(file, 0, `${file} is not the manifest of a recording`);
  // Before any other check: fields of another format are none of this one's.
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
  return value as unknown as Manifest;
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
/** `may`: those that may be left out. */
const objectOf = (checks: FieldChecks, expected: string, optional: FieldChecks = {}): FieldCheck => ({
  expected,
  accepts: (value) =>
    isJsonObject(value) &&
    Object.entries(checks).every(([name, check]) => Object.hasOwn(value, name) && check.accepts(value[name])) &&
    Object.entries(optional).every(([name, check]) => !Object.hasOwn(value, name) || check.accepts(value[name])),
});
/** A digest is the name of a file: nothing else may be in its place. */
const digestCheck: FieldCheck = {
  expected: 'a SHA-256',
  accepts: (value) => typeof value === 'string' && isSha256(value),
};

const FIELD_CHECKS: Readonly<Record<Exclude<keyof Manifest, keyof typeof OPTIONAL_FIELD_CHECKS>, FieldCheck>> = {
  format: stringCheck,
  version: countCheck,
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
  entry: nullable(stringCheck),
  workers: countCheck,
  devices: listOf(anyCheck, 'a list'),
  notes: objectCheck,
  modules: listOf(
    objectOf({ url: stringCheck, sha256: digestCheck }, 'a module', { settings: stringCheck }),
    'modules with their SHA-256',
  ),
};

/** Those that may be left out. */
const OPTIONAL_FIELD_CHECKS = {
  redacted: listOf(stringCheck, 'texts'),
  packages: listOf(stringCheck, 'texts'),
  parent: stringCheck,
  exitCode: countCheck,
};

export function isSha256(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value);
}
