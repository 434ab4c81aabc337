// What Node would call in a tick: functions of its own that a state must know by name, learned by running what queues them while
// `process.nextTick` only notes what it is given.

/** What `queueTick` gives to the first `process.nextTick`: callback and arguments. */
export function captureTick(queueTick: () => void): readonly unknown[] | undefined {
  let tickArgs: unknown[] | undefined;
  const descriptor = Object.getOwnPropertyDescriptor(process, 'nextTick') as PropertyDescriptor;
  Object.defineProperty(process, 'nextTick', {
    configurable: true,
    value: (...args: unknown[]) => (tickArgs ??= args),
  });
  try {
    queueTick();
  } finally {
    Object.defineProperty(process, 'nextTick', descriptor);
  }
  return tickArgs;
}

let cachedEmitter: object | undefined;

/** Where a warning goes in the tick after `process.emitWarning`. */
export function warningEmitter(): object {
  if (cachedEmitter !== undefined) return cachedEmitter;
  const [emitter] = captureTick(() => process.emitWarning('')) ?? [];
  if (typeof emitter !== 'function') throw new TypeError('this Node does not emit warnings in a tick');
  return (cachedEmitter = emitter);
}
