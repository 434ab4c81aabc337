// Host interface that the embedder supplies: opens and makes recordings for the DAP session.
import type { Client } from '@turntable/time-machine/client';

export interface RecordingOptions {
  /** A recording directory, a directory of recordings, or a packed recording. */
  readonly path: string;
  /** The snapshot to start from; undefined: the earliest position of the recording. */
  readonly phase: number | undefined;
  /** Debug the recording even if its replay may differ. */
  readonly isForced: boolean;
  /** Build the run index even if a cached one exists. */
  readonly isFresh: boolean;
  /** Do not restrict the replay processes. */
  readonly isTrusted: boolean;
  /** The recorded program still runs: open its recording as it is now. */
  readonly isLive: boolean;
}

export interface ProgramOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Settings of `turntable record` and flags of Node. */
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
  /** The recording of the running process `pid`. Rejects if that process does not record. */
  recordingPathOf(pid: number): Promise<string>;
  /**
   * Records a program until it exits and returns the path of the recording.
   * @param onOutput receives the program's output, and its exit
   */
  record(
    options: ProgramOptions,
    onOutput: (category: 'stdout' | 'stderr' | 'console', text: string) => void,
    signal: AbortSignal,
  ): Promise<string>;
}
