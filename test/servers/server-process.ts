// Process with one server, for tests that must see whether the server ends. Sends its address to the parent, and the
// size of its heap after each message of the parent.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DapPort } from '@turntable/dap';
import { DevtoolsPort } from '@turntable/devtools';
import { Client } from '@turntable/time-machine/client';
import { RecentRecordings } from '@turntable/time-machine/recent';
import { CART_FILE } from '../../packages/time-machine/test/scripted-recording.ts';
import { scriptedServer } from '../../packages/time-machine/test/scripted-server.ts';
import { ControlServer } from '../../packages/recording/src/control/control-server.ts';
import { listSockets } from '../../packages/recording/src/control/service-directories.ts';
import { StartPagePort } from '../../packages/turntable/src/debug/start-page-port.ts';
import { StartPageService } from '../../packages/turntable/src/debug/start-page-service.ts';
import type { ServerName } from './server-names.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));

/** Starts each server; resolves with its address. */
const START: Readonly<Record<ServerName, () => Promise<string>>> = {
  'time-machine': () => scriptedServer().listen(0),
  'time-machine-lines': async () => {
    const server = scriptedServer();
    const sockets = createServer((socket) => void server.serveStreams(socket, socket));
    await new Promise<void>((settle) => sockets.listen(0, '127.0.0.1', settle));
    return String((sockets.address() as AddressInfo).port);
  },
  devtools: async () => {
    const server = scriptedServer();
    const connect = () => server.openWire();
    const port = new DevtoolsPort({ title: 'cart', url: CART_FILE, version: '1.2.3', connect });
    return (await port.listen(0)).socket;
  },
  dap: async () => {
    const refuse = (): Promise<never> => Promise.reject(new Error('there are no programs here'));
    const open = async () => {
      const server = scriptedServer();
      return { client: new Client(server.openWire()), close: () => server.close() };
    };
    return String(await new DapPort({ open, record: refuse, recordingPathOf: refuse }, 'token').listen(0));
  },
  'start-page': () => {
    const site = new Map([['/', { type: 'text/html', body: Buffer.from('<p>here</p>') }]]);
    const recent = new RecentRecordings(join(directory, 'recent.json'));
    const service = new StartPageService(site, recent, { isTrusted: false, requiresIsolation: false });
    return new StartPagePort(service, site).listen(0);
  },
  control: async () => {
    const sockets = join(directory, 'sockets');
    await new ControlServer(async (method) => ({ method })).open([sockets]);
    return listSockets(sockets)[0]?.path ?? '';
  },
};

process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.on('disconnect', () => {
  rmSync(directory, { recursive: true, force: true });
  process.exit();
});
process.send?.(await START[process.argv[2] as ServerName]());
