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

type Taking = Promise<TakenSnapshot | undefined>;

let current: Taking | undefined;
/** Begins when that one is there, or cannot be had. */
let next: Taking | undefined;

async function take(): Taking {
  try {
    return await snapshot();
  } finally {
    current = next;
    next = undefined;
  }
}

function taken(): Taking {
  if (current === undefined) return (current = take());
  return (next ??= current.then(take, take));
}

async function flush(): Promise<void> {
  if ((await taken()) !== undefined) return;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    'what this reply acknowledges could not be written to the disk; it may have been done all the same',
  );
}

/** Of all routes that are registered from now on. */
export function flushBeforeReplies(app: FastifyInstance, isUsual: boolean): void {
  app.addHook('onRoute', (route) => {
    if (!(route.config?.flushBeforeReply ?? isUsual)) return;
    const { onSend = [] } = route;
    route.onSend = [...(Array.isArray(onSend) ? onSend : [onSend]), flush];
  });
}
