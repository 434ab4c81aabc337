// Creates this thread's statement clock and undo log, which the probes and barriers of debug code call.
import { Script } from 'node:vm';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { StatementClock, UndoLog } from '@turntable/core';
import { createNodeMutators } from './node-mutators.ts';

let clock: StatementClock | undefined;
let log: UndoLog | undefined;

/** The only statement clock: probes use script-scope variables, which a context can declare only once. */
export function getStatementClock(): StatementClock {
  return (clock ??= new StatementClock(runScript));
}

/** The undo log. The first call replaces methods, so it must precede the program and the capture of the intrinsics. */
export function getUndoLog(): UndoLog {
  return (log ??= new UndoLog(getStatementClock(), runScript, createNodeMutators()));
}

/**
 * Triples V8's size limits for inlining, because probes are the larger part of the bytecode of debug code. This is not
 * worth it in threads that undo tasks: they run briefly, and changed flags make V8 reject Node's own code cache.
 */
export function raiseInliningLimits(): void {
  for (const limit of ['size=1400', 'size-cumulative=2800', 'size-absolute=14000', 'size-small=80'])
    setFlagsFromString(`--max-inlined-bytecode-${limit}`);
}

/** Runs a script under the name of a file of Turntable, so that stacks omit it. */
function runScript(text: string): unknown {
  return new Script(text, { filename: fileURLToPath(import.meta.url) }).runInThisContext();
}
