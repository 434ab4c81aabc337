// Messages whose answer is wanted in time: until a moment, or until a signal says that nobody wants it any more. What comes too late is
// dropped; the error says which messages are still to be answered.

import { RuntimeError } from './runtime-error.ts';
import type { Trail } from './trail.ts';

export interface SendOptions {
  /** Milliseconds, or the moment. */
  readonly deadline?: number | Date;
  readonly signal?: AbortSignal;
}

/** Calls `end` with the reason when it is too late, unless the trail has come to its end before. */
export function bound(
  call: string,
  { deadline, signal }: SendOptions,
  trail: Trail,
  after: (milliseconds: number, callback: () => void) => () => void,
  end: (reason: unknown) => void,
): void {
  const callOff: (() => void)[] = [];
  const over = (): void => callOff.forEach((each) => each());
  trail.whenOver(over);
  if (deadline !== undefined) {
    const milliseconds = typeof deadline === 'number' ? deadline : Math.max(0, deadline.getTime() - Date.now());
    callOff.push(after(milliseconds, () => end(late(call, milliseconds, trail))));
  }
  if (signal !== undefined) {
    const abort = (): void => end(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    callOff.push(() => signal.removeEventListener('abort', abort));
  }
}

function late(call: string, milliseconds: number, trail: Trail): RuntimeError {
  const chains = trail.chains().map((chain) => `  ${chain}`);
  return new RuntimeError(
    'TT_DEADLINE',
    `${call} was not answered within ${milliseconds} ms; what it waits for:\n${chains.join('\n')}`,
  );
}
