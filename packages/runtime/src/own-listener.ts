// Marks listeners of `process` that belong to the runtime. A replay hides events of `process` from the program, and
// still delivers them to these listeners.

const OWN_LISTENER = Symbol.for('turntable.own');

export function markOwnListener<F extends (...args: never[]) => void>(listener: F): F {
  return Object.assign(listener, { [OWN_LISTENER]: true });
}
