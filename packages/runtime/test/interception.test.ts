// Interception of the runtime's methods for tasks re-executed in place: a renamed or added method is noticed, and
// tables of the runtime are not changed again.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { Interceptor } from '../../core/test/interceptor.ts';
import * as tables from '../src/call-modes.ts';
import { Census } from '../src/actors/census.ts';
import { Deadlines } from '../src/messaging/answer/deadlines.ts';
import { Termination } from '../src/actors/termination.ts';
import { interceptTape } from '../src/interception.ts';
import { AnswerSender } from '../src/messaging/answer/answer-sender.ts';
import { OutgoingCalls } from '../src/messaging/send/outgoing-calls.ts';
import { ActorPlacement } from '../src/actors/actor-placement.ts';
import { Pressure } from '../src/messaging/pressure.ts';
import { ActorApi } from '../src/actors/actor-api.ts';
import { AppRequests } from '../src/scheduler/app-requests.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import { ReplayTape } from '../src/trace/replay-tape.ts';
import { DeadlineTrails } from '../src/messaging/answer/deadline-trail.ts';
import { Turns } from '../src/scheduler/turns.ts';
import { MemorySource } from './memory-trace.ts';

/** The class of each table. */
const CLASSES: Readonly<Record<keyof typeof tables, { readonly prototype: object }>> = {
  OUTGOING_CALLS_MODES: OutgoingCalls,
  ANSWER_SENDER_MODES: AnswerSender,
  TERMINATION_MODES: Termination,
  ACTOR_API_MODES: ActorApi,
  APP_REQUESTS_MODES: AppRequests,
  ACTOR_PLACEMENT_MODES: ActorPlacement,
  CENSUS_MODES: Census,
  PRESSURE_MODES: Pressure,
  DEADLINE_TRAILS_MODES: DeadlineTrails,
  DEADLINES_MODES: Deadlines,
  TURNS_MODES: Turns,
  REPLAY_TAPE_MODES: ReplayTape,
};

function createThread(): { scheduler: Scheduler; tape: ReplayTape; places: ActorPlacement } {
  const realm = createRealm({ queueMicrotask() {}, nextTick() {}, isNativePromise: types.isPromise });
  const scheduler = new Scheduler(realm, { types, queueMicrotask() {}, setImmediate() {}, now: () => 0 });
  scheduler.watchRollbackCount(() => {});
  const places = (scheduler.actorPlacement = new ActorPlacement(0, 2, 'least-loaded'));
  return { scheduler, tape: new ReplayTape(new MemorySource([]), { setImmediate() {}, queueMicrotask() {} }), places };
}

function intercept({ scheduler, tape }: ReturnType<typeof createThread>, interceptor = new Interceptor()): void {
  scheduler.intercept(interceptor, { enqueued() {}, dequeued() {} });
  interceptTape(interceptor, tape);
}

const modesByTable: Readonly<Record<string, object>> = { ...tables };
const tableMethods = Object.entries(tables).flatMap(([table, modes]) =>
  Object.keys(modes).map((method) => [table as keyof typeof tables, method] as const),
);

describe('interception', () => {
  it('starts with the current tables', () => {
    expect(() => intercept(createThread())).not.toThrow();
    expect(tableMethods.length).toBeGreaterThan(60);
  });

  it.each(tableMethods)('throws if %s has no entry for %s', (table, method) => {
    const modes = modesByTable[table] as Record<string, unknown>;
    const mode = modes[method];
    delete modes[method];
    try {
      expect(() => intercept(createThread())).toThrow(`.${method} has no mode`);
    } finally {
      modes[method] = mode;
    }
  });

  // Properties that hold functions are checked by their types.
  const methods = tableMethods.filter(([table, method]) => Object.hasOwn(CLASSES[table].prototype, method));

  it.each(methods)('throws if the method of %s named %s was renamed', (table, method) => {
    const thread = createThread();
    const prototype = CLASSES[table].prototype as Record<string, unknown>;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method) as PropertyDescriptor;
    delete prototype[method];
    Object.defineProperty(prototype, `${method}Renamed`, descriptor);
    try {
      expect(() => intercept(thread)).toThrow(expect.objectContaining({ code: 'TT_CALL_MODE' }));
    } finally {
      delete prototype[`${method}Renamed`];
      Object.defineProperty(prototype, method, descriptor);
    }
  });

  it('stays in place when an observer of answers is added later', () => {
    const { prototype } = AnswerSender;
    const { observeAnswers } = prototype;
    let answers: AnswerSender | undefined;
    prototype.observeAnswers = function (this: AnswerSender, answered) {
      answers = this;
      observeAnswers.call(this, answered);
    };
    try {
      const thread = createThread();
      const interceptor = new Interceptor();
      intercept(thread, interceptor);
      const answered: string[] = [];
      thread.scheduler.observeAnswers((_, call) => void answered.push(call));
      const { main } = thread.scheduler;
      const waiting = (): number => thread.scheduler.waiting;
      answers?.answer(main, main, thread.scheduler.settledEventual(), 'add', 1);
      expect([answered, waiting()]).toEqual([['add'], 1]);
      interceptor.isReexecuting = true;
      answers?.answer(main, main, thread.scheduler.settledEventual(), 'add', 1);
      expect(waiting()).toBe(1);
    } finally {
      prototype.observeAnswers = observeAnswers;
    }
  });
});

describe('in re-execution', () => {
  it('configuring the app does not reset the number of actors per worker', () => {
    const thread = createThread();
    const interceptor = new Interceptor();
    intercept(thread, interceptor);
    const { places } = thread;
    expect([places.choose(), places.choose(), places.choose(1)]).toEqual([1, 2, 1]);
    interceptor.isReexecuting = true;
    places.configure(2, 'main');
    interceptor.isReexecuting = false;
    expect(places.getState().actorCounts).toEqual([0, 2, 1]);
    expect(places.choose()).toBe(2);
  });

  it('a task that makes a different request does not end the run', () => {
    const thread = createThread();
    const { tape } = thread;
    const interceptor = new Interceptor();
    intercept(thread, interceptor);
    interceptor.isReexecuting = true;
    tape.diverge('one thing is asked', 'another one is');
    tape.reportDivergence('one thing is asked', 'another one is');
    expect(tape.halt).toBeUndefined();
    interceptor.isReexecuting = false;
    expect(() => tape.diverge('one thing is asked', 'another one is')).toThrow('one thing is asked');
    expect(tape.halt?.reason).toBe('diverged');
  });
});
