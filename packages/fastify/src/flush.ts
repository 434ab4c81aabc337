// Replies that wait until all work that they acknowledge is on disk. A snapshot that starts when the reply is ready
// contains all work of the handler, on any worker. Only one snapshot is taken at a time. Replies that arrive meanwhile
// share the next snapshot. `host-side.ts` has the hook for a Fastify on the host side.
import type { FastifyInstance } from 'fastify';
import { RuntimeError } from 'turntable';
import { snapshot, type TakenSnapshot } from 'turntable/data-source';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether replies of this route wait for a snapshot. Defaults to the plugin's option. */
    flushBeforeReply?: boolean;
  }
}

/** Mark of the configuration of a route that was registered after the plugin had been loaded. */
const IS_DECIDED = Symbol('decided');

type SnapshotPromise = Promise<TakenSnapshot | undefined>;

let current: SnapshotPromise | undefined;
/** The snapshot that starts after the current one, whether or not the current one succeeds. */
let queued: SnapshotPromise | undefined;

async function takeSnapshot(): SnapshotPromise {
  try {
    return await snapshot();
  } finally {
    current = queued;
    queued = undefined;
  }
}

function nextSnapshot(): SnapshotPromise {
  if (current === undefined) return (current = takeSnapshot());
  return (queued ??= current.then(takeSnapshot, takeSnapshot));
}

/** A hook for replies. */
export async function waitForSnapshot(): Promise<void> {
  if ((await nextSnapshot()) !== undefined) return;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    'the snapshot that this reply waits for could not be written to disk; check the disk (the request may have been processed anyway)',
  );
}

/**
 * Makes replies wait, on all routes that have not opted out, after all other hooks. Routes that are registered before
 * Fastify has loaded the plugin wait before later hooks. Other replies stay synchronous. For a Fastify that is part of
 * the program.
 */
export function flushBeforeReplies(app: FastifyInstance, isDefault: boolean): void {
  app.addHook('onRoute', (route) => {
    const config = Object.assign({}, route.config, { [IS_DECIDED]: true });
    route.config = config;
    if (!(config.flushBeforeReply ?? isDefault)) return;
    const { onSend = [] } = route;
    route.onSend = [...(Array.isArray(onSend) ? onSend : [onSend]), waitForSnapshot];
  });
  app.addHook('onSend', ({ is404, routeOptions: { config } }, _reply, _payload, done) => {
    const mustWait = !is404 && !Reflect.has(config, IS_DECIDED) && (config.flushBeforeReply ?? isDefault);
    return mustWait ? waitForSnapshot() : done();
  });
}
