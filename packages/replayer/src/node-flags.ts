// Node's command line flags.

/** Flags that take their value from the next argument if they contain no `=`. */
export const NODE_FLAGS_WITH_VALUE: readonly string[] = [
  '-r',
  '--require',
  '--import',
  '-C',
  '--conditions',
  '--env-file',
  '--env-file-if-exists',
];
