// What a recording says of itself: what wrote it, with which code, under which circumstances. JSON for people and programs, replaced whole
// whenever something is added. What it lacks or has besides is an error by the name of the field, except under `notes`, which is its users'.

import os from 'node:os';
import { isObject, type Json, type JsonObject } from './json.ts';
import { damaged, foreign } from './recording-error.ts';
import { VERSION } from './version.ts';

/** The host's own: in a program that is recorded others stand in their place, whose answers are the program's. */
const { hostname } = os;
const NativeDate = Date;

export const MANIFEST_FORMAT = 'turntable-recording';
export const MANIFEST_VERSION = 2;
export const MANIFEST_LIMIT = 64 << 20;

export interface Versions {
  readonly turntable: string;
  readonly node: string;
  readonly v8: string;
  /** Null where Node has no full ICU. */
  readonly icu: string | null;
  readonly tz: string | null;
}

/** A module and the SHA-256 of its text, under which `sources` has it. A URL stands here once for each text it had. */
export interface ModuleEntry {
  readonly url: string;
  readonly sha256: string;
  /** What besides its text and name decided how it was compiled, where that is anything. */
  readonly settings?: string;
}

/** A snapshot and the directory of its recording. */
export interface Origin {
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
  readonly why: string | null;
  /** What the program has gone on from, if it did not begin anew. */
  readonly continues: Origin | null;
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
  readonly modules: readonly ModuleEntry[];
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
  readonly continues?: Origin | undefined;
  readonly epoch?: number;
  readonly parent?: string | undefined;
  readonly devices?: readonly Json[];
  readonly notes?: JsonObject;
}

/** The manifest of a recording of this process that begins now. */
export function describeProcess(description: ProcessDescription): Manifest {
  const { versions, argv, execArgv, pid, env } = process;
  const { timeZone, locale } = new Intl.DateTimeFormat().resolvedOptions();
  const named = ['TZ', ...(description.env ?? [])].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    format: MANIFEST_FORMAT,
    version: MANIFEST_VERSION,
    created: new NativeDate().toISOString(),
    ended: null,
    why: null,
    continues: description.continues ?? null,
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
    env: Object.fromEntries(named),
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
    throw damaged(file, 0, 'JSON in UTF-8', error);
  }
  if (!isObject(value) || value['format'] !== MANIFEST_FORMAT)
    throw foreign(file, 0, `${file} is not the manifest of a recording`);
  // Before any other check: fields of another format are none of this one's.
  if (value['version'] !== MANIFEST_VERSION)
    throw foreign(
      file,
      0,
      `recorded by ${makerOf(value)} (format ${JSON.stringify(value['version'])}); this is ${VERSION} (format ${MANIFEST_VERSION}); replay it with that version`,
    );
  for (const [field, check] of Object.entries(FIELDS)) {
    if (!Object.hasOwn(value, field) || !check.holds(value[field]))
      throw damaged(file, 0, `${check.what} in the field ${field}`);
  }
  for (const [field, check] of Object.entries(MAY))
    if (Object.hasOwn(value, field) && !check.holds(value[field]))
      throw damaged(file, 0, `${check.what} in the field ${field}`);
  return value as unknown as Manifest;
}

function makerOf({ versions }: Readonly<Record<string, unknown>>): string {
  const maker = isObject(versions) ? versions['turntable'] : undefined;
  return typeof maker === 'string' ? `Turntable ${maker}` : 'another version of Turntable';
}

interface Check {
  readonly what: string;
  holds(value: unknown): boolean;
}

type Checks = Readonly<Record<string, Check>>;

const text: Check = { what: 'a text', holds: (value) => typeof value === 'string' };
const count: Check = { what: 'a count', holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0 };
const time: Check = {
  what: 'a time',
  holds: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
};
const anything: Check = { what: 'a value', holds: () => true };
const object: Check = { what: 'an object', holds: isObject };
const orNull = (check: Check): Check => ({
  what: `${check.what} or null`,
  holds: (value) => value === null || check.holds(value),
});
const listOf = (check: Check, what: string): Check => ({
  what,
  holds: (value) => Array.isArray(value) && value.every((each) => check.holds(each)),
});
/** `may`: those that may be left out. */
const fields = (checks: Checks, what: string, may: Checks = {}): Check => ({
  what,
  holds: (value) =>
    isObject(value) &&
    Object.entries(checks).every(([name, check]) => Object.hasOwn(value, name) && check.holds(value[name])) &&
    Object.entries(may).every(([name, check]) => !Object.hasOwn(value, name) || check.holds(value[name])),
});
/** A digest is the name of a file: nothing else may be in its place. */
const digest: Check = { what: 'a SHA-256', holds: (value) => typeof value === 'string' && isDigest(value) };

const FIELDS: Readonly<Record<Exclude<keyof Manifest, keyof typeof MAY>, Check>> = {
  format: text,
  version: count,
  created: time,
  ended: orNull(time),
  why: orNull(text),
  continues: orNull(fields({ recording: text, phase: count }, 'a recording and a phase')),
  epoch: count,
  pid: count,
  host: text,
  versions: fields({ turntable: text, node: text, v8: text, icu: orNull(text), tz: orNull(text) }, 'versions'),
  timeZone: text,
  locale: text,
  platform: text,
  argv: listOf(text, 'texts'),
  execArgv: listOf(text, 'texts'),
  env: {
    what: 'texts by name',
    holds: (value) => isObject(value) && Object.values(value).every((each) => text.holds(each)),
  },
  cwd: text,
  entry: orNull(text),
  workers: count,
  devices: listOf(anything, 'a list'),
  notes: object,
  modules: listOf(fields({ url: text, sha256: digest }, 'a module', { settings: text }), 'modules with their SHA-256'),
};

/** Those that may be left out. */
const MAY = { redacted: listOf(text, 'texts'), packages: listOf(text, 'texts'), parent: text, exitCode: count };

export function isDigest(value: string): boolean {
  return /^[0-9a-f]{64}$/.test(value);
}
