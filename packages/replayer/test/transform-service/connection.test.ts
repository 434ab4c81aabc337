// Threads of a replay process share one connection to the transform service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { PACKAGE_FORM_FLAGS } from '../../src/program-file.ts';
import { LineSplitter } from '../../src/transform-service/line-splitter.ts';
import { parseLine, TRANSFORM_DESCRIPTOR, TRANSFORM_VARIABLE } from '../../src/transform-service/protocol.ts';

vi.setConfig({ testTimeout: 60_000 });

const THREADS = fileURLToPath(new URL('threads.mjs', import.meta.url));
const CONNECTION = fileURLToPath(new URL('../../src/transform-service/connection.ts', import.meta.url));

/** Runs a program with a connection. @param respond is called with each line that the program sends */
async function run(respond: (line: string, connection: Duplex) => void): Promise<{ output: string; code: unknown }> {
  const child = spawn(process.execPath, [...PACKAGE_FORM_FLAGS, THREADS], {
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'pipe'],
    env: { [TRANSFORM_VARIABLE]: '1', TEST_CONNECTION: CONNECTION },
  });
  const connection = (child.stdio as readonly unknown[])[TRANSFORM_DESCRIPTOR] as Duplex;
  const splitter = new LineSplitter();
  connection.on('data', (chunk: Buffer) => {
    for (const line of splitter.split(chunk)) respond(line, connection);
  });
  connection.on('error', () => {});
  const ended = once(child, 'close');
  const [output, errors] = await Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await (stream as Readable).toArray()).join('')),
  );
  const [code] = (await ended) as unknown[];
  return { output: `${output}${errors}`, code };
}

test('threads that ask at the same time get their own answers', async () => {
  let requests = 0;
  const { output, code } = await run((line, connection) => {
    requests++;
    const [id, text] = parseLine(line);
    const [, source] = (JSON.parse(text) as { args: string[] }).args;
    // What was left by a request of a thread that has ended.
    connection.write('partial\n9.9 {"result":{"names":["wrong"]}}\n');
    connection.write(`${id} ${JSON.stringify({ result: { names: [source], all: [] } })}\n`);
  });
  expect({ output, code }).toEqual({ output: '', code: 0 });
  expect(requests).toBe(400);
});

test('a request fails if the service is gone', async () => {
  const { output, code } = await run((_, connection) => connection.destroy());
  expect(output).toContain('Error: the transform service has ended');
  expect(code).toBe(1);
});
