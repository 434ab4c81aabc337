// Tests run in Node itself: the module runner is off, so a test file and the sources it imports are loaded by Node, types
// stripped, no code rewritten. That keeps what is tested what is shipped (core looks at the text of functions), and makes
// `-C turntable-source` the one way in which workspace packages resolve to their sources. Tests of module hooks still
// start fixture processes of their own: hooks are for a whole process, and test files must not see each other's.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { buildDebugger } from './scripts/built-debugger.ts';
import { testRunOptions } from './scripts/test-run/options.ts';
import { SlowestFirst } from './scripts/test-run/slowest-first.ts';
import { digest } from './scripts/tested-programs.ts';

buildDebugger(import.meta.dirname, digest);

export default defineConfig({
  test: {
    include: ['{packages/*,apps/*,bench,scripts,test,examples}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
    environment: 'node',
    pool: 'forks',
    // Tests often wait for their own processes: with one test file for each core, a tenth of the time was idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
    ...testRunOptions,
    execArgv: ['-C', 'turntable-source'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
