// The READMEs of the examples are true. Their commands run in the order in which they are shown, in a copy of the
// example, and their output blocks are excerpts of what the commands print. Golden files have whole sessions of the
// debugger.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPostgres, PostgresServer } from '../../examples/acmeair/test/postgres-server.ts';
import { root } from '../../scripts/node-release.mjs';
import { DEBUG_COMMAND, ExampleRun, readSession } from './example-run.ts';
import { normalize } from './normalize.ts';
import { missingLine, readSteps, sessionCommands } from './readme.ts';

/** Acme Air has its own tests. */
const names = globSync('examples/*/README.md', { cwd: root })
  .map((file) => dirname(file).replace('examples/', ''))
  .filter((name) => name !== 'acmeair')
  .toSorted();

/** An example runs up to six processes, one after the other. */
const RUN_TIMEOUT_MS = 180_000;
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
let postgres: PostgresServer | undefined;
beforeAll(async () => {
  if (hasPostgres) postgres = await PostgresServer.start();
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe.each(names)('examples/%s', (name) => {
  const example = join(root, 'examples', name);
  const readme = readFileSync(join(example, 'README.md'), 'utf8');
  const steps = readSteps(readme);
  const commands = steps.flatMap((step) => step.commands);

  test('the README records and replays', () => {
    expect(commands).toEqual(
      expect.arrayContaining([
        expect.stringMatching(`npm run turntable -- record .*examples/${name}/main.ts$`),
        'npm run turntable -- replay recordings',
      ]),
    );
  });

  test('the README shows the commands of the session', () => {
    expect(sessionCommands(steps.flatMap(({ output }) => output))).toEqual(readSession(name));
  });

  test('an installed Turntable has the commands that run here', () => {
    const installed = commands.filter((command) => command.includes('npx turntable'));
    const here = commands.map((command) => command.replaceAll(`examples/${name}/`, ''));
    expect(installed.length).toBeGreaterThan(1);
    expect(here).toEqual(
      expect.arrayContaining(installed.map((command) => command.replace('npx turntable', 'npm run turntable --'))),
    );
  });

  test('the README links to files that exist', () => {
    const targets = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !existsSync(join(example, target)))).toEqual([]);
  });

  const canRun = name !== 'express-postgres' || hasPostgres;
  test.skipIf(!canRun)('the README shows the output of its commands', { timeout: RUN_TIMEOUT_MS }, async () => {
    await using run = new ExampleRun(name, directory, { DATABASE_URL: postgres?.url });
    for (const step of steps) {
      const outputs: string[] = [];
      for (const command of step.commands.filter(isRun)) outputs.push(normalize(await run.execute(command)));
      const output = outputs.join('\n');
      expect(missingLine(normalize(step.output.join('\n')).split('\n'), output), output).toBeUndefined();
      if (step.commands.includes(DEBUG_COMMAND)) {
        await expect(output.trimEnd() + '\n').toMatchFileSnapshot(`golden/${name}.txt`);
      }
    }
  });
});

/** Whether a command runs here. Others install Turntable or a database. */
const isRun = (command: string): boolean => /^curl |\bnpm run turntable -- /.test(command);
