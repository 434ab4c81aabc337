// Flags of Node's on command lines.

/** Their value is the next argument, unless it stands behind an equals sign. */
export const NODE_FLAGS_WITH_VALUE: readonly string[] = [
  '-r',
  '--require',
  '--import',
  '-C',
  '--conditions',
  '--env-file',
  '--env-file-if-exists',
];
