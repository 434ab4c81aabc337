// The plugin: requests of a service that is recorded with traces come to the program one by one, as objects of its own that ask for what is read of them, while
// Fastify and its plugins run natively outside of it. Where nothing is recorded it does nothing.
import type { FastifyPluginAsync } from 'fastify';
import { reportAnswered, defineSurrogate, isHandle, isRecorded } from 'turntable/data-source';
import { flushBeforeReplies } from './flush.ts';
import { reportOutcome } from './async-results.ts';
import { attach } from './host-side.ts';
import { createReplyClass } from './reply.ts';
import { createRequestClass } from './request.ts';

export interface TurntableOptions {
  /**
   * Whether a reply is sent only when a snapshot with all that it acknowledges is on the disk, where the program is recorded; `false` unless it is said. A
   * route says it for itself: `{ config: { flushBeforeReply: true } }`.
   */
  readonly flushBeforeReply?: boolean;
}

/** Those of which objects are made by hand: a program may have more than one Fastify, and each more than one instance. */
const patchedPrototypes = new WeakSet<object>();
/** The program's, of which states know what it is. */
const reportAnswer = (request: object, status: unknown): void => reportAnswered(request, status);

const plugin: FastifyPluginAsync<TurntableOptions> = async (app, { flushBeforeReply = false }) => {
  if (isRecorded()) flushBeforeReplies(app, flushBeforeReply);
  if (!isHandle(app)) return;
  const prototypes = attach(app, reportAnswer);
  if (prototypes === undefined || patchedPrototypes.has(prototypes[0])) return;
  const [request, reply] = prototypes;
  patchedPrototypes.add(request);
  defineSurrogate(request, {
    initialKeys: ['method', 'url'],
    make: createRequestClass(request),
    donePath: ['raw', 'destroyed'],
    trackPromise: reportOutcome,
  });
  defineSurrogate(reply, {
    initialKeys: ['request'],
    make: createReplyClass(reply),
    donePath: ['raw', 'destroyed'],
    trackPromise: reportOutcome,
  });
};

/** `app.register(turntable)`, before other plugins and routes. */
export const turntable: FastifyPluginAsync<TurntableOptions> = Object.assign(plugin, {
  // What `fastify-plugin` does: it is for the instance that registers it, and not for one of its own.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@turntable/fastify',
  [Symbol.for('plugin-meta')]: { fastify: '5.x', name: '@turntable/fastify' },
});
