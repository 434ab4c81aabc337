// The door for whoever looks at snapshots without running anything: no thread of a program needs what is behind it.
export {
  inertActors,
  inertRuntimeObjects,
  type InertActor,
  type InertMessage,
  type InertWorker,
} from './snapshot/inert-actors.ts';
export { canonicalPieces } from './snapshot/canonical-pieces.ts';
