// Client of `ControlServer`: lists recorded processes of this user on this machine and sends them requests.
import { rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { RecordingError } from '../recording-error.ts';
import { MAX_RESPONSE_CHARS, type ControlResults, type ControlMethod, type ServiceState } from './control-protocol.ts';
import { listSockets } from './service-directories.ts';

export interface Service {
  /** Path of the socket. */
  readonly path: string;
  readonly state: ServiceState;
}

/** Maximum time to wait for the status of a process. A process that does not respond is not listed. */
const STATUS_TIMEOUT_MS = 2000;

/** Lists responding processes in the order of their start, and removes sockets that no process listens on. */
export async function listServices(directories: readonly string[]): Promise<Service[]> {
  const paths = new Set(directories.flatMap((directory) => listSockets(directory).map(({ path }) => path)));
  const services = await Promise.all(Array.from(paths, (path) => queryService(path)));
  return services.flatMap((each) => each ?? []).sort((a, b) => a.state.startedAt - b.state.startedAt);
}

async function queryService(path: string): Promise<Service | undefined> {
  try {
    return { path, state: await callService(path, 'status', AbortSignal.timeout(STATUS_TIMEOUT_MS)) };
  } catch {
    await removeDeadSocket(path);
    return undefined;
  }
}

/** Sends a request and resolves to its result. Rejects if the process refuses the request or does not respond. */
export function callService<M extends ControlMethod>(
  path: string,
  method: M,
  signal?: AbortSignal,
): Promise<ControlResults[M]> {
  return new Promise((resolve, reject) => {
    const failWith = (reason: string): void => {
      socket.destroy();
      reject(new RecordingError('TT_SERVICE', reason));
    };
    const socket: Socket = createConnection(path);
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method })}\n`));
    let received = '';
    socket.on('data', (chunk: string) => {
      received += chunk;
      const end = received.indexOf('\n');
      if (end === -1)
        return received.length > MAX_RESPONSE_CHARS
          ? failWith('the response of the program is too long; use the same version of Turntable')
          : undefined;
      const response = parseResponse(received.slice(0, end));
      if (response?.result === undefined)
        return failWith(
          response?.error?.message ?? 'the response of the program is invalid; use the same version of Turntable',
        );
      socket.destroy();
      return resolve(response.result as ControlResults[M]);
    });
    socket.on('error', ({ message }) => failWith(`the program does not answer: ${message}`));
    socket.on('close', () => failWith('the program has ended before it answered'));
    signal?.addEventListener('abort', () => failWith('the program has not answered in time; try again'), {
      once: true,
    });
  });
}

interface RpcResponse {
  readonly result?: object;
  readonly error?: { readonly message?: string };
}

function parseResponse(line: string): RpcResponse | undefined {
  try {
    return Object(JSON.parse(line)) as RpcResponse;
  } catch {
    return undefined;
  }
}

/** Removes the socket of a killed process, on which no process listens. */
export async function removeDeadSocket(path: string): Promise<void> {
  const isDead = await new Promise<boolean>((resolve) => {
    const socket = createConnection(path);
    const finish = (isDeadSocket: boolean): void => {
      socket.destroy();
      resolve(isDeadSocket);
    };
    socket.on('connect', () => finish(false));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => finish(code === 'ECONNREFUSED'));
  });
  if (isDead) rmSync(path, { force: true });
}
