// Requests to a recorded process through its socket (docs/guide/live.md): JSON-RPC 2.0, one message per line, no parameters.

/** Commands that need the program's thread. */
export const SERVICE_COMMANDS = ['start', 'stop', 'snapshot'] as const;
export type ServiceCommand = (typeof SERVICE_COMMANDS)[number];

/** `waiting`: not started; `stopped`: may start again; `off`: nothing can be written. */
export type RecordingState = 'waiting' | 'recording' | 'stopped' | 'off';

export interface ServiceState {
  readonly pid: number;
  /** File or URL of the program, if known. */
  readonly program: string | null;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly versions: { readonly turntable: string; readonly node: string };
  /** Creation time of the recording, or its planned creation time before the start, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly recording: string;
  readonly state: RecordingState;
  /** Time since which the recording has no gap, in milliseconds since 1970; null while not recording. */
  readonly since: number | null;
  /** Whether the recording has traces, so that it can be replayed. */
  readonly isTraced: boolean;
  /** Size of the recording on the disk, at most a second old. */
  readonly bytes: number;
  readonly snapshots: number;
  /** Last error that prevents recording, if any. */
  readonly error: string | null;
  /** Commands possible in the current state. */
  readonly commands: readonly ServiceCommand[];
}

/** A snapshot that has been written to the disk. */
export interface RequestedSnapshot {
  readonly phase: number;
  readonly recording: string;
  readonly bytes: number;
}

export interface ControlResults {
  /** State of the process and its recording. */
  readonly status: ServiceState;
  /** The state after everything recorded before the request is on the disk. */
  readonly flush: ServiceState;
  readonly start: RequestedSnapshot;
  readonly stop: RequestedSnapshot;
  readonly snapshot: RequestedSnapshot;
}

export type ControlMethod = keyof ControlResults;
export const CONTROL_METHODS = ['status', 'flush', ...SERVICE_COMMANDS] as const satisfies readonly ControlMethod[];

export const CONTROL_ERRORS = { parse: -32_700, request: -32_600, method: -32_601, refused: -32_003 } as const;

/** Maximum line lengths of a request and a response, in characters. */
export const MAX_REQUEST_CHARS = 4096;
export const MAX_RESPONSE_CHARS = 1 << 20;
