// What of a process decides how a program formats and sorts, and is not state: it goes on with what there is, and somebody should know.
import type { Manifest } from '@turntable/recording';

type Circumstances = Pick<Manifest, 'timeZone' | 'locale' | 'platform' | 'versions'>;

const WHAT: readonly (readonly [what: string, read: (of: Circumstances) => string | null])[] = [
  ['the time zone', ({ timeZone }) => timeZone],
  ['the locale', ({ locale }) => locale],
  ['the version of ICU', ({ versions }) => versions.icu],
  ['the version of the time zones', ({ versions }) => versions.tz],
  ['the platform', ({ platform }) => platform],
];

/** A sentence for each that is not what it was. */
export function changedCircumstances(were: Circumstances, are: Circumstances): string[] {
  return WHAT.flatMap(([what, read]) => {
    const [was, is] = [read(were), read(are)];
    return was === is ? [] : [`${what} was ${was ?? 'unknown'} and is ${is ?? 'unknown'} here`];
  });
}
