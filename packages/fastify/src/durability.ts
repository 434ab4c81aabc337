// Replies that wait until the events they depend on are written. Used on the host side, and in the program if Fastify is
// part of it.
import type { FastifyInstance } from 'fastify';
import type { Durability } from 'turntable';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What replies of this route wait for. Defaults to the plugin's option. */
    durability?: Durability;
  }
}

/** Sets the durability of the replies on all routes. Without a level, replies have that of the program's setting. */
export function setDurability(
  app: FastifyInstance,
  defaultLevel: Durability | undefined,
  setLevel: (response: object, level: Durability) => void,
): void {
  app.addHook('onRequest', ({ routeOptions: { config } }, { raw }, done) => {
    const level = config.durability ?? defaultLevel;
    if (level !== undefined) setLevel(raw, level);
    done();
  });
}
