// The transform of recorded code for a process that does not run it, such as the server of a debugger. Recorded texts
// are untrusted, so the parser runs in the sandbox. The thread that waits for it starts with the first request.
import { resolve } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import {
  createRemoteTransformService,
  localTransformService,
  type TransformRequest,
  type TransformService,
} from '@turntable/loader';
import type { Recording } from '@turntable/recording';
import { PACKAGE_FORM_FLAGS, programFileUrl } from '../program-file.ts';
import type { ReplaySandbox } from '../sandbox/replay-sandbox.ts';
import type { Launch } from '../sandbox/sandbox.ts';
import { transformServiceLaunch } from './launch.ts';
import { MAX_REQUEST_MS } from './protocol.ts';
import type { TransformThreadData } from './thread.ts';

export interface RecordedCode extends Disposable {
  readonly transforms: TransformService;
  /** Starts the transform ahead of need. */
  prepare(): void;
}

/** @param sandbox undefined if the user trusts the recording */
export function openRecordedCode(
  { directory, manifest }: Pick<Recording, 'directory' | 'manifest'>,
  sandbox: Pick<ReplaySandbox, 'codeCache'> | undefined,
): RecordedCode {
  if (sandbox === undefined) return { transforms: localTransformService, prepare() {}, [Symbol.dispose]() {} };
  const readable = { recording: resolve(directory), manifest, readsProgram: false };
  return new ConfinedCode(() => transformServiceLaunch(readable, sandbox.codeCache));
}

/** Loads the parser. */
const PREPARING_REQUEST = JSON.stringify({ call: 'freeNames', args: ['0'] } satisfies TransformRequest);

class ConfinedCode implements RecordedCode {
  readonly transforms: TransformService = createRemoteTransformService((request) => this.#ask(request));
  readonly #launch: () => Launch;
  readonly #isAnswered = new Int32Array(new SharedArrayBuffer(4));
  #thread: { readonly worker: Worker; readonly port: MessagePort } | undefined;

  /** @param launch of the transform service's process */
  constructor(launch: () => Launch) {
    this.#launch = launch;
  }

  prepare(): void {
    this.#thread ??= this.#start(PREPARING_REQUEST);
  }

  #ask(request: string): string {
    const { port } = (this.#thread ??= this.#start());
    Atomics.store(this.#isAnswered, 0, 0);
    port.postMessage(request);
    Atomics.wait(this.#isAnswered, 0, 0, MAX_REQUEST_MS);
    const received = receiveMessageOnPort(port) as { readonly message: string } | undefined;
    if (received !== undefined) return received.message;
    this[Symbol.dispose]();
    throw new Error('the transform service does not answer');
  }

  #start(firstRequest?: string): { readonly worker: Worker; readonly port: MessagePort } {
    const { port1: port, port2 } = new MessageChannel();
    const launch = this.#launch();
    const data: TransformThreadData = { launch, port: port2, firstRequest, isAnswered: this.#isAnswered };
    const worker = new Worker(programFileUrl('transform-thread'), {
      name: 'turntable transforms',
      workerData: data,
      transferList: [port2],
      execArgv: [...PACKAGE_FORM_FLAGS],
    });
    // A request then gets no answer in time.
    worker.on('error', () => {});
    worker.unref();
    port.unref();
    return { worker, port };
  }

  [Symbol.dispose](): void {
    void this.#thread?.worker.terminate();
    this.#thread = undefined;
  }
}
