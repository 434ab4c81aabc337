// Replies that wait until what they acknowledge is on the disk: a snapshot that begins when the reply is ready has all that the handler has done, wherever it
// was done. One is on its way at a time, and those that come meanwhile share the next one: the disk is waited for once and not once a reply, and no snapshot
// takes the time of another one that somebody waits for.
import type { FastifyInstance } from 'fastify';
import { RuntimeError } from 'turntable';
import { snapshot, type TakenSnapshot } from 'turntable/data-source';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether replies of this route wait for a snapshot; as the plugin was told for all routes, unless it is said. */
    flushBeforeReply?: boolean;
  }
}

type SnapshotPromise = Promise<TakenSnapshot | undefined>;

let current: SnapshotPromise | undefined;
/** Begins when that one is there, or cannot be had. */
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
    'what this reply acknowledges could not be written to the disk; it may have been done all the same',
  );
}

/** Of all routes that are registered from now on. */
export function flushBeforeReplies(app: FastifyInstance, isDefault: boolean): void {
  app.addHook('onRoute', (route) => {
    if (!(route.config?.flushBeforeReply ?? isDefault)) return;
    const { onSend = [] } = route;
    route.onSend = [...(Array.isArray(onSend) ? onSend : [onSend]), waitForSnapshot];
  });
}
