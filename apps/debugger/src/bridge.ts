// The interface between a page and the desktop shell (shell/preload.ts): debug server, start page, recent recordings
// and running programs. Files dropped on a window go to the shell directly.
import { WireBuffer, type Wire } from '@turntable/time-machine/client';
import type { Override } from '@turntable/time-machine/protocol';
import type { ServiceRequestResult, ServiceInfo } from '@turntable/time-machine/services';

export interface WindowState {
  /** Path of the window's recording; undefined while the window shows the start page. */
  readonly path: string | undefined;
  readonly recent: readonly {
    readonly path: string;
    readonly name: string;
    /** When the recording was last opened, in milliseconds since 1970. */
    readonly time: number;
    readonly exists: boolean;
  }[];
}

export interface Bridge {
  windowState(): Promise<WindowState>;
  /** Starts the window's debug server; ends the previous one. Rejects with the reason if it cannot start. */
  startServer(override?: Override): Promise<void>;
  send(text: string): void;
  onText(listener: (text: string) => void): void;
  onClose(listener: (reason: string) => void): void;
  /** Opens a recent recording, and no other. Resolves with the reason if it cannot be opened. */
  open(path: string): Promise<string | undefined>;
  /** Opens a recording that the user chooses in a dialog. Resolves with the reason if it cannot be opened. */
  pick(kind: 'directory' | 'file'): Promise<string | undefined>;
  removeRecent(path: string): Promise<void>;
  /** Closes the recording of this window and loads the start page. */
  showStartPage(): Promise<void>;
  services(): Promise<readonly ServiceInfo[]>;
  requestService(pid: number, request: string): Promise<ServiceRequestResult>;
  /** Opens the recording of a running program. Resolves with the reason if it cannot be opened. */
  openService(pid: number): Promise<string | undefined>;
}

declare global {
  interface Window {
    readonly turntable?: Bridge;
  }
}

/** Starts the window's debug server and returns a wire to it. */
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
