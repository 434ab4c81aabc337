// How commands and events are described: what is accepted, what types have and what /json/protocol says are one thing.
import { object, type Schema, type TypeOf } from '@turntable/time-machine/protocol';

export interface Command {
  readonly description: string;
  readonly params: Schema<unknown>;
  readonly returns: Schema<unknown>;
  /** It may go on as long as the program's code or a search does: what comes behind it is answered before. */
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

/** A command that is being answered. */
export interface CdpRequest {
  readonly signal: AbortSignal;
  /** @param callback when it is answered, unless that is with an error */
  afterResponse(callback: () => void): void;
}

export type CommandParams<D extends Domain, C extends keyof D['commands']> = TypeOf<D['commands'][C]['params']>;

/** The result of a command; void is answered with an empty object. */
export type CommandResult = object | void | Promise<object | void>;

/** Who answers a domain: each of its commands. */
export type DomainHandlers<D extends Domain> = {
  readonly [C in keyof D['commands']]: (params: CommandParams<D, C>, request: CdpRequest) => CommandResult;
};

export const emptyObject = object({});
export const anyValue: Schema<unknown> = { json: {} };

/** @param description of an object that is told in docs/protocol.md, or in the protocol of Chrome */
export function anyObject(description: string): Schema<object> {
  return { json: { type: 'object', description } };
}
