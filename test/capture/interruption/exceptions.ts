// What interrupting a program cannot hide, and where no capture can be: programs that do not go on as if nothing had happened, each with
// the reason, and why there may be no capture at a boundary. docs/state.md tells users what is not state.

/** Not run by the test: what becomes of them depends on where they are interrupted, or they would wait for ever. */
export const INTERRUPTION_DIFFERENCES: Readonly<Record<string, string>> = {
  'errors/stack-receivers.js': "frames of Node's own in a stack: a job runs from another place in the new process",
  'esm/dynamic-import-retry/main.mjs': 'a file that the program has run and then changed cannot be read again',
  'esm/tla-never-settles/main.mjs': 'the line of the top-level `await` that never settles, in the warning at exit',
  'exits/signals.js': 'a signal that was sent and has not arrived is lost with the process',
  'exits/unhandled-warn.js':
    'the number of a rejection that is handled late, in a warning: the process that knew it has ended',
  'packages/typeless-package/main.mjs':
    'a warning that a process gives once for each package.json comes again in the new one',
  'timers/rounds.js': 'a round of the event loop that was interrupted ends with the process',
  'node/vm-contexts.js': 'an object that was made a context of `vm` is a plain one',
};

/** In any program. */
export const EXPECTED_REFUSALS: readonly RegExp[] = [
  /^the process waits for what it has begun outside \((\d+ × )?[\w ]+(, (\d+ × )?[\w ]+)*\);/,
  /^the process is ending/,
  /^the process has run out of work/,
  /: a native promise belongs to the engine, which does not tell who waits for it;/,
  /: it waits for a native promise, of whose outcome only this process will know;/,
  /: a [\w:.]*(MessagePort|Worker|Server|Socket|Interface|Stream\w*|Readable|Writable|Transform) belongs to the host;/,
];

const UNTRANSFORMED_FUNCTION = /: the function ".*" is not transformed, so what it captured cannot be seen;/;
const SHARED_MEMORY = /: it shares memory with other threads \(a SharedArrayBuffer\);/;
const MODULE_NAMESPACE = /: the namespace of a module that is not part of the program;/;

/** In some. */
export const REFUSALS_BY_PROGRAM: Readonly<Record<string, readonly RegExp[]>> = {
  // `arguments` of the file itself: Node's wrapper function.
  'cjs/module-internals/main.cjs': [UNTRANSFORMED_FUNCTION],
  'cjs/wrapper-and-scope/main.js': [UNTRANSFORMED_FUNCTION],
  'counterexamples/own-instances-of-native-classes.js': [UNTRANSFORMED_FUNCTION],
  // The class of Node's warning.
  'exits/unhandled-warn.js': [UNTRANSFORMED_FUNCTION],
  'exits/unhandled-warn-with-error-code.js': [UNTRANSFORMED_FUNCTION],
  'exits/unhandled-with-listeners.js': [UNTRANSFORMED_FUNCTION],
  'loading/excluded/main.mjs': [UNTRANSFORMED_FUNCTION],
  'node/diagnostics-channels.js': [UNTRANSFORMED_FUNCTION],
  'node/readline-lines.mjs': [UNTRANSFORMED_FUNCTION],
  'node/streams-and-async-iterators.mjs': [
    /: a native generator is suspended inside the engine;/,
    UNTRANSFORMED_FUNCTION,
  ],
  'node/test-runner.mjs': [UNTRANSFORMED_FUNCTION],
  'packages/device-in-cycle/main.mjs': [MODULE_NAMESPACE],
  'packages/helper-of-a-device/main.mjs': [MODULE_NAMESPACE],
  // Node 26 iterates its streams by functions.
  'promises/native-meets-own.js': [UNTRANSFORMED_FUNCTION],
  'timers/mocked.mjs': [UNTRANSFORMED_FUNCTION],
  'workers/worker-data/main.mjs': [SHARED_MEMORY],
};
