// Messages between a writer and its thread. The writer's own messages arrive in order. Chunks of other threads arrive
// through other ports.

import type { MessagePort } from 'node:worker_threads';
import type { RequestedSnapshot, ServiceCommand } from './control/control-protocol.ts';
import type { SnapshotChunk, ModuleMessage } from './feed.ts';
import type { FileFault } from './file-operations.ts';
import type { JsonObject } from './json.ts';
import type { Manifest, ManifestPatch } from './manifest.ts';
import type { RecordingErrorCode } from './recording-error.ts';
import type { WrittenSnapshot } from './recording-writer.ts';
import type { Retention } from './retention.ts';
import type { TracedWorker } from './trace/trace-drain.ts';

/** Data with which the writer thread starts. */
export interface WriterThreadStart {
  readonly type: 'writer';
  readonly data: WriterThreadData;
  /** Port for notifications. Unlike the thread's own port, it can be read synchronously when the process exits. */
  readonly notifications: MessagePort;
}

export interface WriterThreadData {
  readonly recordings: string;
  readonly snapshotRetention: Retention;
  readonly recordingRetention: Retention;
  readonly level: number | undefined;
  readonly processStart: number;
  readonly state: SharedArrayBuffer;
  /** Key of this process, if any. The writer thread has no environment from which to read the key. */
  readonly key: Uint8Array | undefined;
  /** Directories for the control socket, best first; empty for none. */
  readonly services: readonly string[];
  readonly fault: FileFault | undefined;
}

export type WriterRequest =
  | SnapshotChunk
  | {
      readonly type: 'create';
      readonly recording: number;
      readonly name: string;
      readonly manifest: Manifest;
      /** Memory of the `TraceCounts`. */
      readonly counts: SharedArrayBuffer;
      /** Whether nothing is written until the recording starts. */
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
  | WorkerLostRequest
  | { readonly type: 'due'; readonly recording: number; readonly bytes: number }
  /** All committed events must be written and synced to the disk. */
  | { readonly type: 'flush'; readonly number: number }
  /** The program's thread has committed its trace. */
  | { readonly type: 'trace-committed' }
  /** The program's thread accepts service commands from now on. */
  | { readonly type: 'accept-commands' }
  | {
      readonly type: 'command-result';
      readonly number: number;
      readonly snapshot: RequestedSnapshot | undefined;
      readonly reason: string | undefined;
    }
  | { readonly type: 'close' };

/** A worker thread has ended without ending its trace. */
export interface WorkerLostRequest {
  readonly type: 'worker-lost';
  readonly recording: number;
  readonly worker: number;
  readonly epoch: number;
  readonly isOutOfMemory: boolean;
}

export interface CommitRequest {
  readonly type: 'commit';
  readonly recording: number;
  readonly phase: number;
  /** Number of chunks sent, including those still on their way. */
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
  /** A trace has a gap, and ends until the next snapshot. */
  | { readonly type: 'gap' }
  | { readonly type: 'flushed'; readonly number: number }
  | { readonly type: 'commit-trace' }
  | { readonly type: 'command'; readonly number: number; readonly command: ServiceCommand }
  | { readonly type: 'closed' };

/** A `RecordingError` as data, because structured cloning loses its class. */
export interface SerializedRecordingError {
  readonly code: RecordingErrorCode;
  readonly message: string;
  readonly file: string | undefined;
  readonly cause: unknown;
  /** Whether the writer stays on. */
  readonly isTransient: boolean;
}
