// Node's command line flags.

/** Flags whose value is the next argument unless it follows an equals sign. */
export const NODE_FLAGS_WITH_VALUE: readonly string[] = [
  '-r',
  '--require',
  '--import',
  '-C',
  '--conditions',
  '--env-file',
  '--env-file-if-exists',
];
