// Output of long texts, which ends when the reader stops reading, and the progress line.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { printTo } from '../src/printing.ts';
import { ProgressLine } from '../../replayer/src/output/progress.ts';

/** Calls back later; beyond a limit of characters, with the error of a closed pipe. */
class Reader extends Writable {
  text = '';
  readonly #limit: number;
  readonly #code: string;

  constructor(limit = Infinity, code = 'EPIPE') {
    super({ decodeStrings: false });
    this.#limit = limit;
    this.#code = code;
  }

  override _write(text: string, _encoding: string, done: (error?: Error) => void): void {
    this.text += text;
    setImmediate(() => {
      if (this.text.length > this.#limit) done(Object.assign(new Error(this.#code), { code: this.#code }));
      else done();
    });
  }
}

function* lines(count: number, progressed: { count: number }): Generator<string> {
  for (; progressed.count < count; progressed.count++) yield `line ${progressed.count}\n`;
}

test('a long text is printed completely and in order', async () => {
  const [reader, progressed] = [new Reader(), { count: 0 }];
  expect(await printTo(reader, lines(50_000, progressed))).toBe(true);
  expect(reader.text).toBe([...lines(50_000, { count: 0 })].join(''));
});

test('when the reader stops reading, no more output is generated, and that is no error', async () => {
  const [reader, progressed] = [new Reader(1000), { count: 0 }];
  expect(await printTo(reader, lines(1_000_000, progressed))).toBe(false);
  expect(progressed.count).toBeLessThan(20_000);
  expect(reader.listenerCount('error')).toBe(0);
});

test('any other write error is thrown', async () => {
  await expect(printTo(new Reader(1000, 'ENOSPC'), lines(1_000_000, { count: 0 }))).rejects.toThrow('ENOSPC');
});

test('a write that a file takes only in part is an error', () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const program = `
const { printTo } = await import(${JSON.stringify(new URL('../src/printing.ts', import.meta.url).href)});
await printTo(process.stdout, ['x'.repeat(50_000)]).then(() => console.error('all'), ({ code }) => console.error(code));`;
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$0" "$@" > ${JSON.stringify(join(directory, 'printed'))}`;
  const args = ['-c', limited, process.execPath, '--input-type=module', '-e', program];
  const { stderr } = spawnSync('sh', args, { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  expect(stderr).toBe('EFBIG\n');
});

test('progress is one line on a terminal, removed at the end, and nothing elsewhere', () => {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  const progress = new ProgressLine({ isTTY: true, write });
  progress.show(() => 'packing 1 of 2');
  progress.show(() => 'at once again');
  progress.clear();
  progress.clear();
  expect(written).toEqual(['\rpacking 1 of 2\u001B[K', '\r\u001B[K']);
  const other = new ProgressLine({ isTTY: false as never, write });
  other.show(() => {
    throw new Error('not asked for');
  });
  other.clear();
  expect(written.length).toBe(2);
});
