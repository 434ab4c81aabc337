// The notes in a recording's manifest: how its program was started, and where the recording has gaps. Their keys are here only.
// A recording is untrusted: a note of another type counts as none.
import type { Json, JsonObject } from '@turntable/recording';

const WITH_PROGRAM = 'with the program';

interface ProgramStart {
  /** Options of the app. */
  readonly start: JsonObject;
  /** The app began with the program, before it called start(). */
  readonly isWithProgram: boolean;
  /** `node:cluster` has forked the process. */
  readonly isOfCluster: boolean;
  readonly settings: TransformSettings;
}

interface TransformSettings {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export function startNotes({ start, isWithProgram, isOfCluster, settings }: ProgramStart): JsonObject {
  return {
    start,
    ...(isWithProgram && { begins: WITH_PROGRAM }),
    ...(isOfCluster && { cluster: true }),
    ...settingsNotes(settings),
  };
}

export function settingsNotes({ include, exclude }: TransformSettings): JsonObject {
  return { settings: { include: [...include], exclude: [...exclude] } };
}

/** Options of the app; none, if the recording has none. */
export function startIn({ start }: JsonObject): JsonObject {
  return isObject(start) ? start : {};
}

export function isStartedWithProgram({ begins }: JsonObject): boolean {
  return begins === WITH_PROGRAM;
}

export function isStartedByCluster({ cluster }: JsonObject): boolean {
  return cluster === true;
}

/** Which files were transformed. */
export function settingsIn({ settings }: JsonObject): TransformSettings {
  const { include, exclude } = isObject(settings) ? settings : {};
  return { include: textsIn(include), exclude: textsIn(exclude) };
}

/** Phases in which the recording was paused while its program ran on. */
export function stoppedIn({ stopped }: JsonObject): readonly number[] {
  return Array.isArray(stopped) ? stopped.filter((phase) => typeof phase === 'number') : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
