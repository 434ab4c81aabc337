import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { CLI, FLAGS } from '../../../scripts/tested-form.ts';
import { ERROR_TABLES, EXPLAINED_ERRORS } from '../src/error-tables.ts';
import { findErrors } from '../src/find-errors.ts';

const codesFor = (text: string) => findErrors(text).errors.map(({ code }) => code);

function explain(args: readonly string[], input?: string) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, 'explain', ...args], {
    encoding: 'utf8',
    input,
  });
  return { stdout, stderr, status };
}

test('finds a code in any case, with and without its prefix, and in the middle of a text', () => {
  for (const text of ['TT_REFUSED', 'tt_refused', 'refused', ' Refused\n', 'SyntaxError [TT_REFUSED]: direct eval'])
    expect(codesFor(text), text).toEqual(['TT_REFUSED']);
  expect(codesFor("code: 'TT_ACTOR_LOST'\n [cause]: TT_DEADLINE, TT_ACTOR_LOST")).toEqual([
    'TT_ACTOR_LOST',
    'TT_DEADLINE',
  ]);
});

test('reports codes that do not exist', () => {
  expect(findErrors('TT_REFUSED TT_NOTHING')).toMatchObject({ unknownCodes: ['TT_NOTHING'], errors: [{}] });
});

test.each(EXPLAINED_ERRORS)('finds $code by each of its messages', ({ code, messages }) => {
  for (const template of messages) {
    const message = template.replaceAll(/\b[A-Z][A-Z0-9_]*\b/g, 'something 12');
    // A single word is a code.
    if (message.includes(' ')) expect(codesFor(message), message).toContain(code);
  }
});

test('finds a message that is wrapped, within other lines, or cut off', () => {
  const message = 'inventory: a recording\nhas no complete snapshot;\n  record with --snapshots every=30s';
  expect(codesFor(message)).toEqual(['TT_NO_SNAPSHOT']);
  expect(codesFor(`> shop@1.0.0 start\n\nturntable restore: ${message}\n`)).toEqual(['TT_NO_SNAPSHOT']);
  expect(codesFor('the reactions of a native promise cannot be read; await')).toEqual(['TT_UNCAPTURABLE']);
  expect(codesFor('something else is wrong')).toEqual([]);
});

test('the command explains a code', () => {
  expect(explain(['deadline'])).toEqual({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^TT_DEADLINE \(@turntable\/runtime\): Running actors\n\n {2}Meaning: {2}\S.*\n {2}Cause: {4}\S(?:.*\n)+ {2}Docs: {5}docs\/errors\.md#tt_deadline\n$/,
    ) as string,
  });
});

test('the command explains a message, from arguments or standard input', () => {
  const message = 'SyntaxError: app.ts:2:3: Decorators are not valid on private names';
  expect(explain(message.split(' ')).stdout).toMatch(/^TT_SYNTAX /);
  expect(explain([], `app.ts:3\n${message}\n    at app.ts:3:1`).stdout).toMatch(/^TT_SYNTAX /);
});

test('the command names the closest codes for an unknown one', () => {
  expect(explain(['TT_NO_SNAPSHOTS'])).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('no error code TT_NO_SNAPSHOTS; the closest ones are TT_NO_SNAPSHOT, ') as string,
  });
  expect(explain(['nothing', 'like', 'this'])).toMatchObject({
    status: 1,
    stderr: 'turntable explain: no error has this message; turntable explain --list lists all error codes\n',
  });
  expect(explain(['--lists'])).toMatchObject({ status: 2 });
});

test('the command lists all codes by package, within 80 columns', () => {
  const { stdout } = explain(['--list']);
  for (const name of Object.keys(ERROR_TABLES)) expect(stdout).toContain(`${name}\n\n`);
  for (const { code } of EXPLAINED_ERRORS) expect(stdout).toContain(`  ${code} `);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('the command prints JSON', () => {
  expect(JSON.parse(explain(['--json', 'TT_CONFIG']).stdout)).toMatchObject([
    { code: 'TT_CONFIG', package: '@turntable/loader', area: 'loading', docs: 'docs/errors.md#tt_config' },
  ]);
  expect(JSON.parse(explain(['--list', '--json']).stdout)).toHaveLength(EXPLAINED_ERRORS.length);
});
