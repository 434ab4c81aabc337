// Replaces `once` and `prependOnceListener` of emitters. Node wraps the listener in a closure whose hidden state cannot
// be captured; the state of core's wrapper can be. Otherwise the methods work as in Node.
import EventEmitter from 'node:events';
import type { Realm } from '@turntable/core';
import { replaceFunction } from '@turntable/loader';

type Listener = (...args: unknown[]) => void;
type Method = (this: EventEmitter, type: PropertyKey, listener: Listener) => EventEmitter;

export function installOnceListeners(realm: Realm): void {
  const { onceListener } = realm.parts.closures;
  const prototype = EventEmitter.prototype as unknown as Record<'once' | 'prependOnceListener', Method>;
  const { once: nativeOnce, prependOnceListener: nativePrepend } = prototype;

  function wrap(target: EventEmitter, type: PropertyKey, listener: Listener): Listener {
    const state = { target: target as never, type, listener, wrapper: undefined as unknown, fired: false };
    const wrapper = onceListener(state) as Listener & { listener?: Listener };
    state.wrapper = wrapper;
    wrapper.listener = listener;
    return wrapper;
  }

  const { once, prependOnceListener } = {
    once(this: EventEmitter, type: PropertyKey, listener: Listener): EventEmitter {
      if (typeof listener !== 'function') return Reflect.apply(nativeOnce, this, [type, listener]);
      this.on(type as string, wrap(this, type, listener));
      return this;
    },
    prependOnceListener(this: EventEmitter, type: PropertyKey, listener: Listener): EventEmitter {
      if (typeof listener !== 'function') return Reflect.apply(nativePrepend, this, [type, listener]);
      this.prependListener(type as string, wrap(this, type, listener));
      return this;
    },
  };
  replaceFunction(prototype, 'once', once);
  replaceFunction(prototype, 'prependOnceListener', prependOnceListener);
}
