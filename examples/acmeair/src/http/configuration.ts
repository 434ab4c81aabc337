import type { FastifyPluginAsync } from 'fastify';
import type { Airline } from '../airline.ts';
import type { Collection } from '../model.ts';

const COUNTS: Readonly<Record<string, Collection>> = {
  countBookings: 'booking',
  countCustomers: 'customer',
  countSessions: 'customerSession',
  countFlights: 'flight',
  countFlightSegments: 'flightSegment',
  countAirports: 'airportCodeMapping',
};

export function configurationRoutes({ database }: Airline): FastifyPluginAsync {
  return async (api) => {
    api.get('/config/runtime', () => [
      { name: 'Runtime', description: 'NodeJS' },
      ...Object.entries(process.versions).map(([name, description]) => ({ name, description })),
    ]);
    api.get('/config/dataServices', () => [
      { name: 'sqlite', description: 'SQLite, in this process' },
      { name: 'postgres', description: 'a PostgreSQL server' },
    ]);
    api.get('/config/activeDataService', () => database.kind());
    for (const [name, collection] of Object.entries(COUNTS))
      api.get(`/config/${name}`, async () => {
        const count = await database.count(collection).catch(() => -1);
        return String(count);
      });
  };
}
