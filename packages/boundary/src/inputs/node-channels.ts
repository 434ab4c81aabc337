// Listeners of the program on Node's own diagnostics channels (`http.server.request.start`). Node publishes host
// objects there, so the messages cross the membrane, and come from the trace in a replay. All other channels are
// neutral: both sides share them.
import { channel, type Channel } from 'node:diagnostics_channel';
import { internals } from '@turntable/core';
import { wrapFunction } from '@turntable/loader';

type Listener = (...values: unknown[]) => void;

export interface NodeChannelDeps {
  /** Returns the function that Node calls in place of a listener of the program. */
  wrapListener(listener: object): Listener;
  reportUnreplayable(use: string): void;
}

const { apply, getPrototypeOf } = Reflect;
/** Names of the channels that Node itself publishes to. */
const NODE_CHANNELS =
  /^(?:tracing:)?(?:http2?|net|udp|undici|child_process|worker_threads|module|execve|process|web)[.:]|^(?:child_process|worker_threads|execve)$/;
const programListeners = new WeakMap<object, object>();

export function programListenerOf<T>(subscriber: T): T {
  return (
    ((typeof subscriber === 'function' ? programListeners.get(subscriber) : undefined) as T | undefined) ?? subscriber
  );
}

export function trackNodeChannels({ wrapListener, reportUnreplayable }: NodeChannelDeps): void {
  const wrappers = new WeakMap<object, Listener>();
  const wrapperOf = (listener: object): Listener => {
    let wrapper = wrappers.get(listener);
    if (wrapper === undefined) {
      wrapper = wrapListener(listener);
      wrappers.set(listener, wrapper);
      programListeners.set(wrapper, listener);
    }
    return wrapper;
  };
  const probeChannel = channel('turntable');
  const idlePrototype = getPrototypeOf(probeChannel) as object;
  const activeChannelPrototype = activePrototype(probeChannel);
  // Only the active class is wrapped, because the method of the idle class delegates to it.
  for (const name of ['subscribe', 'unsubscribe'] as const)
    wrapFunction<Channel>(activeChannelPrototype, name, (native, target, [listener, ...rest]) => {
      const isProgramListener =
        NODE_CHANNELS.test(String(target.name)) && typeof listener === 'function' && internals.isCapturable(listener);
      return apply(native, target, [isProgramListener ? wrapperOf(listener) : listener, ...rest]);
    });
  for (const prototype of [idlePrototype, activeChannelPrototype])
    wrapFunction<Channel>(prototype, 'bindStore', (native, target, args) => {
      if (NODE_CHANNELS.test(String(target.name)))
        reportUnreplayable(`a store bound to diagnostics_channel ${String(target.name)}`);
      return apply(native, target, args);
    });
}

/** Returns the prototype that a channel has while it has subscribers: Node changes its class. */
export function activePrototype(probeChannel: Channel): object {
  const listener = (): void => undefined;
  probeChannel.subscribe(listener);
  const prototype = getPrototypeOf(probeChannel) as object;
  probeChannel.unsubscribe(listener);
  return prototype;
}
