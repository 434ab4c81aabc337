// The channel to the process that has forked this one (`child_process.fork`, `node:cluster`), as the program of a recorded thread has it: what it
// sends and asks of it goes through the membrane, and what comes is an act of the outside upon the program. A run again has no such
// channel, and nobody at the other end: the trace says what was sent and what came.
import { getCallSites } from 'node:util';
import type { Asking } from './asking.ts';

/** What of the process is Node's, and outside: the same in every process, with a channel or without. */
export interface ParentChannel {
  send(...args: unknown[]): unknown;
  disconnect(...args: unknown[]): unknown;
  readonly channel: unknown;
}

export interface ParentChannelParts {
  readonly asking: Asking;
  /** By where a caller's code is. */
  isOfProgram(): boolean;
  readonly shown: ParentChannel;
}

type Fn = (...args: unknown[]) => unknown;

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const WITHOUT_MAPS = { sourceMap: false };
/** Enough for what of ours lies between. */
const FRAMES = 8;
/** What tells of what comes through it. */
const EVENTS: ReadonlySet<unknown> = new Set(['message', 'disconnect']);
const native = { send: process.send, disconnect: process.disconnect } as Readonly<Record<string, Fn | undefined>>;
const channel = getOwnPropertyDescriptor(process, 'channel');

/** Whether this process was forked. */
export const hasParent = native['send'] !== undefined;

export const parentChannel: ParentChannel = {
  send: function send(...args: unknown[]) {
    return apply(native['send'] as Fn, process, args);
  },
  disconnect: function disconnect(...args: unknown[]) {
    return apply(native['disconnect'] as Fn, process, args);
  },
  get channel() {
    return channel?.get === undefined ? channel?.value : (apply(channel.get, process, []) as unknown);
  },
};

/** Whether Node, and not the program itself, lets listeners hear that something has come. Asked from within `process.emit`, in the place of which others may stand. */
export function comesFromParent(name: unknown, isOurs: (file: string) => boolean): boolean {
  if (!hasParent || !EVENTS.has(name)) return false;
  const caller = getCallSites(FRAMES, WITHOUT_MAPS).find(({ scriptName }) => !isOurs(scriptName));
  return caller?.scriptName.startsWith('node:internal/') === true;
}

/** The program finds its own view of it, and what it has put there itself; Node its own. */
export function showParentChannel({ asking, isOfProgram, shown }: ParentChannelParts): void {
  const show = (name: string, own: (current: () => unknown) => unknown): void => {
    const { value, get, set, enumerable = true } = getOwnPropertyDescriptor(process, name) ?? {};
    let stored: unknown = value;
    let replaced: { readonly value: unknown } | undefined;
    const current = (): unknown => (get === undefined ? stored : apply(get, process, []));
    const accessor = {
      get [name](): unknown {
        if (!isOfProgram()) return current();
        return replaced === undefined ? own(current) : replaced.value;
      },
      set [name](given: unknown) {
        if (isOfProgram()) replaced = { value: given };
        else if (set === undefined) stored = given;
        else apply(set, process, [given]);
      },
    };
    const descriptor = getOwnPropertyDescriptor(accessor, name) as PropertyDescriptor;
    defineProperty(process, name, { ...descriptor, enumerable });
  };
  show('send', () => shown.send);
  show('disconnect', () => shown.disconnect);
  show('channel', () => shown.channel);
  show('connected', (current) => asking.machine('process.connected', current));
}
