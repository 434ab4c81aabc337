// What goes between a writer and its thread. Chunks come from other threads too, by ports of their own; everything else comes in
// order from the one who started the writer.

import type { MessagePort } from 'node:worker_threads';
import type { RequestedSnapshot, ServiceCommand } from './control/control-protocol.ts';
import type { SnapshotChunk, ModuleMessage } from './feed.ts';
import type { JsonObject } from './json.ts';
import type { Manifest, ManifestPatch } from './manifest.ts';
import type { RecordingErrorCode } from './recording-error.ts';
import type { WrittenSnapshot } from './recording-writer.ts';
import type { Retention } from './retention.ts';
import type { TracedWorker } from './trace/trace-drain.ts';

export interface WriterThreadData {
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

export type WriterRequest =
  | SnapshotChunk
  | {
      readonly type: 'create';
      readonly recording: number;
      readonly name: string;
      readonly manifest: Manifest;
      /** Of its traces. */
      readonly counts: SharedArrayBuffer;
      /** Nothing of it is on the disk until it begins. */
      readonly isLater: boolean;
    }
  | ModuleMessage
  | { readonly type: 'update'; readonly recording: number; readonly patch: ManifestPatch }
  | CommitRequest
  | { readonly type: 'abandon'; readonly recording: number; readonly phase: number }
  | { readonly type: 'resume'; readonly recording: number }
  | { readonly type: 'pause'; readonly recording: number; readonly reason: string }
  | { readonly type: 'end'; readonly recording: number; readonly reason: string | undefined }
  | { readonly type: 'feed'; readonly port: MessagePort }
  | ({ readonly type: 'trace'; readonly recording: number } & TracedWorker)
  | { readonly type: 'due'; readonly recording: number; readonly bytes: number }
  | { readonly type: 'flush'; readonly number: number }
  /** Whoever has started the writer has committed what it has traced so far. */
  | { readonly type: 'trace-committed' }
  /** From now on whoever has started the writer grants wishes. */
  | { readonly type: 'accept-commands' }
  | {
      readonly type: 'command-result';
      readonly number: number;
      readonly snapshot: RequestedSnapshot | undefined;
      readonly reason: string | undefined;
    }
  | { readonly type: 'close' };

export interface CommitRequest {
  readonly type: 'commit';
  readonly recording: number;
  readonly phase: number;
  /** As many have been sent; they may still be on their way. */
  readonly chunks: number;
  readonly meta: JsonObject;
}

export type WriterNotification =
  | {
      readonly type: 'snapshot-settled';
      readonly recording: number;
      readonly phase: number;
      readonly written: WrittenSnapshot | undefined;
    }
  | { readonly type: 'error'; readonly error: SerializedRecordingError }
  | { readonly type: 'due'; readonly recording: number }
  | { readonly type: 'flushed'; readonly number: number }
  | { readonly type: 'commit-trace' }
  | { readonly type: 'command'; readonly number: number; readonly command: ServiceCommand }
  | { readonly type: 'closed' };

/** An error as data: a class of our own would not survive the way. */
export interface SerializedRecordingError {
  readonly code: RecordingErrorCode;
  readonly message: string;
  readonly file: string | undefined;
  readonly cause: unknown;
  /** The writer is not off. */
  readonly isTransient: boolean;
}
