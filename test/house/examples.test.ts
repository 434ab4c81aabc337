// The examples in the help of commands work in sequence, in a directory with a program, its recording and a packed
// recording.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { ALL_COMMANDS } from '../../packages/turntable/src/command-line/all-commands.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

// From the tests of age.
const IDENTITY = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX';
const RECIPIENT = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj';

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
  const turntable = `turntable() { '${process.execPath}' ${FLAGS.join(' ')} '${CLI}' "$@"; }`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `${turntable}\n${command}`], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  return { status, output: stdout + stderr };
}

beforeAll(() => {
  symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module", "main": "app.ts" }');
  writeFileSync(join(directory, 'app.ts'), APP);
  writeFileSync(join(directory, 'steps.txt'), '# to the last task\ngoto end\nback turn\n');
  writeFileSync(join(directory, 'new.key'), '5a'.repeat(32));
  writeFileSync(join(directory, 'key.txt'), IDENTITY);
  writeFileSync(join(directory, 'team.txt'), RECIPIENT);
});

// In this order, since some examples use the results of earlier ones. The others need a terminal, an editor or a running
// program.
const TESTED = [
  'run',
  'record',
  'ls',
  'replay',
  'tasks',
  'debug',
  'restore',
  'inspect',
  'export',
  'pack',
  'unpack',
  'reseal',
  'doctor',
  'completion',
];
const EXAMPLES = TESTED.flatMap((name) =>
  (ALL_COMMANDS.find((each) => each.name === name)?.examples ?? []).map((example) => [name, example] as const),
);

test.each(EXAMPLES)('%s: %s', (_, example) => {
  // There is no terminal that could ask.
  const { status, output } = shell(example.replace(/^turntable restore (?!--trusted)/, '$&--trusted '));
  expect(status, output).toBe(0);
});
