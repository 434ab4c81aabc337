// Messages whose answer is wanted in time: until a moment, or until a signal says that nobody wants it any more. What comes too late is
// dropped; the error says which messages are still to be answered.

import { RuntimeError } from './runtime-error.ts';
import type { Trail } from './trail.ts';

export interface SendOptions {
  /** Milliseconds, or the moment. */
  readonly deadline?: number | Date;
  readonly signal?: AbortSignal;
}

/** Milliseconds that a timer of Node's can wait. */
const LONGEST = 2 ** 31 - 1;

/** Fails if that is no deadline. */
export function checkDeadline(deadline: unknown): void {
  const isOne =
    deadline === undefined || (typeof deadline === 'number' && !Number.isNaN(deadline)) || isMoment(deadline);
  if (!isOne) throw new RuntimeError('TT_OPTIONS', `deadline: milliseconds or a Date, not ${String(deadline)}`);
}

function isMoment(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'getTime' in value && !Number.isNaN((value as Date).getTime());
}

/** Takes the reason why nobody waits any more, as something that may happen, and when it has. */
export interface Ends {
  expect(what: 'deadline', reason: () => unknown): void;
  end(what: 'deadline' | 'signal', reason: () => unknown): void;
}

/** Ends the waiting when it is too late, unless the trail has come to its end before. */
export function bound(
  call: string,
  { deadline, signal }: SendOptions,
  trail: Trail,
  after: (milliseconds: number, callback: () => void) => () => void,
  ends: Ends,
): void {
  const callOff: (() => void)[] = [];
  const over = (): void => callOff.forEach((each) => each());
  trail.whenOver(over);
  if (deadline !== undefined && deadline !== Infinity) {
    const milliseconds = Math.max(0, typeof deadline === 'number' ? deadline : deadline.getTime() - Date.now());
    const reason = (): unknown => late(call, milliseconds, trail);
    ends.expect('deadline', reason);
    const wait = (left: number): void => {
      callOff[0] = after(Math.min(left, LONGEST), () =>
        left > LONGEST ? wait(left - LONGEST) : ends.end('deadline', reason),
      );
    };
    wait(milliseconds);
  }
  if (signal !== undefined) {
    const abort = (): void => ends.end('signal', () => signal.reason);
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
