// By whom recordings are opened: the shell of the desktop, which can ask for a file, or the port of the start page, to which a path is written. Pages know neither files nor directories.
import type { Bridge } from '../bridge.ts';
import type { OfferedService } from '@turntable/time-machine/services';

/** A recording that can be opened. */
export interface Offered {
  readonly place: string;
  readonly name: string;
  /** When it was opened last, or made: milliseconds since 1970; not known of one that is damaged. */
  readonly time?: number | undefined;
  /** Which program, as far as that is known. */
  readonly about?: string | undefined;
  readonly isThere: boolean;
}

export interface Offers {
  /** Opened lately, the last first. */
  readonly recent: readonly Offered[];
  /** Where the start page was asked for, the last first. */
  readonly here: readonly Offered[];
}

/** Why one is not opened, and whether somebody may have it opened all the same. */
export class NotOpened extends Error {
  readonly canBeForced: boolean;

  constructor(why: string, canBeForced = false) {
    super(why);
    this.canBeForced = canBeForced;
  }
}

/** Programs of this user that are running and can be recorded. */
export interface Services {
  list(): Promise<readonly OfferedService[]>;
  /** How they are when it has been done. Rejects with why it is refused. */
  ask(pid: number, wish: string): Promise<readonly OfferedService[]>;
  /** Into what it has recorded so far. Rejects with NotOpened. */
  look(pid: number): Promise<void>;
}

export interface Opener {
  /** How one that is in no list is named: chosen in a dialog of the system, or written. */
  readonly by: 'dialog' | 'path';
  offers(): Promise<Offers>;
  /** Of those that are offered, or by a path that was written. Rejects with NotOpened. */
  open(place: string, isForced?: boolean): Promise<void>;
  /** By a dialog, unless it is by paths. */
  choose(what: 'directory' | 'file'): Promise<void>;
  /** Answers the others. */
  forget(place: string): Promise<Offers>;
  /** To choose another one. */
  startAgain(): Promise<void>;
  /** Not there, where programs that are running cannot be asked. */
  readonly services?: Services;
}

/** Of the desktop: the shell asks for consent, opens, and shows the recording in this window or in another one. */
export function bridgeOpener(bridge: Bridge): Opener {
  const offers = async (): Promise<Offers> => ({ recent: (await bridge.begin()).recent, here: [] });
  const opened = async (why: Promise<string | undefined>): Promise<void> => {
    const said = await why;
    if (said !== undefined) throw new NotOpened(said);
  };
  return {
    by: 'dialog',
    offers,
    open: (place) => opened(bridge.open(place)),
    choose: (what) => opened(bridge.choose(what)),
    forget: async (place) => {
      await bridge.forget(place);
      return offers();
    },
    startAgain: () => bridge.startAgain(),
    services: {
      list: () => bridge.services(),
      ask: async (pid, wish) => {
        const { services, why } = await bridge.askService(pid, wish);
        if (why !== undefined) throw new NotOpened(why);
        return services;
      },
      look: (pid) => opened(bridge.lookAt(pid)),
    },
  };
}

interface PortAnswer {
  readonly address?: string;
  readonly services?: readonly OfferedService[];
  readonly why?: string;
  readonly ways?: readonly string[];
}

/** Of the port that has served this page. @param go to an address */
export function portOpener(secret: string, go: (address: string) => void): Opener {
  const ask = async <T>(what: string, params: object): Promise<T> => {
    let response: Response;
    try {
      response = await fetch(`/${what}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
    } catch {
      throw new NotOpened('nobody answers here any more: start turntable debug --browser again');
    }
    const said = (await response.json()) as T & PortAnswer;
    if (!response.ok) throw new NotOpened(said.why ?? `it was answered with ${response.status}`);
    return said;
  };
  const opened = async (what: string, params: object): Promise<void> => {
    const { address, why = '', ways = [] } = await ask<PortAnswer>(what, params);
    if (address === undefined) throw new NotOpened(why, ways.includes('force'));
    go(address);
  };
  const listed = async (what: string, params: object): Promise<readonly OfferedService[]> => {
    const { services, why = '' } = await ask<PortAnswer>(what, params);
    if (services === undefined) throw new NotOpened(why);
    return services;
  };
  return {
    by: 'path',
    offers: () => ask<Offers>('offers', {}),
    open: (place, isForced = false) => opened('open', { place, isForced }),
    choose: () => Promise.reject(new NotOpened('a page is not told where files are: write the path')),
    forget: (place) => ask<Offers>('forget', { place }),
    startAgain: () => Promise.resolve(),
    services: {
      list: () => listed('services', {}),
      ask: (pid, wish) => listed('ask', { pid, wish }),
      look: (pid) => opened('look', { pid }),
    },
  };
}
