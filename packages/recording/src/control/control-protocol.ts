// What can be asked of a process that is recorded, by its socket (docs/live.md): JSON-RPC 2.0, a line for each message, no parameters.

/** What only the program's own thread can do. */
export const SERVICE_COMMANDS = ['start', 'stop', 'snapshot'] as const;
export type ServiceCommand = (typeof SERVICE_COMMANDS)[number];

/** `waiting`: it has not begun yet; `stopped`: it has, and may begin again; `off`: nothing can be written any more. */
export type RecordingState = 'waiting' | 'recording' | 'stopped' | 'off';

export interface ServiceState {
  readonly pid: number;
  /** The file or URL of its program, as far as that is known. */
  readonly program: string | null;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly versions: { readonly turntable: string; readonly node: string };
  /** When its recording was made, or is to be: milliseconds since 1970. */
  readonly startedAt: number;
  /** The directory of the recording. */
  readonly recording: string;
  readonly state: RecordingState;
  /** Since when it is recorded without a gap; null, if it is not. */
  readonly since: number | null;
  /** Whether the recording has traces, by which it can be run again. */
  readonly isTraced: boolean;
  /** Of the recording, on the disk: as it was a second ago, or later. */
  readonly bytes: number;
  readonly snapshots: number;
  /** What keeps something from being recorded, if anything does. */
  readonly error: string | null;
  /** What it can be asked for as it is now. */
  readonly commands: readonly ServiceCommand[];
}

/** A snapshot that is on the disk. */
export interface RequestedSnapshot {
  readonly phase: number;
  readonly recording: string;
  readonly bytes: number;
}

export interface ControlResults {
  /** Who it is, and how its recording is. */
  readonly status: ServiceState;
  /** The same, when all that has come to it before is on the disk. */
  readonly flush: ServiceState;
  readonly start: RequestedSnapshot;
  readonly stop: RequestedSnapshot;
  readonly snapshot: RequestedSnapshot;
}

export type ControlMethod = keyof ControlResults;
export const CONTROL_METHODS = ['status', 'flush', ...SERVICE_COMMANDS] as const satisfies readonly ControlMethod[];

/** Codes of errors. */
export const CONTROL_ERRORS = { parse: -32_700, request: -32_600, method: -32_601, refused: -32_003 } as const;

/** Characters of a line that is asked, and of one that is answered. */
export const MAX_REQUEST_CHARS = 4096;
export const MAX_RESPONSE_CHARS = 1 << 20;
