// Opens recordings: through the desktop shell, which can show a file dialog, or through the port of the start page,
// which takes a path. Pages themselves have no access to files.
import type { Bridge } from '../bridge.ts';
import type { ServiceInfo } from '@turntable/time-machine/services';

/** A recording that can be opened. */
export interface RecordingOffer {
  readonly path: string;
  readonly name: string;
  /** When it was last opened or made, in milliseconds since 1970; unknown for a damaged one. */
  readonly time?: number | undefined;
  /** The program, if it is known. */
  readonly description?: string | undefined;
  readonly exists: boolean;
}

export interface RecordingOffers {
  /** Recently opened, the latest first. */
  readonly recent: readonly RecordingOffer[];
  /** In the directory of the start page, the latest first. */
  readonly local: readonly RecordingOffer[];
}

/** The recording cannot be opened; the user may be able to force it. */
export class OpenError extends Error {
  readonly canBeForced: boolean;

  constructor(reason: string, canBeForced = false) {
    super(reason);
    this.canBeForced = canBeForced;
  }
}

/** Running programs of this user that can be recorded. */
export interface RunningServices {
  list(): Promise<readonly ServiceInfo[]>;
  /** Resolves with the services after the command. Rejects with the reason of a refusal. */
  request(pid: number, request: string): Promise<readonly ServiceInfo[]>;
  /** Opens the recording of a running program. Rejects with OpenError. */
  open(pid: number): Promise<void>;
}

export interface RecordingOpener {
  /** The way to choose a recording outside the lists. */
  readonly picker: 'dialog' | 'path';
  offers(): Promise<RecordingOffers>;
  /** Opens an offered recording or a typed path. Rejects with OpenError. */
  open(path: string, isForced?: boolean): Promise<void>;
  /** Opens a recording chosen in a dialog. */
  pick(kind: 'directory' | 'file'): Promise<void>;
  /** Resolves with the remaining offers. */
  removeRecent(path: string): Promise<RecordingOffers>;
  /** Returns to the start page. */
  showStartPage(): Promise<void>;
  /** Undefined where running programs cannot be reached. */
  readonly services?: RunningServices;
}

/** The desktop's opener: the shell asks for consent and shows the recording in this or another window. */
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

/** The opener of the port that served this page. @param navigate to an address */
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
      throw new OpenError('the server is gone: start turntable debug --browser again');
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
