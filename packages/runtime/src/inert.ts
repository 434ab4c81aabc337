// Entry point for readers of snapshots that run no program code. The threads of a program do not use it.
export {
  inertActors,
  inertRuntimeObjects,
  type InertActor,
  type InertMessage,
  type InertWorker,
} from './snapshot/inert-actors.ts';
export { canonicalPieces } from './snapshot/canonical-pieces.ts';
