// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const TURNTABLE_ERRORS = {
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
