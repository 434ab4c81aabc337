// Whose request it is. Routes behind the guard are for who is logged in, and only about themselves.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authentication } from '../actors/sessions.ts';

export const SESSION_COOKIE = 'sessionid';

declare module 'fastify' {
  interface FastifyRequest {
    /** Behind the guard. */
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
    if (session === undefined) throw new ForbiddenError('nobody is logged in; POST /rest/api/login first');
    request.customerId = session.customerid;
  });
}

/** What is said to be of somebody else is refused. */
export function requireOwn(request: FastifyRequest, customerId: string): string {
  if (customerId !== request.customerId) throw new ForbiddenError(`${customerId} is not who is logged in`);
  return customerId;
}
