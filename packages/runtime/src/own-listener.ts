// Listeners of `process` that are the runtime's and not the program's: whoever keeps events of a run again from the program lets these hear them.

const OWN_LISTENER = Symbol.for('turntable.own');

export function markOwnListener<F extends (...args: never[]) => void>(listener: F): F {
  return Object.assign(listener, { [OWN_LISTENER]: true });
}
