// The airline: npm run turntable -- record examples/acmeair/src/main.ts

import type { FastifyInstance } from 'fastify';
import { device, start } from 'turntable';
import { openAirline } from './airline.ts';
import { createService } from './http/service.ts';
import { settingsFrom } from './settings.ts';

const settings = settingsFrom(process.env);
const app = start({ workers: settings.workers });
const airline = openAirline(settings);
const { host, port } = settings;
const listen = async (): Promise<FastifyInstance> => {
  const service = createService(airline, settings);
  console.log(`Acme Air is at ${await service.listen({ host, port })}`);
  return service;
};
// The device is created again, with all routes, when a snapshot is resumed in another process.
const service = await device(listen, { name: 'the web service' });

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await service.close();
    await airline.database.close();
    await app.close();
  });
