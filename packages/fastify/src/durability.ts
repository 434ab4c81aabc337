// Replies that wait until the events they depend on are written, if Fastify is part of the program. `host-side.ts` does
// the same for a Fastify on the host side.
import type { FastifyInstance } from 'fastify';
import { durable, type Durability } from 'turntable';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What replies of this route wait for. Defaults to the plugin's option. */
    durability?: Durability;
  }
}

/** Sets the durability of the replies on all routes. Without a level, replies have that of the program's setting. */
export function setDurability(app: FastifyInstance, defaultLevel: Durability | undefined): void {
  app.addHook('onRequest', ({ routeOptions: { config } }, { raw }, done) => {
    const level = config.durability ?? defaultLevel;
    if (level !== undefined) durable(raw, level);
    done();
  });
}
