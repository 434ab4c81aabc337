// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const BOUNDARY_ERRORS = {
  TT_NOT_RECORDED: {
    area: 'recording',
    messages: ['the program uses FEATURE, at LOCATION: a replay needs --force and may differ'],
    meaning: 'The recorded program uses a feature whose inputs are not recorded.',
    cause:
      'The program or a package uses a feature that brings its own inputs or callbacks, such as a context of `node:vm` or `async_hooks.createHook`. The location is that of the first use.',
    remedy: 'Replace the feature; docs/guide/limits.md lists the alternatives.',
  },
  TT_PATCHED: {
    area: 'recording',
    messages: [
      "the program has replaced METHOD: calls of it by Node's own objects are not recorded, so a replay may differ; define the method on objects or classes of the program instead",
    ],
    meaning: 'The recorded program has replaced a method of Node, so its replay may differ.',
    cause: 'The program or a package assigned its own function to a method of a builtin class or module.',
    remedy: 'Define the method on objects or classes of the program, or exclude the package that patches Node.',
  },
} as const;
