// Doors in what the loader stands between a program and the outside (core's doors.ts): what the tape answers, what the program does to things outside, its timers.
import { guardMethods, type Doors, type Tape } from '@turntable/core';
import { ReplayedMembrane } from '../membrane/replayed.ts';
import { guardTimers } from '../timers/functions.ts';
import type { DataSources } from '../membrane/hand-made.ts';
import type { NativePromises } from './native-promises.ts';

const ASKED_OF_TAPE = ['outcome', 'peek', 'pass'];
/** Whoever looks on is told by these what is known, or refused. */
const DONE_BY_MEMBRANE = [
  'get',
  'set',
  'has',
  'delete',
  'define',
  'describe',
  'keys',
  'prototype',
  'setPrototype',
  'isExtensible',
  'preventExtensions',
  'apply',
  'construct',
  'inspect',
];
const ASKED_OF_MEMBRANE = ['ask', 'invoke', 'settle'];

export function guardInputs(doors: Doors, tape: Tape, membrane: DataSources, promises: NativePromises): void {
  const asks = (name: string, run: () => unknown): unknown => doors.out(name, run);
  const calls = <T>(call: () => T): T => doors.in(call, call);
  const looks = (name: string, run: () => unknown): unknown => doors.looks(name, run);
  guardMethods(tape, ASKED_OF_TAPE, looks);
  promises.asks = (ask) => doors.out('a native promise', ask);
  promises.calls = calls;
  guardTimers({ calls, door: (name, ask) => doors.out(name, ask) });
  if (!(membrane instanceof ReplayedMembrane)) return;
  guardMethods(membrane, DONE_BY_MEMBRANE, looks);
  guardMethods(membrane, ASKED_OF_MEMBRANE, asks);
  membrane.calls = calls;
  membrane.makes = (make) => doors.makes(make);
}
