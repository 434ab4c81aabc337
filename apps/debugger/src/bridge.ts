// What a window of the desktop has of the process around it (shell/preload.ts), and nothing else: an engine of its own, to start and to speak with.
import type { Wire } from '@turntable/replay/client';

export interface Bridge {
  /** Starts it, or another one if the last has ended. Rejects with why it cannot be. */
  start(): Promise<void>;
  send(text: string): void;
  onText(listener: (text: string) => void): void;
  onClose(listener: (why: string) => void): void;
}

declare global {
  interface Window {
    readonly turntable?: Bridge;
  }
}

/** A wire to an engine that has just been started. */
export async function bridgeWire(bridge: Bridge): Promise<Wire> {
  let onText: ((text: string) => void) | undefined;
  let onClose: ((why: string) => void) | undefined;
  const early: string[] = [];
  let ended: string | undefined;
  bridge.onText((text) => {
    if (onText === undefined) early.push(text);
    else onText(text);
  });
  bridge.onClose((why) => {
    ended = why;
    onClose?.(why);
  });
  await bridge.start();
  return {
    send: (text) => bridge.send(text),
    onText: (listener) => {
      onText = listener;
      for (const text of early.splice(0)) listener(text);
    },
    onClose: (listener) => {
      onClose = listener;
      if (ended !== undefined) listener(ended);
    },
    close: () => undefined,
  };
}
