// Programs in which an interruption is visible, with the reasons, and known reasons for refusing a capture at a
// boundary. docs/internals/state.md tells users what is not part of the state.

/** Programs that the test skips, because their output depends on where they are interrupted or they would never end. */
export const INTERRUPTION_DIFFERENCES: Readonly<Record<string, string>> = {
  'errors/stack-receivers.js': "Node's own frames in a stack, because a job runs from another place in the new process",
  'esm/dynamic-import-retry/main.mjs': 'a file that the program has run and then changed cannot be read again',
  'esm/tla-never-settles/main.mjs': 'the line of the top-level `await` that never settles, in the warning at exit',
  'exits/signals.js': 'a signal that was sent and has not arrived is lost with the process',
  'exits/unhandled-warn.js':
    'the number of a rejection that is handled late, in a warning: the process that knew it has ended',
  'packages/typeless-package/main.mjs':
    'a warning that a process prints once for each package.json is repeated in the new one',
  'timers/rounds.js': 'a round of the event loop that was interrupted ends with the process',
  'node/vm-contexts.js': 'an object that was made a context of `vm` is a plain one',
};

/** Refusals allowed in any program. */
export const EXPECTED_REFUSALS: readonly RegExp[] = [
  /^the process has pending host operations \((\d+ × )?[\w ]+(, (\d+ × )?[\w ]+)*\);/,
  /^the process is ending/,
  /^the process has run out of work/,
  /: the reactions of a native promise cannot be read;/,
  /: it waits for a native promise, which only this process can settle;/,
  /: a [\w:.]*(MessagePort|Worker|Server|Socket|Interface|Stream\w*|Readable|Writable|Transform) belongs to the host;/,
];

const UNTRANSFORMED_FUNCTION = /: the function ".*" is not transformed, so its captured variables cannot be read;/;
const SHARED_MEMORY = /: it shares memory with other threads \(a SharedArrayBuffer\);/;
const MODULE_NAMESPACE = /: it is the namespace of a module that is not transformed;/;

/** Further refusals allowed in single programs. */
export const REFUSALS_BY_PROGRAM: Readonly<Record<string, readonly RegExp[]>> = {
  // `arguments` of the file itself holds Node's wrapper function.
  'cjs/module-internals/main.cjs': [UNTRANSFORMED_FUNCTION],
  'cjs/wrapper-and-scope/main.js': [UNTRANSFORMED_FUNCTION],
  'counterexamples/own-instances-of-native-classes.js': [UNTRANSFORMED_FUNCTION],
  // Node's warning class.
  'exits/unhandled-warn.js': [UNTRANSFORMED_FUNCTION],
  'exits/unhandled-warn-with-error-code.js': [UNTRANSFORMED_FUNCTION],
  'exits/unhandled-with-listeners.js': [UNTRANSFORMED_FUNCTION],
  'loading/excluded/main.mjs': [UNTRANSFORMED_FUNCTION],
  'node/diagnostics-channels.js': [UNTRANSFORMED_FUNCTION],
  'node/readline-lines.mjs': [UNTRANSFORMED_FUNCTION],
  'node/streams-and-async-iterators.mjs': [
    /: the suspended state of a native generator cannot be read;/,
    UNTRANSFORMED_FUNCTION,
  ],
  'node/test-runner.mjs': [UNTRANSFORMED_FUNCTION],
  'packages/device-in-cycle/main.mjs': [MODULE_NAMESPACE],
  'packages/helper-of-a-device/main.mjs': [MODULE_NAMESPACE],
  // Node 26 iterates its streams with native functions.
  'promises/native-meets-own.js': [UNTRANSFORMED_FUNCTION],
  'timers/mocked.mjs': [UNTRANSFORMED_FUNCTION],
  'workers/worker-data/main.mjs': [SHARED_MEMORY],
};
