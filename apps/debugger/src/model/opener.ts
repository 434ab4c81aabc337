// Opens recordings: through the desktop shell, which can show a file dialog, or through the server of the start page,
// which takes a path. Pages themselves have no access to files.
import type { Bridge } from '../bridge.ts';
import type { ConsentRequest } from '@turntable/time-machine/recent';
import type { ServiceInfo } from '@turntable/time-machine/services';

/** A recording that is offered to the user. */
export interface RecordingOffer {
  readonly path: string;
  readonly name: string;
  /** When it was last opened or made, in milliseconds since 1970; undefined for a damaged recording. */
  readonly time?: number | undefined;
  /** The recorded program, or the reason why the recording cannot be opened. */
  readonly description?: string | undefined;
  readonly exists: boolean;
}

export interface RecordingOffers {
  /** Recently opened recordings, the latest first. */
  readonly recent: readonly RecordingOffer[];
  /** Recordings in the directory of the start page's server, the latest first; empty on the desktop. */
  readonly local: readonly RecordingOffer[];
}

/** Error of a recording that cannot be opened; the user may be able to open it anyway. */
export class OpenError extends Error {
  readonly canBeForced: boolean;

  constructor(reason: string, canBeForced = false) {
    super(reason);
    this.canBeForced = canBeForced;
  }
}

/** Error of a recording that opens only with consent. */
export class ConsentError extends Error {
  readonly request: ConsentRequest;

  constructor(request: ConsentRequest) {
    super('the code of this recording needs consent');
    this.request = request;
  }
}

export interface OpenAttemptOptions {
  /** Whether to open the recording even if it may diverge. */
  readonly isForced?: boolean;
  /** Digest of the code to which the user has agreed. */
  readonly agreedDigest?: string | undefined;
}

/** Access to running programs of this user that can be recorded. */
export interface RunningServices {
  list(): Promise<readonly ServiceInfo[]>;
  /** Sends a command. Resolves with the programs after the command. Rejects with the reason of a refusal. */
  request(pid: number, request: string): Promise<readonly ServiceInfo[]>;
  /** Opens the recording of a running program. Rejects with `OpenError`. */
  open(pid: number): Promise<void>;
}

export interface RecordingOpener {
  /** How the user chooses a recording that is not offered: in a dialog, or by typing a path. */
  readonly picker: 'dialog' | 'path';
  offers(): Promise<RecordingOffers>;
  /** Opens an offered recording or a typed path. Rejects with `OpenError` or `ConsentError`. */
  open(path: string, options?: OpenAttemptOptions): Promise<void>;
  /** Lets the user choose a recording in a dialog, and opens it. Rejects with `OpenError`. */
  pick(kind: 'directory' | 'file'): Promise<void>;
  /** Removes a recording from the recent ones. Resolves with the remaining offers. */
  removeRecent(path: string): Promise<RecordingOffers>;
  /** Returns to the start page. */
  showStartPage(): Promise<void>;
  /** Undefined if the page cannot reach running programs. */
  readonly services?: RunningServices;
}

/** Creates the desktop's opener: the shell asks for consent and shows the recording in this or another window. */
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
  readonly consent?: ConsentRequest;
  readonly services?: readonly ServiceInfo[];
  readonly reason?: string;
  readonly overrides?: readonly string[];
}

/** Creates the opener for a page served by the start page's server. @param navigate loads another address */
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
      throw new OpenError('the server has ended: run turntable debug --browser again');
    }
    const body = (await response.json()) as T & StartPageResponse;
    if (!response.ok) throw new OpenError(body.reason ?? `the server responded with status ${response.status}`);
    return body;
  };
  const postOpen = async (endpoint: string, params: object): Promise<void> => {
    const { address, consent, reason = '', overrides = [] } = await post<StartPageResponse>(endpoint, params);
    if (consent !== undefined) throw new ConsentError(consent);
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
    open: (path, options) => postOpen('open', { path, ...options }),
    pick: () => Promise.reject(new OpenError('browsers hide the paths of files: enter the path')),
    removeRecent: (path) => post<RecordingOffers>('forget', { path }),
    showStartPage: () => Promise.resolve(),
    services: {
      list: () => listServices('services', {}),
      request: (pid, request) => listServices('ask', { pid, request }),
      open: (pid) => postOpen('look', { pid }),
    },
  };
}
