// Packages whose own tests are run, from the installed package or from a checkout of its repository, and the usable
// test files: those whose dependencies are installed. Results are compared with Node alone, so a test that fails there
// as well does not count as a difference.

/** How results are read from the output: TAP lines, or all lines. */
export type TestStyle = 'node:test' | 'mocha' | 'script';

export interface PublishedPackage {
  readonly name: string;
  /** Glob of the test files, relative to the package. */
  readonly files: string;
  readonly style: TestStyle;
  /** Path of the package in its repository, for tests that are not installed with the package. */
  readonly checkoutPath?: string;
  /** Reasons to exclude files, by prefix of their paths below the test directory. */
  readonly excluded?: Readonly<Record<string, string>>;
  /** A few files that serve as a quick check in this repository's tests. */
  readonly smokeFiles?: readonly string[];
}

const LINT_REASON = 'compares generated code with what generates it';

export const PACKAGES: readonly PublishedPackage[] = [
  {
    name: 'fastify',
    files: 'test/**/*.test.{js,mjs}',
    style: 'node:test',
    excluded: {
      'build/': LINT_REASON,
      'bundler/': 'needs bundlers',
      'scripts/': 'looks at the web',
    },
    smokeFiles: ['test/chainable.test.js', 'test/upgrade.test.js'],
  },
  { name: '@fastify/cookie', files: 'test/*.test.js', style: 'node:test' },
  { name: 'light-my-request', files: 'test/*.test.js', style: 'node:test' },
  { name: 'avvio', files: 'test/*.test.js', style: 'node:test' },
  { name: 'find-my-way', files: 'test/*.test.js', style: 'node:test' },
  { name: 'pino', files: 'test/**/*.test.{js,mjs}', style: 'node:test', excluded: { browser: 'needs tape' } },
  { name: 'thread-stream', files: 'test/*.test.{js,mjs}', style: 'node:test' },
  { name: 'pino-std-serializers', files: 'test/*.test.js', style: 'node:test' },
  { name: 'process-warning', files: 'test/*.test.js', style: 'node:test' },
  { name: 'busboy', files: 'test/test-*.js', style: 'script' },
  { name: 'ws', files: 'test/*.test.js', style: 'mocha', checkoutPath: '.' },
  { name: 'pg', files: 'test/{unit,integration}/**/*-tests.js', style: 'script', checkoutPath: 'packages/pg' },
];
