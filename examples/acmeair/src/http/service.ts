// The web service: pages, and the routes under /rest/api. It forwards requests to the actors and holds no state.

import { fileURLToPath } from 'node:url';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import staticFiles from '@fastify/static';
import { turntable } from '@turntable/fastify';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Airline } from '../airline.ts';
import type { Settings } from '../settings.ts';
import { bookingRoutes } from './bookings.ts';
import { configurationRoutes } from './configuration.ts';
import { customerRoutes } from './customers.ts';
import { flightRoutes } from './flights.ts';
import { loaderRoutes } from './loader.ts';
import { loginRoutes } from './login.ts';
import { guard } from './session-guard.ts';

const PAGES = fileURLToPath(new URL('../../public/', import.meta.url));

export function createService(airline: Airline, settings: Settings): FastifyInstance {
  const service = Fastify({ forceCloseConnections: 'idle' });
  service.register(turntable);
  service.register(cookie);
  service.register(formbody);
  service.register(staticFiles, { root: PAGES });
  service.get('/checkstatus', () => 'OK');
  service.register(
    async (api) => {
      await api.register(loginRoutes(airline));
      await api.register(configurationRoutes(airline));
      await api.register(loaderRoutes(airline, settings));
      await api.register(async (guarded) => {
        guard(guarded, airline.sessions);
        await guarded.register(flightRoutes(airline));
        await guarded.register(bookingRoutes(airline, settings));
        await guarded.register(customerRoutes(airline));
      });
    },
    { prefix: '/rest/api' },
  );
  return service;
}
