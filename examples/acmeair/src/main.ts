// npm run start, or: turntable record examples/acmeair/src/main.ts

import { device, start } from 'turntable';
import { openAirline } from './airline.ts';
import { createService } from './http/service.ts';
import { settingsFrom } from './settings.ts';

const settings = settingsFrom(process.env);
const app = start({ workers: settings.workers });
const airline = openAirline(settings);
// Where the program goes on from a snapshot, in another process, the service is made anew, with all of its routes.
const service = device(() => createService(airline, settings), { name: 'the web service' });
const address = await service.listen({ host: settings.host, port: settings.port });
console.log(`Acme Air is at ${address}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await service.close();
    await airline.database.close();
    await app.close();
  });
