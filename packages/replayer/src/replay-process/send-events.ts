// Reports messages to actors as a thread sends them, through Node's diagnostics channels (docs/actors.md).
import { subscribe } from 'node:diagnostics_channel';

interface SendMessage {
  readonly name: string;
  readonly method?: string;
}

/** Starts to listen. @param listener gets no method where an actor is spawned */
export function onSend(listener: (actor: string, method: string) => void): void {
  const onEvent = (event: unknown): void => {
    const { name, method = '' } = event as SendMessage;
    listener(name, method);
  };
  subscribe('turntable.send', onEvent);
  subscribe('turntable.spawn', onEvent);
}
