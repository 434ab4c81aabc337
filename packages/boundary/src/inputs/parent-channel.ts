// The channel to the process that has forked this one (`child_process.fork`, `node:cluster`), as the program of a recorded thread has it: what it
// sends and asks of it goes through the membrane, and what comes is an act of the outside upon the program. A run again has no such
// channel, and nobody at the other end: the trace says what was sent and what came.
import { getCallSites } from 'node:util';
import type { InputTape } from './input-tape.ts';

/** What of the process is Node's, and outside: the same in every process, with a channel or without. */
export interface ParentChannel {
  send(...args: unknown[]): unknown;
  disconnect(...args: unknown[]): unknown;
  readonly channel: unknown;
}

export interface ParentChannelDeps {
  readonly inputTape: InputTape;
  /** By where a caller's code is. */
  isOfProgram(): boolean;
  readonly programView: ParentChannel;
}

type Fn = (...args: unknown[]) => unknown;

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const UNMAPPED = { sourceMap: false };
/** Enough for what of ours lies between. */
const MAX_FRAMES = 8;
/** What tells of what comes through it. */
const CHANNEL_EVENTS: ReadonlySet<unknown> = new Set(['message', 'disconnect']);
const nativeMethods = { send: process.send, disconnect: process.disconnect } as Readonly<
  Record<string, Fn | undefined>
>;
const channelDescriptor = getOwnPropertyDescriptor(process, 'channel');

/** Whether this process was forked. */
export const hasParent = nativeMethods['send'] !== undefined;

export const parentChannel: ParentChannel = {
  send: function send(...args: unknown[]) {
    return apply(nativeMethods['send'] as Fn, process, args);
  },
  disconnect: function disconnect(...args: unknown[]) {
    return apply(nativeMethods['disconnect'] as Fn, process, args);
  },
  get channel() {
    return channelDescriptor?.get === undefined
      ? channelDescriptor?.value
      : (apply(channelDescriptor.get, process, []) as unknown);
  },
};

/** Whether Node, and not the program itself, lets listeners hear that something has come. Asked from within `process.emit`, in the place of which others may stand. */
export function isParentEvent(name: unknown, isOurs: (file: string) => boolean): boolean {
  if (!hasParent || !CHANNEL_EVENTS.has(name)) return false;
  const caller = getCallSites(MAX_FRAMES, UNMAPPED).find(({ scriptName }) => !isOurs(scriptName));
  return caller?.scriptName.startsWith('node:internal/') === true;
}

/** The program finds its own view of it, and what it has put there itself; Node its own. */
export function showParentChannel({ inputTape, isOfProgram, programView }: ParentChannelDeps): void {
  const redefineProperty = (name: string, valueForProgram: (currentValue: () => unknown) => unknown): void => {
    const { value, get, set, enumerable = true } = getOwnPropertyDescriptor(process, name) ?? {};
    let storedValue: unknown = value;
    let programValue: { readonly value: unknown } | undefined;
    const currentValue = (): unknown => (get === undefined ? storedValue : apply(get, process, []));
    const accessor = {
      get [name](): unknown {
        if (!isOfProgram()) return currentValue();
        return programValue === undefined ? valueForProgram(currentValue) : programValue.value;
      },
      set [name](newValue: unknown) {
        if (isOfProgram()) programValue = { value: newValue };
        else if (set === undefined) storedValue = newValue;
        else apply(set, process, [newValue]);
      },
    };
    const descriptor = getOwnPropertyDescriptor(accessor, name) as PropertyDescriptor;
    defineProperty(process, name, { ...descriptor, enumerable });
  };
  redefineProperty('send', () => programView.send);
  redefineProperty('disconnect', () => programView.disconnect);
  redefineProperty('channel', () => programView.channel);
  redefineProperty('connected', (currentValue) => inputTape.recordValue('process.connected', currentValue));
}
