// Listeners of `process` that belong to the runtime. A replay that hides events of `process` from the program still
// delivers them to these.

const OWN_LISTENER = Symbol.for('turntable.own');

export function markOwnListener<F extends (...args: never[]) => void>(listener: F): F {
  return Object.assign(listener, { [OWN_LISTENER]: true });
}
