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

/** Named function of the program, because only such a function can be part of a captured state. */
export async function waitForSnapshot(): Promise<void> {
  if ((await nextSnapshot()) !== undefined) return;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    'the snapshot that this reply waits for could not be written to disk; check the disk (the request may have been processed anyway)',
  );
}

/** Makes replies wait, on all routes that have not opted out. For a Fastify that is part of the program. */
export function flushBeforeReplies(app: FastifyInstance, isDefault: boolean): void {
  app.addHook('onSend', ({ is404, routeOptions: { config } }, _reply, _payload, done) => {
    if (is404 || !(config.flushBeforeReply ?? isDefault)) done();
    else waitForSnapshot().then(() => done(), done);
  });
}
