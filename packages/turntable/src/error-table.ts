// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const TURNTABLE_ERRORS = {
  TT_CONSENT: {
    area: 'recording',
    messages: [
      'a restored program runs with all your rights, and there is no terminal to ask for your consent; confirm what is there now with --yes HASH, or restore a program of your own with --trusted',
      'it has the hash HASH, not that of --yes: it has changed, or it is another one',
      'it was changed while the question was open; run the command again',
      'not restored',
    ],
    meaning: 'A program was not restored, because the user has not confirmed what would run.',
    cause: 'The question was declined or could not be asked, or the recording is not the one that was confirmed.',
    remedy:
      'Run the command in a terminal and answer y. In scripts, `--yes HASH` restores one known recording, and `--trusted` whatever a program of your own has recorded.',
  },
  TT_NO_DEBUGGEE: {
    area: 'debugging',
    messages: [
      'PROGRAM has ended (EXIT) before anything was recorded',
      'there is no directory or packed recording PATH',
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
