// `node --import …/register.ts program.ts`: runs the program with a tape. TAPE is the file, TAPE_MODE whether it is recorded or replayed.
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { createLoaderRealm, openTapedProgram } from '@turntable/boundary';
import { install } from '@turntable/replayer';
import { loaderOptions, runtimeTransform, transformer } from '@turntable/loader';
import { MemoryPlayer, MemoryRecorder, type TapeEvent } from './tapes.ts';

// Turntable's own timers, as the program's are recorded.
const { setImmediate } = globalThis;
const { TAPE = '', TAPE_MODE, TAPE_STATE, TAPE_FROM, TAPE_OUTSIDE } = process.env;
const tape =
  TAPE_MODE === 'replay' ? new MemoryPlayer(deserialize(readFileSync(TAPE)) as TapeEvent[]) : new MemoryRecorder();
const realm = createLoaderRealm(runtimeTransform, await openTapedProgram(tape));
const loader = install(transformer, realm, loaderOptions());

const { emit } = process;
// Runs after the program's own listeners.
process.emit = function (this: NodeJS.Process, ...args: unknown[]): boolean {
  const isReceived = Reflect.apply(emit, this, args) as boolean;
  if (args[0] === 'exit') finish();
  // Lets the program request its state.
  if (args[0] === 'capture' && TAPE_STATE !== undefined)
    setImmediate(() => writeFileSync(TAPE_STATE, state.capture())).unref();
  return isReceived;
} as typeof process.emit;

const state = await loader.programState();

function finish(): void {
  printLine(`state ${state.hash({ handles: 'dead' })}`);
  if (TAPE_OUTSIDE !== undefined) printLine(`can be called by the host: ${loader.hostCallbacks.isEnabled}`);
  for (const each of loader.unreplayableUses()) printLine(`cannot replay ${each}`);
  if (tape instanceof MemoryRecorder) {
    writeFileSync(TAPE, serialize(tape.events));
    return;
  }
  if (tape.divergence !== undefined) printLine(`diverged: ${tape.divergence}`);
  if (tape.remaining.length > 0) printLine(`not taken: ${tape.remaining.length}`);
}

function printLine(line: string): void {
  writeSync(1, `${line}\n`);
}

// Restores the program from a state.
if (TAPE_FROM !== undefined) void state.restore(readFileSync(TAPE_FROM)).then((goOn) => goOn());
