// The sessions of a web service, by their tokens.
import { randomUUID } from 'node:crypto';

export class Session {
  readonly token = randomUUID();
  readonly user: string;

  constructor(user: string) {
    this.user = user;
  }
}

const sessions = new Map<string, Session>();

export function login(user: string): Session {
  const session = new Session(user);
  sessions.set(session.token, session);
  return session;
}

export function logout(session: Session): void {
  sessions.delete(session.user);
}
