// What whoever starts this gives it: recordings are opened and made elsewhere, here is only who asks for that.
import type { Client } from '@turntable/time-machine/client';

export interface RecordingOptions {
  /** A directory of recordings, one of them, or a packed one. */
  readonly path: string;
  /** The snapshot to begin with, unless with the first moment that it has. */
  readonly phase: number | undefined;
  /** Also what might come out otherwise. */
  readonly isForced: boolean;
  /** It is run again although what is told is kept of an earlier time. */
  readonly isFresh: boolean;
  /** Its processes may do what any process may. */
  readonly isTrusted: boolean;
  /** Of a program that still runs: what it has recorded so far. */
  readonly isLive: boolean;
}

export interface ProgramOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Settings of `turntable record` and flags of Node. */
  readonly flags: readonly string[];
  /** Where recordings go. */
  readonly recordings: string | undefined;
}

export interface OpenRecording {
  readonly client: Client;
  close(): Promise<void>;
}

export interface DebugEmbedder {
  /** Rejects where it cannot be run again. */
  open(options: RecordingOptions, signal: AbortSignal): Promise<OpenRecording>;
  /** Where a program records to that runs, by the number of its process. Rejects where there is no such one. */
  recordingPathOf(pid: number): Promise<string>;
  /**
   * Runs a program to its end, recorded: answers where the recording is.
   * @param onOutput is told what it prints, and how it has ended
   */
  record(
    options: ProgramOptions,
    onOutput: (category: 'stdout' | 'stderr' | 'console', text: string) => void,
    signal: AbortSignal,
  ): Promise<string>;
}
