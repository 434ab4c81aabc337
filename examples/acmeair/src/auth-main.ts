// Sessions in their own process; the airline uses it with ACMEAIR_AUTH=http://127.0.0.1:9443.

import type { FastifyInstance } from 'fastify';
import { device, spawnWith, start } from 'turntable';
import { Database } from './actors/database.ts';
import { Sessions } from './actors/sessions.ts';
import { createAuthService } from './http/auth-service.ts';
import { settingsFrom } from './settings.ts';

const settings = settingsFrom({ ACMEAIR_PORT: '9443', ...process.env });
const app = start({ workers: 1 });
const database = spawnWith({ on: 1, name: 'database' }, Database, settings.database);
const sessions = spawnWith({ on: 1, name: 'sessions' }, Sessions, database);
const { host, port } = settings;
const listen = async (): Promise<FastifyInstance> => {
  const service = createAuthService(sessions);
  console.log(`sessions are at ${await service.listen({ host, port })}`);
  return service;
};
const service = await device(listen, { name: 'the authentication service' });

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await service.close();
    await database.close();
    await app.close();
  });
