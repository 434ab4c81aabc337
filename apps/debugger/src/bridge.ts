// What a window of the desktop has of the process around it (shell/preload.ts), and nothing else: an engine of its own, to start and to speak with, and which recording it is of.
// Files that are dropped on a window do not come by here: the shell takes them itself, and asks.
import { Inbox, type Wire } from '@turntable/time-machine/client';
import type { WayPast } from '@turntable/time-machine/protocol';
import type { Granted, OfferedService } from '@turntable/time-machine/services';

export interface Beginning {
  /** Of the window's recording; undefined, as long as somebody has to choose one. */
  readonly place: string | undefined;
  readonly recent: readonly {
    readonly place: string;
    readonly name: string;
    /** When it was opened: milliseconds since 1970. */
    readonly time: number;
    readonly isThere: boolean;
  }[];
}

export interface Bridge {
  begin(): Promise<Beginning>;
  /** Starts it, or another one if the last has ended. Rejects with why it cannot be. */
  start(way?: WayPast): Promise<void>;
  send(text: string): void;
  onText(listener: (text: string) => void): void;
  onClose(listener: (why: string) => void): void;
  /** One of those that were opened lately. Answers why not. */
  open(place: string): Promise<string | undefined>;
  /** Asks which one. Answers why it is not opened; nothing, if nobody has chosen any. */
  choose(what: 'directory' | 'file'): Promise<string | undefined>;
  forget(place: string): Promise<void>;
  /** The window is of no recording any more. */
  startAgain(): Promise<void>;
  services(): Promise<readonly OfferedService[]>;
  askService(pid: number, wish: string): Promise<Granted>;
  /** Into what it has recorded so far. Answers why not. */
  lookAt(pid: number): Promise<string | undefined>;
}

declare global {
  interface Window {
    readonly turntable?: Bridge;
  }
}

/** A wire to an engine that has just been started. */
export async function bridgeWire(bridge: Bridge, way?: WayPast): Promise<Wire> {
  const inbox = new Inbox();
  let onClose: ((why: string) => void) | undefined;
  let ended: string | undefined;
  bridge.onText((text) => inbox.take(text));
  bridge.onClose((why) => {
    ended = why;
    onClose?.(why);
  });
  await bridge.start(way);
  return {
    send: (text) => bridge.send(text),
    onText: inbox.onText,
    onClose: (listener) => {
      onClose = listener;
      if (ended !== undefined) listener(ended);
    },
    close: () => undefined,
  };
}
