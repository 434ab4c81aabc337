// By whom recordings are opened: the shell of the desktop, which can ask for a file, or the port of the start page, to which a path is written. Pages know neither files nor directories.
import type { Bridge } from '../bridge.ts';
import type { ServiceInfo } from '@turntable/time-machine/services';

/** A recording that can be opened. */
export interface RecordingOffer {
  readonly path: string;
  readonly name: string;
  /** When it was opened last, or made: milliseconds since 1970; not known of one that is damaged. */
  readonly time?: number | undefined;
  /** Which program, as far as that is known. */
  readonly description?: string | undefined;
  readonly exists: boolean;
}

export interface RecordingOffers {
  /** Opened lately, the last first. */
  readonly recent: readonly RecordingOffer[];
  /** Where the start page was asked for, the last first. */
  readonly local: readonly RecordingOffer[];
}

/** Why one is not opened, and whether somebody may have it opened all the same. */
export class OpenError extends Error {
  readonly canBeForced: boolean;

  constructor(reason: string, canBeForced = false) {
    super(reason);
    this.canBeForced = canBeForced;
  }
}

/** Programs of this user that are running and can be recorded. */
export interface RunningServices {
  list(): Promise<readonly ServiceInfo[]>;
  /** How they are when it has been done. Rejects with why it is refused. */
  request(pid: number, request: string): Promise<readonly ServiceInfo[]>;
  /** Into what it has recorded so far. Rejects with OpenError. */
  open(pid: number): Promise<void>;
}

export interface RecordingOpener {
  /** How one that is in no list is named: chosen in a dialog of the system, or written. */
  readonly picker: 'dialog' | 'path';
  offers(): Promise<RecordingOffers>;
  /** Of those that are offered, or by a path that was written. Rejects with OpenError. */
  open(path: string, isForced?: boolean): Promise<void>;
  /** By a dialog, unless it is by paths. */
  pick(kind: 'directory' | 'file'): Promise<void>;
  /** Answers the others. */
  removeRecent(path: string): Promise<RecordingOffers>;
  /** To choose another one. */
  showStartPage(): Promise<void>;
  /** Not there, where programs that are running cannot be asked. */
  readonly services?: RunningServices;
}

/** Of the desktop: the shell asks for consent, opens, and shows the recording in this window or in another one. */
export function createBridgeOpener(bridge: Bridge): RecordingOpener {
  const loadOffers = async (): Promise<RecordingOffers> => ({ recent: (await bridge.windowState()).recent, local: [] });
  const throwIfRefused = async (outcome: Promise<string | undefined>): Promise<void> => {
    const refusal = await outcome;
    if (refusal !== undefined) throw new OpenError(refusal);
  };
  return {
    picker: 'dialog',
    offers: loadOffers,
    open: (path) => throwIfRefused(bridge.open(path)),
    pick: (kind) => throwIfRefused(bridge.pick(kind)),
    removeRecent: async (path) => {
      await bridge.removeRecent(path);
      return loadOffers();
    },
    showStartPage: () => bridge.showStartPage(),
    services: {
      list: () => bridge.services(),
      request: async (pid, request) => {
        const { services, reason } = await bridge.requestService(pid, request);
        if (reason !== undefined) throw new OpenError(reason);
        return services;
      },
      open: (pid) => throwIfRefused(bridge.openService(pid)),
    },
  };
}

interface StartPageResponse {
  readonly address?: string;
  readonly services?: readonly ServiceInfo[];
  readonly reason?: string;
  readonly overrides?: readonly string[];
}

/** Of the port that has served this page. @param navigate to an address */
export function createPortOpener(secret: string, navigate: (address: string) => void): RecordingOpener {
  const post = async <T>(endpoint: string, params: object): Promise<T> => {
    let response: Response;
    try {
      response = await fetch(`/${endpoint}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
    } catch {
      throw new OpenError('nobody answers here any more: start turntable debug --browser again');
    }
    const body = (await response.json()) as T & StartPageResponse;
    if (!response.ok) throw new OpenError(body.reason ?? `it was answered with ${response.status}`);
    return body;
  };
  const postOpen = async (endpoint: string, params: object): Promise<void> => {
    const { address, reason = '', overrides = [] } = await post<StartPageResponse>(endpoint, params);
    if (address === undefined) throw new OpenError(reason, overrides.includes('force'));
    navigate(address);
  };
  const listServices = async (endpoint: string, params: object): Promise<readonly ServiceInfo[]> => {
    const { services, reason = '' } = await post<StartPageResponse>(endpoint, params);
    if (services === undefined) throw new OpenError(reason);
    return services;
  };
  return {
    picker: 'path',
    offers: () => post<RecordingOffers>('offers', {}),
    open: (path, isForced = false) => postOpen('open', { path, isForced }),
    pick: () => Promise.reject(new OpenError('a page is not told where files are: write the path')),
    removeRecent: (path) => post<RecordingOffers>('forget', { path }),
    showStartPage: () => Promise.resolve(),
    services: {
      list: () => listServices('services', {}),
      request: (pid, request) => listServices('ask', { pid, request }),
      open: (pid) => postOpen('look', { pid }),
    },
  };
}
