// API for code in the threads of a program: loader, actors, recorder.
export type { Recorder, TakenSnapshot } from './recorder/recorder.ts';
export type { InPlaceOptions } from './restore/in-place-restore.ts';
export type { RestoreOptions } from './restore/restorable-snapshot.ts';
export { Actor } from './thread/actor.ts';
export { install } from './thread/install.ts';
export { installedLoader, isInstalled } from './thread/loader.ts';
export { notRecordedError } from './thread/not-recorded-error.ts';
export type { StartOptions } from './thread/main-thread.ts';
export { threadActors } from './thread/thread-actors.ts';
export { currentReplay } from './thread/current-tape.ts';
