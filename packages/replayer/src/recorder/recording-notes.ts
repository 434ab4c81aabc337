// The notes in a recording's manifest: how its program was started, and where the recording has gaps. Their keys are here only.
// A recording is untrusted: a note of another type counts as none.
import type { Json, JsonObject } from '@turntable/recording';

interface ProgramStart {
  /** Options of the app. */
  readonly start: JsonObject;
  /** The app began with the program, before it called start(). */
  readonly startsWithProgram: boolean;
  /** `node:cluster` has forked the process. */
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

/** Options of the app; none, if the recording has none. */
export function readStartOptions({ start }: JsonObject): JsonObject {
  return isObject(start) ? start : {};
}

export function startsWithProgram(notes: JsonObject): boolean {
  return notes['startsWithProgram'] === true;
}

export function isClusterWorker({ cluster }: JsonObject): boolean {
  return cluster === true;
}

/** Which files were transformed. */
export function readTransformSettings({ settings }: JsonObject): TransformSettings {
  const { include, exclude } = isObject(settings) ? settings : {};
  return { include: stringsIn(include), exclude: stringsIn(exclude) };
}

/** Phases in which the recording was paused while its program ran on. */
export function readStoppedPhases({ stopped }: JsonObject): readonly number[] {
  return Array.isArray(stopped) ? stopped.filter((phase) => typeof phase === 'number') : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
