// Replies that wait until what they acknowledge is on the disk: a snapshot that begins when the reply is ready has all that the handler has done, wherever it
// was done. Those that wait at the same time share one, so that the disk is waited for once and not once a reply.
import type { FastifyInstance } from 'fastify';
import { RuntimeError } from 'turntable';
import { snapshot } from 'turntable/data-source';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether replies of this route wait for a snapshot; as the plugin was told for all routes, unless it is said. */
    flushBeforeReply?: boolean;
  }
}

async function flush(): Promise<void> {
  if ((await snapshot()) !== undefined) return;
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
