// Running programs of this user that are recorded or can be, for clients that offer them: which there are, and what they can be asked for.
import {
  askService,
  listServices,
  servicePlaces,
  WISHES,
  type Service,
  type ServiceState,
} from '@turntable/recording/services';

/** A program that is being recorded, or can be, as clients show it. */
export type OfferedService = Pick<
  ServiceState,
  'pid' | 'program' | 'recording' | 'state' | 'since' | 'isTraced' | 'bytes' | 'snapshots' | 'trouble' | 'wishes'
>;

/** The services after a request, and why the request was refused. */
export interface Granted {
  readonly services: readonly OfferedService[];
  readonly why: string | undefined;
}

const NONE = 'no program of this number is being recorded any more';

export async function offeredServices(): Promise<OfferedService[]> {
  const all = await listServices(servicePlaces(process.env));
  return all.map(({ state }) => {
    const { pid, program, recording, since, isTraced, bytes, snapshots, trouble, wishes } = state;
    return { pid, program, recording, state: state.state, since, isTraced, bytes, snapshots, trouble, wishes };
  });
}

export async function serviceOf(pid: unknown): Promise<Service | undefined> {
  const all = await listServices(servicePlaces(process.env));
  return all.find(({ state }) => state.pid === pid);
}

/** How all are when it has been done. */
export async function granted(pid: unknown, wish: unknown): Promise<Granted> {
  let why: string | undefined;
  try {
    const [service, known] = [await serviceOf(pid), WISHES.find((each) => each === wish)];
    if (service === undefined || known === undefined) why = NONE;
    else await askService(service.path, known);
  } catch (error) {
    why = (error as Error).message;
  }
  return { services: await offeredServices(), why };
}

/** Why it cannot be looked into. */
export function whyNotSeen(service: Service | undefined): string | undefined {
  if (service === undefined) return NONE;
  const { isTraced, state } = service.state;
  return isTraced && state !== 'waiting' ? undefined : 'it has recorded nothing yet that could be run again';
}
