// Guard of routes that require a login. Guarded requests may concern only the logged-in customer.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authentication } from '../actors/sessions.ts';

export const SESSION_COOKIE = 'sessionid';

declare module 'fastify' {
  interface FastifyRequest {
    /** The logged-in customer; set by the guard. */
    customerId: string;
  }
}

class ForbiddenError extends Error {
  readonly statusCode = 403;
}

export function guard(service: FastifyInstance, sessions: Authentication): void {
  service.decorateRequest('customerId', '');
  service.addHook('onRequest', async (request) => {
    const id = request.cookies[SESSION_COOKIE];
    const session = id === undefined || id === '' ? undefined : await sessions.validate(id);
    if (session === undefined) throw new ForbiddenError('not logged in; POST /rest/api/login first');
    request.customerId = session.customerid;
  });
}

/** Rejects requests that concern another customer. */
export function requireOwn(request: FastifyRequest, customerId: string): string {
  if (customerId !== request.customerId) throw new ForbiddenError(`${customerId} is not logged in`);
  return customerId;
}
