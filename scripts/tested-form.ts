// What the processes run that tests start: what vitest.config.ts has made of the sources, the sources themselves where nobody has said otherwise, or what was built
// (`npm run build`). TURNTABLE_TESTED says it: bundled, source, built.
import { fileURLToPath } from 'node:url';

const FORMS = {
  source: { flags: ['-C', 'turntable-source'], entryFile: (name: string) => `src/${name}.ts` },
  bundled: { flags: ['-C', 'turntable-bundled'], entryFile: (name: string) => `bundled/${name}.js` },
  built: { flags: [], entryFile: (name: string) => `dist/${name}.js` },
} as const;

const form = FORMS[(process.env['TURNTABLE_TESTED'] as keyof typeof FORMS | undefined) ?? 'source'];
const entryUrl = (name: string, packageName = 'turntable'): URL =>
  new URL(`../packages/${packageName}/${form.entryFile(name)}`, import.meta.url);

/** Flags of Node's, by which programs find our packages. */
export const FLAGS: readonly string[] = form.flags;
/** For `--import`. */
export const REGISTER: string = entryUrl('register').href;
/** Doors of the replayer, for tests that start replay processes by themselves. */
export const INDEXED_REPLAY: string = entryUrl('indexed-replay', 'replayer').href;
export const REPLAYER_ENTRY: string = entryUrl('entry', 'replayer').href;
/** Internals of `turntable` for such tests. */
export const MACHINERY: string =
  form === FORMS.bundled ? entryUrl('machinery').href : new URL('../test/engine/machinery.ts', import.meta.url).href;
export const CLI: string = fileURLToPath(entryUrl('cli'));
/** What a program begins with that goes on. */
export const RESUME: string = fileURLToPath(entryUrl('resume', 'replayer'));
