// What a program leaves in the `process` object: its arguments, its exit code and the functions it wants to be called. The listeners
// of others (Node, devices, the loader) are not state.
import { internals } from '@turntable/core';

type Listener = (...args: never[]) => unknown;

export interface ProcessState {
  readonly argv: readonly string[];
  readonly exitCode: number | string | null | undefined;
  readonly listeners: readonly (readonly [event: string | symbol, listener: Listener, once: boolean])[];
}

export function readProcess(): ProcessState {
  const listeners: [string | symbol, Listener, boolean][] = [];
  for (const event of process.eventNames()) {
    for (const raw of process.rawListeners(event) as (Listener & { listener?: Listener })[]) {
      const listener = raw.listener ?? raw;
      if (internals.isOurs(listener)) listeners.push([event, listener, raw.listener !== undefined]);
    }
  }
  return { argv: [...process.argv], exitCode: process.exitCode, listeners };
}

export function writeProcess({ argv, exitCode, listeners }: ProcessState): void {
  process.argv.splice(0, Infinity, ...argv);
  if (exitCode !== undefined) process.exitCode = exitCode;
  for (const [event, listener, once] of listeners) {
    if (once) process.once(event as 'exit', listener as never);
    else process.on(event as 'exit', listener as never);
  }
}
