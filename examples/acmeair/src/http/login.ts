import type { FastifyPluginAsync } from 'fastify';
import type { Airline } from '../airline.ts';
import { SESSION_COOKIE } from './session-guard.ts';

interface Login {
  readonly login: string;
  readonly password: string;
}

const LOGIN = {
  body: {
    type: 'object',
    required: ['login', 'password'],
    properties: { login: { type: 'string' }, password: { type: 'string' } },
  },
};
const PATH = { path: '/' };

export function loginRoutes({ customers, sessions }: Airline): FastifyPluginAsync {
  return async (api) => {
    api.post<{ Body: Login }>('/login', { schema: LOGIN }, async (request, reply) => {
      const { login, password } = request.body;
      const customer = await customers.find(login);
      if (customer?.password !== password) {
        reply.setCookie(SESSION_COOKIE, '', PATH).code(403);
        return 'wrong name or password';
      }
      const session = await sessions.open(login);
      reply.setCookie(SESSION_COOKIE, session._id, PATH);
      return 'logged in';
    });

    api.get('/login/logout', async (request, reply) => {
      const id = request.cookies[SESSION_COOKIE];
      if (id !== undefined && id !== '') await sessions.close(id);
      reply.setCookie(SESSION_COOKIE, '', PATH);
      return 'logged out';
    });
  };
}
