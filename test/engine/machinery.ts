// What `turntable debug` is made of, for tests, in the form that its processes have (engines.ts): scripts/bundled-packages.ts bundles it with the
// package `turntable`.
import { useFacade } from '@turntable/replayer/entry';
import { facade } from '../../packages/turntable/src/facade.ts';

export { snapshotsOf } from '../../packages/turntable/src/debug/snapshots-of.ts';
export { engineOf, engineOn, standbyFor, surveyOf } from '@turntable/replayer/replay';

useFacade(facade);
