// What the processes run that tests start: what vitest.config.ts has made of the sources, the sources themselves where nobody has said otherwise, or what was built
// (`npm run build`). TURNTABLE_TESTED says it: bundled, source, built.
import { fileURLToPath } from 'node:url';

const WAYS = {
  source: { flags: ['-C', 'turntable-source'], door: (name: string) => `src/${name}.ts` },
  bundled: { flags: ['-C', 'turntable-bundled'], door: (name: string) => `bundled/${name}.js` },
  built: { flags: [], door: (name: string) => `dist/${name}.js` },
} as const;

const way = WAYS[(process.env['TURNTABLE_TESTED'] as keyof typeof WAYS | undefined) ?? 'source'];
const door = (name: string, of = 'turntable'): URL => new URL(`../packages/${of}/${way.door(name)}`, import.meta.url);

/** Flags of Node's, by which programs find our packages. */
export const FLAGS: readonly string[] = way.flags;
/** For `--import`. */
export const REGISTER: string = door('register').href;
/** Doors of the replayer, for tests that start replay processes by themselves. */
export const REPLAYER_ENGINE: string = door('engine', 'replayer').href;
export const REPLAYER_ENTRY: string = door('entry', 'replayer').href;
/** Internals of `turntable` for such tests. */
export const MACHINERY: string =
  way === WAYS.bundled ? door('machinery').href : new URL('../test/engine/machinery.ts', import.meta.url).href;
export const CLI: string = fileURLToPath(door('cli'));
/** What a program begins with that goes on. */
export const RESUME: string = fileURLToPath(door('resume', 'replayer'));
