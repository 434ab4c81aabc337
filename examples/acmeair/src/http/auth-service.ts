// HTTP interface of sessions for other processes.

import { turntable } from '@turntable/fastify';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Authentication } from '../actors/sessions.ts';

type ById = { Params: { readonly id: string } };

export function createAuthService(sessions: Authentication): FastifyInstance {
  const service = Fastify({ forceCloseConnections: 'idle' });
  service.register(turntable);
  service.register(
    async (api) => {
      api.get('/status', () => 'OK');
      api.post<ById>('/byuserid/:id', (request) => sessions.open(request.params.id));
      api.get<ById>('/:id', async (request, reply) => {
        const session = await sessions.validate(request.params.id);
        return session ?? reply.code(404).send();
      });
      api.delete<ById>('/:id', async (request) => {
        await sessions.close(request.params.id);
        return 'OK';
      });
    },
    { prefix: '/acmeair-auth-service/rest/api/authtoken' },
  );
  return service;
}
