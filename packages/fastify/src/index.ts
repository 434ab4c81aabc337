// The plugin: requests of a service that is recorded with traces come to the program one by one, as objects of its own that ask for what is read of them, while
// Fastify and its plugins run natively outside of it. Where nothing is recorded it does nothing.
import type { FastifyPluginAsync } from 'fastify';
import { answered, handMake, isHandle, isRecorded } from 'turntable/data-source';
import { flushBeforeReplies } from './flush.ts';
import { follow } from './followed.ts';
import { attach } from './outside.ts';
import { replyBelow } from './reply.ts';
import { requestBelow } from './request.ts';

export interface TurntableOptions {
  /**
   * Whether a reply is sent only when a snapshot with all that it acknowledges is on the disk, where the program is recorded; `false` unless it is said. A
   * route says it for itself: `{ config: { flushBeforeReply: true } }`.
   */
  readonly flushBeforeReply?: boolean;
}

/** Those of which objects are made by hand: a program may have more than one Fastify, and each more than one instance. */
const met = new WeakSet<object>();
/** The program's, of which states know what it is. */
const tell = (request: object, status: unknown): void => answered(request, status);

const plugin: FastifyPluginAsync<TurntableOptions> = async (app, { flushBeforeReply = false }) => {
  if (isRecorded()) flushBeforeReplies(app, flushBeforeReply);
  if (!isHandle(app)) return;
  const prototypes = attach(app, tell);
  if (prototypes === undefined || met.has(prototypes[0])) return;
  const [request, reply] = prototypes;
  met.add(request);
  handMake(request, { facts: ['method', 'url'], make: requestBelow(request), over: ['raw', 'destroyed'], follow });
  handMake(reply, { facts: ['request'], make: replyBelow(reply), over: ['raw', 'destroyed'], follow });
};

/** `app.register(turntable)`, before other plugins and routes. */
export const turntable: FastifyPluginAsync<TurntableOptions> = Object.assign(plugin, {
  // What `fastify-plugin` does: it is for the instance that registers it, and not for one of its own.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@turntable/fastify',
  [Symbol.for('plugin-meta')]: { fastify: '5.x', name: '@turntable/fastify' },
});
