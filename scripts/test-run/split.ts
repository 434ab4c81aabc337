// Which Node version runs which test file. What depends on V8 or on Node's API runs on every version: transformed
// programs, promises, captures of frames and objects, the membrane, workers and exits. All other files run on one
// version, about half of the time on each, so that each version also has tests of every part. `npm test -- PATTERN`,
// `npm run test:24` and `npm run test:26` ignore these tables. `test/house/split.test.ts` checks them.
import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { majors, root } from '../node-release.mjs';

/** Paths without `.test.ts`, where `*` matches any name in a folder. */
type TestFiles = readonly string[];

export const ON_EVERY_VERSION: TestFiles = [
  'packages/boundary/test/*',
  'packages/boundary/test/membrane/*',
  'packages/core/test/*',
  'packages/core/test/modules/*',
  'packages/fastify/test/*',
  'packages/heap/test/*',
  'packages/loader/test/fatal-exceptions',
  'packages/loader/test/node-shims',
  'packages/loader/test/programs',
  'packages/loader/test/services',
  'packages/loader/test/user-error',
  'packages/program-state/test/*',
  'packages/replayer/test/taped/taped',
  'packages/runtime/test/eventuals',
  'packages/runtime/test/stack-frames',
  'packages/runtime/test/transport/ring',
  'packages/transform/test/*',
  'test/capture/*',
  'test/debug/caught',
  'test/debug/statements',
  'test/house/start',
  'test/outside/declared',
  'test/programs/programs',
  'test/recordings/closed',
  'test/replay/environment-files',
  'test/replay/exit-codes',
];

/** Takes precedence over `ON_EVERY_VERSION`. Files in neither table run on the first version only. */
export const ON_ONE_VERSION: Readonly<Record<number, TestFiles>> = {
  24: [
    'packages/heap/test/damage',
    'packages/heap/test/incremental-capture',
    'packages/heap/test/moved-programs',
    'packages/transform/test/debug-form',
    'test/capture/random-values',
  ],
  26: [
    'apps/debugger/test/browser-start',
    'apps/debugger/test/lists',
    'bench/jardis/*',
    'examples/acmeair/test/recorded',
    'packages/core/test/promises-aplus',
    'packages/devtools/test/*',
    'packages/program-state/test/interrupted',
    'packages/recording/test/file-faults',
    'packages/recording/test/flushed-traces',
    'packages/recording/test/trace-limits',
    'packages/recording/test/traces',
    'packages/transform/test/programs',
    'packages/turntable/test/*',
    'test/actors/*',
    'test/bundlers/*',
    'test/capture/damage',
    'test/capture/interruption/behaviour',
    'test/capture/interruption/interruption',
    'test/dap/acmeair',
    'test/dap/kinds',
    'test/dap/session',
    'test/debug/gdb-tasks',
    'test/debug/undo',
    'test/devtools/front-end',
    'test/devtools/session',
    'test/engine/asking',
    'test/engine/calls-out',
    'test/engine/exceptions',
    'test/engine/kinds',
    'test/engine/promises',
    'test/engine/refused',
    'test/engine/requests',
    'test/engine/service-states',
    'test/engine/states',
    'test/engine/watch',
    'test/engine/wrote',
    'test/house/readmes',
    'test/libraries/*',
    'test/outside/endurance',
    'test/outside/fastify',
    'test/outside/faults',
    'test/outside/forked',
    'test/outside/kept-data',
    'test/outside/services',
    'test/recordings/cuts',
    'test/recordings/durability',
    'test/recordings/elsewhere',
    'test/recordings/faults',
    'test/recordings/later',
    'test/recordings/packed',
    'test/recordings/recordings',
    'test/recordings/resumed',
    'test/recordings/revival',
    'test/replay/faults',
    'test/replay/incomplete',
    'test/replay/on-main',
    'test/replay/output',
    'test/replay/racy',
    'test/replay/savina',
    'test/replay/suite',
    'test/replay/tools',
    'test/services/*',
    'test/snapshots/damaged-parts',
    'test/snapshots/explorer',
    'test/snapshots/oracle',
  ],
};

/** Versions that run a test file. @param file path from the root of the repository */
export function versionsOf(file: string): readonly number[] {
  const isIn = (files: TestFiles = []): boolean => files.some((each) => matchesGlob(file, `${each}.test.ts`));
  const only = majors.find((major) => isIn(ON_ONE_VERSION[major]));
  if (only !== undefined) return [only];
  return isIn(ON_EVERY_VERSION) ? majors : majors.slice(0, 1);
}

/** All test files, as paths from the root of the repository. */
export function testFiles(): string[] {
  return globSync('{packages/*,apps/*,bench,scripts,test,examples}/**/*.test.ts', {
    cwd: root,
    exclude: (name) => name.includes('node_modules') || name.includes('fixtures'),
  }).toSorted();
}

/** Vitest options that leave out the files of other versions. */
export function excludeOptions(major: number): string[] {
  return testFiles()
    .filter((file) => !versionsOf(file).includes(major))
    .map((file) => `--exclude=${file}`);
}
