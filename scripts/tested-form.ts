// The form of the packages in processes that tests start, named by TURNTABLE_TESTED: `bundled` by vitest.config.ts,
// `built` by `npm run build`, or `source`, the default.
import { fileURLToPath } from 'node:url';

const FORMS = {
  source: { flags: ['-C', 'turntable-source'], entryFile: (name: string) => `src/${name}.ts` },
  bundled: { flags: ['-C', 'turntable-bundled'], entryFile: (name: string) => `bundled/${name}.js` },
  built: { flags: [], entryFile: (name: string) => `dist/${name}.js` },
} as const;

const form = FORMS[(process.env['TURNTABLE_TESTED'] as keyof typeof FORMS | undefined) ?? 'source'];
const entryUrl = (name: string, packageName = 'turntable'): URL =>
  new URL(`../packages/${packageName}/${form.entryFile(name)}`, import.meta.url);

/** Flags of Node with which programs resolve our packages. */
export const FLAGS: readonly string[] = form.flags;
/** URL for `--import`. */
export const REGISTER: string = entryUrl('register').href;
/** Entry points of the replayer, for tests that start replay processes themselves. */
export const INDEXED_REPLAY: string = entryUrl('indexed-replay', 'replayer').href;
export const REPLAYER_ENTRY: string = entryUrl('entry', 'replayer').href;
/** Internals of `turntable` for such tests. */
export const MACHINERY: string =
  form === FORMS.bundled ? entryUrl('machinery').href : new URL('../test/engine/machinery.ts', import.meta.url).href;
/** Where failures of the recorder's disk are set. */
export const FILE_OPERATIONS: string = entryUrl('file-operations', 'recording').href;
export const CLI: string = fileURLToPath(entryUrl('cli'));
/** Main program of a process that resumes captured state. */
export const RESUME: string = fileURLToPath(entryUrl('resume', 'replayer'));
