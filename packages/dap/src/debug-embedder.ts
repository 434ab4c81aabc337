// Host interface that the embedder supplies: opens and makes recordings for the DAP session.
import type { Client } from '@turntable/time-machine/client';

export interface RecordingOptions {
  /** A recording directory, a directory of recordings, or a packed recording. */
  readonly path: string;
  /** The phase of the snapshot to start from; undefined for the earliest position of the recording. */
  readonly phase: number | undefined;
  /** Whether to open the recording even if its replay may differ. */
  readonly isForced: boolean;
  /** Whether to build the run index even if a cached one exists. */
  readonly isFresh: boolean;
  /** Whether the replay processes run without restrictions on their access to the system. */
  readonly isTrusted: boolean;
  /** Whether nothing runs unless replay processes are isolated. */
  readonly requiresIsolation: boolean;
  /** Whether secrets are shown, which are redacted otherwise. */
  readonly showsSecrets: boolean;
  /** Whether the recorded program still runs. Its recording is opened up to the latest events. */
  readonly isLive: boolean;
}

export interface ProgramOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Options of `turntable record` and flags of Node. */
  readonly flags: readonly string[];
  /** The directory that receives the recording. */
  readonly recordings: string | undefined;
}

export interface OpenRecording {
  readonly client: Client;
  close(): Promise<void>;
}

export interface DebugEmbedder {
  /** Rejects if the recording cannot be replayed. */
  open(options: RecordingOptions, signal: AbortSignal): Promise<OpenRecording>;
  /** Returns the path of the recording that the process `pid` is writing. Rejects if the process does not record. */
  recordingPathOf(pid: number): Promise<string>;
  /**
   * Records a program until it exits and returns the path of the recording.
   * @param onOutput receives the program's output, and a line about its exit
   * @param signals `stop` interrupts the program, whose recording is then returned; `cancel` discards the result
   */
  record(
    options: ProgramOptions,
    onOutput: (category: 'stdout' | 'stderr' | 'console', text: string) => void,
    signals: { readonly cancel: AbortSignal; readonly stop: AbortSignal },
  ): Promise<string>;
}
