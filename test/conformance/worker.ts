/*
 * The process in which realms run. It receives batches of paths and reports the start and end of each file, so that the
 * runner knows which file was running when this process hangs or dies.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minifySource, type Minifier } from '../programs/minifiers.ts';
import type { FileOutcome } from './execution.ts';
import { executeFile } from './execution.ts';
import { openNativeRealm } from './native-realm.ts';
import { parseFrontmatter, type TestVariant } from './frontmatter.ts';
import type { OpenTestRealm } from './test-realm.ts';

export type Batch = {
  readonly suite: string;
  readonly mode: Mode;
  readonly paths: readonly string[];
  readonly only?: TestVariant | undefined;
  /** Files are minified first. */
  readonly minifier?: Minifier | undefined;
};
/**
 * `debug`: transformed with a probe before each statement. `interrupted`: captured and restored at every job boundary.
 */
export type Mode = 'native' | 'transformed' | 'debug' | 'interrupted';
export type WorkerReport =
  | { readonly kind: 'start'; readonly path: string }
  | { readonly kind: 'end'; readonly path: string; readonly outcome: FileOutcome }
  | { readonly kind: 'idle'; readonly tired: boolean };

/** Contexts and their code are collected late; above this size a new process is cheaper than full collections. */
const restartAboveBytes = 900 * 2 ** 20;

// Tests leave rejected promises unhandled on purpose.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});

const realms: Record<Mode, () => Promise<OpenTestRealm>> = {
  native: () => Promise.resolve(openNativeRealm),
  transformed: async () => (await import('./transformed-realm.ts')).openTransformedRealm,
  debug: async () => {
    const { openTransformedRealm } = await import('./transformed-realm.ts');
    return (options) => openTransformedRealm({ ...options, debug: true });
  },
  interrupted: async () => (await import('./interrupted-realm.ts')).openInterruptedRealm,
};

process.on('message', (message: Batch) => {
  void run(message);
});

async function run({ suite, mode, paths, only, minifier }: Batch): Promise<void> {
  const open = await realms[mode]();
  for (const path of paths) {
    report({ kind: 'start', path });
    const text = readFileSync(join(suite, path), 'utf8');
    const source = minifier === undefined ? text : await minifyTest(text, minifier);
    const outcome = source === undefined ? NOT_MINIFIED : await executeFile(suite, path, source, open, only);
    report({ kind: 'end', path, outcome });
  }
  report({ kind: 'idle', tired: process.memoryUsage.rss() > restartAboveBytes });
}

const NOT_MINIFIED: FileOutcome = {
  failure: { variant: '', reason: 'not minified', detail: 'the minifier does not parse the file' },
  refused: undefined,
};

/** Keeps the metadata, which is in a comment. Undefined if the minifier cannot read the file. */
async function minifyTest(text: string, minifier: Minifier): Promise<string | undefined> {
  const code = await minifySource(text, minifier, parseFrontmatter(text).flags.includes('module'));
  const metadata = /\/\*---[\s\S]*?---\*\//.exec(text)?.[0] ?? '';
  return code === undefined ? undefined : `${code}\n${metadata}`;
}

function report(message: WorkerReport): void {
  process.send?.(message);
}
