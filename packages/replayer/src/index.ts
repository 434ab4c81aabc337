// What runs in the threads of a program: loader, actors, recorder.
export type { Recorder, TakenSnapshot } from './recorder/recorder.ts';
export type { InPlaceOptions } from './restore/in-place.ts';
export type { RestoreOptions } from './restore/restorable.ts';
export { Actor } from './thread/actor.ts';
export { install } from './thread/install.ts';
export { installedLoader, isInstalled } from './thread/loader.ts';
export { notRecorded } from './thread/not-recorded.ts';
export type { StartOptions } from './thread/main-thread.ts';
export { threadActors } from './thread/thread-actors.ts';
export { replayingHere } from './thread/threads-tape.ts';
