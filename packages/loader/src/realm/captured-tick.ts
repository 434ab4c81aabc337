// Functions that Node calls in a tick and that a state must refer to by name. To get such a function, the code that
// queues it is called while `process.nextTick` only stores its arguments.

/** The callback and arguments of the first `process.nextTick` call by `queueTick`; undefined if there is none. */
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

/** The function that emits the warning in the tick after `process.emitWarning`. */
export function warningEmitter(): object {
  if (cachedEmitter !== undefined) return cachedEmitter;
  const [emitter] = captureTick(() => process.emitWarning('')) ?? [];
  if (typeof emitter !== 'function') throw new TypeError('this Node does not emit warnings in a tick');
  return (cachedEmitter = emitter);
}
