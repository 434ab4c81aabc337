// Sessions in another process (auth-main.ts), used through HTTP.

import type { Authentication } from '../actors/sessions.ts';
import type { Session } from '../model.ts';

export function remoteSessions(service: URL): Authentication {
  const base = new URL('/acmeair-auth-service/rest/api/authtoken/', service);
  const request = async (method: string, path: string): Promise<Session | undefined> => {
    const response = await fetch(new URL(path, base), { method });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${method} ${response.url} was answered with ${response.status}`);
    return method === 'DELETE' ? undefined : ((await response.json()) as Session);
  };
  return {
    async open(customerId) {
      const session = await request('POST', `byuserid/${encodeURIComponent(customerId)}`);
      if (session === undefined) throw new Error(`the authentication service at ${service.href} opens no session`);
      return session;
    },
    validate: (id) => request('GET', encodeURIComponent(id)),
    async close(id) {
      await request('DELETE', encodeURIComponent(id));
    },
  };
}
