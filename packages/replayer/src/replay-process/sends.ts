// What a thread sends to actors, as it is sent: told by the channels that anybody can subscribe to (docs/actors.md).
import { subscribe } from 'node:diagnostics_channel';

interface Sent {
  readonly name: string;
  readonly method?: string;
}

/** From now on. @param tell is given no method where an actor is spawned */
export function whenSent(tell: (actor: string, method: string) => void): void {
  const hear = (event: unknown): void => {
    const { name, method = '' } = event as Sent;
    tell(name, method);
  };
  subscribe('turntable.send', hear);
  subscribe('turntable.spawn', hear);
}
