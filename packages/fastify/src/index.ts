// The plugin. In a service recorded with traces, Fastify and its plugins run natively on the host side, and the program
// receives each request as a surrogate object. Without a recording, the plugin does nothing.
import type { FastifyPluginAsync } from 'fastify';
import type { Durability } from 'turntable';
import { reportAnswered, defineSurrogate, isHandle, isRecorded, isTraced } from 'turntable/data-source';
import { setDurability } from './durability.ts';
import { flushBeforeReplies, waitForSnapshot } from './flush.ts';
import { reportOutcome } from './async-results.ts';
import { attach, waitBeforeReplies } from './host-side.ts';
import { createReplyClass } from './reply.ts';
import { createRequestClass } from './request.ts';

/** Options of the plugin. They have no effect unless the program is recorded. */
export interface TurntableOptions {
  /**
   * What replies of a program with traces wait for: `'reply'`: until the events that they depend on are written and
   * survive a kill of the process; `'reply+fsync'`: until they also survive a loss of power; `'none'`. Default: the
   * program's setting `durability`. A route overrides it: `{ config: { durability: 'reply' } }`.
   */
  readonly durability?: Durability;
  /**
   * Whether each reply waits until a snapshot with all the work that it acknowledges is on disk, so that a restore
   * resumes with this work. `false` by default. A route overrides it: `{ config: { flushBeforeReply: true } }`.
   */
  readonly flushBeforeReply?: boolean;
}

/** Request prototypes that have surrogates. A program may load Fastify several times, each with several instances. */
const patchedPrototypes = new WeakSet<object>();
/** Named function of the program, because only such a function can be part of a captured state. */
const reportAnswer = (request: object, status: unknown): void => reportAnswered(request, status);

const plugin: FastifyPluginAsync<TurntableOptions> = async (app, { durability, flushBeforeReply = false }) => {
  if (!isHandle(app)) {
    if (isRecorded()) flushBeforeReplies(app, flushBeforeReply);
    if (isTraced()) setDurability(app, durability);
    return;
  }
  if (isRecorded()) waitBeforeReplies(app, flushBeforeReply, waitForSnapshot);
  const prototypes = attach(app, reportAnswer, durability);
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

/** Fastify plugin. Register it with `app.register(turntable)` before other plugins and routes. */
export const turntable: FastifyPluginAsync<TurntableOptions> = Object.assign(plugin, {
  // Like `fastify-plugin`: the plugin applies to the instance that registers it, and not to a new one.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@turntable/fastify',
  [Symbol.for('plugin-meta')]: { fastify: '5.x', name: '@turntable/fastify' },
});
