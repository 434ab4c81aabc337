// Packages whose own tests are run, where they are installed or in a checkout of their repository, and which of these files are of use here: those that find what
// they need. What comes of each is compared with what comes of it on Node alone, so a test that fails there as well is none that differs.

/** Of what a run of a file says what came of each test: its lines of TAP; all it prints. */
export type TestStyle = 'node:test' | 'mocha' | 'script';

export interface PublishedPackage {
  readonly name: string;
  /** What the files are called, seen from the package's directory. */
  readonly files: string;
  readonly style: TestStyle;
  /** They are not installed with it: where the package is in a checkout of its repository. */
  readonly checkoutPath?: string;
  /** Files that are left out, by how their paths begin below the directory of the tests; and why. */
  readonly excluded?: Readonly<Record<string, string>>;
  /** A part of them that is enough to see that all is in order, for the tests of this repository. */
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
