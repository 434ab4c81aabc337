// What Node would call in a tick: functions of its own that a state must know by name, learned by running what queues them while
// `process.nextTick` only notes what it is given.

/** What `queues` gives to the first `process.nextTick`: callback and arguments. */
export function notedTick(queues: () => void): readonly unknown[] | undefined {
  let noted: unknown[] | undefined;
  const place = Object.getOwnPropertyDescriptor(process, 'nextTick') as PropertyDescriptor;
  Object.defineProperty(process, 'nextTick', { configurable: true, value: (...args: unknown[]) => (noted ??= args) });
  try {
    queues();
  } finally {
    Object.defineProperty(process, 'nextTick', place);
  }
  return noted;
}

let emitsWarnings: object | undefined;

/** Where a warning goes in the tick after `process.emitWarning`. */
export function warningEmitter(): object {
  if (emitsWarnings !== undefined) return emitsWarnings;
  const [emits] = notedTick(() => process.emitWarning('')) ?? [];
  if (typeof emits !== 'function') throw new TypeError('this Node does not emit warnings in a tick');
  return (emitsWarnings = emits);
}
