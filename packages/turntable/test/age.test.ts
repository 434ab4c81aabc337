// Packed recordings are encrypted to recipients of age, and the tool `age` and Turntable open each other's files.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { packRecording } from '@turntable/recording/packed';
import { CLI, FLAGS } from '../../../scripts/tested-form.ts';
import { contents, makeRecording, NAME } from '../../recording/test/packed.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const path = (name: string): string => join(directory, name);
const hasAge = spawnSync('age', ['--version']).status === 0;

let recording: string;
let packed: Buffer;
let recipient: string;
let otherRecipient: string;
beforeAll(async () => {
  recording = makeRecording(directory);
  // More than one chunk of the format.
  writeFileSync(
    join(recording, 'snapshots/0000000009.tts'),
    Buffer.alloc(300_000, 'incompressible?').map((b, i) => b ^ (i * 37)),
  );
  await packRecording(recording, path('plain.ttr'));
  packed = readFileSync(path('plain.ttr'));
  const [identity, other] = [await generateX25519Identity(), await generateX25519Identity()];
  recipient = await identityToRecipient(identity);
  otherRecipient = await identityToRecipient(other);
  writeFileSync(path('key.txt'), `# created: 2026-11-30T07:00:00Z\n# public key: ${recipient}\n${identity}\n`);
  writeFileSync(path('other.txt'), `\n${other}\r\n`);
  writeFileSync(path('team.txt'), `# Ada\n${recipient}\n\n# Bob\n${otherRecipient}\n`);
});

function turntable(...args: readonly string[]): { readonly output: string; readonly status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  return { output: stdout + stderr, status };
}

let unpackings = 0;
/** Unpacks a file. Returns what was unpacked, or the message. */
function unpack(file: string, ...identities: readonly string[]): unknown {
  const target = `unpacked-${unpackings++}`;
  const { output, status } = turntable('unpack', ...identities.map((each) => `--identity=${each}`), file, target);
  const left = existsSync(path(target)) ? readdirSync(path(target)) : [];
  expect(left.filter((name) => name !== NAME)).toEqual([]);
  return status === 0 ? contents(path(`${target}/${NAME}`)) : output;
}

test('a recording is packed for a recipient and unpacked with its identity', () => {
  const { output, status } = turntable('pack', NAME, '--for', recipient, '-o', 'one.ttr.age');
  expect({ output, status }).toEqual({
    output: expect.stringMatching(/one\.ttr\.age: \S+, 7 files, .* KB in .* KB, encrypted\n$/) as string,
    status: 0,
  });
  expect(readFileSync(path('one.ttr.age')).includes('TTRP')).toBe(false);
  expect(unpack('one.ttr.age', 'key.txt')).toEqual(contents(recording));
  expect(unpack('one.ttr.age', 'other.txt', 'key.txt')).toEqual(contents(recording));
  expect(unpack('one.ttr.age', 'other.txt')).toMatch(
    /^turntable unpack: .*one\.ttr\.age is encrypted to other recipients; name the identity of one of them: --identity FILE\n$/,
  );
  expect(unpack('one.ttr.age')).toMatch(
    /one\.ttr\.age is encrypted with age; name the file with your identity: --identity FILE\n$/,
  );
});

test('a command that reads recordings says how to open an encrypted one', () => {
  writeFileSync(path('sent.ttr.age'), 'age-encryption.org/v1\n');
  expect(turntable('replay', 'sent.ttr.age')).toEqual({
    output: expect.stringContaining(
      'sent.ttr.age is encrypted; unpack it first: turntable unpack --identity FILE sent.ttr.age',
    ) as string,
    status: 2,
  });
});

test('several recipients and a file of recipients can each open the file', () => {
  expect(turntable('pack', NAME, '--for', recipient, '--for', otherRecipient, '-o', 'two.ttr.age').status).toBe(0);
  expect(turntable('pack', NAME, '--for', 'team.txt').output).toContain(`${NAME}.ttr.age: `);
  for (const file of ['two.ttr.age', `${NAME}.ttr.age`])
    for (const identity of ['key.txt', 'other.txt']) expect(unpack(file, identity)).toEqual(contents(recording));
});

describe.runIf(hasAge)('the tool age', () => {
  test('opens a file that Turntable has encrypted', () => {
    expect(turntable('pack', NAME, '--for', 'team.txt', '-o', 'for-age.ttr.age').status).toBe(0);
    const opened = execFileSync('age', ['-d', '-i', path('other.txt'), path('for-age.ttr.age')]);
    expect(opened.equals(packed)).toBe(true);
  });

  test('encrypts a packed recording that Turntable opens, with keys of age-keygen', () => {
    execFileSync('age-keygen', ['-o', path('made.txt')], { stdio: 'ignore' });
    const made = execFileSync('age-keygen', ['-y', path('made.txt')], { encoding: 'utf8' }).trim();
    execFileSync('age', ['-r', made, '-R', path('team.txt'), '-o', path('by-age.ttr.age'), path('plain.ttr')]);
    for (const identity of ['made.txt', 'key.txt'])
      expect(unpack('by-age.ttr.age', identity)).toEqual(contents(recording));
    expect(turntable('pack', NAME, '--for', made, '-o', 'for-made.ttr.age').status).toBe(0);
    expect(unpack('for-made.ttr.age', 'made.txt')).toEqual(contents(recording));
    execFileSync('age', ['-a', '-r', made, '-o', path('armored.ttr.age'), path('plain.ttr')]);
    expect(unpack('armored.ttr.age', 'made.txt')).toContain(
      'is an age file as text (armor); decrypt it first: age -d -i',
    );
  });
});

test('a file that is cut off, damaged or another one is refused, and nothing is unpacked', () => {
  expect(turntable('pack', NAME, '--for', recipient, '-o', 'whole.ttr.age').status).toBe(0);
  const whole = readFileSync(path('whole.ttr.age'));
  for (const length of [30, 150, 250, 65_900, whole.length - 1]) {
    writeFileSync(path('cut.ttr.age'), whole);
    truncateSync(path('cut.ttr.age'), length);
    expect(unpack('cut.ttr.age', 'key.txt'), `${length} bytes`).toContain('is damaged or cut off; copy it again');
  }
  const flipped = Buffer.from(whole);
  flipped[whole.length - 100]! ^= 1;
  writeFileSync(path('flipped.ttr.age'), flipped);
  expect(unpack('flipped.ttr.age', 'key.txt')).toContain('is damaged or cut off');
  writeFileSync(path('longer.ttr.age'), whole);
  appendFileSync(path('longer.ttr.age'), 'more');
  expect(unpack('longer.ttr.age', 'key.txt')).toContain('is damaged or cut off');
  expect(unpack('plain.ttr', 'key.txt')).toContain('plain.ttr is not encrypted with age; unpack it without --identity');
  const scrypt = `age-encryption.org/v1\n-> scrypt bBjlhJVYZeE4aqUdmtRHfw 15\nZV/AhotwSGqaPCU43cepl4WYUouAa17a3xpu4G2yi5k\n--- x\n`;
  writeFileSync(path('passphrase.ttr.age'), scrypt);
  expect(unpack('passphrase.ttr.age', 'key.txt')).toContain(
    'is encrypted with a passphrase, not to a recipient; decrypt it first: age -d',
  );
});

test('a file that has no identity is refused with the reason, and an identity is never printed', () => {
  expect(turntable('pack', NAME, '--for', recipient, '-o', 'again.ttr.age').status).toBe(0);
  const secret = readFileSync(path('key.txt'), 'utf8').split('\n')[2] ?? '';
  for (const [text, message] of [
    ['5a'.repeat(32), 'line 1 of wrong.txt is not an identity; each line of an identity file is AGE-SECRET-KEY-…'],
    [`# only a comment\n`, 'wrong.txt has no identity; create one with age-keygen -o FILE'],
    [recipient, 'line 1 of wrong.txt is a recipient, which can only encrypt; name the file with the identity'],
    [secret.slice(0, -1), 'line 1 of wrong.txt is not a complete identity; copy the identity file again'],
    ['age-encryption.org/v1\n-> scrypt x\n', 'wrong.txt is encrypted with a passphrase; decrypt it first: age -d'],
  ] as const) {
    writeFileSync(path('wrong.txt'), text);
    expect(unpack('again.ttr.age', 'wrong.txt')).toContain(message);
  }
  expect(unpack('again.ttr.age', 'nothing.txt')).toContain('nothing.txt: ENOENT');
  for (const [value, message] of [
    [secret, 'is an identity, which is a secret; give its recipient, which age-keygen -y prints'],
    [recipient.slice(0, -1), 'is not a recipient of age; copy the whole line (age1…)'],
    ['key.txt', 'line 3 of key.txt is an identity, which is a secret'],
    ['missing.txt', 'there is no recipient or file of these at missing.txt: ENOENT'],
  ] as const) {
    const { output, status } = turntable('pack', NAME, '--for', value, '-o', 'never.ttr.age');
    expect({ output, status }).toEqual({ output: expect.stringContaining(message) as string, status: 1 });
    expect(output).not.toContain(secret);
    expect(existsSync(path('never.ttr.age'))).toBe(false);
  }
});
