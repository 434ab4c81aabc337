// What goes between a writer and its thread. Chunks come from other threads too, by ports of their own; everything else comes in
// order from the one who started the writer.

import type { MessagePort } from 'node:worker_threads';
import type { GrantedSnapshot, Wish } from './control/messages.ts';
import type { Chunk, ModuleText } from './feed.ts';
import type { JsonObject } from './json.ts';
import type { Manifest, ManifestPatch } from './manifest.ts';
import type { RecordingErrorCode } from './recording-error.ts';
import type { Written } from './recording-writer.ts';
import type { Retention } from './retention.ts';
import type { Traced } from './trace/trace-drain.ts';

export interface WriterData {
  readonly recordings: string;
  readonly snapshotRetention: Retention;
  readonly recordingRetention: Retention;
  readonly level: number | undefined;
  readonly processStart: number;
  readonly state: SharedArrayBuffer;
  /** Of this process, if it has one: its thread has no environment to find it in. */
  readonly key: Uint8Array | undefined;
  /** Where others may ask it, the best place first; nowhere, if there is none. */
  readonly services: readonly string[];
}

export type ToThread =
  | Chunk
  | {
      readonly what: 'create';
      readonly recording: number;
      readonly name: string;
      readonly manifest: Manifest;
      /** Of its traces. */
      readonly counts: SharedArrayBuffer;
      /** Nothing of it is on the disk until it begins. */
      readonly isLater: boolean;
    }
  | ModuleText
  | { readonly what: 'update'; readonly recording: number; readonly patch: ManifestPatch }
  | Commit
  | { readonly what: 'abandon'; readonly recording: number; readonly phase: number }
  | { readonly what: 'resume'; readonly recording: number }
  | { readonly what: 'rest'; readonly recording: number; readonly why: string }
  | { readonly what: 'end'; readonly recording: number; readonly why: string | undefined }
  | { readonly what: 'feed'; readonly port: MessagePort }
  | ({ readonly what: 'trace'; readonly recording: number } & Traced)
  | { readonly what: 'due'; readonly recording: number; readonly bytes: number }
  | { readonly what: 'flush'; readonly number: number }
  /** Whoever has started the writer has committed what it has traced so far. */
  | { readonly what: 'published' }
  /** From now on whoever has started the writer grants wishes. */
  | { readonly what: 'grants' }
  | {
      readonly what: 'granted';
      readonly number: number;
      readonly taken: GrantedSnapshot | undefined;
      readonly why: string | undefined;
    }
  | { readonly what: 'close' };

export interface Commit {
  readonly what: 'commit';
  readonly recording: number;
  readonly phase: number;
  /** As many have been sent; they may still be on their way. */
  readonly chunks: number;
  readonly meta: JsonObject;
}

export type FromThread =
  | { readonly what: 'over'; readonly recording: number; readonly phase: number; readonly written: Written | undefined }
  | { readonly what: 'trouble'; readonly trouble: Trouble }
  | { readonly what: 'due'; readonly recording: number }
  | { readonly what: 'flushed'; readonly number: number }
  | { readonly what: 'publish' }
  | { readonly what: 'wish'; readonly number: number; readonly wish: Wish }
  | { readonly what: 'closed' };

/** An error as data: a class of our own would not survive the way. */
export interface Trouble {
  readonly code: RecordingErrorCode;
  readonly message: string;
  readonly file: string | undefined;
  readonly cause: unknown;
  /** The writer is not off. */
  readonly isPassing: boolean;
}
