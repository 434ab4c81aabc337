// What a thread sends to actors, as it is sent: told by the channels that anybody can subscribe to (docs/actors.md).
import { subscribe } from 'node:diagnostics_channel';

interface SendMessage {
  readonly name: string;
  readonly method?: string;
}

/** From now on. @param listener is given no method where an actor is spawned */
export function onSend(listener: (actor: string, method: string) => void): void {
  const onEvent = (event: unknown): void => {
    const { name, method = '' } = event as SendMessage;
    listener(name, method);
  };
  subscribe('turntable.send', onEvent);
  subscribe('turntable.spawn', onEvent);
}
