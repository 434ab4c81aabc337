import type { FastifyPluginAsync } from 'fastify';
import type { Airline } from '../airline.ts';
import type { Settings } from '../settings.ts';

const LOAD = { querystring: { type: 'object', properties: { numCustomers: { type: 'integer', minimum: 0 } } } };

export function loaderRoutes({ loader, flights }: Airline, { customers }: Settings): FastifyPluginAsync {
  return async (api) => {
    api.get<{ Querystring: { readonly numCustomers?: number } }>('/loader/load', { schema: LOAD }, async (request) => {
      const isNew = await loader.load(request.query.numCustomers ?? customers);
      if (!isNew) return 'Already loaded';
      await flights.clearCache();
      return 'Database Finished Loading';
    });
    api.get('/loader/query', () => String(customers));
  };
}
