// Descriptions of commands and events: one source for validation, types and /json/protocol.
import { object, type Schema, type TypeOf } from '@turntable/time-machine/protocol';

export interface Command {
  readonly description: string;
  readonly params: Schema<unknown>;
  readonly returns: Schema<unknown>;
  /** Whether the command may take as long as the program or a search. Later requests do not wait for it. */
  readonly isLongRunning?: true;
}

export interface Event {
  readonly description: string;
  readonly params: Schema<unknown>;
}

export interface Domain {
  readonly description: string;
  readonly commands: Readonly<Record<string, Command>>;
  readonly events: Readonly<Record<string, Event>>;
}

/** A command in progress. */
export interface CdpRequest {
  readonly signal: AbortSignal;
  /** @param callback runs after a successful response has been sent */
  afterResponse(callback: () => void): void;
}

export type CommandParams<D extends Domain, C extends keyof D['commands']> = TypeOf<D['commands'][C]['params']>;

/** The result of a command; void becomes an empty object. */
export type CommandResult = object | void | Promise<object | void>;

/** The handlers of all commands of a domain. */
export type DomainHandlers<D extends Domain> = {
  readonly [C in keyof D['commands']]: (params: CommandParams<D, C>, request: CdpRequest) => CommandResult;
};

export const emptyObject = object({});
export const anyValue: Schema<unknown> = { json: {} };

/** @param description of an object described in docs/protocol.md or in Chrome's protocol */
export function anyObject(description: string): Schema<object> {
  return { json: { type: 'object', description } };
}
