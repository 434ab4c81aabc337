// The examples in the help of commands work in sequence, in a directory with a program, its recording and a packed
// recording.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEBUG_USAGE } from '../../packages/turntable/src/commands/debug.ts';
import { DOCTOR_USAGE } from '../../packages/turntable/src/commands/doctor.ts';
import { EXPORT_USAGE } from '../../packages/turntable/src/commands/export.ts';
import { INSPECT_USAGE } from '../../packages/turntable/src/commands/inspect.ts';
import { LS_USAGE } from '../../packages/turntable/src/commands/ls.ts';
import { PACK_USAGE } from '../../packages/turntable/src/commands/pack.ts';
import { RECORD_USAGE } from '../../packages/turntable/src/commands/record.ts';
import { REPLAY_USAGE } from '../../packages/turntable/src/commands/replay.ts';
import { RESTORE_USAGE } from '../../packages/turntable/src/commands/restore.ts';
import { RUN_USAGE } from '../../packages/turntable/src/commands/run.ts';
import { UNPACK_USAGE } from '../../packages/turntable/src/commands/unpack.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const APP = `
import { spawnWith, start } from 'turntable';
export class Cart {
  #items = new Map();
  add(item) {
    this.#items.set(item, Date.now());
  }
}
const app = start({ workers: 0 });
const cart = spawnWith({ on: 'main' }, Cart);
await cart.add('tea');
await new Promise((resolve) => setTimeout(resolve, 1));
try {
  await app.snapshot();
} catch {}
await cart.add('rum');
await app.close();
`;

function shell(command: string): { readonly status: number | null; readonly output: string } {
  const turntable = `turntable() { '${process.execPath}' -C turntable-source '${REPOSITORY}packages/turntable/src/cli.ts' "$@"; }`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `${turntable}\n${command}`], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  return { status, output: stdout + stderr };
}

const examplesIn = (usage: string): string[] =>
  usage.split('\n').flatMap((line) => (/^ {2}turntable /.test(line) ? [line.trim()] : []));

beforeAll(() => {
  symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module", "main": "app.ts" }');
  writeFileSync(join(directory, 'app.ts'), APP);
});

// In this order, since some examples use the results of earlier ones.
const USAGES = {
  run: RUN_USAGE,
  record: RECORD_USAGE,
  ls: LS_USAGE,
  replay: REPLAY_USAGE,
  debug: DEBUG_USAGE,
  restore: RESTORE_USAGE,
  inspect: INSPECT_USAGE,
  export: EXPORT_USAGE,
  pack: PACK_USAGE,
  unpack: UNPACK_USAGE,
  doctor: DOCTOR_USAGE,
};
const EXAMPLES = Object.entries(USAGES).flatMap(([name, usage]) =>
  examplesIn(usage).map((example) => [name, example] as const),
);

test('every command has examples', () => {
  for (const [name, usage] of Object.entries(USAGES)) {
    expect(usage).toMatch(new RegExp(`^Usage: turntable ${name} `));
    expect(examplesIn(usage).length, name).toBeGreaterThan(0);
  }
});

test.each(EXAMPLES)('%s: %s', (_, example) => {
  const { status, output } = shell(example);
  expect(status, output).toBe(0);
});
