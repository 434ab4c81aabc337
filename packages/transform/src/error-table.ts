// Texts of this package's error codes, for docs/errors.md and `turntable explain`; their fields are described by
// `ErrorDescription` in packages/turntable/src/error-tables.ts. Other files import only the type of this table, so that
// programs do not load the texts.

export const TRANSFORM_ERRORS = {
  TT_SYNTAX: {
    area: 'loading',
    messages: [
      'FILE:LINE:COLUMN: PROBLEM; leave the package NAME native with --exclude NAME',
      'FILE:LINE:COLUMN: Parameter decorators need "experimentalDecorators": true in tsconfig.json',
      'FILE:LINE:COLUMN: Decorators are not valid in a class expression',
      'FILE:LINE:COLUMN: Decorators are not valid on private names',
    ],
    meaning: 'A file of the program cannot be parsed.',
    cause: 'The file has a syntax error, or syntax that its settings in tsconfig.json do not allow.',
    remedy:
      'Correct the file at the line of the message. Leave a package that Node itself loads native with `--exclude PACKAGE`.',
  },
  TT_REFUSED: {
    area: 'loading',
    messages: [
      'FILE:LINE:COLUMN: direct eval cannot be captured, because it reads and declares variables that the transform does not know; use `(0, eval)(…)` for global code or `new Function(…)` for a function, or leave this file native with --exclude FILE',
      'FILE:LINE:COLUMN: `with` cannot be captured, because its names are known only at run time; read the properties explicitly, or leave this file native with --exclude FILE',
      'FILE:LINE:COLUMN: `super()` in an async arrow function cannot be captured, because the object is created while its function is suspended; call it before the arrow function, or leave this file native with --exclude FILE',
      'FILE:LINE:COLUMN: `super()` in an async arrow function cannot be captured, because the object is created while its function is suspended; leave the package NAME native with --exclude NAME',
    ],
    meaning: 'A file contains a construct whose state cannot be captured, so it is not loaded.',
    cause: 'The file uses direct `eval`, `with`, or `super()` in an async arrow function.',
    remedy: 'Rewrite the line, or leave the file or its package native with `--exclude`.',
  },
} as const;
