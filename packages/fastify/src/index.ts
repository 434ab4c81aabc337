// The plugin. In a service recorded with traces, Fastify and its plugins run natively on the host side, and the program
// receives each request as a surrogate object. Without recording it does nothing.
import type { FastifyPluginAsync } from 'fastify';
import { reportAnswered, defineSurrogate, isHandle, isRecorded } from 'turntable/data-source';
import { flushBeforeReplies } from './flush.ts';
import { reportOutcome } from './async-results.ts';
import { attach } from './host-side.ts';
import { createReplyClass } from './reply.ts';
import { createRequestClass } from './request.ts';

export interface TurntableOptions {
  /**
   * Whether to send a reply only when a snapshot that contains all it acknowledges is on disk, if the program is recorded;
   * `false` by default. A route overrides it: `{ config: { flushBeforeReply: true } }`.
   */
  readonly flushBeforeReply?: boolean;
}

/** Prototypes with surrogates: a program may have several Fastify packages, and several instances of each. */
const patchedPrototypes = new WeakSet<object>();
/** A named function of the program, so that states can refer to it. */
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
  // As `fastify-plugin` does: applies to the registering instance instead of a new one.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@turntable/fastify',
  [Symbol.for('plugin-meta')]: { fastify: '5.x', name: '@turntable/fastify' },
});
