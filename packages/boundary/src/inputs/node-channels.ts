// What a program hears of Node's own diagnostics channels (`http.server.request.start`): Node publishes there with objects of its own, so that
// what it tells comes through the membrane, and in a run again from the trace, where nobody publishes. Channels of anybody else are neutral.
import { channel, type Channel } from 'node:diagnostics_channel';
import { internals } from '@turntable/core';
import { standInBy } from '@turntable/loader';

type Listener = (...values: unknown[]) => void;

export interface NodeChannelPorts {
  /** What Node is to call in the place of a listener of the program's. */
  listen(listener: object): Listener;
  cannotReplay(what: string): void;
}

const { apply, getPrototypeOf } = Reflect;
/** Names under which Node itself publishes. */
const OF_NODE =
  /^(?:tracing:)?(?:http2?|net|udp|undici|child_process|worker_threads|module|execve|process|web)[.:]|^(?:child_process|worker_threads|execve)$/;
const behind = new WeakMap<object, object>();

/** Whom Node calls by it. */
export function listenerBehind<T>(subscriber: T): T {
  return ((typeof subscriber === 'function' ? behind.get(subscriber) : undefined) as T | undefined) ?? subscriber;
}

export function followNodeChannels({ listen, cannotReplay }: NodeChannelPorts): void {
  const standIns = new WeakMap<object, Listener>();
  const inPlaceOf = (listener: object): Listener => {
    let own = standIns.get(listener);
    if (own === undefined) {
      own = listen(listener);
      standIns.set(listener, own);
      behind.set(own, listener);
    }
    return own;
  };
  const sample = channel('turntable');
  const idle = getPrototypeOf(sample) as object;
  const active = activePrototype(sample);
  // The idle class hands on to the other one what is subscribed first.
  for (const name of ['subscribe', 'unsubscribe'] as const)
    standInBy<Channel>(active, name, (native, of, [listener, ...rest]) => {
      const isHeard = OF_NODE.test(String(of.name)) && typeof listener === 'function' && internals.isOurs(listener);
      return apply(native, of, [isHeard ? inPlaceOf(listener) : listener, ...rest]);
    });
  for (const prototype of [idle, active])
    standInBy<Channel>(prototype, 'bindStore', (native, of, args) => {
      if (OF_NODE.test(String(of.name))) cannotReplay(`a store bound to diagnostics_channel ${String(of.name)}`);
      return apply(native, of, args);
    });
}

/** Node gives a channel another class while somebody listens. */
export function activePrototype(sample: Channel): object {
  const listener = (): void => undefined;
  sample.subscribe(listener);
  const prototype = getPrototypeOf(sample) as object;
  sample.unsubscribe(listener);
  return prototype;
}
