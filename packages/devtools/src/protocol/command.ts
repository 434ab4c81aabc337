// Types of the commands and events of CDP domains. Each description is the source of validation, handler types and the
// response to /json/protocol.
import { object, type Schema, type TypeOf } from '@turntable/time-machine/protocol';

export interface Command {
  readonly description: string;
  readonly params: Schema<unknown>;
  readonly returns: Schema<unknown>;
  /** Whether the command may take long, because it moves or searches. Later requests do not wait for its response. */
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
  /** @param callback called after a successful response has been sent; never called if the command fails */
  afterResponse(callback: () => void): void;
}

export type CommandParams<D extends Domain, C extends keyof D['commands']> = TypeOf<D['commands'][C]['params']>;

/** The result of a handler. The client receives an empty object for void. */
export type CommandResult = object | void | Promise<object | void>;

/** The handlers of all commands of a domain. */
export type DomainHandlers<D extends Domain> = {
  readonly [C in keyof D['commands']]: (params: CommandParams<D, C>, request: CdpRequest) => CommandResult;
};

export const emptyObject = object({});
export const anyValue: Schema<unknown> = { json: {} };

/** @param description of an object whose fields docs/internals/protocol.md or Chrome's protocol describe */
export function anyObject(description: string): Schema<object> {
  return { json: { type: 'object', description } };
}
