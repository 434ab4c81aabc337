// The door of clients: the connection, and what clients in Node and in windows have in common.
export { Buckets } from './buckets.ts';
export { beginningPlace, sendersOf, type Place } from './client/across-turns.ts';
export { allStatements, statementAt, type ToldPlace } from './client/all-statements.ts';
export { Client, RequestError, type RequestOptions } from './client/client.ts';
export { logged } from './client/logged.ts';
export { Numbered } from './client/numbered.ts';
export { allActors, allResidents, type Resident, type ToldActor } from './client/pages.ts';
export { Printed } from './client/printed.ts';
export { piecesOf, SeenValues, type Evaluated, type Parts, type Range, type Whole } from './client/seen-values.ts';
export { compareSpots, placeIn, spotOf } from './client/spots.ts';
export { outText, titleOf, Travel, type Direction, type Going, type Working } from './client/travel.ts';
export { expressionOf, type ToldEntry } from './protocol/expression-of.ts';
export { webSocketWire } from './protocol/web-socket-wire.ts';
export { Inbox, type Wire } from './protocol/wire.ts';
