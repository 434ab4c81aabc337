// Interception of the runtime's methods, for tasks that are re-executed in place: no method can be renamed or added without being noticed, and what
// changes tables of the runtime is not done again.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { Interceptor } from '../../core/test/interceptor.ts';
import * as tables from '../src/call-modes.ts';
import { Census } from '../src/actors/census.ts';
import { Deadlines } from '../src/messaging/answer/deadline.ts';
import { Endings } from '../src/actors/endings.ts';
import { interceptTape } from '../src/interception.ts';
import { AnswerSender } from '../src/messaging/answer/answer-sender.ts';
import { Outgoing } from '../src/messaging/send/outgoing.ts';
import { Places } from '../src/actors/placement.ts';
import { Pressure } from '../src/messaging/pressure.ts';
import { Program } from '../src/actors/program.ts';
import { Questions } from '../src/scheduler/questions.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import { FollowingTape } from '../src/trace/following-tape.ts';
import { Trails } from '../src/messaging/answer/trail.ts';
import { Turns } from '../src/scheduler/turns.ts';
import { MemorySource } from './trace.ts';

/** The class of each table. */
const CLASSES: Readonly<Record<keyof typeof tables, { readonly prototype: object }>> = {
  OUTGOING_CALLS: Outgoing,
  ANSWERS_CALLS: AnswerSender,
  ENDINGS_CALLS: Endings,
  PROGRAM_CALLS: Program,
  QUESTIONS_CALLS: Questions,
  PLACES_CALLS: Places,
  CENSUS_CALLS: Census,
  PRESSURE_CALLS: Pressure,
  TRAILS_CALLS: Trails,
  DEADLINES_CALLS: Deadlines,
  TURNS_CALLS: Turns,
  TAPE_CALLS: FollowingTape,
};

function createThread(): { scheduler: Scheduler; tape: FollowingTape; places: Places } {
  const realm = createRealm({ queueMicrotask() {}, nextTick() {}, isNativePromise: types.isPromise });
  const scheduler = new Scheduler(realm, { types, soon() {}, later() {}, now: () => 0 });
  scheduler.watchRollbacks(() => {});
  const places = (scheduler.places = new Places(0, 2, 'least-loaded'));
  return { scheduler, tape: new FollowingTape(new MemorySource([]), { later() {}, soon() {} }), places };
}

function intercept({ scheduler, tape }: ReturnType<typeof createThread>, interceptor = new Interceptor()): void {
  scheduler.intercept(interceptor, { waits() {}, taken() {} });
  interceptTape(interceptor, tape);
}

const modesOf: Readonly<Record<string, object>> = { ...tables };
const each = Object.entries(tables).flatMap(([table, modes]) =>
  Object.keys(modes).map((method) => [table as keyof typeof tables, method] as const),
);

describe('interception', () => {
  it('begins with the tables as they are', () => {
    expect(() => intercept(createThread())).not.toThrow();
    expect(each.length).toBeGreaterThan(60);
  });

  it.each(each)('does not begin if %s has no entry for %s', (table, method) => {
    const modes = modesOf[table] as Record<string, unknown>;
    const mode = modes[method];
    delete modes[method];
    try {
      expect(() => intercept(createThread())).toThrow(`.${method} has no mode`);
    } finally {
      modes[method] = mode;
    }
  });

  // Properties that hold functions have types, by which they are set.
  const methods = each.filter(([table, method]) => Object.hasOwn(CLASSES[table].prototype, method));

  it.each(methods)('does not begin if the method of %s with the name %s is renamed', (table, method) => {
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

  it('stays when an observer of answers comes later', () => {
    const { prototype } = AnswerSender;
    const { watchAnswers } = prototype;
    let answers: AnswerSender | undefined;
    prototype.watchAnswers = function (this: AnswerSender, answered) {
      answers = this;
      watchAnswers.call(this, answered);
    };
    try {
      const thread = createThread();
      const interceptor = new Interceptor();
      intercept(thread, interceptor);
      const answered: string[] = [];
      thread.scheduler.watchAnswers((_, call) => void answered.push(call));
      const { main } = thread.scheduler;
      const waiting = (): number => thread.scheduler.waiting;
      answers?.answer(main, main, thread.scheduler.settled(), 'add', 1);
      expect([answered, waiting()]).toEqual([['add'], 1]);
      interceptor.isReexecuting = true;
      answers?.answer(main, main, thread.scheduler.settled(), 'add', 1);
      expect(waiting()).toBe(1);
    } finally {
      prototype.watchAnswers = watchAnswers;
    }
  });
});

describe('in re-execution', () => {
  it('counts of actors by worker stay when the app is arranged again', () => {
    const thread = createThread();
    const interceptor = new Interceptor();
    intercept(thread, interceptor);
    const { places } = thread;
    expect([places.choose(), places.choose(), places.choose(1)]).toEqual([1, 2, 1]);
    interceptor.isReexecuting = true;
    places.arrange(2, 'main');
    interceptor.isReexecuting = false;
    expect(places.read().actors).toEqual([0, 2, 1]);
    expect(places.choose()).toBe(2);
  });

  it('a task that asks something else does not end the run', () => {
    const thread = createThread();
    const { tape } = thread;
    const interceptor = new Interceptor();
    intercept(thread, interceptor);
    interceptor.isReexecuting = true;
    tape.diverge('one thing is asked', 'another one is');
    tape.differ('one thing is asked', 'another one is');
    expect(tape.halt).toBeUndefined();
    interceptor.isReexecuting = false;
    expect(() => tape.diverge('one thing is asked', 'another one is')).toThrow('one thing is asked');
    expect(tape.halt?.why).toBe('diverged');
  });
});
