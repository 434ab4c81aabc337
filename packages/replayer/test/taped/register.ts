// `node --import …/register.ts program.ts`: the program with a tape. TAPE is a file, TAPE_MODE says what becomes of it.
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { createLoaderRealm, taped } from '@turntable/boundary';
import { install } from '@turntable/replayer';
import { loaderOptions, runtimeTransform, transformer } from '@turntable/loader';
import { MemoryPlayer, MemoryRecorder, type Noted } from './tapes.ts';

const { TAPE = '', TAPE_MODE, TAPE_STATE, TAPE_FROM, TAPE_OUTSIDE } = process.env;
const tape =
  TAPE_MODE === 'replay' ? new MemoryPlayer(deserialize(readFileSync(TAPE)) as Noted[]) : new MemoryRecorder();
const realm = createLoaderRealm(runtimeTransform, await taped(tape));
const loader = install(transformer, realm, loaderOptions());

const { emit } = process;
// After the program's own listeners.
process.emit = function (this: NodeJS.Process, ...args: unknown[]): boolean {
  const isHeard = Reflect.apply(emit, this, args) as boolean;
  if (args[0] === 'exit') finish();
  // The program's way to ask for its state.
  if (args[0] === 'capture' && TAPE_STATE !== undefined)
    setImmediate(() => writeFileSync(TAPE_STATE, state.capture())).unref();
  return isHeard;
} as typeof process.emit;

const state = await loader.state();

function finish(): void {
  say(`state ${state.hash({ handles: 'dead' })}`);
  if (TAPE_OUTSIDE !== undefined) say(`can be called from outside: ${loader.outside.isReached}`);
  for (const each of loader.unreplayable()) say(`cannot replay ${each}`);
  if (tape instanceof MemoryRecorder) {
    writeFileSync(TAPE, serialize(tape.events));
    return;
  }
  if (tape.difference !== undefined) say(`diverged: ${tape.difference}`);
  if (tape.left.length > 0) say(`not taken: ${tape.left.length}`);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

// A program that goes on from a state.
if (TAPE_FROM !== undefined) void state.restore(readFileSync(TAPE_FROM)).then((goOn) => goOn());
