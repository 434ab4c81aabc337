// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const TURNTABLE_ERRORS = {
  TT_CONSENT: {
    area: 'recording',
    messages: [
      'the program would run with all your rights, and there is no terminal on which to confirm it; confirm this version with --yes HASH, or any version of your own program with --trusted',
      'its hash is HASH, not that of --yes; it has changed, or is another recording',
      'it changed while the question was open; run the command again',
      'not restored',
    ],
    meaning: 'A program was not restored, because the user has not confirmed what would run.',
    cause: 'The answer was no, there was no terminal for the question, or the recording has another hash.',
    remedy:
      'Run the command in a terminal and answer y. In scripts, `--yes HASH` confirms one version of a recording, and `--trusted` all recordings of your own programs.',
  },
  TT_NO_DEBUGGEE: {
    area: 'debugging',
    messages: [
      'PROGRAM has ended (EXIT) before anything was recorded',
      'there is no directory or packed recording PATH',
      'there is no file PATH; correct "program" in the configuration',
      'there is no directory PATH; correct "cwd" in the configuration',
    ],
    meaning: 'A debug session of an editor has no recording to open.',
    cause: 'The configuration names a missing recording or program, or the program ended before it was recorded.',
    remedy: 'Correct "recording" or "program" in the debug configuration.',
  },
  TT_NO_INTERFACE: {
    area: 'debugging',
    messages: ['the browser interface is not built; run npm run build:interface'],
    meaning: 'The files of the debugger interface are missing.',
    cause: 'Turntable runs from a checkout whose interface was not built.',
    remedy: 'Run `npm run build:interface` in the checkout. Published packages contain the interface.',
  },
} as const;
