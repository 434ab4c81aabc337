// Replies that wait until all work that they acknowledge is on disk. A snapshot that starts when the reply is ready
// contains all work of the handler, on any worker. Only one snapshot is taken at a time. Replies that arrive meanwhile
// share the next snapshot.
import type { FastifyInstance } from 'fastify';
import { RuntimeError } from 'turntable';
import { snapshot, type TakenSnapshot } from 'turntable/data-source';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether replies of this route wait for a snapshot. Defaults to the plugin's option. */
    flushBeforeReply?: boolean;
  }
}

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

async function waitForSnapshot(): Promise<void> {
  if ((await nextSnapshot()) !== undefined) return;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    'the snapshot that this reply waits for could not be written to disk; check the disk (the request may have been processed anyway)',
  );
}

/** What `printRoutes` returns for an app without routes. */
const NO_ROUTES = '(empty tree)';

/**
 * Makes replies wait, on all routes that have not opted out, after all other hooks. Routes that precede the loaded
 * plugin wait before hooks that are added later.
 */
export function flushBeforeReplies(app: FastifyInstance, isDefault: boolean): void {
  // Checked first, because the second hook crosses the membrane at each reply.
  const hasEarlierRoutes = app.printRoutes() !== NO_ROUTES;
  const laterRoutes = new Set<string>();
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) laterRoutes.add(`${method} ${route.url}`);
    if (!(route.config?.flushBeforeReply ?? isDefault)) return;
    const { onSend = [] } = route;
    route.onSend = [...(Array.isArray(onSend) ? onSend : [onSend]), waitForSnapshot];
  });
  if (!hasEarlierRoutes) return;
  app.addHook('onSend', async ({ is404, method, routeOptions: { config, url } }) => {
    if (is404 || laterRoutes.has(`${method} ${url}`)) return;
    if (config.flushBeforeReply ?? isDefault) await waitForSnapshot();
  });
}
