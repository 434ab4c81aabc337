// Compares the recorded locale settings with the local ones. Formatting and sorting depend on them, and they are not
// part of a snapshot, so differences cause warnings.
import type { Manifest } from '@turntable/recording';

type LocaleEnvironment = Pick<Manifest, 'timeZone' | 'locale' | 'platform' | 'versions'>;

const ENVIRONMENT_FACTS: readonly (readonly [label: string, read: (of: LocaleEnvironment) => string | null])[] = [
  ['the time zone', ({ timeZone }) => timeZone],
  ['the locale', ({ locale }) => locale],
  ['the version of ICU', ({ versions }) => versions.icu],
  ['the version of the time zones', ({ versions }) => versions.tz],
  ['the platform', ({ platform }) => platform],
];

export function environmentWarnings(recorded: LocaleEnvironment, current: LocaleEnvironment): string[] {
  return ENVIRONMENT_FACTS.flatMap(([label, read]) => {
    const [recordedValue, currentValue] = [read(recorded), read(current)];
    return recordedValue === currentValue
      ? []
      : [`${label} was ${recordedValue ?? 'unknown'} and is ${currentValue ?? 'unknown'} here`];
  });
}
