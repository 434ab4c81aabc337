// Observes the messages that a thread sends to actors, through diagnostics channels (docs/guide/actors.md).
import { subscribe } from 'node:diagnostics_channel';

interface SendMessage {
  readonly name: string;
  readonly method?: string;
}

/** @param listener called with an empty method when an actor is spawned */
export function onSend(listener: (actor: string, method: string) => void): void {
  const onEvent = (event: unknown): void => {
    const { name, method = '' } = event as SendMessage;
    listener(name, method);
  };
  subscribe('turntable.send', onEvent);
  subscribe('turntable.spawn', onEvent);
}
