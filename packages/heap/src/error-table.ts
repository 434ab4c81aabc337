// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const HEAP_ERRORS = {
  TT_UNCAPTURABLE: {
    area: 'recording',
    messages: [
      'PATH: a CLASS belongs to the host; create it in device(() => …), or create it again when it is needed',
      'PATH: the function NAME is not transformed, so its captured variables cannot be read; transform its module with --include PACKAGE, or create it in device(() => …)',
      'PATH: the function NAME is native code, so its state cannot be read; get it again where it is used instead of storing it, or create it in device(() => …)',
      'PATH: the reactions of a native promise cannot be read; await it in transformed code, or create it there with new Promise(…) or an async function',
      'PATH: it waits for a native promise, which only this process can settle; capture after the host operation has ended, or create it in device(() => …)',
      'PATH: the suspended state of a native generator cannot be read; transform the module of its function with --include PACKAGE',
      'PATH: the position of a native iterator cannot be read; iterate with for-of, or copy the remaining values into an array',
      'PATH: it shares memory with other threads (a SharedArrayBuffer); create shared memory in device(() => …), or store a copy of its contents',
      'PATH: this host cannot read the target of a Proxy; give createRealm a host with an engine view, or create it in device(() => …)',
      'PATH: it is the namespace of a module that is not transformed; import it where it is used instead of storing it',
      'PATH: its source text is unavailable; define the function in a file, or drop it before the capture',
    ],
    meaning: 'A value in the program cannot be part of a captured state. The message gives the path to the value.',
    cause: 'The value belongs to Node, to native code, or to code that is not transformed.',
    remedy:
      'Create the value in device(() => …), which a restore calls again, or transform its module with `--include PACKAGE`.',
  },
  TT_CAPTURE_MISUSED: {
    area: 'internal',
    messages: [
      'the first root of this capture is not written yet; call `run` until it returns true',
      'the capture is finished; start another capture',
      'a root of this capture could not be written, so its bytes are incomplete; start another capture',
    ],
    meaning: 'A method of a capture was called at the wrong time.',
    cause: 'The capture has no first root yet, is finished, or has failed.',
    remedy: 'Start another capture of @turntable/heap and call `run` until it returns true.',
  },
  TT_CORRUPT_STATE: {
    area: 'recording',
    messages: [
      'the state is damaged at byte N: expected CONTENT; restore another snapshot',
      'the state is damaged at byte N: REASON; restore another snapshot',
      'the state is damaged: REASON; restore another snapshot',
    ],
    meaning: 'The bytes of a captured state are damaged.',
    cause: 'The disk or a copy lost bytes, or the file was changed.',
    remedy: 'Restore another snapshot, or copy the file again.',
  },
  TT_STATE_TOO_LARGE: {
    area: 'recording',
    messages: ['reading stopped at byte N: the state needs more memory than allowed; raise the `memoryLimit` option'],
    meaning: 'Reading a state would take more memory than its caller allows.',
    cause: 'The state is larger than the option `memoryLimit`, or damaged bytes claim a large size.',
    remedy: 'Raise `memoryLimit` if you trust the source of the state.',
  },
} as const;
