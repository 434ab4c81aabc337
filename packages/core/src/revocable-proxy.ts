// `Proxy.revocable(…)` of the engine, with a `revoke` function of core's own that knows its proxy, so that capture can
// read it. The engine's `revoke` is kept beside the proxy, and is collected with it.

import { apply, defineMethod } from './intrinsics.ts';
import { journal } from './undo/journal.ts';

/** State of a `revoke` function. `proxy` is undefined after the call of the function. */
export interface Revocable {
  proxy: object | undefined;
}

type Handler = ProxyHandler<object>;

const NativeProxy = Proxy;
const nativeRevocable = Proxy.revocable;
const revokers = new WeakMap<object, () => void>();
const { get, set } = WeakMap.prototype as WeakMap<object, () => void>;

export function revocableProxy(target: object, handler: Handler): object {
  const { proxy, revoke } = apply(nativeRevocable, NativeProxy, [target, handler]);
  apply(set, revokers, [proxy, revoke]);
  return proxy;
}

export function revokeOnce(state: Revocable): void {
  const { proxy } = state;
  if (proxy === undefined) return;
  journal.log?.noteObstacle('a proxy has been revoked');
  state.proxy = undefined;
  const revoke = apply(get, revokers, [proxy]) as (() => void) | undefined;
  if (revoke !== undefined) revoke();
}

/** Replaces `Proxy.revocable`. @param revoker makes the `revoke` function, as one of core's closures */
export function installRevocable(revoker: (state: Revocable) => () => void): void {
  const { revocable } = {
    revocable(target: object, handler: Handler): { proxy: object; revoke: () => void } {
      const proxy = revocableProxy(target, handler);
      return { proxy, revoke: revoker({ proxy }) };
    },
  };
  defineMethod(NativeProxy, 'revocable', revocable);
}
