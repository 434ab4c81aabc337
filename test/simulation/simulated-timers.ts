// Replaces `node:timers` in simulated code.
export const { setImmediate } = globalThis;
