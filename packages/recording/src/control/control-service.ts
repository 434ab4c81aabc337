// Answers control requests on the writer thread. The program's thread only runs commands, and waits for no client.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { directoryBytes, listSnapshotPhases } from '../recordings.ts';
import type { RecordingWriter } from '../recording-writer.ts';
import { ControlServer } from './control-server.ts';
import {
  SERVICE_COMMANDS,
  type ControlMethod,
  type RequestedSnapshot,
  type ServiceState,
  type ServiceCommand,
} from './control-protocol.ts';

export interface ControlServiceDeps {
  /** The current or last recording. */
  recording(): RecordingWriter | undefined;
  /** Last error that prevents writing, if any. */
  lastError(): string | null;
  isOff(): boolean;
  /** Asks the program's thread to commit its trace. The thread confirms with `trace-committed`. */
  commitTrace(): void;
  /** Writes all committed events to the disk. */
  flush(): void;
  /** Forwards a command to the program's thread, which accepts or refuses it. */
  runCommand(commandId: number, command: ServiceCommand): void;
}

/** Maximum time to wait for a busy program thread. */
const COMMIT_TIMEOUT_MS = 250;
/** Minimum times between two flushes, and between two measurements of the recording's size. */
const FLUSH_INTERVAL_MS = 100;
const MEASURE_INTERVAL_MS = 1000;

export class ControlService {
  readonly #deps: ControlServiceDeps;
  readonly #server: ControlServer;
  /** Whether the program's thread takes commands. */
  #acceptsCommands = false;
  #lastCommand = 0;
  readonly #pendingCommands = new Map<number, PromiseWithResolvers<RequestedSnapshot>>();
  /** The current flush and the pause after it. */
  #flushing: Promise<void> = Promise.resolve();
  #nextFlush: Promise<void> | undefined;
  #committed = Promise.withResolvers<void>();
  #measuredAt = -MEASURE_INTERVAL_MS;
  #bytes = 0;
  #snapshotCount = 0;

  constructor(deps: ControlServiceDeps) {
    this.#deps = deps;
    this.#server = new ControlServer((method) => this.#handle(method));
  }

  /** Resolves when clients can connect. Rejects with the reason if they cannot. */
  open(directories: readonly string[]): Promise<void> {
    return this.#server.open(directories);
  }

  close(): void {
    this.#server.close();
  }

  acceptCommands(): void {
    this.#acceptsCommands = true;
  }

  /** Handles the confirmation that the program's thread has committed its trace. */
  traceCommitted(): void {
    this.#committed.resolve();
  }

  /** Settles a command. @param reason reason of a refusal; undefined if the command was not refused */
  settleCommand(commandId: number, snapshot: RequestedSnapshot | undefined, reason: string | undefined): void {
    const pending = this.#pendingCommands.get(commandId);
    this.#pendingCommands.delete(commandId);
    this.#measuredAt = -MEASURE_INTERVAL_MS;
    if (snapshot === undefined) pending?.reject(new Error(reason ?? 'it could not be written to disk'));
    else pending?.resolve(snapshot);
  }

  rejectCommands(reason: string): void {
    for (const pending of this.#pendingCommands.values()) pending.reject(new Error(reason));
    this.#pendingCommands.clear();
  }

  async #handle(method: ControlMethod): Promise<object> {
    if (method === 'status') return this.#serviceState();
    if (method === 'flush') {
      await (this.#nextFlush ??= this.#flushNext());
      this.#measuredAt = -MEASURE_INTERVAL_MS;
      return this.#serviceState();
    }
    const reason = this.#refusalOf(method);
    if (reason !== undefined) throw new Error(reason);
    const commandId = ++this.#lastCommand;
    const pending = Promise.withResolvers<RequestedSnapshot>();
    this.#pendingCommands.set(commandId, pending);
    this.#deps.runCommand(commandId, method);
    return pending.promise;
  }

  /** Starts a flush after the current one, which may lack events that precede the new request. */
  async #flushNext(): Promise<void> {
    await this.#flushing;
    this.#nextFlush = undefined;
    const flushed = this.#flush();
    this.#flushing = flushed.then(() => delay(FLUSH_INTERVAL_MS));
    await flushed;
  }

  async #flush(): Promise<void> {
    this.#committed = Promise.withResolvers();
    this.#deps.commitTrace();
    await Promise.race([this.#committed.promise, delay(COMMIT_TIMEOUT_MS)]);
    this.#deps.flush();
  }

  #requireRecording(): RecordingWriter {
    const recording = this.#deps.recording();
    if (recording !== undefined) return recording;
    throw new Error('this program is no longer recorded');
  }

  #serviceState(): ServiceState {
    const recording = this.#requireRecording();
    const { manifest, directory, state, since } = recording;
    const { pid, entry, argv, cwd, versions, created } = manifest;
    const now = performance.now();
    if (now >= this.#measuredAt + MEASURE_INTERVAL_MS) {
      this.#bytes = directoryBytes(directory);
      this.#snapshotCount = listSnapshotPhases(directory).length;
      this.#measuredAt = now;
    }
    const isOff = this.#deps.isOff();
    return {
      pid,
      program: programOf(entry, argv),
      argv,
      cwd,
      versions: { turntable: versions.turntable, node: versions.node },
      startedAt: Date.parse(created),
      recording: resolve(cwd, directory),
      state: isOff ? 'off' : state,
      since: isOff ? null : since,
      isTraced: recording.traces.isTraced,
      bytes: this.#bytes,
      snapshots: this.#snapshotCount,
      error: this.#deps.lastError(),
      commands: SERVICE_COMMANDS.filter((command) => this.#refusalOf(command) === undefined),
    };
  }

  #refusalOf(command: ServiceCommand): string | undefined {
    const { state, isLater } = this.#requireRecording();
    if (this.#deps.isOff()) return 'recording has failed; start the program again';
    if (!this.#acceptsCommands) return 'this program takes no snapshots; start it with --snapshots end, or every=30s';
    if (!isLater && command !== 'snapshot')
      return 'this program is recorded from start to end; to start and stop recording while it runs, start it with --later';
    const isRecorded = state === 'recording';
    if (command === 'start') return isRecorded ? 'the program is already being recorded' : undefined;
    return isRecorded ? undefined : 'the program is not being recorded now';
  }
}

function programOf(entry: string | null, [, file]: readonly string[]): string | null {
  if (entry === null) return file ?? null;
  return entry.startsWith('file:') ? fileURLToPath(entry) : entry;
}
