// The protocol of a recorded process's control socket (docs/live.md): JSON-RPC 2.0, one message a line, no parameters.

/** Commands that only the program's own thread can run. */
export const SERVICE_COMMANDS = ['start', 'stop', 'snapshot'] as const;
export type ServiceCommand = (typeof SERVICE_COMMANDS)[number];

/** `waiting`: not started; `stopped`: may start again; `off`: nothing can be written any more. */
export type RecordingState = 'waiting' | 'recording' | 'stopped' | 'off';

export interface ServiceState {
  readonly pid: number;
  /** The file or URL of the program, if it is known. */
  readonly program: string | null;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly versions: { readonly turntable: string; readonly node: string };
  /** When its recording was or will be created, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The directory of the recording. */
  readonly recording: string;
  readonly state: RecordingState;
  /** Since when it is recorded without a gap; null if it is not recorded. */
  readonly since: number | null;
  /** Whether the recording has traces, so that it can be replayed. */
  readonly isTraced: boolean;
  /** Size of the recording on disk, at most a second old. */
  readonly bytes: number;
  readonly snapshots: number;
  /** The reason why it is not recorded, if there is one. */
  readonly error: string | null;
  /** The commands that it accepts now. */
  readonly commands: readonly ServiceCommand[];
}

/** A snapshot on disk. */
export interface RequestedSnapshot {
  readonly phase: number;
  readonly recording: string;
  readonly bytes: number;
}

export interface ControlResults {
  /** The process and the state of its recording. */
  readonly status: ServiceState;
  /** The same, after all earlier events have been written. */
  readonly flush: ServiceState;
  readonly start: RequestedSnapshot;
  readonly stop: RequestedSnapshot;
  readonly snapshot: RequestedSnapshot;
}

export type ControlMethod = keyof ControlResults;
export const CONTROL_METHODS = ['status', 'flush', ...SERVICE_COMMANDS] as const satisfies readonly ControlMethod[];

/** Error codes. */
export const CONTROL_ERRORS = { parse: -32_700, request: -32_600, method: -32_601, refused: -32_003 } as const;

/** Characters of a request and of a response. */
export const MAX_REQUEST_CHARS = 4096;
export const MAX_RESPONSE_CHARS = 1 << 20;
