// The output of a replayed program: secrets are redacted even if they are written in pieces, all other bytes stay.
import { PassThrough, Readable } from 'node:stream';
import { Redaction } from '@turntable/recording/redaction';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyRedacted } from '../src/output/redacted-output.ts';

async function copied(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const output = new PassThrough();
  const read = output.toArray();
  await copyRedacted(Readable.from(chunks), output, new Redaction());
  output.end();
  return Buffer.concat((await read) as Buffer[]);
}

test('a secret that is written in pieces is redacted', async () => {
  const chunks = ['login of ann, pass', 'word=7f3a', '9c1e5b2d, took 5 ms\nnext ', 'line'].map((each) =>
    Buffer.from(each),
  );
  expect(String(await copied(chunks))).toBe('login of ann, password=[redacted], took 5 ms\nnext line');
});

test('bytes without secrets stay, in any pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 })), async (pieces) => {
      const chunks = pieces.map((each) => Buffer.from(each));
      expect((await copied(chunks)).equals(Buffer.concat(chunks))).toBe(true);
    }),
  );
});

test('a long line without an end is passed on', async () => {
  const line = Buffer.alloc(300_000, 'x');
  expect((await copied([line.subarray(0, 100_000), line.subarray(100_000)])).equals(line)).toBe(true);
});
