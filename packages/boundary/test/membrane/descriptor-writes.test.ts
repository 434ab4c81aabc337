// Tests which bytes functions of node:fs write to standard output and error, against what they write to a file.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isDescriptorWriter, writtenBytes } from '../../src/membrane/standard-output.ts';

const TEXT = 'aä€';
const BYTES = Buffer.from('abcdef');
/** Arguments after the descriptor. */
const WRITES: readonly (readonly ['writeSync' | 'writevSync', readonly unknown[]])[] = [
  ['writeSync', [TEXT]],
  ['writeSync', [TEXT, null, 'latin1']],
  ['writeSync', ['616263', undefined, 'hex']],
  ['writeSync', [BYTES]],
  ['writeSync', [BYTES, 2]],
  ['writeSync', [BYTES, 2, 3]],
  ['writeSync', [BYTES, 0, 0]],
  ['writeSync', [BYTES, null, 3]],
  ['writeSync', [BYTES, { offset: 1 }]],
  ['writeSync', [BYTES, { offset: 1, length: 2 }]],
  ['writeSync', [BYTES, { length: 2 }]],
  ['writeSync', [BYTES, null]],
  ['writeSync', [new Uint16Array([1, 2, 3])]],
  ['writeSync', [BYTES.subarray(1, 4), 1]],
  ['writeSync', [new DataView(BYTES.buffer, BYTES.byteOffset + 1, 3)]],
  ['writevSync', [[BYTES, new Uint8Array([1]), BYTES.subarray(2)]]],
  ['writevSync', [[]]],
];

it.each(WRITES)('%s of %o', (name, args) => {
  const directory = fs.mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'file');
  const descriptor = fs.openSync(file, 'w');
  const count: unknown = Reflect.apply(fs[name] as (...all: unknown[]) => unknown, fs, [descriptor, ...args]);
  fs.closeSync(descriptor);
  const written = fs.readFileSync(file).toString('hex');
  for (const output of [1, 2])
    for (const result of [undefined, count]) {
      const found = writtenBytes([output, ...args], result);
      expect([found?.[0], Buffer.from(found?.[1] ?? []).toString('hex')]).toEqual([output, written]);
    }
});

it('only the bytes that were written count, and only those of standard output and error', () => {
  expect(Buffer.from(writtenBytes([1, BYTES], 2)?.[1] ?? []).toString()).toBe('ab');
  expect(Buffer.from(writtenBytes([1, BYTES, 3], 2)?.[1] ?? []).toString()).toBe('de');
  expect(Buffer.from(writtenBytes([1, BYTES], 0)?.[1] ?? []).toString()).toBe('');
  for (const descriptor of [0, 3, '1', undefined]) expect(writtenBytes([descriptor, BYTES], 6)).toBeUndefined();
  // The program may change its buffer later.
  const buffer = Buffer.from('abc');
  const [, bytes] = writtenBytes([1, buffer], undefined) as [number, Uint8Array];
  buffer.fill('x');
  expect(Buffer.from(bytes).toString()).toBe('abc');
});

it('all functions that write to a descriptor are known', () => {
  const names = ['write', 'writev', 'writeFile', 'appendFile'].flatMap((name) => [name, `${name}Sync`]);
  for (const name of names) {
    expect(name in fs, name).toBe(true);
    expect(isDescriptorWriter(`fs.${name}`), name).toBe(true);
  }
  for (const path of ['fs.read', 'write', 'fs.promises.writeFile', undefined])
    expect(isDescriptorWriter(path)).toBe(false);
});
