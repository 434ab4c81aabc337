// What stands behind `turntable debug`, which has no door of its own. Tests have it in the form that its processes have (engines.ts): scripts/bundled-packages.ts makes it with the package.
export { snapshotsOf } from '../../packages/turntable/src/debug/snapshots-of.ts';
export { engineOf, engineOn, readyFor } from '../../packages/turntable/src/engine/engine-of.ts';
export { surveyOf } from '../../packages/turntable/src/replay/surveyed.ts';
