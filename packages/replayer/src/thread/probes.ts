// Runtime of the probes in debug code, one per thread.
import { Script } from 'node:vm';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { StatementClock, UndoLog } from '@turntable/core';
import { createNodeMutators } from './node-mutators.ts';

let clock: StatementClock | undefined;
let log: UndoLog | undefined;

/** Created once: probes use script-scope variables, which a context can declare only once. */
export function getStatementClock(): StatementClock {
  return (clock ??= new StatementClock(runScript));
}

/** Replaces methods, once. Must be called before the program runs and before a capture reads the language's objects. */
export function getUndoLog(): UndoLog {
  return (log ??= new UndoLog(getStatementClock(), runScript, createNodeMutators()));
}

/**
 * V8 inlines by the size of bytecode, most of which is probes here: the limits are three times the default, and small functions still count as
 * small. It does not pay where tasks are undone: those threads run briefly, and other flags keep V8 from Node's own code cache.
 */
export function raiseInliningLimits(): void {
  for (const limit of ['size=1400', 'size-cumulative=2800', 'size-absolute=14000', 'size-small=80'])
    setFlagsFromString(`--max-inlined-bytecode-${limit}`);
}

/** Runs a script under the name of one of our files, so that stacks omit it. */
function runScript(text: string): unknown {
  return new Script(text, { filename: fileURLToPath(import.meta.url) }).runInThisContext();
}
