// Modes of the runtime's methods for calls by a program whose task is re-executed in place (docs/internals/replay-process.md; core's
// `call-interceptor.ts` explains the modes). Each table names all methods of its class, so that a new method does not
// compile without a mode.
//
// The program calls `ActorApi`, `AppRequests`, `ActorPlacement` and, through its references, `OutgoingCalls`. All other
// methods are called from these or from the event loop. Methods that change tables of the runtime are intercepted for
// every caller.

import type { CallModes } from '@turntable/core';
import type { Census } from './actors/census.ts';
import type { Deadlines } from './messaging/answer/deadlines.ts';
import type { Termination } from './actors/termination.ts';
import type { AnswerSender } from './messaging/answer/answer-sender.ts';
import type { OutgoingCalls } from './messaging/send/outgoing-calls.ts';
import type { ActorPlacement } from './actors/actor-placement.ts';
import type { Pressure } from './messaging/pressure.ts';
import type { ActorApi } from './actors/actor-api.ts';
import type { AppRequests } from './scheduler/app-requests.ts';
import type { ReplayTape } from './trace/replay-tape.ts';
import type { DeadlineTrails } from './messaging/answer/deadline-trail.ts';
import type { Turns } from './scheduler/turns.ts';

export const OUTGOING_CALLS_MODES = {
  send: 'out',
  tell: 'out',
  sendMany: 'out',
  callOn: 'out',
  // Called by `AnswerSender.onForwardedOutcome`; calls the methods above and below.
  sendLater: 'free',
  // Copying arguments lends references and forwards eventuals.
  copyForRespawn: 'out',
  copyForSpawn: 'out',
  refuse: 'refuse',
} as const satisfies CallModes<OutgoingCalls>;

export const ANSWER_SENDER_MODES = {
  forwardToWorker: 'out',
  onForwardedOutcome: 'out',
  answer: 'apart',
  fail: 'apart',
  // Called once, when the thread starts.
  observeAnswers: 'free',
} as const satisfies CallModes<AnswerSender>;

export const TERMINATION_MODES = {
  watch: 'apart',
  end: 'refuse',
  // Between two tasks.
  endRound: 'free',
  restore: 'apart',
  // Set by the scheduler, called by the methods above.
  onRollbackCount: { ifPresent: 'free' },
} as const satisfies CallModes<Termination>;

export const ACTOR_API_MODES = {
  spawn: 'out',
  far: 'out',
  stop: 'out',
  release: 'out',
  whenBroken: 'out',
  // These return an object whose methods send.
  tell: 'wrapped',
  send: 'wrapped',
  sendWith: 'wrapped',
  // The reference may have been released after the original call.
  near: 'query',
  identityOf: 'free',
  currentActor: 'free',
  // Exports objects through `far`.
  referenceTo: 'free',
  relend: 'apart',
} as const satisfies CallModes<ActorApi>;

export const APP_REQUESTS_MODES = {
  request: 'out',
  requestNow: 'out',
  answerAll: 'apart',
  replayAnswer: 'apart',
  getState: 'free',
  setState: 'apart',
} as const satisfies CallModes<AppRequests>;

export const ACTOR_PLACEMENT_MODES = {
  choose: 'out',
  configure: 'apart',
  close: 'apart',
  end: 'free',
  workerLost: 'apart',
  getState: 'free',
  setState: 'apart',
} as const satisfies CallModes<ActorPlacement>;

export const CENSUS_MODES = {
  actorCreated: 'apart',
  actorMatured: 'apart',
  restore: 'apart',
  setState: 'apart',
  getState: 'free',
  actors: 'free',
  stats: 'free',
} as const satisfies CallModes<Census>;

export const PRESSURE_MODES = {
  checkSend: 'apart',
  checkRemoteSend: 'apart',
  restore: 'apart',
  afterTurn: 'apart',
  releaseSenders: 'apart',
} as const satisfies CallModes<Pressure>;

export const DEADLINE_TRAILS_MODES = {
  extend: 'apart',
  track: 'apart',
  onSettled: 'apart',
  end: 'apart',
  extendReported: 'apart',
  endReported: 'apart',
  setState: 'apart',
  getState: 'free',
} as const satisfies CallModes<DeadlineTrails>;

export const DEADLINES_MODES = {
  nextNumber: 'apart',
  add: 'apart',
  remove: 'apart',
  listenerFor: 'apart',
  setState: 'apart',
  getState: 'free',
} as const satisfies CallModes<Deadlines>;

export const TURNS_MODES = {
  // These call the program.
  handleTell: 'wrapped',
  handle: 'wrapped',
  // These wrap `handleTell` and `handle` for observers.
  handleTellObserved: 'free',
  handleObserved: 'free',
} as const satisfies CallModes<Turns>;

export const REPLAY_TAPE_MODES = {
  outcome: 'query',
  peek: 'query',
  skipEntry: 'query',
  // Ends the run. A re-executed task that makes a different request only ends its re-execution.
  diverge: 'query',
  reportDivergence: 'apart',
  finish: 'apart',
  setPerformer: 'apart',
  wake: 'apart',
  // The statement clock calls this to end a thread whose trace is cut off, in re-execution as well.
  endAtCutOff: 'free',
  // Evaluates an expression for the user.
  runApart: 'free',
  // Ignored in replays that re-execute tasks.
  noteOutput: 'free',
  // Called when the thread starts.
  attach: 'free',
  attachScheduler: 'free',
  onHalt: 'free',
  // Called by the event loop, with nothing of the program on the stack.
  take: 'free',
  performIfDue: 'free',
  endBeforeRound: 'free',
  checkEnd: 'free',
  endIdle: 'free',
  onThreadExit: 'free',
  reportEnd: 'free',
} as const satisfies CallModes<ReplayTape>;
