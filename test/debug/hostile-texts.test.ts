// Texts of a recording never control the terminal: a program whose file name, arguments, output, errors, class names,
// variables and requests contain control characters is recorded, and no command prints them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

/** ESC, CSI, OSC 8 and 52, their C1 forms, CR, backspace, DEL and overrides of the direction of text. */
const HOSTILE = '\u001b[2J\u001b]8;;x\u0007\u001b]52;c;eA==\u0007\u009b31m\u009d0;x\u009c\r\b\u007f\u202e\u2066';
/** Characters that only tests of terminals expect, except line feeds and tabs. */
const CONTROL = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const MARK = 'mark';

const PROGRAM = `
import { createServer } from 'node:http';
import { connect } from 'node:net';
const hostile = ${JSON.stringify(`${MARK}${HOSTILE}`)};
class Cart {
  static { Object.defineProperty(this, 'name', { value: hostile }); }
  [hostile] = { [Symbol(hostile)]: hostile };
}
const cart = new Cart();
const list = [hostile, new Map([[hostile, new Error(hostile)]]), Object.assign(() => {}, { hostile })];
console.log(hostile);
process.stderr.write(hostile + '\\n');
function fail(value) {
  const local = value;
  throw new RangeError(local);
}
try {
  fail(hostile);
} catch (error) {
  list.push(error);
}
Promise.reject(new Error(hostile)).catch(() => {});
const server = createServer((request, response) => {
  response.end(request.url);
});
server.listen(0, '127.0.0.1', () => {
  const socket = connect(server.address().port, '127.0.0.1');
  socket.end(Buffer.from('GET /mark\\x9b31m\\x90 HTTP/1.1\\r\\nHost: mark\\r\\nConnection: close\\r\\n\\r\\n', 'latin1'));
  socket.resume().on('close', () => server.close());
});
process.on('exit', () => { throw new TypeError(hostile); });
`;

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const fileName = `mark\u001b[2J\u009b\u202e.mjs`;

interface Printed {
  readonly text: string;
  readonly status: number | null;
}

function turntable(args: readonly string[], input = ''): Printed {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    cwd: directory,
    encoding: 'utf8',
    input,
    timeout: 50_000,
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
  });
  return { text: stdout + stderr, status };
}

beforeAll(() => {
  writeFileSync(join(directory, fileName), PROGRAM);
  turntable(['record', '--snapshots', 'end', fileName, HOSTILE.replace('\0', '')]);
  expect(readdirSync(join(directory, 'recordings'))).toHaveLength(1);
}, 60_000);

/** Commands that print texts of the recording. */
const COMMANDS: readonly (readonly string[])[] = [
  ['ls'],
  ['ls', '--json'],
  ['inspect', 'recordings'],
  ['inspect', 'recordings', '--json'],
  ['inspect', 'recordings', '--trace'],
  ['inspect', 'recordings', '--trace', '--json'],
  ['inspect', 'recordings', '--eval', 'snapshot => snapshot'],
  ['tasks', 'recordings'],
  ['tasks', 'recordings', '--json'],
  ['export', 'recordings'],
  ['replay', 'recordings', '--console', 'mute'],
  ['replay', 'recordings', '--console', 'mute', '--json'],
  ['pack', 'recordings', '-o', `packed${HOSTILE}.ttr`],
  ['unpack', `packed${HOSTILE}.ttr`, `unpacked${HOSTILE}`],
  ['doctor', fileName],
  ['explain', HOSTILE],
  ['ls', `nowhere${HOSTILE}`],
  [HOSTILE],
  ['debug', 'recordings', `--${HOSTILE}`],
];

const NAMED_COMMANDS = COMMANDS.map((args) => [args.map(encodeURIComponent).join(' '), args] as const);

test.each(NAMED_COMMANDS)('turntable %s prints no control characters', { timeout: 60_000 }, (_, args) => {
  const { text } = turntable(args);
  expect(text).not.toBe('');
  expect(CONTROL.exec(text), JSON.stringify(text)).toBeNull();
});

/** Commands of a session that shows every kind of text. */
const SESSION = `
info position; tasks; events; actors; promises; requests; source; bookmark mark\u001b[2J; bookmarks
goto end; back caught; bt; locals; print local; list; last-write local; changes local
info actors; info sources; find mark; break caught; run; continue; continue; info breakpoints
goto end; back stdout; locals; print cart; print list; expand 1; print \u001b[2J; back request; diff 1; why
goto start; continue; watch hostile; log mark\${hostile}; display hostile; next; unknown\u001b[2J
`;

test('a session prints no control characters, also of output of the program', { timeout: 60_000 }, () => {
  const { text } = turntable(['debug', 'recordings'], SESSION.replaceAll('; ', '\n'));
  expect(CONTROL.exec(text), JSON.stringify(text)).toBeNull();
  expect(text).toContain(`${MARK}\\u001b[2J`);
});

test('a replay that shows the output of the program prints exactly that output', { timeout: 60_000 }, () => {
  expect(turntable(['replay', 'recordings']).text).toContain(`${MARK}${HOSTILE}\n`);
});
