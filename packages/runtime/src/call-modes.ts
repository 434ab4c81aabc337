// How the runtime's methods behave when the program calls them and its task is re-executed in place (docs/engine.md; the modes are explained in core's
// `call-interceptor.ts`). Each table has all methods of its class, so a new method must be given a mode here before anything compiles.
//
// The program calls `Program`, `Questions`, `Places`, and by its references `Outgoing`; all else is called by these or by the event loop. What of that
// changes tables of the runtime is intercepted all the same, so that it does not matter who calls it.

import type { CallModes } from '@turntable/core';
import type { Census } from './actors/census.ts';
import type { Deadlines } from './messaging/answer/deadline.ts';
import type { Endings } from './actors/endings.ts';
import type { AnswerSender } from './messaging/answer/answer-sender.ts';
import type { Outgoing } from './messaging/send/outgoing.ts';
import type { Places } from './actors/placement.ts';
import type { Pressure } from './messaging/pressure.ts';
import type { Program } from './actors/program.ts';
import type { Questions } from './scheduler/questions.ts';
import type { FollowingTape } from './trace/following-tape.ts';
import type { Trails } from './messaging/answer/trail.ts';
import type { Turns } from './scheduler/turns.ts';

export const OUTGOING_CALLS = {
  send: 'out',
  tell: 'out',
  sendMany: 'out',
  callOn: 'out',
  // Called by `AnswerSender.forwarded`; calls the methods above and below.
  sendLater: 'free',
  // Copying arguments lends references and forwards eventuals.
  kept: 'out',
  passToNew: 'out',
  refuse: 'refuse',
} as const satisfies CallModes<Outgoing>;

export const ANSWERS_CALLS = {
  passAway: 'out',
  forwarded: 'out',
  answer: 'apart',
  fail: 'apart',
  // Called once, when the thread starts.
  watchAnswers: 'free',
} as const satisfies CallModes<AnswerSender>;

export const ENDINGS_CALLS = {
  watch: 'apart',
  end: 'refuse',
  again: 'apart',
  // Set by the scheduler, called by the methods above.
  onRollbacks: { ifPresent: 'free' },
} as const satisfies CallModes<Endings>;

export const PROGRAM_CALLS = {
  spawn: 'out',
  far: 'out',
  stop: 'out',
  release: 'out',
  whenBroken: 'out',
  // These return an object whose methods send.
  tell: 'wrapped',
  send: 'wrapped',
  sendWith: 'wrapped',
  // The reference may have been released since.
  near: 'looks',
  identityOf: 'free',
  currentActor: 'free',
  // Lends by `far`.
  referenceTo: 'free',
  lendAgain: 'apart',
} as const satisfies CallModes<Program>;

export const QUESTIONS_CALLS = {
  ask: 'out',
  askNow: 'out',
  answerAll: 'apart',
  answerAgain: 'apart',
  read: 'free',
  write: 'apart',
} as const satisfies CallModes<Questions>;

export const PLACES_CALLS = {
  choose: 'out',
  arrange: 'apart',
  close: 'apart',
  lost: 'apart',
  read: 'free',
  write: 'apart',
} as const satisfies CallModes<Places>;

export const CENSUS_CALLS = {
  born: 'apart',
  grown: 'apart',
  again: 'apart',
  write: 'apart',
  read: 'free',
  known: 'free',
  stats: 'free',
} as const satisfies CallModes<Census>;

export const PRESSURE_CALLS = {
  on: 'apart',
  onFrom: 'apart',
  pressAgain: 'apart',
  turned: 'apart',
  off: 'apart',
} as const satisfies CallModes<Pressure>;

export const TRAILS_CALLS = {
  lead: 'apart',
  ask: 'apart',
  answer: 'apart',
  end: 'apart',
  led: 'apart',
  ended: 'apart',
  write: 'apart',
  read: 'free',
} as const satisfies CallModes<Trails>;

export const DEADLINES_CALLS = {
  next: 'apart',
  add: 'apart',
  over: 'apart',
  listener: 'apart',
  write: 'apart',
  read: 'free',
} as const satisfies CallModes<Deadlines>;

export const TURNS_CALLS = {
  // Call the program.
  told: 'wrapped',
  handle: 'wrapped',
  // Observe `told` and `handle`.
  toldInCompany: 'free',
  handleInCompany: 'free',
} as const satisfies CallModes<Turns>;

export const TAPE_CALLS = {
  outcome: 'looks',
  peek: 'looks',
  pass: 'looks',
  // Ends the run: a task that asks something else when it is re-executed only ends its re-execution.
  diverge: 'looks',
  differ: 'apart',
  finish: 'apart',
  on: 'apart',
  wake: 'apart',
  // The statement clock ends a thread by it whose trace is cut off, in re-execution as well.
  cutOff: 'free',
  // Evaluates an expression for the user.
  apart: 'free',
  // Called when the thread starts.
  attach: 'free',
  join: 'free',
  onHalt: 'free',
  // Called by the event loop, with nothing of the program on the stack.
  take: 'free',
  look: 'free',
  judge: 'free',
  exits: 'free',
} as const satisfies CallModes<FollowingTape>;
