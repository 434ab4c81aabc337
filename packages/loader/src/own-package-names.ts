// Written by scripts/own-package-names.ts.
export const OWN_PACKAGE_NAMES: readonly string[] = [
  '@turntable/boundary',
  '@turntable/core',
  '@turntable/heap',
  '@turntable/loader',
  '@turntable/program-state',
  '@turntable/recording',
  '@turntable/replayer',
  '@turntable/runtime',
  '@turntable/time-machine',
  '@turntable/transform',
  'turntable',
];
