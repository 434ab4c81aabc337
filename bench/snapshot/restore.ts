// The restore row: reading an actor's graph from a snapshot in a new process, compared with v8.deserialize of the same
// graph, and a whole restore. The recording is made on first use and deleted when this process exits.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Comparison, RowResult } from '../harness/comparison.ts';
import { atMost, type Bar } from '../harness/report.ts';
import { freshVariant, type ProcessVariant } from '../harness/session.ts';

const KEEP = fileURLToPath(new URL('./keep-program.ts', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./restore-program.ts', import.meta.url));
const FLAGS = ['-C', 'turntable-source', '--max-old-space-size=8192'];
const LIMIT = 1;

interface KeptRecording {
  readonly recording: string;
  readonly serialized: string;
}

async function keepRecording(megabytes: number): Promise<KeptRecording> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const [recordings, serialized] = [join(directory, 'recordings'), join(directory, 'serialized')];
  await promisify(execFile)(
    process.execPath,
    [...FLAGS, '--import', 'turntable/register', KEEP, String(megabytes), serialized],
    { env: { ...process.env, TURNTABLE_RECORDINGS: recordings } },
  );
  const [recording = ''] = readdirSync(recordings);
  return { recording: join(recordings, recording), serialized };
}

export function restoreRow(megabytes: number): Comparison {
  let kept: Promise<KeptRecording> | undefined;
  const lane = (name: string) =>
    freshVariant(name, async (): Promise<ProcessVariant> => {
      const { recording, serialized } = await (kept ??= keepRecording(megabytes));
      const path = name === 'v8.deserialize' ? serialized : recording;
      return { name, file: PROGRAM, args: [name, path], execArgv: FLAGS };
    });
  return { name: `restore ${megabytes} MB`, variants: ['v8.deserialize', 'graph', 'restore'].map(lane) };
}

export function isRestoreRow({ name }: Pick<RowResult, 'name'>): boolean {
  return name.startsWith('restore ');
}

export function judgeRestore(rows: readonly RowResult[]): Bar[] {
  return rows
    .filter(isRestoreRow)
    .map(({ name, ratios }) =>
      atMost(`${name}, its graph in a fresh process / v8.deserialize`, ratios['graph']?.median ?? Number.NaN, LIMIT),
    );
}
