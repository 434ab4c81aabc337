// Running programs of this user that are or can be recorded, for clients that list and control them.
import { callService, listServices, serviceDirectories, SERVICE_COMMANDS } from '@turntable/recording/services';
import type { Service, ServiceState } from '@turntable/recording/services';

export type ServiceInfo = Pick<
  ServiceState,
  'pid' | 'program' | 'recording' | 'state' | 'since' | 'isTraced' | 'bytes' | 'snapshots' | 'error' | 'commands'
>;

/** The services after a request, with the reason if the request was refused. */
export interface ServiceRequestResult {
  readonly services: readonly ServiceInfo[];
  readonly reason: string | undefined;
}

const NO_SUCH_PROGRAM = 'no program with this process id is being recorded';

export async function loadServices(): Promise<ServiceInfo[]> {
  const all = await listServices(serviceDirectories(process.env));
  return all.map(({ state }) => {
    const { pid, program, recording, since, isTraced, bytes, snapshots, error, commands } = state;
    return { pid, program, recording, state: state.state, since, isTraced, bytes, snapshots, error, commands };
  });
}

export async function findService(pid: unknown): Promise<Service | undefined> {
  const all = await listServices(serviceDirectories(process.env));
  return all.find(({ state }) => state.pid === pid);
}

/** Sends a command to a program; returns all programs in their states after the command. */
export async function requestService(pid: unknown, request: unknown): Promise<ServiceRequestResult> {
  let reason: string | undefined;
  try {
    const [service, knownRequest] = [await findService(pid), SERVICE_COMMANDS.find((each) => each === request)];
    if (service === undefined || knownRequest === undefined) reason = NO_SUCH_PROGRAM;
    else await callService(service.path, knownRequest);
  } catch (error) {
    reason = (error as Error).message;
  }
  return { services: await loadServices(), reason };
}

/** The reason why the recording of a program cannot be opened, for users; undefined if it can be. */
export function whyNotInspectable(service: Service | undefined): string | undefined {
  if (service === undefined) return NO_SUCH_PROGRAM;
  const { isTraced, state } = service.state;
  return isTraced && state !== 'waiting' ? undefined : 'it has not recorded anything that can be replayed yet';
}
