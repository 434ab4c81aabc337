// Notes in a recording's manifest: how the program was started, and when recording was stopped. Only this file knows
// their keys. Recordings are untrusted, so a note of the wrong type counts as missing.
import type { Json, JsonObject } from '@turntable/recording';

interface ProgramStart {
  readonly start: JsonObject;
  /** Whether the app started with the program, before any call of `start()`. */
  readonly startsWithProgram: boolean;
  readonly isClusterWorker: boolean;
  readonly settings: TransformSettings;
}

interface TransformSettings {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export function createStartNotes({ start, startsWithProgram, isClusterWorker, settings }: ProgramStart): JsonObject {
  return {
    start,
    ...(startsWithProgram && { startsWithProgram: true }),
    ...(isClusterWorker && { cluster: true }),
    ...createSettingsNotes(settings),
  };
}

export function createSettingsNotes({ include, exclude }: TransformSettings): JsonObject {
  return { settings: { include: [...include], exclude: [...exclude] } };
}

/** Options of the app; empty if none were recorded. */
export function readStartOptions({ start }: JsonObject): JsonObject {
  return isObject(start) ? start : {};
}

export function startsWithProgram(notes: JsonObject): boolean {
  return notes['startsWithProgram'] === true;
}

export function isClusterWorker({ cluster }: JsonObject): boolean {
  return cluster === true;
}

export function readTransformSettings({ settings }: JsonObject): TransformSettings {
  const { include, exclude } = isObject(settings) ? settings : {};
  return { include: stringsIn(include), exclude: stringsIn(exclude) };
}

/** Phases in which recording was stopped while the program ran. */
export function readStoppedPhases({ stopped }: JsonObject): readonly number[] {
  return Array.isArray(stopped) ? stopped.filter((phase) => typeof phase === 'number') : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
