/*
 * The process in which realms run. It receives batches of paths and reports the start and end of each file, so that the
 * runner knows which file was running when this process hangs or dies.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileOutcome } from './execution.ts';
import { executeFile } from './execution.ts';
import { openNativeRealm } from './native-realm.ts';
import type { TestVariant } from './frontmatter.ts';
import type { OpenTestRealm } from './test-realm.ts';

export type Batch = {
  readonly suite: string;
  readonly mode: Mode;
  readonly paths: readonly string[];
  readonly only?: TestVariant | undefined;
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

async function run({ suite, mode, paths, only }: Batch): Promise<void> {
  const open = await realms[mode]();
  for (const path of paths) {
    report({ kind: 'start', path });
    const source = readFileSync(join(suite, path), 'utf8');
    const outcome = await executeFile(suite, path, source, open, only);
    report({ kind: 'end', path, outcome });
  }
  report({ kind: 'idle', tired: process.memoryUsage.rss() > restartAboveBytes });
}

function report(message: WorkerReport): void {
  process.send?.(message);
}
