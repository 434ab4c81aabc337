// No malformed message ends a server: each server runs in a separate process, gets random damaged messages
// (malformed-messages.ts), and serves a valid client after every round, without growing.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inSoak, showSoakProgress } from '../../scripts/test-run/soak.ts';
import { ATTACKED_SERVERS, type AttackedServer } from './attacked-servers.ts';
import { MalformedMessages } from './malformed-messages.ts';
import { SERVER_NAMES, type ServerName } from './server-names.ts';

/** `TURNTABLE_ATTACK_SEED` gives other messages. */
const SEED = Number(process.env['TURNTABLE_ATTACK_SEED'] ?? 1);
const MESSAGES = inSoak(500, 15_000);
const ROUNDS = 10;
const CONNECTIONS_AT_ONCE = 5;
/** Far less than all messages of a round take, if they were kept. */
const MAX_GROWTH_BYTES = 24 << 20;

interface ServerProcess {
  readonly address: string;
  readonly child: ChildProcess;
  heapUsed(): Promise<number>;
}

async function start(name: ServerName): Promise<ServerProcess> {
  const env = { ...process.env, TURNTABLE_SERVICES: 'off' };
  const execArgv = [...process.execArgv, '--expose-gc'];
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [name], { execArgv, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the server has ended: exit code ${code}, signal ${signal}`);
  });
  ended.catch(() => {});
  const nextMessage = async <T>(): Promise<T> => {
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [T];
    return message;
  };
  const heapUsed = (): Promise<number> => {
    child.send('heap');
    return nextMessage();
  };
  return { child, heapUsed, address: await nextMessage() };
}

/** Sends the bytes; resolves when the server has closed the connection. */
async function attack(server: AttackedServer, address: string, bytes: Buffer): Promise<void> {
  const socket = server.connect(address);
  socket.on('error', () => {});
  socket.resume().end(bytes);
  await new Promise((settle) => socket.once('close', settle));
}

describe.each(SERVER_NAMES)('%s', (name) => {
  test(
    `serves valid clients after ${MESSAGES} malformed messages`,
    { timeout: inSoak(120_000, 3_000_000) },
    async () => {
      const server = ATTACKED_SERVERS[name];
      const { address, heapUsed, child } = await start(name);
      await server.serveValidClient(address);
      const messages = new MalformedMessages(SEED + SERVER_NAMES.indexOf(name), server.valid);
      let heapAtStart = Infinity;
      for (let round = 1; round <= ROUNDS; round++) {
        for (let sent = 0; sent < MESSAGES / ROUNDS;) {
          const counts = Array.from(
            { length: CONNECTIONS_AT_ONCE },
            () => 1 + messages.below(server.messagesPerConnection),
          );
          const attacks = counts.map((count) => server.attack(messages, address, count));
          await Promise.all(attacks.map((bytes) => attack(server, address, bytes)));
          sent += counts.reduce((sum, count) => sum + count, 0);
        }
        await server.serveValidClient(address);
        showSoakProgress(round, ROUNDS, []);
        // Code and caches of the first messages stay.
        if (round === 2) heapAtStart = await heapUsed();
      }
      expect((await heapUsed()) - heapAtStart).toBeLessThan(MAX_GROWTH_BYTES);
      expect(child.exitCode).toBeNull();
    },
  );
});
