// Takes the place of `node:timers` in simulated code.
export const { setImmediate } = globalThis;
