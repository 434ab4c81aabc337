// Programs of this user that are running and can be recorded.

/** A program that is being recorded, or can be. */
export interface OfferedService {
  readonly pid: number;
  readonly program: string | null;
  /** The directory that it records to. */
  readonly recording: string;
  /** waiting, recording, stopped, off */
  readonly state: string;
  /** Since when it is recorded: milliseconds since 1970. */
  readonly since: number | null;
  /** Whether it can be run again. */
  readonly isTraced: boolean;
  readonly bytes: number;
  readonly snapshots: number;
  /** What keeps something from being recorded. */
  readonly trouble: string | null;
  /** What it can be asked for: start, stop, snapshot. */
  readonly wishes: readonly string[];
}

/** Programs of this user that are running. */
export interface Services {
  list(): Promise<readonly OfferedService[]>;
  /** How they are when it has been done. Rejects with why it is refused. */
  ask(pid: number, wish: string): Promise<readonly OfferedService[]>;
  /** Into what it has recorded so far. Rejects with NotOpened. */
  look(pid: number): Promise<void>;
}
