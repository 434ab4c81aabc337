// What tests use of the package `turntable` that it does not export, in the form that its processes have (engines.ts): scripts/bundled-packages.ts
// bundles it with the package.
export { facade } from '../../packages/turntable/src/facade.ts';
export { snapshotsOf } from '../../packages/turntable/src/debug/recorded-snapshots.ts';
