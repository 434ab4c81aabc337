// `node --import …/register.ts program.ts`: the program with a tape. TAPE is a file, TAPE_MODE says what becomes of it.
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { createLoaderRealm, install, loaderOptions, runtimeTransform, taped, transformer } from '../../src/index.ts';
import { MemoryPlayer, MemoryRecorder, type Noted } from './tapes.ts';

const { TAPE = '', TAPE_MODE } = process.env;
const tape =
  TAPE_MODE === 'replay' ? new MemoryPlayer(deserialize(readFileSync(TAPE)) as Noted[]) : new MemoryRecorder();
const realm = createLoaderRealm(runtimeTransform, await taped(tape));
const loader = install(transformer, realm, loaderOptions());
const state = process.env['TAPE_HASH'] === undefined ? undefined : await loader.state();
const { emit } = process;
// After the program's own listeners.
process.emit = function (this: NodeJS.Process, ...args: unknown[]): boolean {
  const isHeard = Reflect.apply(emit, this, args) as boolean;
  if (args[0] === 'exit') finish();
  return isHeard;
} as typeof process.emit;

function finish(): void {
  if (state !== undefined) writeSync(1, `state ${state.hash({ handles: 'dead' })}\n`);
  for (const each of loader.unreplayable()) writeSync(1, `cannot replay ${each}\n`);
  if (tape instanceof MemoryRecorder) return writeFileSync(TAPE, serialize(tape.events));
  if (tape.difference !== undefined) writeSync(1, `diverged: ${tape.difference}\n`);
  if (tape.left.length > 0)
    writeSync(
      1,
      `left: ${tape.left.length} ${JSON.stringify(tape.left[0], (_, v) => (typeof v === 'bigint' ? `${v}n` : (v as unknown)))}\n`,
    );
}
