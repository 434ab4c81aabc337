// What a window of the desktop has of the process around it (shell/preload.ts), and nothing else: an engine of its own, to start and to speak with, and which recording it is of.
// Files that are dropped on a window do not come by here: the shell takes them itself, and asks.
import { WireBuffer, type Wire } from '@turntable/time-machine/client';
import type { Override } from '@turntable/time-machine/protocol';
import type { ServiceRequestResult, ServiceInfo } from '@turntable/time-machine/services';

export interface WindowState {
  /** Of the window's recording; undefined, as long as somebody has to choose one. */
  readonly path: string | undefined;
  readonly recent: readonly {
    readonly path: string;
    readonly name: string;
    /** When it was opened: milliseconds since 1970. */
    readonly time: number;
    readonly exists: boolean;
  }[];
}

export interface Bridge {
  windowState(): Promise<WindowState>;
  /** Starts it, or another one if the last has ended. Rejects with why it cannot be. */
  startServer(override?: Override): Promise<void>;
  send(text: string): void;
  onText(listener: (text: string) => void): void;
  onClose(listener: (reason: string) => void): void;
  /** One of those that were opened lately. Answers why not. */
  open(path: string): Promise<string | undefined>;
  /** Asks which one. Answers why it is not opened; nothing, if nobody has chosen any. */
  pick(kind: 'directory' | 'file'): Promise<string | undefined>;
  removeRecent(path: string): Promise<void>;
  /** The window is of no recording any more. */
  showStartPage(): Promise<void>;
  services(): Promise<readonly ServiceInfo[]>;
  requestService(pid: number, request: string): Promise<ServiceRequestResult>;
  /** Into what it has recorded so far. Answers why not. */
  openService(pid: number): Promise<string | undefined>;
}

declare global {
  interface Window {
    readonly turntable?: Bridge;
  }
}

/** A wire to an engine that has just been started. */
export async function bridgeWire(bridge: Bridge, override?: Override): Promise<Wire> {
  const buffer = new WireBuffer();
  let onClose: ((reason: string) => void) | undefined;
  let closeReason: string | undefined;
  bridge.onText((text) => buffer.receive(text));
  bridge.onClose((reason) => {
    closeReason = reason;
    onClose?.(reason);
  });
  await bridge.startServer(override);
  return {
    send: (text) => bridge.send(text),
    onText: buffer.onText,
    onClose: (listener) => {
      onClose = listener;
      if (closeReason !== undefined) listener(closeReason);
    },
    close: () => undefined,
  };
}
