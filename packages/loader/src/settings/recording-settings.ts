// The settings of recordings, snapshots and retention: from the config file, or as text from the environment and from
// flags, `every=30s,work=250ms,turns=100000,requests=1000,trace=64MB,signal=SIGUSR2,end`.
import { constants } from 'node:os';
import { DURABILITY_TEXTS, isDurability, type Durability } from '../durability.ts';
import { LoaderError } from '../errors.ts';

/** When to take snapshots, in addition to snapshots that the program takes. */
export interface SnapshotTriggers {
  /** Interval: milliseconds, or text such as `30s`, `5m`, `1h`. */
  readonly every?: number | string;
  /**
   * CPU time since the last snapshot: milliseconds, or text such as `250ms`. At least ten times the time of writing a
   * snapshot.
   */
  readonly work?: number | string;
  /** Number of turns (messages handled) of a thread since the last snapshot. */
  readonly turns?: number;
  /** Number of HTTP requests to a thread since the last snapshot. */
  readonly requests?: number;
  /** Size of the trace since the last snapshot: bytes, or text such as `64MB`. */
  readonly trace?: number | string;
  /** Signal to the process that triggers a snapshot. */
  readonly signal?: NodeJS.Signals;
  /** Whether to take a snapshot before the app is closed. */
  readonly end?: boolean;
}

/**
 * Limits on the snapshots of a recording, with the traces after them, and on the recordings in the directory. The newest
 * snapshot and the newest recording are always kept.
 */
export interface RetentionLimits {
  readonly count?: number;
  /** Maximum age: milliseconds, or text such as `1d`. */
  readonly age?: number | string;
  /** Maximum size: bytes, or text such as `2GB` (the default); `unlimited` for none. */
  readonly bytes?: number | string;
  /** Maximum number of recordings in the directory. */
  readonly recordings?: number;
  /** Maximum size of all recordings: bytes, or text such as `20GB` (the default); `unlimited` for none. */
  readonly total?: number | string;
  /** Keeps a recording only if its program failed. */
  readonly failed?: boolean;
}

/** The value of `bytes` and `total` for no limit. */
export const UNLIMITED = 'unlimited';

/** Limits that hold if none is given. */
export const DEFAULT_RETENTION = { bytes: '2GB', total: '20GB' } as const satisfies RetentionLimits;

/** Whether the program's inputs are recorded, and from when: the start, or the program's call or a signal. */
export type TraceSetting = boolean | 'later' | { readonly later: NodeJS.Signals };

const TIME_UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 2 ** 10,
  mb: 2 ** 20,
  gb: 2 ** 30,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
};

/** Converts a duration to milliseconds; undefined for a value that is not a duration. */
export function millisecondsOf(value: unknown): number | undefined {
  return parseMeasure(value, TIME_UNITS_MS, 'ms');
}

export function bytesOf(value: unknown): number | undefined {
  return parseMeasure(value, SIZE_UNITS, 'b');
}

function parseMeasure(
  value: unknown,
  units: Readonly<Record<string, number>>,
  defaultUnit: string,
): number | undefined {
  if (typeof value === 'number') return value > 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const [, amount, unit = defaultUnit] = /^(\d+(?:\.\d+)?)\s*([a-z]+)?$/i.exec(value.trim()) ?? [];
  const factor = units[unit.toLowerCase()];
  const result = factor === undefined || amount === undefined ? 0 : Number(amount) * factor;
  return result > 0 ? result : undefined;
}

/** Names of the settings that must be positive integers. */
const COUNT_SETTINGS = ['turns', 'requests', 'count', 'recordings'];

/** Maximum delay of a timer. Node fires timers with a longer delay at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type SettingCheck = (value: unknown) => boolean;
const isCount: SettingCheck = (value) => Number.isSafeInteger(value) && (value as number) > 0;

const isSizeLimit: SettingCheck = (value) => value === UNLIMITED || bytesOf(value) !== undefined;

const TRIGGER_CHECKS: Readonly<Record<keyof SnapshotTriggers, SettingCheck>> = {
  every: (value) => (millisecondsOf(value) ?? Infinity) <= MAX_TIMER_MS,
  work: (value) => millisecondsOf(value) !== undefined,
  turns: isCount,
  requests: isCount,
  trace: (value) => bytesOf(value) !== undefined,
  signal: (value) => isSignal(value),
  end: (value) => typeof value === 'boolean',
};

const RETENTION_CHECKS: Readonly<Record<keyof RetentionLimits, SettingCheck>> = {
  count: isCount,
  age: (value) => millisecondsOf(value) !== undefined,
  bytes: isSizeLimit,
  recordings: isCount,
  total: isSizeLimit,
  failed: (value) => typeof value === 'boolean',
};

function acceptsObject(checks: Readonly<Record<string, SettingCheck>>): SettingCheck {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([name, member]) => Object.hasOwn(checks, name) && checks[name]?.(member) === true);
}

const isSignal: SettingCheck = (value) => typeof value === 'string' && Object.hasOwn(constants.signals, value);

export function isTraceSetting(value: unknown): boolean {
  if (typeof value === 'boolean' || value === 'later') return true;
  return typeof value === 'object' && value !== null && acceptsObject({ later: isSignal })(value) && 'later' in value;
}

export const isSnapshotTriggers = acceptsObject(TRIGGER_CHECKS);
export const isRetentionLimits = acceptsObject(RETENTION_CHECKS);
export const TRIGGERS_EXPECTED =
  "an object of every ('30s'), work ('250ms'), turns (100000), requests (1000), trace ('64MB'), signal ('SIGUSR2') and end (true)";
export const RETENTION_EXPECTED =
  "an object of count (20), age ('1d'), bytes ('2GB'), recordings (10), total ('20GB') and failed (true)";

export const TRACE_EXPECTED = "true, false, 'later', or { later: 'SIGUSR2' }";

/** Parses `1`, `0`, `later` and `later=SIGUSR2`. */
export function traceSettingOf(text: string, variable: string): TraceSetting {
  if (text === '1' || text === '0') return text === '1';
  if (text === 'later') return text;
  const signal = text.startsWith('later=') ? text.slice('later='.length) : '';
  if (isSignal(signal)) return { later: signal as NodeJS.Signals };
  throw new LoaderError(
    'TT_CONFIG',
    `${variable} must be 1, 0, later, or later=SIGUSR2, not ${JSON.stringify(text)} (flags: --trace, --later, --later=SIGUSR2)`,
  );
}

export function durabilityOf(text: string, variable: string): Durability {
  if (isDurability(text)) return text;
  throw new LoaderError(
    'TT_CONFIG',
    `--durability (or ${variable}) must be ${DURABILITY_TEXTS}, not ${JSON.stringify(text)}`,
  );
}

/** Parses an environment variable. Throws a `LoaderError` if it is invalid. */
export function triggersOf(text: string, variable: string): SnapshotTriggers {
  const example = 'every=30s,work=250ms,turns=100000,requests=1000,trace=64MB,signal=SIGUSR2,end';
  return parseSetting(text, isSnapshotTriggers, variable, example);
}

export function retentionLimitsOf(text: string, variable: string): RetentionLimits {
  return parseSetting(text, isRetentionLimits, variable, 'count=20,age=1d,bytes=2GB,recordings=10,total=20GB,failed');
}

function parseSetting(text: string, isValid: SettingCheck, variable: string, example: string): object {
  const parts = text.split(',').map((part) => part.trim());
  const entries = parts.filter(Boolean).map((part): [string, unknown] => {
    const equalsIndex = part.indexOf('=');
    if (equalsIndex < 0) return [part, true];
    const value = part.slice(equalsIndex + 1).trim();
    const name = part.slice(0, equalsIndex).trim();
    return [name, COUNT_SETTINGS.includes(name) && /^\d+$/.test(value) ? Number(value) : value];
  });
  const value: object = Object.fromEntries(entries);
  if (isValid(value)) return value;
  const flag = `--${variable.replace('TURNTABLE_', '').toLowerCase()}`;
  throw new LoaderError(
    'TT_CONFIG',
    `${flag} (or ${variable}) must be a list such as ${example}, not ${JSON.stringify(text)}`,
  );
}
