// Programs known to behave differently when transformed, and how. A program without a difference must be removed from
// this list. docs/internals/transform.md describes the differences for users.

const REASONS: Readonly<Record<string, string>> = {
  'node/native-promises.mjs': "promises of Node's own functions have the engine's prototype and queue",
  'node/vm-this-context.js': "text run by `vm` in this context sees the engine's own intrinsics",
  'node/structured-clone-of-promises.js': 'promises and generators are copied as empty objects instead of refused',
  'promises/visible-properties.js': '`nodejs.util.inspect.custom` on `Promise.prototype`',
};

/** Differences in one Node version only. */
const REASONS_BY_NODE_VERSION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  26: {
    'async/uncaught-exception.js':
      'microtasks that are pending when a handler survives an uncaught exception run before immediates, not after',
  },
};

const [major = ''] = process.versions.node.split('.');

export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = { ...REASONS, ...REASONS_BY_NODE_VERSION[major] };
