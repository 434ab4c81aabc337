// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const LOADER_ERRORS = {
  TT_NOT_INSTALLED: {
    area: 'loading',
    messages: [
      'no loader is installed; start the program with --import turntable/register, or call start() before the first spawn()',
      'SPECIFIER cannot be resolved, because the loader is not installed; start the program with --import turntable/register',
      'modules cannot be lent to the host in this thread; start the program with --import turntable/register',
      'module NAME was loaded in a thread without its program; start the thread with --import turntable/register',
      'Function(…) was called before the loader was installed; call install() first',
    ],
    meaning: 'Code needs the loader of Turntable, which is not installed in this thread.',
    cause: 'The program or thread was started without turntable/register.',
    remedy: 'Start the program with `turntable run FILE` or `node --import turntable/register FILE`.',
  },
  TT_TSCONFIG: {
    area: 'loading',
    messages: [
      'FILE:LINE:COLUMN: this tsconfig.json is not valid: REASON',
      'FILE:LINE:COLUMN: "extends" names NAME, which does not exist; correct the path or install the package',
      'FILE:LINE:COLUMN: "extends" leads back to FILE; remove an "extends" of this cycle',
    ],
    meaning: 'A tsconfig.json of the program cannot be read.',
    cause: 'The file has a syntax error, or its "extends" names a missing file or forms a cycle.',
    remedy: 'Correct the file at the line of the message.',
  },
  TT_CONFIG: {
    area: 'loading',
    messages: [
      'FILE:LINE:COLUMN: there is no setting "NAME"; did you mean "NAME"?',
      'FILE:LINE:COLUMN: there is no setting "NAME"; available: NAMES',
      'FILE:LINE:COLUMN: "NAME" must be TYPE, not VALUE',
      'FILE:LINE:COLUMN: settings must be an object, but this file exports nothing; write `export default defineConfig({ … })`',
      'FILE:LINE:COLUMN: this file threw an error while it was loaded: REASON',
      'FILE:LINE:COLUMN: this file is not valid: REASON',
      'FILE:LINE:COLUMN: a config file is loaded synchronously; remove the top-level `await` from this file',
      'FILE:LINE:COLUMN: there is also FILE, and only one config file is allowed; delete one of them',
      'FLAG (or VARIABLE) must be a list such as EXAMPLE, not VALUE',
      'VARIABLE must be 1, 0, later, or later=SIGUSR2, not VALUE (flags: --trace, --later, --later=SIGUSR2)',
    ],
    meaning: 'A setting is invalid: in turntable.config, in the environment, or on the command line.',
    cause: 'The name of the setting is misspelt, its value has another type, or the config file fails to load.',
    remedy: 'Correct the setting as the message says. `turntable --help` lists all settings.',
  },
  TT_STATE: {
    area: 'recording',
    messages: [
      'this is not the state of a program; name a file that turntable run --capture wrote',
      'the state has format N, this Turntable reads format N; restore it with the version that captured it',
      'the state is damaged or truncated; copy it again',
      'the state is damaged: its head is not valid JSON; copy it again',
      'the state is damaged: its head is incomplete; copy it again',
      'the state is damaged: the code of NAME is missing; restore another snapshot',
      'the state is damaged: the factory of NAME is missing; restore another snapshot',
      'the state is damaged: factories of its devices are missing; restore another snapshot',
      'Timers.read: the argument must be a timer',
      'Timers.arm: the timer must be filled and waiting',
    ],
    meaning: 'A captured state cannot be read by this process.',
    cause: 'The file is not a state, is damaged, or was captured by another version of Turntable or Node.',
    remedy: 'Restore the state with the versions that captured it, or restore another snapshot.',
  },
  TT_BUSY: {
    area: 'recording',
    messages: [
      'the process has pending host operations (OPERATIONS); capture after they have ended, or keep them in device(() => …)',
      'the process has no work left, and a restored process would emit beforeExit again; capture earlier',
      'the process is exiting, and effects of its exit listeners are not captured; capture earlier',
    ],
    meaning: 'The program cannot be captured at this moment.',
    cause: 'Files, sockets or other host operations are pending, or the process is about to end.',
    remedy: 'Capture after the operations have ended, or earlier, before the process ends.',
  },
  TT_DEVICE: {
    area: 'recording',
    messages: [
      'the function passed to device(…) returned VALUE; return the device, or a promise of it',
      'DEVICE could not be created again, because its device(…) function failed: REASON',
      'DEVICE is used before it has been created again; declare devices in the order of their dependencies',
      'this request or response was not created by the host; use the object that the data source passed',
    ],
    meaning: 'A device is invalid, or could not be created again during a restore.',
    cause:
      'The function passed to device(…) failed or returned no object, or devices depend on each other in another order.',
    remedy:
      'Return the device from the function passed to device(…), and declare devices in the order of their dependencies.',
  },
  TT_COPY_CHANGED: {
    area: 'recording',
    messages: [
      'the program has changed "KEY" of an object that FUNCTION of FILE returned and keeps; a recorded program has a copy of the object, so the change is lost; change the object by a function of the package, or do not exclude the package',
    ],
    meaning: 'The program has changed a copy of data that an excluded package keeps.',
    cause: 'A function of the package returns the same object again, or passes it to the program in another way.',
    remedy: 'Change the object by a function of the package, or do not exclude the package.',
  },
  TT_CODE_CHANGED: {
    area: 'recording',
    messages: [
      'the program differs from the captured program:',
      'FILE: it has changed',
      'FILE: the settings of its tsconfig.json have changed',
      'PACKAGE: captured with VERSION, now VERSION (DIR)',
      'DIR: the directory does not exist',
    ],
    meaning: 'A program cannot be restored because its files, packages or directory differ from the captured ones.',
    cause: 'Files or packages were changed, updated or moved after the capture.',
    remedy:
      'Restore the files and packages, use the recorded sources with `--code recorded`, or name a new directory with `--root DIR`.',
  },
  TT_DEAD_DEVICE: {
    area: 'recording',
    messages: [
      'PATH: a CLASS of the captured process, which was not restored (ACTION); create it in device(() => …), which a restore calls again, or create another one where it is needed',
      'PATH: a CLASS that listened on ADDRESS was not restored, and nothing listens there now; create it with its routes in device(() => …), which a restore calls again',
      'the host operation that NAME awaits ended with the captured process, so its result is unknown; catch this error and start the operation again, or keep long operations in device(() => …)',
      'operations that were pending when the program was captured are lost (OPERATIONS): their promises reject, and their callbacks are not called; start them again',
      'DEVICE was created again without the listeners that were added to it later (NAMES); add listeners in the function that is passed to device(…)',
      'the data source of this program (such as @turntable/fastify) was not restored, so no requests arrive; create the server with its plugins and routes in device(() => …), which a restore calls again',
      'this request or response belongs to the captured process; a restored program cannot answer requests that were in progress',
    ],
    meaning: 'A restored program used a host object, or awaited a host operation, of the captured process.',
    cause: 'Sockets, servers, files and child processes end with their process and are not restored.',
    remedy: 'Create such objects in device(() => …), which a restore calls again.',
  },
} as const;
