// The channel to the parent process (`child_process.fork`, `node:cluster`) as the program of a thread with a tape sees
// it. Its use crosses the membrane, and messages are host callbacks. A replay has no channel and no parent: the trace
// contains all messages.
import { getCallSites } from 'node:util';
import type { InputTape } from './input-tape.ts';

/** Members of `process` that belong to the host side. The object exists also in a process without a channel. */
export interface ParentChannel {
  send(...args: unknown[]): unknown;
  disconnect(...args: unknown[]): unknown;
  readonly channel: unknown;
}

export interface ParentChannelDeps {
  readonly inputTape: InputTape;
  /** Whether other code than the program's uses an accessor, which is running. */
  isNativeReader(accessor: (...args: never[]) => unknown): boolean;
  readonly programView: ParentChannel;
}

type Fn = (...args: unknown[]) => unknown;

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const UNMAPPED = { sourceMap: false };
/** Number of frames to read, enough for Turntable's own frames between the caller and this module. */
const MAX_FRAMES = 8;
/** Events of `process` that report messages or the end of the channel. */
const CHANNEL_EVENTS: ReadonlySet<unknown> = new Set(['message', 'disconnect']);
const nativeMethods = { send: process.send, disconnect: process.disconnect } as Readonly<
  Record<string, Fn | undefined>
>;
const channelDescriptor = getOwnPropertyDescriptor(process, 'channel');

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

/** Whether Node emits the event, and not the program, according to the stack. Must be called in `process.emit`. */
export function isParentEvent(name: unknown, isOurs: (file: string) => boolean): boolean {
  if (!hasParent || !CHANNEL_EVENTS.has(name)) return false;
  const caller = getCallSites(MAX_FRAMES, UNMAPPED).find(({ scriptName }) => !isOurs(scriptName));
  return caller?.scriptName.startsWith('node:internal/') === true;
}

/** Makes program code read its own view of the channel, or the values that it has set. All other code is unaffected. */
export function showParentChannel({ inputTape, isNativeReader, programView }: ParentChannelDeps): void {
  const redefineProperty = (name: string, valueForProgram: (currentValue: () => unknown) => unknown): void => {
    const { value, get, set, enumerable = true } = getOwnPropertyDescriptor(process, name) ?? {};
    let storedValue: unknown = value;
    let programValue: { readonly value: unknown } | undefined;
    const currentValue = (): unknown => (get === undefined ? storedValue : apply(get, process, []));
    const accessor = {
      get [name](): unknown {
        if (isNativeReader(descriptor.get as Fn)) return currentValue();
        return programValue === undefined ? valueForProgram(currentValue) : programValue.value;
      },
      set [name](newValue: unknown) {
        if (!isNativeReader(descriptor.set as Fn)) programValue = { value: newValue };
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
