// Tests run in Node itself: the module runner is off, so a test file and the sources it imports are loaded by Node, types
// stripped, no code rewritten. That keeps what is tested what is shipped (core looks at the text of functions), and makes
// `-C turntable-source` the one way in which workspace packages resolve to their sources. Tests of module hooks still
// start fixture processes of their own: hooks are for a whole process, and test files must not see each other's.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;

/**
 * Transformed code is cached under the version of the transform, which stays the same while we change it. So each state of
 * the sources gets a cache of its own: no test ever runs what an older transform left behind.
 */
function cacheOfTheseSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync('packages/*/src/**/*.ts', { cwd: root }).toSorted())
    hash.update(readFileSync(join(root, file)));
  return join(root, 'node_modules/.cache/turntable-tests', hash.digest('hex').slice(0, 16));
}

export default defineConfig({
  test: {
    include: ['{packages/*,bench,scripts,test,examples}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
    environment: 'node',
    pool: 'forks',
    execArgv: ['-C', 'turntable-source'],
    env: { TURNTABLE_CACHE: cacheOfTheseSources() },
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
