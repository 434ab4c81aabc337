// Runs programs in one process, natively or over a realm, and returns what each prints. Programs that need the loader
// are left out (its stacks, garbage collection), and programs that listen to events of the process or end it.
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const runner = fileURLToPath(new URL('fixtures/run-programs.ts', import.meta.url));

const AREAS =
  'async async-generators bindings classes closures counterexamples errors functions generators interactions promises proxies sloppy tdz templates weak';
const LEFT_OUT = [
  'async/rejection-handled-late.js',
  'async/uncaught-exception.js',
  'async/unhandled-rejection-kills.js',
  'async/unhandled-rejection.js',
  'counterexamples/function-constructor-escape.js',
  'counterexamples/library-registry-on-global.js',
  'errors/call-sites.cjs',
  'errors/causes-and-aggregates.js',
  'errors/clone-errors.cjs',
  'errors/exit-codes.js',
  'errors/messages-about-suspended-calls.js',
  'errors/misused-builtins.cjs',
  'errors/prepare-stack-trace.js',
  'errors/stack-names-of-methods.js',
  'errors/stack-receivers.js',
  'errors/stacks-through-handlers.js',
  'errors/stacks.js',
  'errors/uncaught-in-generator.js',
  'errors/worker-errors.cjs',
  'functions/dynamic-code.js',
  'interactions/errors-through-every-boundary.js',
  'interactions/using-generators-return-throw.js',
  'promises/native-meets-own.js',
  'promises/rejections-between-ticks.js',
  'sloppy/undeclared-and-globals.js',
  'tdz/left-by-a-throw.cjs',
  'weak/finalizers.js',
  'weak/references.js',
];

export type ProgramMode = 'native' | 'realm' | 'debug';

/** Paths of the programs, relative to the root of the repository. */
export const programs = [
  ...globSync(`test/programs/fixtures/{${AREAS.replaceAll(' ', ',')}}/*.{js,cjs}`, { cwd: root }),
  ...globSync('packages/core/test/fixtures/programs/*.js', { cwd: root }),
]
  .filter((path) => !LEFT_OUT.some((name) => path.endsWith(`programs/fixtures/${name}`)))
  .toSorted();

/** The lines that each program prints. */
export async function runPrograms(mode: ProgramMode): Promise<Record<string, string[]>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['-C', 'turntable-source', '--no-warnings', runner, mode, ...programs.map((path) => join(root, path))],
    { encoding: 'utf8', maxBuffer: 2 ** 24 },
  );
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) as string) as Record<string, string[]>;
}
