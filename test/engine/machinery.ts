// Unexported parts of the package `turntable` that tests use, in the form that its processes run (engines.ts).
// scripts/bundled-packages.ts bundles this file with the package.
export { facade } from '../../packages/turntable/src/facade.ts';
export { snapshotsOf } from '../../packages/turntable/src/debug/recorded-snapshots.ts';
