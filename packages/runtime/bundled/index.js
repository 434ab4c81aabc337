import { $ as RuntimeError, A as Passed, B as REJECT, C as ReportedTrail, D as Forward, E as Trails, F as SignalListener, G as EVERY_LIFE, H as WIRE, I as checkDeadline, J as creatorOf, K as LIFE, L as BEGIN, M as FarRefClasses, N as Teller, O as Later, P as Deadlines, Q as ActorLostError, R as CONSTRUCT, S as Asker, T as Trail, V as STOP, W as Actor, X as ordinalOf, Y as displayed, Z as standIn, _ as ROLLBACK, a as Restored, c as PIECE, d as Mentioned, f as overActor, g as RESTORE, h as failureOf, i as writeMessages, j as FarRef, k as PASSED, l as WorkerSnapshot, m as STOPPED, n as birthsIn, o as damaged$1, p as Endings, q as checkMailbox, r as readMessages, s as ChangedMeanwhile, u as Debts, v as checkSupervise, w as TrackedCall, x as runtimeObjects, y as wayOf, z as FULFIL } from "./messages-Dpb27Rbr.js";
const { once } = process.getBuiltinModule("node:events");
import { SOURCES, sourceName } from "@turntable/recording/sources";
import { Eventual, PENDING, ROOT_CONTEXT, hostClock } from "@turntable/core";
const { types } = process.getBuiltinModule("node:util");
const { MessageChannel, Worker, receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
const { channel, subscribe } = process.getBuiltinModule("node:diagnostics_channel");
const { deserialize, serialize } = process.getBuiltinModule("node:v8");
const { setImmediate } = process.getBuiltinModule("node:timers");
const perfHooks = process.getBuiltinModule("node:perf_hooks");
// packages/runtime/src/placement.ts
var Places = class {
	#here;
	#actors = [];
	#isLost = [];
	#default = "main";
	constructor(here, workers, placement) {
		this.#here = here;
		this.arrange(workers, placement);
	}
	/** Before the first actor. */
	arrange(workers, placement) {
		this.#actors = Array.from({ length: workers + 1 }, () => 0);
		this.#isLost = this.#actors.map(() => false);
		this.#default = placement;
	}
	get workers() {
		return this.#actors.length - 1;
	}
	choose(placement = this.#default) {
		const worker = this.#chosen(placement);
		if (!Number.isInteger(worker) || worker < 0 || worker >= this.#actors.length) throw new RuntimeError("TT_PLACEMENT", `there is no worker ${String(worker)}; there are the main thread, 0, and workers 1 to ${this.workers}`);
		if (this.#isLost[worker] === true) throw new RuntimeError("TT_PLACEMENT", `worker ${worker} has ended`);
		this.#actors[worker] = (this.#actors[worker] ?? 0) + 1;
		return worker;
	}
	#chosen(placement) {
		if (typeof placement === "number") return placement;
		if (placement === "main") return 0;
		if (placement === "same") return this.#here;
		if (typeof placement === "function") return placement(this.#loads());
		return placement === "least-loaded" ? this.#leastLoaded() : placement;
	}
	/** Work keeps the main thread from its own, so actors live there only if there is no other place. */
	#leastLoaded() {
		let least = 0;
		for (let worker = 1; worker < this.#actors.length; worker++) {
			if (this.#isLost[worker] === true) continue;
			if (least === 0 || this.#actors[worker] < this.#actors[least]) least = worker;
		}
		return least;
	}
	#loads() {
		return this.#actors.flatMap((actors, worker) => worker === 0 || this.#isLost[worker] === true ? [] : [{
			worker,
			actors
		}]);
	}
	/** With it, its actors; it is a place again if another one has it. */
	lost(worker, isReplaced) {
		this.#actors[worker] = 0;
		this.#isLost[worker] = !isReplaced;
	}
	read() {
		return {
			actors: [...this.#actors],
			lost: [...this.#isLost]
		};
	}
	/** Of as many workers. */
	write({ actors, lost }) {
		this.#actors = [...actors];
		this.#isLost = [...lost];
	}
};
// packages/runtime/src/own-listener.ts
const OWN = Symbol.for("turntable.own");
function own(listener) {
	return Object.assign(listener, { [OWN]: true });
}
// packages/runtime/src/trace/following-tape.ts
/** Who calls from Node's microtasks as well, several times in a row. */
const CHAINED = /* @__PURE__ */ new Set([
	SOURCES.device,
	SOURCES.settled,
	SOURCES.promise
]);
/** Until there is a scheduler. */
const NOBODY = {
	rounds: { count: 0 },
	turns: 0,
	hasTurns: false,
	messages: 0,
	whose: () => "the main program",
	wake() {},
	hold() {}
};
var FollowingTape = class {
	isReplay = true;
	#source;
	#ports;
	#performers = /* @__PURE__ */ new Map();
	#follower = NOBODY;
	#steps;
	/** Was taken from the source and could not be done yet. */
	#back;
	#isLooking = false;
	#isLookingSoon = false;
	/** The entry that was performed last. */
	#last;
	#halt;
	/** The scheduler was woken to look at it when nothing else was left to do. */
	#woken;
	#listeners = [];
	constructor(source, ports) {
		this.#source = source;
		this.#ports = ports;
	}
	attach(steps) {
		this.#steps = steps;
		steps.beforeSteps((isTick) => this.#beforeStep(isTick));
		this.#look();
	}
	join(follower) {
		this.#follower = follower;
		if (this.#halt !== void 0) follower.hold();
	}
	/** Undefined behind the last one. */
	get next() {
		return this.#back ?? this.#source.next;
	}
	get #events() {
		return this.#source.taken - (this.#back === void 0 ? 0 : 1);
	}
	get halt() {
		return this.#halt;
	}
	take() {
		this.#goOn();
		this.#look();
		this.#wakeFollower();
	}
	#goOn() {
		if (this.#back !== void 0) this.#back = void 0;
		else this.#source.take();
	}
	/** Only for what it takes: a round that nothing begins runs what is left of the program, ahead of what Node has in its own queues. */
	#wakeFollower() {
		const what = this.next?.what;
		if (what === "messages" || what === "happened") this.#follower.wake();
	}
	outcome(source, asked) {
		if (this.#halt !== void 0) throw this.#stop();
		const { next } = this;
		if (next?.what === "outcome" && next.source === source) {
			this.take();
			return next.value;
		}
		if (next === void 0 && this.#source.end === "cut off") {
			this.finish("cut off");
			throw this.#stop();
		}
		const what = asked === void 0 ? "" : `: ${asked()}`;
		return this.diverge(told(next), `the program asks ${sourceName(source)}${what}`);
	}
	peek(source) {
		const { next } = this;
		return next?.what === "outcome" && next.source === source ? next.value : void 0;
	}
	diverge(expected, actual) {
		this.differ(expected, actual);
		throw this.#stop();
	}
	/** The same, where nobody is to be told by an error. */
	differ(expected, actual) {
		if (this.#halt !== void 0) return;
		const ordinal = this.#events + 1;
		const { turns: turn } = this.#follower;
		const actor = this.#follower.whose();
		const where = `${actor}, after ${turn} turns of the worker`;
		const error = new RuntimeError("TT_DIVERGED", `event ${ordinal} of the trace: it was expected that ${expected}; now ${actual} (${where})`);
		const divergence = {
			ordinal,
			expected,
			actual,
			actor,
			turn,
			stack: error.stack
		};
		this.#end({
			why: "diverged",
			...this.progress,
			divergence,
			error
		});
	}
	/** It has come to its end in order, or as far as the trace goes. */
	finish(why) {
		if (this.#halt === void 0) this.#end({
			why,
			...this.progress
		});
	}
	/** So far. */
	get progress() {
		const { turns, messages } = this.#follower;
		return {
			events: this.#events,
			turns,
			messages
		};
	}
	#end(halt) {
		this.#halt = halt;
		this.#steps?.beforeSteps(void 0);
		this.#follower.hold();
		this.#ports.halted?.(halt);
		for (const listener of this.#listeners) listener(halt);
	}
	/** Is told, too, even if it has been already. */
	onHalt(listener) {
		this.#listeners.push(listener);
		if (this.#halt !== void 0) listener(this.#halt);
	}
	/** In the middle of the program, of which nothing is to go on. */
	#stop() {
		this.#ports.end?.();
		const { why, error } = this.#halt;
		return error ?? new RuntimeError("TT_DIVERGED", why === "cut off" ? "the trace of this worker stops here" : "this worker has come to the end of its trace");
	}
	on(source, perform, from = () => "macrotask", chaining) {
		this.#performers.set(source, {
			perform,
			from,
			...chaining && { chaining }
		});
		this.#look();
	}
	pass(source, isIt) {
		const { next } = this;
		if (next?.what !== "entry" || next.source !== source || !isIt(next.value)) return void 0;
		if (next.round !== this.#follower.rounds.count || next.step !== this.#steps?.steps) return void 0;
		this.#last = next;
		this.take();
		return next.value;
	}
	wake() {
		this.#look();
	}
	/** The entry that stands next, if its position is now. */
	#due() {
		const { next } = this;
		if (next?.what !== "entry" || this.#halt !== void 0) return void 0;
		const round = this.#follower.rounds.count;
		const { steps } = this.#steps;
		if (next.round > round || next.step > steps) return void 0;
		if (next.round === round && next.step === steps) return next;
		this.differ(told(next), `there have been ${round} rounds and ${steps} steps`);
	}
	/** Looks at what stands next once Node has done what it has to. */
	#look() {
		const { next } = this;
		if (this.#halt !== void 0 || next?.what !== "entry") return;
		if (!this.#isLookingSoon && this.#isChained(next)) {
			this.#isLookingSoon = true;
			const look = () => {
				this.#isLookingSoon = false;
				if (this.#steps?.isLeft() !== true) this.look();
			};
			if (this.#performers.get(next.source)?.from(next.value) === "macrotask" && this.#ports.next !== void 0) this.#ports.next(look);
			else this.#ports.soon(look);
		}
		if (this.#isLooking) return;
		this.#isLooking = true;
		this.#ports.later(() => {
			this.#isLooking = false;
			this.look();
		});
	}
	/**
	* It came in the same turn of Node's as what went before, so it is looked at before that ends: with a turn Node tells of promises that were rejected,
	* and the entry may be what takes care of one.
	*/
	#isChained(next) {
		const chaining = this.#chainingOf(next);
		if (chaining !== void 0) return chaining === "chained";
		const last = this.#last;
		if (last === void 0 || last.round !== next.round || last.step !== next.step) return false;
		return CHAINED.has(next.source) && this.#chainingOf(last) !== "apart";
	}
	#chainingOf({ source, value }) {
		return this.#performers.get(source)?.chaining?.(value);
	}
	/** Performs the entry that is due, unless a step comes first. */
	look() {
		const entry = this.#due();
		const performer = entry && this.#performers.get(entry.source);
		if (entry === void 0 || performer === void 0) return;
		if (this.#steps?.isLeft() === true) return this.#look();
		if (performer.from(entry.value) === "macrotask") this.#perform(entry, performer);
		else this.#ports.soon(() => {
			if (this.#due() === entry) this.#perform(entry, performer);
		});
	}
	#beforeStep(isTick) {
		this.#look();
		for (;;) {
			const isAhead = this.#performDue();
			if (!isTick || !isAhead) return;
			this.#steps?.drain();
		}
	}
	/** All that is due; whether any of it came from Node's microtasks. */
	#performDue() {
		let isAhead = false;
		for (let entry = this.#due(); entry !== void 0; entry = this.#due()) {
			const performer = this.#performers.get(entry.source);
			if (performer === void 0) break;
			try {
				if (!this.#perform(entry, performer)) break;
			} catch (error) {
				if (this.#ports.uncaught === void 0) this.#ports.later(() => {
					throw error;
				});
				else this.#ports.uncaught(error);
			}
			if (performer.from(entry.value) === "microtask") isAhead = true;
		}
		return isAhead;
	}
	/** Whether it could be. */
	#perform(entry, { perform }) {
		this.#last = entry;
		this.#goOn();
		let isDone = true;
		try {
			isDone = perform(entry.id, entry.value);
		} finally {
			if (isDone === false) this.#back = entry;
			else {
				this.#look();
				this.#ports.later(() => {
					if (this.#follower.hasTurns) this.#follower.wake();
					else this.#wakeFollower();
				});
			}
		}
		return isDone !== false;
	}
	/** The thread ends, by itself or because it is told to. */
	exits() {
		if (this.#halt !== void 0) return;
		const { next } = this;
		if (next === void 0) this.finish(this.#source.end);
		else this.differ(told(next), "the thread ends");
	}
	/**
	* Node has nothing left to do here. Answers what is waited for, if another worker or the main thread has to do something first; otherwise this is
	* the end, in one way or another, and has been told.
	*/
	judge() {
		if (this.#halt !== void 0) return void 0;
		const { next } = this;
		if (next === void 0) {
			this.#end({
				why: this.#source.end,
				...this.progress,
				isBetween: true
			});
			return;
		}
		if ((next.what === "messages" || next.what === "happened") && next.round === this.#follower.rounds.count && next.turns === this.#follower.turns) {
			if (this.#woken !== next) {
				this.#woken = next;
				this.#follower.wake();
			}
			return next;
		}
		this.differ(told(next), "nothing is left to do");
	}
};
/** An event, in a sentence. */
function told(event) {
	switch (event?.what) {
		case void 0: return "nothing more is taken from outside: the trace has ended";
		case "messages": return `${event.count === 1 ? "1 message" : `${event.count} messages`} of worker ${event.worker} ${event.count === 1 ? "is" : "are"} taken after ${event.turns} turns (${event.round} rounds)`;
		case "happened": return `this happens after ${event.turns} turns (${event.round} rounds): ${event.kind} ${event.key}`;
		case "entry": return `${sourceName(event.source)} calls (its callback ${event.id}) after ${event.round} rounds and ${event.step} steps`;
		case "outcome": return `the program asks ${sourceName(event.source)}`;
	}
}
// packages/runtime/src/replaying.ts
/** What a thread stands at that has nothing left to do. */
function standing(tape, event) {
	const { events, messages, turns } = tape.progress;
	return {
		expected: told(event),
		events,
		messages,
		turns
	};
}
var Replaying = class {
	#replayed;
	#ports;
	/** Lives that have begun and not stopped, and where they stand if they do. */
	#threads = /* @__PURE__ */ new Map();
	#isCutOff = false;
	#isAsking = false;
	constructor(replayed, ports) {
		this.#replayed = replayed;
		this.#ports = ports;
	}
	started(worker, life) {
		this.#threads.set(worker, {
			life,
			standing: void 0
		});
	}
	/** Whether a worker had a life after this one. */
	isFollowed(worker, life) {
		return life < (this.#replayed.lives[worker] ?? 0);
	}
	/**
	* Whether a life may take the place of the one before it: whoever does is joined to those who live then, so it waits for those that did so before.
	* `lifeOf`: which life of a worker was started last.
	*/
	mayFollow({ worker, life }, lifeOf) {
		const { successions = [] } = this.#replayed;
		const at = successions.findIndex((each) => each.worker === worker && each.life === life);
		return successions.slice(0, Math.max(0, at)).every((each) => each.life <= lifeOf(each.worker));
	}
	/** Whether a worker's thread does nothing any more. */
	isOver(worker) {
		return !this.#threads.has(worker);
	}
	stands(standing) {
		const thread = this.#threads.get(standing.worker);
		if (thread?.life !== standing.life) return;
		thread.standing = standing;
		this.#look();
	}
	/** Once for each life; what comes of it later is no news. */
	stopped(stopped) {
		const { worker, life } = stopped;
		if (this.#threads.get(worker)?.life !== life) return;
		this.#threads.delete(worker);
		const isFollowed = this.isFollowed(worker, life);
		if (stopped.why !== "ended" && !isFollowed) this.#isCutOff = true;
		this.#replayed.stopped(stopped);
		if (isFollowed && stopped.why !== "diverged") {
			this.started(worker, life + 1);
			this.#ports.next(worker);
		}
		this.#look();
	}
	part(part) {
		this.#replayed.part?.(part);
	}
	get #areStanding() {
		return this.#threads.size > 0 && [...this.#threads.values()].every(({ standing }) => standing !== void 0);
	}
	/** Whether all stand for good. */
	#look() {
		if (this.#isAsking || !this.#areStanding) return;
		this.#isAsking = true;
		this.#settle().finally(() => {
			this.#isAsking = false;
		});
	}
	async #settle() {
		const before = this.#progress();
		await this.#ports.ask();
		await this.#ports.ask();
		if (!this.#areStanding) return;
		const main = this.#threads.get(0);
		if ((main === void 0 || main.standing?.events === this.#ports.taken()) && before === this.#progress() && this.#ports.isStanding()) {
			const all = [...this.#threads];
			for (const [worker, { life, standing }] of all) this.#stuck(worker, life, standing);
			return;
		}
		if (main === void 0) return void await this.#settle();
		main.standing = void 0;
		this.#ports.rest();
	}
	#progress() {
		const threads = [...this.#threads].map(([worker, { life, standing }]) => `${worker}.${life}:${standing?.events}`);
		return [this.#ports.taken(), ...threads].join(" ");
	}
	/** It waits for what will not come. */
	#stuck(worker, life, { expected, events, messages, turns }) {
		const at = {
			worker,
			life,
			events,
			messages,
			turns
		};
		if (this.#isCutOff) return this.stopped({
			...at,
			why: "cut off"
		});
		const divergence = {
			ordinal: events + 1,
			expected,
			actual: "nothing comes any more, and every thread waits",
			actor: worker === 0 ? "the main thread" : `worker ${worker}`,
			turn: turns,
			stack: void 0
		};
		this.stopped({
			...at,
			why: "diverged",
			divergence
		});
	}
};
// packages/runtime/src/snapshot/collector.ts
/** Snapshots that are written at once. */
const MOST$1 = 2;
/** As often another one is begun in place of one that was given up for what the next one knows of. */
const ATTEMPTS = 3;
var Collector = class {
	#ports;
	#pending = /* @__PURE__ */ new Map();
	/** Of those who wait for one that has not begun. */
	#next;
	constructor(ports) {
		this.#ports = ports;
	}
	/** A snapshot that begins from now on. Those of two phases are answered in their order. */
	take() {
		const waiter = Promise.withResolvers();
		this.#take(waiter, 0);
		return waiter.promise;
	}
	#take(waiter, attempt) {
		const agreed = this.#ports.agreed?.();
		if (agreed !== void 0) agreed.then(() => this.#take(waiter, attempt));
		else if (this.#pending.size < MOST$1) this.#begin(waiter, attempt);
		else if (this.#next === void 0) this.#next = waiter;
		else waiter.resolve(this.#next.promise);
	}
	#begin(waiter, attempt) {
		const phase = this.#ports.begin();
		this.#pending.set(phase, {
			phase,
			attempt,
			missing: void 0,
			parts: [],
			waiter
		});
	}
	/** The main thread has cut; these workers are there, itself among them. */
	cut(phase, workers) {
		const pending = this.#pending.get(phase);
		if (pending === void 0) return;
		pending.missing = new Set(workers);
		for (const { worker } of pending.parts) pending.missing.delete(worker);
		this.#look();
	}
	part(part) {
		const pending = this.#pending.get(part.phase);
		if (pending === void 0) return;
		pending.parts.push(part);
		pending.missing?.delete(part.worker);
		this.#look();
	}
	/** A worker cannot have its part. `again`: the next one may be had. */
	failed(worker, phase, reason, again = false) {
		const pending = this.#pending.get(phase);
		if (pending === void 0) return;
		const { waiter, attempt } = pending;
		this.#ports.abandoned?.(phase);
		this.#pending.delete(phase);
		if (again && attempt < ATTEMPTS) this.#take(waiter, attempt + 1);
		else {
			const why = reason instanceof Error ? reason.message : String(reason);
			const where = worker === 0 ? "the main thread" : `worker ${worker}`;
			waiter.reject(new RuntimeError("TT_NO_SNAPSHOT", `there is no snapshot ${phase}: ${where}: ${why}`, { cause: reason }));
		}
		this.#goOn();
		this.#look();
	}
	/** A worker has ended. */
	lost(worker) {
		for (const { phase, missing } of this.#pending.values()) if (missing === void 0 || missing.has(worker)) this.failed(worker, phase, "it has ended");
	}
	/** Those that are whole are answered in their order. */
	#look() {
		for (const pending of this.#pending.values()) {
			if (pending.missing === void 0 || pending.missing.size > 0) return;
			const parts = pending.parts.toSorted((a, b) => a.worker - b.worker);
			this.#pending.delete(pending.phase);
			pending.waiter.resolve({
				phase: pending.phase,
				parts
			});
			this.#goOn();
		}
	}
	/** There may be room for who waits. */
	#goOn() {
		const next = this.#next;
		if (next === void 0 || this.#pending.size >= MOST$1) return;
		this.#next = void 0;
		this.#take(next, 0);
	}
};
// packages/runtime/src/snapshot/due.ts
/** Of this thread. */
function keepPace({ snapshots }, host, pace, callback) {
	const requested = snapshots?.whenDue(pace, callback);
	if (requested !== void 0 && pace.requests !== void 0) host.whenRequested(requested);
}
var Due = class {
	#pace;
	/** So far. */
	#turns;
	#callback;
	#requests = 0;
	#next = {
		turns: Infinity,
		requests: Infinity
	};
	constructor(pace, turns, callback) {
		this.#pace = pace;
		this.#turns = turns;
		this.#callback = callback;
		this.cut();
	}
	/** A snapshot begins. */
	cut() {
		const { turns = Infinity, requests = Infinity } = this.#pace;
		this.#next = {
			turns: this.#turns() + turns,
			requests: this.#requests + requests
		};
	}
	requested() {
		this.#requests++;
		this.look();
	}
	/** Whether it is; says so once. */
	look() {
		if (this.#turns() < this.#next.turns && this.#requests < this.#next.requests) return;
		this.#next = {
			turns: Infinity,
			requests: Infinity
		};
		this.#callback();
	}
};
// packages/runtime/src/snapshot/tables.ts
/** Those that a scheduler keeps in mind, and others that are known to be. */
function pressedIn({ unborn, references }, others) {
	return [.../* @__PURE__ */ new Set([
		...others,
		...unborn.expected.map(({ actor }) => actor),
		...references.strangers.flatMap(({ actor }) => actor.waiting > 0 ? [actor] : [])
	])].map((actor) => {
		const { isAside, isHeld, waiting, held, heldWorkers } = actor;
		return {
			actor,
			isAside,
			isHeld,
			waiting,
			held: held?.slice(),
			heldWorkers: heldWorkers?.slice()
		};
	});
}
/** `now`: milliseconds since 1970. */
function writeTables(tables, debts, now) {
	const { neighbours, deadlines, tracked, asked, ...rest } = tables;
	const { links, unborn } = neighbours;
	const named = (waiting) => ({
		...waiting,
		eventual: debts.ticketOf(waiting.eventual, waiting.actor)
	});
	const each = ([number, waiting]) => [number, named(waiting)];
	return {
		...rest,
		neighbours: {
			...neighbours,
			links: links.map((link) => ({
				...link,
				asked: link.asked.map(each),
				passed: link.passed.map(each)
			})),
			unborn: {
				...unborn,
				expected: unborn.expected.map((expected) => ({
					...expected,
					messages: expected.messages.map(({ link, ...message }) => ({
						...message,
						worker: link.worker
					}))
				}))
			}
		},
		deadlines: {
			numbers: deadlines.numbers,
			waiting: deadlines.waiting.map((deadline) => ({
				...deadline,
				settles: debts.ticketOf(deadline.settles, deadline.actor),
				left: deadline.until === void 0 ? void 0 : deadline.until - now
			}))
		},
		tracked: tracked.map((one) => ({
			...one,
			eventual: debts.ticketOf(one.eventual, one.actor)
		})),
		asked: asked.map((one) => ({
			...one,
			eventual: debts.ticketOf(one.eventual, one.actor)
		}))
	};
}
/** `sentIn`: the phase in which what comes first by a link was sent. */
function readTables(written, restored, now, sentIn) {
	const { neighbours, deadlines, tracked, asked } = written;
	const eventual = (ticket) => restored.settles(ticket, true);
	const each = ([number, waiting]) => [number, {
		...waiting,
		eventual: eventual(waiting.eventual)
	}];
	const { links, unborn } = neighbours;
	return {
		...written,
		neighbours: {
			...neighbours,
			links: links.map((link) => ({
				...link,
				phase: sentIn(link),
				asked: link.asked.map(each),
				passed: link.passed.map(each)
			})),
			unborn: {
				...unborn,
				expected: unborn.expected.map((expected) => ({
					...expected,
					ref: expected.ref ?? restored.rootOf(expected.actor),
					messages: expected.messages.map(({ worker, ...message }) => ({
						...message,
						link: restored.linkOf(worker)
					}))
				}))
			}
		},
		deadlines: {
			numbers: deadlines.numbers,
			waiting: deadlines.waiting.map(({ left, ...deadline }) => ({
				...deadline,
				settles: eventual(deadline.settles),
				until: left === void 0 ? void 0 : now + left
			}))
		},
		tracked: tracked.map((one) => ({
			...one,
			eventual: eventual(one.eventual)
		})),
		asked: asked.map((one) => ({
			...one,
			eventual: eventual(one.eventual)
		}))
	};
}
// packages/runtime/src/snapshot/restore-here.ts
/** The scheduler is held. Answers how to go on, which answers at the end of the entry point; `begun` is told when it does. */
async function restoreHere(scheduler, room, bytes, begun) {
	try {
		const goOn = await restorePart(scheduler, room, bytes);
		return () => goOn(() => {
			scheduler.letGo();
			begun?.();
		});
	} catch (error) {
		throw error.code === void 0 ? damaged$1(String(error), error) : error;
	}
}
async function restorePart(scheduler, room, bytes) {
	const { classes, main, neighbours } = scheduler;
	const restored = new Restored(classes, main, neighbours, (number) => scheduler.signalListener(number));
	const { roots, goOn } = await room.restorePieces(bytes, [runtimeObjects(restored)]);
	const others = restored.take(roots);
	const only = (piece) => {
		const found = others.filter((each) => each.piece === piece);
		if (found.length !== 1) throw damaged$1(`it has ${found.length} of what there is one of`);
		return found[0];
	};
	const written = only(PIECE.tables);
	const { isFollowing } = scheduler.ingests;
	const tables = readTables(written, restored, hostClock.date(), ({ phase }) => isFollowing ? phase : written.phase);
	const messages = others.filter(({ piece }) => piece === PIECE.messages);
	const queue = readMessages(messages, restored);
	countWaiting(queue);
	const underWay = others.filter(({ piece }) => piece === PIECE.underWay);
	scheduler.restore({
		...tables,
		queue
	}, restored, underWay);
	return (begun) => goOn(restored, begun);
}
function countWaiting({ all, apart }) {
	for (const entry of [...all, ...apart.flatMap(({ mailbox = [], aside = [] }) => [...mailbox, ...aside])]) if (entry.what === "told" || entry.what === "sent") entry.recipient.waiting++;
}
// packages/runtime/src/thread-stats.ts
function threadStats(scheduler, host, withActors) {
	const { index, turns, phase, waiting, busy, neighbours } = scheduler;
	const { spilled, references } = neighbours;
	const { exported, held } = references;
	const snapshots = scheduler.snapshots?.stats;
	const all = {
		worker: index,
		turns,
		phase,
		waiting,
		busy,
		delay: host.takeDelay(),
		exported,
		held,
		spilled
	};
	const stats = snapshots === void 0 ? all : {
		...all,
		snapshots
	};
	return withActors ? {
		...stats,
		actors: scheduler.census.stats()
	} : stats;
}
/** What this version of Node has of them; a place in the list is their number on the wire. */
const viewTypes = [
	"DataView",
	"Int8Array",
	"Uint8Array",
	"Uint8ClampedArray",
	"Int16Array",
	"Uint16Array",
	"Int32Array",
	"Uint32Array",
	"BigInt64Array",
	"BigUint64Array",
	"Float16Array",
	"Float32Array",
	"Float64Array"
].flatMap((name) => {
	const type = globalThis[name];
	return type === void 0 ? [] : [type];
});
/** Places in `viewTypes` by prototypes. */
const viewNumbers = new Map(viewTypes.map((type, number) => [type.prototype, number]));
const nodeBufferPrototype = Buffer.prototype;
// packages/runtime/src/refusal.ts
const { ownKeys: ownKeys$2 } = Reflect;
/** Why a value does not pass; the path is looked for afterwards. */
var Refused = class {
	value;
	reason;
	remedy;
	constructor(value, reason, remedy) {
		this.value = value;
		this.reason = reason;
		this.remedy = remedy;
	}
};
/** The error for the program. `root`: the whole value that `name` names. */
function refusedValue({ value, reason, remedy }, root, name) {
	const path = pathTo(root, value);
	return new RuntimeError("TT_NOT_PASSABLE", `${path}${path === "" ? "" : " in "}${name}: ${reason}; ${remedy}`);
}
/** The same for what was thrown: what it said is not lost with what it carried. */
function refusedError(refusal, thrown) {
	if (!(refusal instanceof RuntimeError) || !(thrown instanceof Error)) return refusal;
	const said = new Error(thrown.message);
	for (const key of ["name", "stack"]) Object.defineProperty(said, key, {
		value: thrown[key],
		writable: true,
		enumerable: false,
		configurable: true
	});
	return new RuntimeError(refusal.code, refusal.message, { cause: said });
}
function functionRefused(value) {
	return new Refused(value, `the function ${quoted(value)} stays with its actor`, "pass data and let the other actor have the code, or an object whose method is called, wrapped in far(…)");
}
function instanceRefused(value, prototype) {
	if (value instanceof SharedArrayBuffer) return sharedMemory(value);
	return new Refused(value, `${kindOf(value, prototype)} is no plain data`, "pass its data, make its class extend Actor, or pass a reference to it with far(…)");
}
function namedBySymbol(value) {
	return new Refused(value, "it has properties named by symbols", "name them by strings, or leave them out");
}
function proxied(value) {
	return new Refused(value, "a Proxy has behaviour of its own", "pass a copy of what it shows ({ ...proxy })");
}
function transferred(value) {
	return new Refused(value, "its memory has been transferred away", "pass it before it is transferred, or a copy");
}
function sharedMemory(value) {
	return new Refused(value, "shared memory would be reached by two actors", "pass a copy of what is in it");
}
/** The symbols that are the same everywhere. */
function passedSymbol(value) {
	if (Symbol.keyFor(value) !== void 0 || wellKnown.has(value)) return value;
	throw new Refused(value, `${String(value)} is known to its actor only`, "use Symbol.for(…), or a string");
}
/** By their names as properties of `Symbol`. */
const wellKnownSymbols = new Map(ownKeys$2(Symbol).flatMap((key) => {
	const value = Symbol[key];
	return typeof value === "symbol" && typeof key === "string" ? [[key, value]] : [];
}));
const wellKnown = new Set(wellKnownSymbols.values());
function kindOf(value, prototype) {
	const { constructor } = prototype;
	const type = typeof constructor === "function" ? constructor : void 0;
	if (type?.prototype === prototype && type.name !== "") return `an instance of ${type.name}`;
	const tag = value[Symbol.toStringTag];
	if (typeof tag === "string" && tag !== "") return `an object of the kind ${tag}`;
	return type === void 0 || type.name === "" ? "an instance of a class without a name" : `an object that inherits from one of ${type.name}`;
}
function quoted(fn) {
	const { name } = fn;
	return typeof name === "string" && name !== "" ? JSON.stringify(name) : "without a name";
}
/** Where `wanted` stands in a value: `.items[3].onClick`. */
function pathTo(root, wanted) {
	const seen = /* @__PURE__ */ new Set();
	const found = (value, path) => {
		if (value === wanted) return path;
		if (typeof value !== "object" || value === null || seen.has(value)) return void 0;
		seen.add(value);
		for (const [key, inner] of partsOf(value)) {
			const answer = found(inner, path + key);
			if (answer !== void 0) return answer;
		}
	};
	return (found(root, "") ?? "").replace(/^\./, "");
}
function* partsOf(value) {
	for (const key of ownKeys$2(value)) {
		if (typeof key === "symbol") continue;
		yield [/^\d+$/.test(key) ? `[${key}]` : /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`, value[key]];
	}
	if (value instanceof Map) for (const [key, inner] of value) {
		yield [".key", key];
		yield [typeof key === "object" ? ".get(…)" : `.get(${JSON.stringify(key) ?? String(key)})`, inner];
	}
	const boxed = Object.prototype.toString.call(value) === "[object Symbol]" ? value.valueOf() : void 0;
	if (typeof boxed === "symbol") yield ["", boxed];
	if (value instanceof Set) for (const inner of value) yield [".member", inner];
}
/** Prototypes of errors that need no name; their places are their numbers. */
const ERRORS = [
	Error,
	TypeError,
	RangeError,
	SyntaxError,
	ReferenceError,
	EvalError,
	URIError,
	AggregateError,
	DOMException
].map((type) => type.prototype);
/** The place of those that keep message and name to themselves. */
const DOM_EXCEPTION = ERRORS.length - 1;
// packages/runtime/src/transport/shapes.ts
/** Code is made for a shape that has been used so often. */
const WORTH = 24;
const { stringify } = JSON;
const { getOwnPropertyDescriptor: getOwnPropertyDescriptor$3 } = Object;
const NativeFunction = Function;
const NativeMap$3 = Map;
/** Like no object of a program. */
const NO_TWIN = new class NoTwin {
	no = "twin";
}();
/** A node of the tree of all sequences of keys; one whose number is not negative is a shape. */
var WriterShape = class {
	number = -1;
	uses = 0;
	write = void 0;
	lastKey = void 0;
	last = void 0;
	others = void 0;
	/** An object that the engine holds as it holds those of this shape. */
	twin = NO_TWIN;
	keys = [];
	first = void 0;
};
/** Elements, which the engine does not count to a shape, come first. */
function firstKeyOf(object) {
	for (const key in object) return key;
}
/**
* Gives a shape its twin, if one can be made: with no object of the program in it, since it lives long, and of ordinary properties only,
* since accessors are not to be taken for values.
*/
function giveTwin(shape, object, keys, engine) {
	shape.twin = NO_TWIN;
	if (!engine.hasFixedShape(object) || `${Number(keys[0]) >>> 0}` === keys[0]) return;
	for (const key of keys) if (getOwnPropertyDescriptor$3(object, key)?.writable !== true) return;
	const twin = { ...object };
	for (const key of keys) {
		const value = twin[key];
		if (typeof value === "object") twin[key] = null;
		else if (typeof value === "string") twin[key] = "";
	}
	if (!engine.sameShape(twin, object)) return;
	shape.twin = twin;
	shape.keys = keys;
	shape.first = keys[0];
}
/** What the writing end of a ring has numbered. */
var WriterTables = class {
	/** Told to the other end with the next message. */
	isAnew = false;
	nodes = 0;
	ordinary = new WriterShape();
	bare = new WriterShape();
	shapes = [];
	calls = new NativeMap$3();
	names = [];
	lastName = void 0;
	lastNumber = 0;
	/** Between messages: forgets everything if there is too much of it. */
	limit() {
		if (this.nodes < 8192 && this.shapes.length < 1024 && this.names.length < 4096) return;
		this.isAnew = true;
		this.nodes = 0;
		this.ordinary = new WriterShape();
		this.bare = new WriterShape();
		this.shapes = [];
		this.calls = new NativeMap$3();
		this.names = [];
		this.lastName = void 0;
	}
	shapeOf(keys, isBare) {
		if (keys.length > 64) return void 0;
		let node = isBare ? this.bare : this.ordinary;
		for (let i = 0; i < keys.length; i++) {
			const key = keys[i];
			node = node.lastKey === key ? node.last : this.following(node, key);
		}
		return node;
	}
	following(node, key) {
		let next = node.others?.get(key);
		if (next === void 0) {
			next = new WriterShape();
			this.nodes++;
			node.others ??= new NativeMap$3();
			node.others.set(key, next);
		}
		node.lastKey = key;
		node.last = next;
		return next;
	}
	define(shape) {
		shape.number = this.shapes.push(shape) - 1;
	}
	/** Its number, or -1 if it has none yet. */
	numberOf(call) {
		if (call === this.lastName) return this.lastNumber;
		const number = this.calls.get(call);
		if (number === void 0) return -1;
		this.lastName = call;
		this.lastNumber = number;
		return number;
	}
	defineCall(call) {
		this.calls.set(call, this.names.push(call) - 1);
	}
	get shapeCount() {
		return this.shapes.length;
	}
	get callCount() {
		return this.names.length;
	}
	/** Takes back what a message has numbered that is not sent. */
	takeBack(shapes, calls) {
		while (this.shapes.length > shapes) this.shapes.pop().number = -1;
		while (this.names.length > calls) this.calls.delete(this.names.pop());
		this.lastName = void 0;
	}
};
/** `shape` has been used once more. */
function writerOf(shape, keys) {
	if (++shape.uses === WORTH) shape.write = compileWriter(keys);
	return shape.write;
}
/** Numbers are written here; where their bytes go is told to the encoder when it has to write something itself. */
function compileWriter(keys) {
	const most = 9 * keys.length;
	return compiled(`return (encoder, object) => { encoder.room(${most}); let { at, bytes, view } = encoder; let v; ${keys.map((key) => `v = object[${stringify(key)}];
      if (typeof v === 'number') {
        if ((v | 0) === v && (v !== 0 || 1 / v > 0)) {
          if (v >= 0 && v < 128) bytes[at++] = 128 | v;
          else { bytes[at] = 4; view.setInt32(at + 1, v, true); at += 5; }
        } else { bytes[at] = 5; view.setFloat64(at + 1, v, true); at += 9; }
      } else {
        encoder.at = at;
        if (typeof v === 'string') encoder.text(v); else encoder.value(v);
        encoder.room(${most});
        at = encoder.at; bytes = encoder.bytes; view = encoder.view;
      }`).join("\n")} encoder.at = at; }`);
}
/** A shape as the reading end knows it. */
var ReaderShape = class {
	keys;
	isBare;
	uses = 0;
	read = void 0;
	constructor(keys, isBare) {
		this.keys = keys;
		this.isBare = isBare;
	}
	used() {
		if (++this.uses === WORTH) this.read = compileReader(this.keys, this.isBare);
	}
};
/** Numbers are read here, and strings that lie in the decoder's window; all else by the decoder, which is told where it stands. */
function compileReader(keys, isBare) {
	const names = keys.map((_, i) => `v${i}`);
	const lines = names.map((name) => `tag = at < end ? bytes[at] : 0;
      if (tag >= 128) { ${name} = tag & 0x7f; at++; }
      else if (tag >= 64) {
        from = at + 1;
        at = from + (tag & 0x3f);
        if (from >= decoder.windowStart && at <= decoder.windowEnd && at <= end)
          ${name} = decoder.window.substring(from - decoder.windowStart, at - decoder.windowStart);
        else { decoder.at = from; ${name} = decoder.short(tag & 0x3f); }
      }
      else if (tag === 4 && at + 5 <= end) { ${name} = view.getInt32(at + 1, true); at += 5; }
      else if (tag === 5 && at + 9 <= end) { ${name} = view.getFloat64(at + 1, true); at += 9; }
      else { decoder.at = at; ${name} = decoder.value(); at = decoder.at; }`);
	const fields = keys.map((key, i) => `${key === "__proto__" ? "[\"__proto__\"]" : stringify(key)}: v${i}`);
	if (isBare) fields.unshift("__proto__: null");
	return compiled(`return (decoder) => { const { bytes, view, end } = decoder; let { at } = decoder; let ${[
		"tag",
		"from",
		...names
	].join()};
      ${lines.join("\n")} decoder.at = at; return { ${fields.join(", ")} }; }`);
}
function compiled(text) {
	try {
		return new NativeFunction(`'use strict'; ${text}`)();
	} catch {
		return;
	}
}
// packages/runtime/src/transport/decoder.ts
const { defineProperty: defineProperty$2, setPrototypeOf: setPrototypeOf$1 } = Object;
const { isArray: isArray$3 } = Array;
const { apply: apply$3, deleteProperty } = Reflect;
const { fromCharCode } = String;
const mapSet$1 = Map.prototype.set;
const setAdd$1 = Set.prototype.add;
const NativeMap$2 = Map;
const NativeSet$1 = Set;
const NativeDate = Date;
/** So much is looked at as text at once: strings are parts of it. One that is kept keeps no more than that alive. */
const WINDOW = 512;
const BRIEF$1 = 8;
const LIMIT = 600;
/** Longer arrays with holes are made as tables. */
const DENSE = 65536;
const LAST_INDEX = 2 ** 32 - 2;
/** Why bytes are no message. */
var Damage = class extends Error {};
var Decoder = class {
	ports;
	bytes = Buffer.alloc(0);
	view = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(0));
	at = 0;
	end = 0;
	buffers = [];
	/** A part of the bytes as text, which code made for shapes reads too, and where it begins and ends. */
	window = "";
	windowStart = 0;
	windowEnd = 0;
	isShared = false;
	met = [];
	later = [];
	depth = 0;
	shapes = [];
	calls = [];
	constructor(ports) {
		this.ports = ports;
	}
	begin(bytes, view, at, end, isShared) {
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = view;
			this.forgetText();
		}
		this.at = at;
		this.end = end;
		this.isShared = isShared;
	}
	/** The bytes may have changed. */
	forgetText() {
		this.windowEnd = this.windowStart = 0;
	}
	enclosed(buffers) {
		this.buffers = buffers;
	}
	anew() {
		this.shapes = [];
		this.calls = [];
	}
	call() {
		const number = this.integer();
		if (number >= 3) {
			const call = this.calls[number - 3];
			if (call === void 0) throw new Damage("the number of a call");
			return call;
		}
		if (number === 0) return void 0;
		const call = this.text();
		if (number === 1) this.calls.push(call);
		return call;
	}
	/** What had to wait comes after the arguments. */
	finish() {
		for (let i = 0; i < this.later.length; i++) this.contents(this.later[i]);
		if (this.at !== this.end) throw new Damage("the end of the message");
	}
	forget() {
		if (this.met.length > 0) this.met.length = 0;
		if (this.later.length > 0) this.later.length = 0;
		if (this.buffers.length > 0) this.buffers = [];
		this.depth = 0;
	}
	byte() {
		if (this.at >= this.end) throw new Damage("another byte");
		return this.bytes[this.at++];
	}
	integer() {
		const { at, end, bytes } = this;
		if (at + 1 < end) {
			const first = bytes[at];
			if (first < 128) {
				this.at = at + 1;
				return first;
			}
			const second = bytes[at + 1];
			if (second < 128) {
				this.at = at + 2;
				return first & 127 | second << 7;
			}
		}
		return this.longInteger();
	}
	longInteger() {
		let value = 0;
		let factor = 1;
		for (let i = 0; i < 8; i++) {
			const next = this.byte();
			value += (next & 127) * factor;
			if (next < 128) {
				if (value > Number.MAX_SAFE_INTEGER) break;
				return value;
			}
			factor *= 128;
		}
		throw new Damage("an integer below 2^53");
	}
	/** How many things follow, each of at least `size` bytes. */
	count(size) {
		const count = this.integer();
		if (count * size > this.end - this.at) throw new Damage("as many things as there is room for");
		return count;
	}
	double() {
		const { at } = this;
		if (at + 8 > this.end) throw new Damage("the eight bytes of a number");
		this.at = at + 8;
		return this.view.getFloat64(at, true);
	}
	int32() {
		const { at } = this;
		if (at + 4 > this.end) throw new Damage("the four bytes of an integer");
		this.at = at + 4;
		return this.view.getInt32(at, true);
	}
	text() {
		const tag = this.byte();
		if (tag >= 64 && tag < 128) return this.short(tag & 63);
		if (tag === 6) return this.narrow();
		if (tag === 7) return this.wide();
		throw new Damage("a string");
	}
	short(length) {
		const { at } = this;
		const to = at + length;
		if (to > this.end) throw new Damage("the characters of a string");
		this.at = to;
		if (at < this.windowStart || to > this.windowEnd) {
			if (length <= BRIEF$1) return brief(this.bytes, at, length);
			this.windowStart = at;
			this.windowEnd = Math.min(at + WINDOW, this.bytes.length);
			this.window = this.bytes.latin1Slice(at, this.windowEnd);
		}
		return this.window.substring(at - this.windowStart, to - this.windowStart);
	}
	narrow() {
		const length = this.count(1);
		const { at } = this;
		this.at = at + length;
		return this.bytes.latin1Slice(at, this.at);
	}
	wide() {
		const length = this.count(2);
		const { at } = this;
		this.at = at + 2 * length;
		return this.bytes.ucs2Slice(at, this.at);
	}
	bigint() {
		const sign = this.byte();
		if (sign === 0) {
			const { at } = this;
			if (at + 8 > this.end) throw new Damage("the eight bytes of a bigint");
			this.at = at + 8;
			return this.view.getBigInt64(at, true);
		}
		const digits = this.text();
		if (sign > 2 || !/^[\da-f]+$/.test(digits)) throw new Damage("the digits of a bigint");
		const value = BigInt(`0x${digits}`);
		return sign === 2 ? -value : value;
	}
	knownSymbol() {
		const symbol = wellKnownSymbols.get(this.text());
		if (symbol === void 0) throw new Damage("a symbol of the language");
		return symbol;
	}
	span(length) {
		const { at } = this;
		this.at = at + length;
		return this.bytes.subarray(at, this.at);
	}
	value() {
		if (this.at >= this.end) throw new Damage("a value");
		const tag = this.bytes[this.at++];
		if (tag >= 128) return tag & 127;
		if (tag >= 64) return this.short(tag & 63);
		switch (tag) {
			case 5: return this.double();
			case 4: return this.int32();
			case 16: return this.shaped();
			case 0: return;
			case 1: return null;
			case 2: return true;
			case 3: return false;
			case 6: return this.narrow();
			case 7: return this.wide();
		}
		if (this.depth > LIMIT) throw new Damage("less nesting");
		this.depth++;
		const value = this.rare(tag);
		this.depth--;
		return value;
	}
	rare(tag) {
		switch (tag) {
			case 17: return this.newShape();
			case 18: return this.byKeys(this.kept({}));
			case 19: return this.byKeys(this.kept({ __proto__: null }));
			case 20:
			case 23:
			case 21: return this.elements(tag, this.kept([]));
			case 24: return this.entries(this.kept(new NativeMap$2()));
			case 25: return this.members(this.kept(new NativeSet$1()));
			case 11: return this.again();
			case 26: return this.kept(new NativeDate(this.double()));
			case 8: return this.bigint();
			case 12: return this.ports.readReference(this);
			case 29: return this.error();
			case 27: {
				const regexp = this.kept(new RegExp(this.text(), this.text()));
				regexp.lastIndex = this.value();
				return regexp;
			}
			case 28: return this.boxed();
			case 9: return Symbol.for(this.text());
			case 10: return this.knownSymbol();
		}
		return this.binary(tag);
	}
	binary(tag) {
		switch (tag) {
			case 30: {
				const bytes = this.span(this.count(1));
				const buffer = this.kept(new ArrayBuffer(bytes.length));
				new Uint8Array(buffer).set(bytes);
				return buffer;
			}
			case 31: {
				const length = this.integer();
				const maxByteLength = this.integer();
				if (length > this.end - this.at) throw new Damage("the bytes of a buffer");
				const bytes = this.span(length);
				const buffer = this.kept(new ArrayBuffer(length, { maxByteLength }));
				new Uint8Array(buffer).set(bytes);
				return buffer;
			}
			case 32: return this.kept(this.enclosure());
			case 33: return this.viewOn();
			case 34: {
				const bytes = this.span(this.count(1));
				return this.kept(setPrototypeOf$1(new Uint8Array(bytes), nodeBufferPrototype));
			}
			case 41: return this.kept(setPrototypeOf$1(new Uint8Array(this.enclosure()), nodeBufferPrototype));
			case 35: return this.put({});
			case 36: return this.put({ __proto__: null });
			case 37: return this.put([]);
			case 38: return this.put(new NativeMap$2());
			case 39: return this.put(new NativeSet$1());
		}
		throw new Damage("the kind of a value");
	}
	again() {
		const object = this.met[this.integer()];
		if (object === void 0) throw new Damage("the number of an object");
		return object;
	}
	kept(value) {
		if (this.isShared) this.met.push(value);
		return value;
	}
	put(value) {
		if (!this.isShared) throw new Damage("contents at once");
		this.later.push(value);
		return this.kept(value);
	}
	contents(value) {
		const { types } = this.ports;
		if (isArray$3(value)) return void this.elements(this.byte(), value);
		if (types.isMap(value)) return void (this.byte() === 24 ? this.entries(value) : this.no("a Map"));
		if (types.isSet(value)) return void (this.byte() === 25 ? this.members(value) : this.no("a Set"));
		this.byKeys(value);
	}
	no(what) {
		throw new Damage(`the contents of ${what}`);
	}
	shaped() {
		const shape = this.shapes[this.integer()];
		if (shape === void 0) throw new Damage("the number of a shape");
		if (this.depth > LIMIT) throw new Damage("less nesting");
		this.depth++;
		const object = shape.read !== void 0 && !this.isShared ? shape.read(this) : this.byShape(shape);
		this.depth--;
		return object;
	}
	newShape() {
		const word = this.integer();
		const count = word >>> 1;
		if (count > 64) throw new Damage("fewer keys");
		const keys = [];
		for (let i = 0; i < count; i++) keys.push(this.text());
		const shape = new ReaderShape(keys, (word & 1) === 1);
		this.shapes.push(shape);
		return this.byShape(shape);
	}
	byShape(shape) {
		const { keys, isBare } = shape;
		const object = this.kept(isBare ? { __proto__: null } : {});
		for (let i = 0; i < keys.length; i++) assign(object, keys[i], this.value());
		shape.used();
		return object;
	}
	byKeys(object) {
		const count = this.count(2);
		for (let i = 0; i < count; i++) assign(object, this.text(), this.value());
		return object;
	}
	elements(tag, array) {
		if (tag === 21) return this.sparse(array);
		if (tag !== 20 && tag !== 23) this.no("an array");
		const count = this.count(1);
		const hole = 22;
		for (let i = 0; i < count; i++) if (this.bytes[this.at] === hole && this.at < this.end) {
			this.at++;
			array.length = i + 1;
		} else array[i] = this.value();
		if (tag === 23) this.ownProperties(array);
		return array;
	}
	sparse(array) {
		const length = this.integer();
		if (length > LAST_INDEX + 1) throw new Damage("the length of an array");
		if (length > DENSE) array[LAST_INDEX] = void 0;
		array.length = length;
		const count = this.count(2);
		for (let i = 0; i < count; i++) {
			const place = this.integer();
			if (place >= length) throw new Damage("an index below the length");
			array[place] = this.value();
		}
		return array;
	}
	ownProperties(object) {
		const count = this.count(3);
		for (let i = 0; i < count; i++) {
			const key = this.text();
			const enumerable = this.byte() === 2;
			defineProperty$2(object, key, {
				value: this.value(),
				writable: true,
				enumerable,
				configurable: true
			});
		}
	}
	entries(map) {
		while (!this.isEnd()) apply$3(mapSet$1, map, [this.value(), this.value()]);
		return map;
	}
	members(set) {
		while (!this.isEnd()) apply$3(setAdd$1, set, [this.value()]);
		return set;
	}
	isEnd() {
		if (this.at >= this.end) throw new Damage("the end of a collection");
		if (this.bytes[this.at] !== 40) return false;
		this.at++;
		return true;
	}
	boxed() {
		const number = this.met.length;
		if (this.isShared) this.met.push({});
		const value = this.value();
		if (value === null || value === void 0 || typeof value === "object") throw new Damage("a primitive value");
		const object = Object(value);
		if (this.isShared) this.met[number] = object;
		return object;
	}
	enclosure() {
		const buffer = this.buffers[this.integer()];
		if (buffer === void 0) throw new Damage("the number of a buffer");
		return buffer;
	}
	viewOn() {
		const type = viewTypes[this.integer()];
		if (type === void 0) throw new Damage("the number of a class of views");
		const buffer = this.value();
		if (!this.ports.types.isArrayBuffer(buffer)) throw new Damage("a buffer");
		const isWhole = this.byte() === 2;
		return this.kept(isWhole ? new type(buffer) : new type(buffer, this.integer(), this.integer()));
	}
	error() {
		const number = this.integer();
		const base = ERRORS[number];
		if (base === void 0) throw new Damage("the number of a class of errors");
		const name = this.text();
		const error = this.kept(number === DOM_EXCEPTION ? new DOMException(this.text(), this.text()) : /* @__PURE__ */ new Error());
		setPrototypeOf$1(error, (name === "" ? void 0 : this.ports.errorPrototype(name)) ?? base);
		deleteProperty(error, "stack");
		defineProperty$2(error, "stack", {
			value: this.value(),
			writable: true,
			enumerable: false,
			configurable: true
		});
		this.ownProperties(error);
		return error;
	}
};
/** Makes an own property, whatever the prototype has under that name. */
function assign(object, key, value) {
	if (key in object) defineProperty$2(object, key, {
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
	else object[key] = value;
}
function brief(bytes, at, length) {
	switch (length) {
		case 0: return "";
		case 1: return fromCharCode(bytes[at]);
		case 2: return fromCharCode(bytes[at], bytes[at + 1]);
		case 3: return fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2]);
		case 4: return four(bytes, at);
		default: return four(bytes, at) + brief(bytes, at + 4, length - 4);
	}
}
function four(bytes, at) {
	return fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}
const LENGTH_MASK = 268435455;
/** An object is mentioned more than once, or before its contents come. */
const SHARED = 268435456;
/** A parcel on the port belongs to it. */
const PARCEL = 536870912;
/** What both ends have numbered so far, calls and shapes, counts no more. */
const ANEW = 1073741824;
const LEAST$1 = 256;
const MOST = 2 ** 27;
function createRing(bytes = 2 ** 20) {
	if (bytes < LEAST$1 || bytes > MOST || (bytes & bytes - 1) !== 0) throw new RangeError(`a ring has a power of two of bytes, from ${LEAST$1} to ${MOST}, not ${bytes}`);
	const ring = new SharedArrayBuffer(256 + bytes);
	new Int32Array(ring)[0] = bytes;
	return ring;
}
function ringMemory(ring) {
	const size = ring.byteLength - 256;
	const words = new Int32Array(ring, 0, 64);
	if (size < LEAST$1 || words[0] !== size) throw new RuntimeError("TT_DAMAGED_MESSAGE", "this memory is no ring; make one with createRing()");
	return {
		words,
		bytes: Buffer.from(ring, 256, size),
		view: new DataView(ring, 256, size),
		size
	};
}
// packages/runtime/src/transport/inbox.ts
const NONE$1 = [];
const { isArray: isArray$2 } = Array;
var Inbox = class {
	#ring;
	/** What comes behind it: the sender has ended. */
	#rest;
	#port;
	#take;
	#decoder;
	/** What has come by the port and is not taken yet. */
	#parcels = [];
	#opened = 0;
	#head;
	#taken = 0;
	/** `woken`: the sender has seen that this worker sleeps. Listens to the port, which keeps the process alive unless it is unref'd. */
	constructor(ring, port, ports, take, woken) {
		this.#ring = ringMemory(ring);
		this.#port = port;
		this.#take = take;
		this.#decoder = new Decoder(ports);
		this.#head = Atomics.load(this.#ring.words, 32);
		port.on("message", (value) => {
			this.#hear(value);
			if (!isParcel(value)) woken?.();
		});
	}
	/** Messages so far: the number of the last one. */
	get taken() {
		return this.#taken;
	}
	isEmpty() {
		return Atomics.load(this.#ring.words, 16) === this.#head && !this.#takesRest();
	}
	#hear(value) {
		if (isParcel(value)) this.#parcels.push(value);
		else if (types.isSharedArrayBuffer(value)) this.#rest = ringMemory(value);
	}
	/** The ring is empty. */
	#takesRest() {
		if (this.#rest === void 0) return false;
		this.#ring = this.#rest;
		this.#rest = void 0;
		this.#head = 0;
		return true;
	}
	/** How many messages have come, up to `most`. */
	available(most) {
		if (this.isEmpty()) return 0;
		const { words, view, size } = this.#ring;
		const tail = Atomics.load(words, 16);
		let head = this.#head;
		let count = 0;
		while (count < most && head !== tail) {
			const at = head & size - 1;
			const left = tail - head | 0;
			const rest = size - at;
			const word = rest < 4 ? 0 : left < 4 ? 4 : view.getUint32(at, true);
			if (word === 0 && left > rest) {
				head = head + rest | 0;
				continue;
			}
			count++;
			const length = word & LENGTH_MASK;
			if (length < 4 || length > left) return most;
			head = head + length | 0;
		}
		return count;
	}
	/** Whether the sender waits for room. */
	get isFull() {
		return Atomics.load(this.#ring.words, 48) !== 0;
	}
	/** Takes up to `most` messages; answers how many. What the taking throws goes through, the message counts as taken. */
	drain(most) {
		const { words, bytes, view, size } = this.#ring;
		const tail = Atomics.load(words, 16);
		if (tail === this.#head) return this.#takesRest() ? this.drain(most) : 0;
		const decoder = this.#decoder;
		decoder.forgetText();
		let count = 0;
		try {
			while (count < most && this.#head !== tail) {
				const at = this.#head & size - 1;
				const left = tail - this.#head | 0;
				const rest = size - at;
				const word = rest < 4 ? 0 : left < 4 ? 4 : view.getUint32(at, true);
				if (word === 0 && left > rest) {
					this.#head = this.#head + rest | 0;
					continue;
				}
				const length = word & LENGTH_MASK;
				if (left < 0 || left > size || length < 4 || length > left || length > rest) {
					this.#head = tail;
					throw damaged("what is published is no frames");
				}
				if ((word & 536870912) !== 0) this.#open(at, length, word);
				else decoder.begin(bytes, view, at + 4, at + length, (word & SHARED) !== 0);
				this.#head = this.#head + length | 0;
				count++;
				this.#taken++;
				this.#message((word & ANEW) !== 0);
			}
		} finally {
			Atomics.store(words, 32, this.#head);
		}
		return count;
	}
	/** Whether the sender waits for the room that was made, which is answered once: it must be rung then. */
	isRoomWanted() {
		const { words } = this.#ring;
		return Atomics.load(words, 48) !== 0 && Atomics.exchange(words, 48, 0) !== 0;
	}
	/** The next one. It was posted before its placeholder was published, so it is there unless Node could not make its objects here. */
	#parcel() {
		while (this.#parcels.length === 0) {
			const received = receiveMessageOnPort(this.#port);
			if (received === void 0) return void 0;
			this.#hear(received.message);
		}
		return this.#parcels[0];
	}
	#open(at, length, word) {
		const parcel = this.#parcel();
		const wanted = this.#opened++;
		Atomics.store(this.#ring.words, 33, this.#opened);
		if (parcel?.[0] !== wanted) {
			if (parcel !== void 0 && parcel[0] < wanted) this.#parcels.shift();
			this.#head = this.#head + length | 0;
			this.#taken++;
			throw damaged(`its parcel, number ${wanted}, has not come`);
		}
		this.#parcels.shift();
		const [, body, buffers] = parcel;
		const decoder = this.#decoder;
		const isShared = (word & SHARED) !== 0;
		if (body === void 0) {
			const { bytes, view } = this.#ring;
			decoder.begin(bytes, view, at + 4, at + length, isShared);
		} else {
			const { buffer, byteOffset, length: size } = body;
			const bytes = Buffer.from(buffer, byteOffset, size);
			decoder.begin(bytes, new DataView(buffer, byteOffset, size), 0, size, isShared);
		}
		decoder.enclosed(buffers);
	}
	#message(isAnew) {
		const decoder = this.#decoder;
		let kind, sender, actor, target, settles;
		let call;
		let count;
		let a;
		let b;
		let c;
		let many = NONE$1;
		try {
			if (isAnew) decoder.anew();
			kind = decoder.integer();
			sender = decoder.integer();
			actor = decoder.integer();
			target = decoder.integer();
			settles = decoder.integer();
			call = decoder.call();
			count = decoder.integer();
			if (count > 3) many = listOf$1(decoder, count);
			else {
				if (count > 0) a = decoder.value();
				if (count > 1) b = decoder.value();
				if (count > 2) c = decoder.value();
			}
			decoder.finish();
		} catch (error) {
			throw error instanceof Damage ? damaged(`${error.message} was expected`) : damaged("it could not be read", error);
		} finally {
			decoder.forget();
		}
		this.#take(kind, sender, actor, target, settles, call, count, a, b, c, many);
	}
};
function listOf$1(decoder, count) {
	if (count > decoder.end - decoder.at) throw new Damage("as many arguments as there is room for");
	const list = [];
	for (let i = 0; i < count; i++) list[i] = decoder.value();
	return list;
}
function isParcel(value) {
	return isArray$2(value) && value.length === 3;
}
function damaged(why, cause) {
	const message = `a message of another worker is damaged: ${why}; this is an error of Turntable's, please report it`;
	return new RuntimeError("TT_DAMAGED_MESSAGE", message, cause === void 0 ? void 0 : { cause });
}
// packages/runtime/src/transport/frame-writer.ts
const { is } = Object;
const { apply: apply$2 } = Reflect;
const { toString: bigintToString } = BigInt.prototype;
/** Fails at once for a string that V8 holds a byte a character. */
const beyondBytes = /[^\0-\xff]/;
/** Shorter strings are written character by character. */
const BRIEF = 20;
/** Larger memory is not kept for the next frame. */
const KEPT = 2 ** 20;
const SMALLEST_WIDE = 2 ** 31;
/** Seven bits a byte, lowest first; where the next one goes. There is room for eight bytes. */
function varintAt(bytes, at, value) {
	if (value < 128) {
		bytes[at] = value;
		return at + 1;
	}
	if (value < 16384) {
		bytes[at] = value | 128;
		bytes[at + 1] = value >>> 7;
		return at + 2;
	}
	return longVarintAt(bytes, at, value);
}
function longVarintAt(bytes, at, value) {
	while (value >= SMALLEST_WIDE) {
		bytes[at++] = value % 128 | 128;
		value = Math.floor(value / 128);
	}
	while (value > 127) {
		bytes[at++] = value & 127 | 128;
		value >>>= 7;
	}
	bytes[at++] = value;
	return at;
}
var FrameWriter = class {
	bytes = Buffer.alloc(0);
	view = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(0));
	start = 0;
	at = 0;
	end = 0;
	/** Whether the frame is in memory of the writer's own. */
	isMoved = false;
	own = void 0;
	ownView = void 0;
	begin(bytes, view, at, end) {
		if (bytes !== this.bytes) {
			this.bytes = bytes;
			this.view = view;
		}
		this.start = at;
		this.at = at + 4;
		this.end = end;
		this.isMoved = false;
		if (this.at > end) this.move(0);
	}
	/** Goes on in memory of its own: for `count` bytes more. */
	move(count) {
		const used = this.at - this.start;
		let { own, ownView } = this;
		if (own === void 0 || ownView === void 0 || this.isMoved || own.length < used + count) {
			own = Buffer.allocUnsafeSlow(Math.max(4096, 2 * (used + count)));
			ownView = new DataView(own.buffer, own.byteOffset, own.length);
			this.own = own;
			this.ownView = ownView;
		}
		this.bytes.copy(own, 0, this.start, this.at);
		this.bytes = own;
		this.view = ownView;
		this.start = 0;
		this.at = used;
		this.end = own.length;
		this.isMoved = true;
	}
	/** After a frame: memory that others may need more. */
	letGo() {
		if (this.own !== void 0 && this.own.length > KEPT) this.own = this.ownView = void 0;
	}
	room(count) {
		if (this.at + count > this.end) this.move(count);
	}
	byte(value) {
		if (this.at === this.end) this.move(1);
		this.bytes[this.at++] = value;
	}
	integer(value) {
		if (this.at + 8 > this.end) this.move(8);
		this.at = varintAt(this.bytes, this.at, value);
	}
	tagged(tag, value) {
		if (this.at + 9 > this.end) this.move(9);
		this.bytes[this.at] = tag;
		this.at = varintAt(this.bytes, this.at + 1, value);
	}
	number(value) {
		if (this.at + 9 > this.end) this.move(9);
		const { at } = this;
		if ((value | 0) === value && (value !== 0 || !is(value, -0))) {
			if (value >= 0 && value < 128) {
				this.bytes[at] = 128 | value;
				this.at = at + 1;
			} else {
				this.bytes[at] = 4;
				this.view.setInt32(at + 1, value, true);
				this.at = at + 5;
			}
			return;
		}
		this.bytes[at] = 5;
		this.view.setFloat64(at + 1, value, true);
		this.at = at + 9;
	}
	text(text) {
		const { length } = text;
		if (this.at + length + 9 > this.end) this.move(length + 9);
		if (length > BRIEF) {
			if (beyondBytes.test(text)) return this.wide(text);
			if (length < 64) this.bytes[this.at++] = 64 | length;
			else {
				this.bytes[this.at] = 6;
				this.at = varintAt(this.bytes, this.at + 1, length);
			}
			this.bytes.latin1Write(text, this.at, length);
			this.at += length;
			return;
		}
		const { bytes } = this;
		let { at } = this;
		bytes[at++] = 64 | length;
		for (let i = 0; i < length; i++) {
			const code = text.charCodeAt(i);
			if (code > 255) return this.wide(text);
			bytes[at++] = code;
		}
		this.at = at;
	}
	/** Two bytes a character, halves of surrogate pairs included. */
	wide(text) {
		const { length } = text;
		this.room(2 * length + 9);
		this.tagged(7, length);
		this.bytes.ucs2Write(text, this.at, 2 * length);
		this.at += 2 * length;
	}
	bigint(value) {
		this.room(10);
		this.bytes[this.at++] = 8;
		if (BigInt.asIntN(64, value) === value) {
			this.bytes[this.at++] = 0;
			this.view.setBigInt64(this.at, value, true);
			this.at += 8;
			return;
		}
		this.bytes[this.at++] = value < 0n ? 2 : 1;
		this.text(apply$2(bigintToString, value < 0n ? -value : value, [16]));
	}
	blob(bytes) {
		this.room(bytes.length);
		this.bytes.set(bytes, this.at);
		this.at += bytes.length;
	}
};
// packages/runtime/src/transport/encoder.ts
const { getOwnPropertySymbols: getOwnPropertySymbols$1, getOwnPropertyDescriptor: getOwnPropertyDescriptor$2, getPrototypeOf: getPrototypeOf$1, hasOwn: hasOwn$1, keys: keysOf } = Object;
const { isArray: isArray$1 } = Array;
const { isView: isView$1 } = ArrayBuffer;
const { apply: apply$1, ownKeys: ownKeys$1 } = Reflect;
const objectPrototype$1 = Object.prototype;
const mapForEach$1 = Map.prototype.forEach;
const setForEach$1 = Set.prototype.forEach;
const { getTime: getTime$1 } = Date.prototype;
const NativeMap$1 = Map;
const symbolNames = new Map([...wellKnownSymbols].map(([name, symbol]) => [symbol, name]));
/** Until so many objects have been met, they are looked for one by one. */
const FEW$2 = 8;
/** Holes in longer arrays are not looked at one by one. */
const LONG = 4096;
/** One for each way in which the engine holds elements. */
const ORDINARY_ARRAYS = [
	["a"],
	[1],
	[.5],
	holed("a"),
	holed(1),
	holed(.5)
];
function holed(value) {
	const array = new Array(2);
	array[0] = value;
	return array;
}
function never() {
	return false;
}
var Encoder = class extends FrameWriter {
	ports;
	tables;
	/** ArrayBuffers of so many bytes do not go into the ring. */
	large;
	buffers = [];
	isShared = false;
	depth = 0;
	met = 0;
	few = [];
	more = void 0;
	later = [];
	/** Shapes that objects have had lately, the latest first. */
	recent = [];
	/** A field, so that V8 compiles the engine's answer into this code. */
	sameShape;
	constructor(ports, tables, large) {
		super();
		this.ports = ports;
		this.tables = tables;
		this.large = large;
		this.sameShape = (tables === void 0 ? void 0 : ports.engine?.sameShape) ?? never;
	}
	head(kind, sender, actor, target, settles, call, count) {
		if (this.tables?.isAnew === true) this.recent.length = 0;
		this.room(80);
		const { bytes, tables } = this;
		let at = varintAt(bytes, this.at, kind);
		at = varintAt(bytes, at, sender);
		at = varintAt(bytes, at, actor);
		at = varintAt(bytes, at, target);
		at = varintAt(bytes, at, settles);
		if (call === void 0) bytes[at++] = 0;
		else {
			const number = tables === void 0 ? -1 : tables.numberOf(call);
			if (number < 0) {
				this.at = at;
				return this.headOfCall(call, count);
			}
			at = varintAt(bytes, at, 3 + number);
		}
		this.at = varintAt(bytes, at, count);
	}
	/** Of one that has no number yet. */
	headOfCall(call, count) {
		const { tables } = this;
		this.integer(tables === void 0 ? 2 : 1);
		this.text(call);
		tables?.defineCall(call);
		this.integer(count);
	}
	/** What had to wait, then the length and the flags; the message is whole. Answers its length. */
	finish() {
		for (let i = 0; i < this.later.length; i++) this.contents(this.later[i]);
		const length = this.at - this.start;
		this.prefix(length);
		return length;
	}
	/** The rest of the message goes elsewhere. */
	leavePrefix() {
		this.prefix(4);
		this.view.setUint32(this.start, this.view.getUint32(this.start, true) | PARCEL, true);
		return 4;
	}
	prefix(length) {
		let word = length;
		if (this.isShared) word |= SHARED;
		if (this.buffers.length > 0) word |= PARCEL;
		if (this.tables?.isAnew === true) word |= ANEW;
		this.view.setUint32(this.start, word, true);
	}
	/** After every message, whatever became of it. */
	forget() {
		if (this.met > 0) {
			const few = this.met < FEW$2 ? this.met : FEW$2;
			for (let i = 0; i < few; i++) this.few[i] = void 0;
			this.met = 0;
			this.more = void 0;
		}
		if (this.later.length > 0) this.later = [];
		if (this.buffers.length > 0) this.buffers = [];
		this.isShared = false;
		this.depth = 0;
		this.letGo();
	}
	symbol(value) {
		passedSymbol(value);
		const name = symbolNames.get(value);
		this.byte(name === void 0 ? 9 : 10);
		this.text(name ?? Symbol.keyFor(value));
	}
	value(value) {
		switch (typeof value) {
			case "number": return this.number(value);
			case "string": return this.text(value);
			case "object": return value === null ? this.byte(1) : this.object(value);
			case "boolean": return this.byte(value ? 2 : 3);
			case "undefined": return this.byte(0);
			case "bigint": return this.bigint(value);
			case "symbol": return this.symbol(value);
			case "function": if (!this.reference(value)) throw functionRefused(value);
		}
	}
	object(value) {
		if (this.met > 0) {
			const number = this.numberOf(value);
			if (number >= 0) {
				this.isShared = true;
				return this.tagged(11, number);
			}
		}
		const { recent, sameShape } = this;
		for (let i = 0; i < recent.length; i++) {
			const shape = recent[i];
			if (sameShape(value, shape.twin)) {
				if (firstKeyOf(value) !== shape.first) break;
				return this.alike(value, shape);
			}
		}
		if (isArray$1(value)) return this.array(value);
		const prototype = getPrototypeOf$1(value);
		if (prototype === objectPrototype$1) return this.plain(value, { ...value }, false);
		this.rare(value, prototype);
	}
	numberOf(value) {
		const { few, met } = this;
		const count = met < FEW$2 ? met : FEW$2;
		for (let i = 0; i < count; i++) if (few[i] === value) return i;
		return this.more?.get(value) ?? -1;
	}
	remember(value) {
		const number = this.met++;
		if (number < FEW$2) this.few[number] = value;
		else (this.more ??= new NativeMap$1()).set(value, number);
	}
	reference(value) {
		const reference = this.ports.reference(value);
		if (reference === void 0) return false;
		this.byte(12);
		this.ports.writeReference(reference, this);
		return true;
	}
	/** Whether its contents are for later, since it stands too deep. */
	isLater(tag, value, made) {
		if (this.depth < 100) return false;
		this.byte(tag);
		this.later.push({
			value,
			made
		});
		this.isShared = true;
		return true;
	}
	contents({ value, made }) {
		if (made !== void 0) this.byKeys(value, made, keysOf(made));
		else if (isArray$1(value)) this.elements(value, false);
		else if (this.ports.types.isMap(value)) this.entries(value);
		else this.members(value);
	}
	/** `made`: with the values of `value`. */
	plain(value, made, isBare) {
		if (this.reference(value)) return;
		this.remember(value);
		if (this.isLater(isBare ? 36 : 35, value, made)) return;
		const keys = keysOf(made);
		const shape = this.tables?.shapeOf(keys, isBare);
		if (shape === void 0) {
			this.byte(isBare ? 19 : 18);
			return this.byKeys(value, made, keys);
		}
		this.shapeTag(shape, keys, isBare);
		this.depth++;
		const write = shape.write ?? writerOf(shape, keys);
		if (write !== void 0) write(this, made);
		else for (let i = 0; i < keys.length; i++) this.value(made[keys[i]]);
		this.depth--;
		if (getOwnPropertySymbols$1(made).length > 0) throw namedBySymbol(value);
		if (!isBare) this.recognise(value, shape, keys);
	}
	/** The engine has vouched for it: ordinary properties under the keys of the shape, and nothing else. */
	alike(value, shape) {
		if (this.reference(value)) return;
		this.remember(value);
		if (this.depth >= 100 && this.isLater(35, value, { ...value })) return;
		const { keys } = shape;
		this.shapeTag(shape, keys, false);
		this.depth++;
		const write = shape.write ?? writerOf(shape, keys);
		if (write !== void 0) write(this, value);
		else for (let i = 0; i < keys.length; i++) this.value(value[keys[i]]);
		this.depth--;
	}
	shapeTag(shape, keys, isBare) {
		if (shape.number >= 0) return this.tagged(16, shape.number);
		this.tagged(17, 2 * keys.length + (isBare ? 1 : 0));
		for (let i = 0; i < keys.length; i++) this.text(keys[i]);
		this.tables?.define(shape);
	}
	/** Objects that the engine holds in the same way need no such look from now on. */
	recognise(value, shape, keys) {
		const { engine } = this.ports;
		if (engine === void 0 || keys.length === 0) return;
		if (shape.twin === NO_TWIN ? shape.uses === 4 : shape.uses % 256 === 0) giveTwin(shape, value, keys, engine);
		if (shape.twin === NO_TWIN || !engine.sameShape(value, shape.twin)) return;
		const { recent } = this;
		const at = recent.indexOf(shape);
		if (at < 0) recent.length = Math.min(recent.length, 3);
		else recent.splice(at, 1);
		recent.unshift(shape);
	}
	byKeys(value, made, keys) {
		this.integer(keys.length);
		this.depth++;
		for (let i = 0; i < keys.length; i++) {
			const key = keys[i];
			this.text(key);
			this.value(made[key]);
		}
		this.depth--;
		if (getOwnPropertySymbols$1(made).length > 0) throw namedBySymbol(value);
	}
	array(value) {
		const isOrdinary = this.isOrdinaryArray(value);
		if (!isOrdinary && this.ports.types.isProxy(value)) throw proxied(value);
		this.remember(value);
		if (this.isLater(37, value, void 0)) return;
		this.elements(value, isOrdinary);
	}
	/** Whether the engine says that it has nothing but elements. */
	isOrdinaryArray(value) {
		const { sameShape } = this;
		for (let i = 0; i < ORDINARY_ARRAYS.length; i++) if (sameShape(value, ORDINARY_ARRAYS[i])) return true;
		return false;
	}
	/** With a tag that says what stands between the elements, and whether there is more than these. */
	elements(value, isOrdinary) {
		const { length } = value;
		if (length > LONG && isSparse(value)) return this.sparse(value);
		const tag = this.at - this.start;
		this.tagged(20, length);
		this.depth++;
		let own = length;
		for (let i = 0; i < length; i++) {
			const element = value[i];
			if (element !== void 0 || i in value) this.value(element);
			else {
				this.byte(22);
				own--;
			}
		}
		this.depth--;
		if (isOrdinary) return;
		if (length < 64 ? ownKeys$1(value).length <= own + 1 : !hasOwn$1(value, "index")) return;
		this.bytes[this.start + tag] = 23;
		this.ownProperties(value, isElement);
	}
	sparse(value) {
		const places = keysOf(value).filter(isElement);
		this.tagged(21, value.length);
		this.integer(places.length);
		this.depth++;
		for (const place of places) {
			this.integer(Number(place));
			this.value(value[Number(place)]);
		}
		this.depth--;
	}
	/** Those that are not there without being written. */
	ownProperties(value, isThere) {
		const keys = [];
		for (const key of ownKeys$1(value)) {
			if (typeof key === "symbol") throw namedBySymbol(value);
			if (!isThere(key)) keys.push(key);
		}
		this.integer(keys.length);
		this.depth++;
		for (const key of keys) {
			this.text(key);
			this.byte(getOwnPropertyDescriptor$2(value, key)?.enumerable === true ? 2 : 3);
			this.value(value[key]);
		}
		this.depth--;
	}
	rare(value, prototype) {
		const { types } = this.ports;
		if (prototype !== null && this.reference(value)) return;
		if (types.isProxy(value)) throw proxied(value);
		if (prototype === null) return this.plain(value, {
			__proto__: null,
			...value
		}, true);
		if (types.isNativeError(value)) return this.error(value, prototype);
		if (!this.builtin(value, prototype)) throw instanceRefused(value, prototype);
	}
	builtin(value, prototype) {
		const { types } = this.ports;
		if (types.isDate(value) && prototype === Date.prototype) {
			this.remember(value);
			this.room(9);
			this.bytes[this.at++] = 26;
			this.view.setFloat64(this.at, apply$1(getTime$1, value, []), true);
			this.at += 8;
		} else if (types.isMap(value) && prototype === Map.prototype) {
			this.remember(value);
			if (!this.isLater(38, value, void 0)) this.entries(value);
		} else if (types.isSet(value) && prototype === Set.prototype) {
			this.remember(value);
			if (!this.isLater(39, value, void 0)) this.members(value);
		} else if (types.isRegExp(value) && prototype === RegExp.prototype) {
			this.remember(value);
			this.byte(27);
			this.text(value.source);
			this.text(value.flags);
			this.value(value.lastIndex);
		} else if (types.isArrayBuffer(value)) this.buffer(value);
		else if (isView$1(value)) this.viewOn(value, prototype);
		else if (types.isBoxedPrimitive(value)) {
			this.remember(value);
			this.byte(28);
			this.value(value.valueOf());
		} else return false;
		return true;
	}
	entries(value) {
		this.byte(24);
		this.depth++;
		apply$1(mapForEach$1, value, [(inner, key) => {
			this.value(key);
			this.value(inner);
		}]);
		this.depth--;
		this.byte(40);
	}
	members(value) {
		this.byte(25);
		this.depth++;
		apply$1(setForEach$1, value, [(inner) => this.value(inner)]);
		this.depth--;
		this.byte(40);
	}
	buffer(value) {
		if (value.detached) throw transferred(value);
		this.remember(value);
		const { byteLength, resizable, maxByteLength } = value;
		if (byteLength >= this.large) {
			this.tagged(32, this.buffers.length);
			this.buffers.push(resizable ? structuredClone(value) : value.slice(0));
			return;
		}
		this.tagged(resizable ? 31 : 30, byteLength);
		if (resizable) this.integer(maxByteLength);
		this.blob(new Uint8Array(value));
	}
	/** A view of a copy of its buffer. What lies in a pool of Node's comes alone. */
	viewOn(value, prototype) {
		const { buffer, byteOffset, byteLength } = value;
		if (!this.ports.types.isArrayBuffer(buffer)) throw sharedMemory(value);
		if (prototype === nodeBufferPrototype) {
			this.remember(value);
			return this.nodeBuffer(new Uint8Array(buffer, byteOffset, byteLength));
		}
		const number = viewNumbers.get(prototype);
		if (number === void 0) throw instanceRefused(value, prototype);
		this.tagged(33, number);
		this.object(buffer);
		this.remember(value);
		if (byteOffset === 0 && byteLength === buffer.byteLength) return this.byte(2);
		this.byte(3);
		this.integer(byteOffset);
		this.integer("length" in value ? value.length : byteLength);
	}
	nodeBuffer(bytes) {
		if (bytes.length < this.large) {
			this.tagged(34, bytes.length);
			return this.blob(bytes);
		}
		this.tagged(41, this.buffers.length);
		this.buffers.push(bytes.slice().buffer);
	}
	error(value, prototype) {
		if (this.depth > 300) throw new Refused(value, `it has more than 300 causes, one of another`, "pass fewer of them");
		this.remember(value);
		let number = -1;
		let name = "";
		for (let each = prototype; each !== null && number < 0; each = getPrototypeOf$1(each)) {
			number = ERRORS.indexOf(each);
			if (number < 0 && name === "") name = this.ports.errorClassName(each) ?? "";
		}
		this.tagged(29, Math.max(number, 0));
		this.text(name);
		if (number === DOM_EXCEPTION) {
			this.text(value.message);
			this.text(value.name);
		}
		this.value(value.stack);
		this.ownProperties(value, isStack);
	}
};
/** Looks at a few places first: a list of all of them costs. */
function isSparse(value) {
	const { length } = value;
	for (let i = 0; i < length; i += Math.floor(length / 16)) if (!(i in value)) return !hasOwn$1(value, "index") && keysOf(value).length < length / 2;
	return false;
}
function isElement(key) {
	return key === "length" || `${Number(key) >>> 0}` === key;
}
function isStack(key) {
	return key === "stack";
}
// packages/runtime/src/transport/spill.ts
const CHUNK = 2 ** 18;
/** Chunks that are kept for later. */
const SPARE$2 = 4;
var Spill = class {
	#chunks = [];
	#next = 0;
	#spare = [];
	/** Bytes that wait. */
	size = 0;
	/** Where the first frame stands that waits. */
	get first() {
		return this.#chunks[this.#next];
	}
	/** Where the next frame may be written; `grow` says that it was. At least `room` bytes. */
	open(room) {
		const last = this.#chunks.at(-1);
		if (last !== void 0 && last.to + room <= last.bytes.length) return last;
		const chunk = room <= CHUNK ? this.#spare.pop() ?? chunkOf(CHUNK) : chunkOf(room);
		this.#chunks.push(chunk);
		return chunk;
	}
	grow(length) {
		this.#chunks.at(-1).to += length;
		this.size += length;
	}
	add(bytes, from, length) {
		const { bytes: into, to } = this.open(length);
		bytes.copy(into, to, from, from + length);
		this.grow(length);
	}
	/** The first `length` bytes wait no more. */
	take(length) {
		const chunk = this.#chunks[this.#next];
		chunk.from += length;
		this.size -= length;
		if (chunk.from < chunk.to) return;
		this.#next++;
		chunk.from = chunk.to = 0;
		if (this.#spare.length < SPARE$2 && chunk.bytes.length === CHUNK) this.#spare.push(chunk);
		if (this.#next === this.#chunks.length || this.#next > 64) {
			this.#chunks.splice(0, this.#next);
			this.#next = 0;
		}
	}
};
function chunkOf(size) {
	const bytes = Buffer.allocUnsafeSlow(size);
	return {
		bytes,
		view: new DataView(bytes.buffer, bytes.byteOffset, size),
		from: 0,
		to: 0
	};
}
// packages/runtime/src/transport/outbox.ts
/** Longer messages, and buffers of so many bytes, go by the port. */
const LARGE = 2 ** 16;
/** The head is looked at when less than this seems free. */
const LOW = 512;
var Outbox = class {
	#ring;
	#port;
	#ports;
	#bell;
	#tables = new WriterTables();
	#encoder;
	#large;
	#spill = new Spill();
	/** Where the next message goes, and how far the reader was when last asked; both only grow. */
	#tail;
	#head;
	#published;
	#sent = 0;
	#parcels = 0;
	/** Of the last ones, those that may still be under way. */
	#postedSizes = [];
	#isBusy = false;
	/** What both ends had numbered before the message at hand. */
	#shapeMark = 0;
	#callMark = 0;
	/** `bell`: of the receiver; without one it is taken to sleep. */
	constructor(ring, port, ports, bell) {
		this.#ring = ringMemory(ring);
		this.#port = port;
		this.#ports = ports;
		this.#bell = bell;
		this.#large = Math.min(LARGE, this.#ring.size / 4);
		this.#encoder = new Encoder(ports, this.#tables, this.#large);
		this.#tail = this.#published = Atomics.load(this.#ring.words, 16);
		this.#head = Atomics.load(this.#ring.words, 32);
	}
	/** Bytes that wait for room. */
	get spilled() {
		return this.#spill.size;
	}
	/** Bytes of parcels that nobody has opened yet. */
	get posted() {
		this.#forgetOpened();
		return this.#postedSizes.reduce((sum, size) => sum + size, 0);
	}
	/** Messages so far: the number of the last one. */
	get sent() {
		return this.#sent;
	}
	/**
	* Adds a message with up to three arguments by themselves. `target` and `settles` are 0 where there is none.
	* @param name names what is refused: `args[0] of Cart.add`
	*/
	add(kind, sender, actor, target, settles, call, count, a, b, c, name) {
		if (this.#isBusy) return this.#addWithin(kind, sender, actor, target, settles, call, [
			a,
			b,
			c
		].slice(0, count), name);
		const encoder = this.#begin();
		let place = 0;
		try {
			encoder.head(kind, sender, actor, target, settles, call, count);
			if (count > 0) encoder.value(a);
			if (count > 1) {
				place = 1;
				encoder.value(b);
			}
			if (count > 2) {
				place = 2;
				encoder.value(c);
			}
			this.#commit(encoder, encoder.finish());
		} catch (error) {
			this.#takeBack();
			throw refusedArgument(error, place === 0 ? a : place === 1 ? b : c, place, name);
		} finally {
			encoder.forget();
			this.#isBusy = false;
		}
	}
	addMany(kind, sender, actor, target, settles, call, args, name) {
		if (this.#isBusy) return this.#addWithin(kind, sender, actor, target, settles, call, args, name);
		const encoder = this.#begin();
		try {
			this.#write(encoder, kind, sender, actor, target, settles, call, args, name);
		} catch (error) {
			this.#takeBack();
			throw error;
		} finally {
			encoder.forget();
			this.#isBusy = false;
		}
	}
	/** An accessor of what is being written sends a message itself: that one comes first, and relies on nothing of the other. */
	#addWithin(kind, sender, actor, target, settles, call, args, name) {
		this.#giveWay();
		const encoder = new Encoder(this.#ports, void 0, this.#large);
		encoder.begin(this.#ring.bytes, this.#ring.view, 0, 0);
		this.#write(encoder, kind, sender, actor, target, settles, call, args, name);
	}
	#write(encoder, kind, sender, actor, target, settles, call, args, name) {
		let place = 0;
		try {
			encoder.head(kind, sender, actor, target, settles, call, args.length);
			for (; place < args.length; place++) encoder.value(args[place]);
			this.#commit(encoder, encoder.finish());
		} catch (error) {
			throw refusedArgument(error, args[place], place, name);
		}
	}
	#begin() {
		const encoder = this.#encoder;
		const tables = this.#tables;
		tables.limit();
		this.#shapeMark = tables.shapeCount;
		this.#callMark = tables.callCount;
		this.#isBusy = true;
		if (this.#spill.size > 0) {
			const { bytes, view, to } = this.#spill.open(LOW);
			encoder.begin(bytes, view, to, bytes.length);
			return encoder;
		}
		const { bytes, view, size } = this.#ring;
		let free = size - (this.#tail - this.#head | 0);
		if (free < LOW) free = this.#look();
		const at = this.#tail & size - 1;
		encoder.begin(bytes, view, at, at + free < size ? at + free : size);
		return encoder;
	}
	#takeBack() {
		this.#tables.takeBack(this.#shapeMark, this.#callMark);
	}
	/** Bytes that are free now. */
	#look() {
		const { words, size } = this.#ring;
		this.#head = Atomics.load(words, 32);
		return size - (this.#tail - this.#head | 0);
	}
	/** What is being written must not stand where something else may have to. */
	#giveWay() {
		if (this.#isBusy && !this.#encoder.isMoved) this.#encoder.move(0);
	}
	#commit(encoder, whole) {
		let length = whole;
		if (length > this.#large || encoder.buffers.length > 0) length = this.#post(encoder, length);
		if (encoder === this.#encoder) this.#tables.isAnew = false;
		this.#sent++;
		if (encoder.isMoved) this.#place(encoder.bytes, encoder.start, length);
		else if (this.#spill.size > 0) this.#spill.grow(length);
		else this.#tail = this.#tail + length | 0;
	}
	/** Answers what is left for the ring. */
	#post(encoder, length) {
		const { buffers } = encoder;
		const body = length > this.#large ? new Uint8Array(encoder.bytes.subarray(encoder.start + 4, encoder.at)) : void 0;
		this.#forgetOpened();
		this.#postedSizes.push(buffers.reduce((sum, { byteLength }) => sum + byteLength, body?.length ?? 0));
		const parcel = [
			this.#parcels++,
			body,
			buffers
		];
		this.#port.postMessage(parcel, body === void 0 ? buffers : [...buffers, body.buffer]);
		return body === void 0 ? length : encoder.leavePrefix();
	}
	#forgetOpened() {
		const left = this.#parcels - Atomics.load(this.#ring.words, 33) | 0;
		if (left < this.#postedSizes.length) this.#postedSizes.splice(0, this.#postedSizes.length - left);
	}
	#place(bytes, from, length) {
		const at = this.#spill.size > 0 ? -1 : this.#roomFor(length);
		if (at < 0) return this.#spill.add(bytes, from, length);
		bytes.copy(this.#ring.bytes, at, from, from + length);
		this.#tail = this.#tail + length | 0;
	}
	/** Where a frame fits in one piece, or -1; behind the end of the ring comes its beginning. */
	#roomFor(length) {
		const { view, size } = this.#ring;
		const at = this.#tail & size - 1;
		const rest = size - at;
		const needed = rest >= length ? length : rest + length;
		if (size - (this.#tail - this.#head | 0) < needed && this.#look() < needed) return -1;
		if (rest >= length) return at;
		if (rest >= 4) view.setUint32(at, 0, true);
		this.#tail = this.#tail + rest | 0;
		return 0;
	}
	#unspill() {
		const spill = this.#spill;
		const { bytes: ring, size } = this.#ring;
		while (spill.size > 0) {
			const { bytes, view, from, to } = spill.first;
			let length = view.getUint32(from, true) & LENGTH_MASK;
			const at = this.#roomFor(length);
			if (at < 0) return;
			const end = at + Math.min(size - at, size - (this.#tail - this.#head | 0));
			while (from + length < to) {
				const next = view.getUint32(from + length, true) & LENGTH_MASK;
				if (at + length + next > end) break;
				length += next;
			}
			bytes.copy(ring, at, from, from + length);
			this.#tail = this.#tail + length | 0;
			spill.take(length);
		}
	}
	/** Makes visible what was added. True if the receiver sleeps: `wake` it. */
	publish() {
		if (this.#spill.size > 0) this.#moveOn();
		if (this.#tail === this.#published) return false;
		this.#published = this.#tail;
		Atomics.store(this.#ring.words, 16, this.#tail);
		return this.#bell === void 0 || this.#bell.ring();
	}
	/** Moves on what waits for room; as `publish`. */
	flush() {
		return this.publish();
	}
	/** Nothing comes any more, and the sender will not be there when room is made: what still waits for it goes by the port, as a ring of its own. */
	handOver() {
		this.publish();
		const spill = this.#spill;
		if (spill.size === 0) return;
		const rest = createRing(2 ** Math.ceil(Math.log2(Math.max(spill.size, LOW))));
		const { bytes: ring, words } = ringMemory(rest);
		let at = 0;
		while (spill.size > 0) {
			const { bytes, from, to } = spill.first;
			at += bytes.copy(ring, at, from, to);
			spill.take(to - from);
		}
		Atomics.store(words, 16, at);
		this.#port.postMessage(rest);
	}
	/** Whether `flush` would move on something: to be asked once more before the worker rests. */
	isRoomMade() {
		return this.#spill.size > 0 && Atomics.load(this.#ring.words, 48) === 0;
	}
	#moveOn() {
		this.#giveWay();
		this.#unspill();
		if (this.#spill.size === 0) return;
		Atomics.store(this.#ring.words, 48, 1);
		this.#unspill();
	}
	wake() {
		this.#port.postMessage(0);
	}
};
function refusedArgument(error, value, place, name) {
	return error instanceof Refused ? refusedValue(error, value, name(place)) : error;
}
// packages/runtime/src/link.ts
/** What stands before a reference on its way. */
const KNOWN_CLASS = 0;
const NEW_CLASS = 1;
const EVENTUAL = 2;
var Link = class {
	worker;
	life;
	/** Stands for whoever sends from there. */
	peer;
	outbox;
	inbox;
	isOpen = true;
	/** Why it is not, or why that of the life before is not. */
	#lost;
	/** The phase in which what comes next was sent. */
	phase = 0;
	/** Of what was sent and what was taken, so much says only that a phase begins. */
	marks = {
		sent: 0,
		taken: 0
	};
	/** Whether something has been added since the last publication. */
	isTouched = false;
	#owner;
	#bell;
	#port;
	/** What has been asked there, by the numbers it was asked under. */
	#asked = /* @__PURE__ */ new Map();
	/** Eventuals of theirs that have been passed here, by their numbers. */
	#passed = /* @__PURE__ */ new Map();
	/** What is led to by what has been asked there, if somebody wants to know. */
	#trails = /* @__PURE__ */ new Map();
	#questions = 0;
	#eventuals = 0;
	/** Classes of references that both ends know, by the numbers this end has given. */
	#classNumbers = /* @__PURE__ */ new Map();
	#classCount = 0;
	#classes = [];
	/** What was noted for the message at hand: undone if it is refused. */
	#newClasses = [];
	#given = [];
	/** Eventuals in the message at hand: they will belong to whom it is for. */
	#counted = [];
	#arrived = [];
	constructor(owner, { worker, life, before, out, in: inward, port, bell }) {
		this.#owner = owner;
		this.worker = worker;
		this.life = life;
		this.#lost = before;
		this.peer = new Actor(-worker - 1, worker, worker === 0 ? "the main thread" : `worker ${worker}`);
		const ports = {
			types: owner.types,
			engine: owner.engine,
			reference: (value) => owner.reference(value),
			writeReference: (reference, writer) => this.#write(reference, writer),
			readReference: (reader) => this.#read(reader),
			errorClassName: (prototype) => owner.errorClassName(prototype),
			errorPrototype: (name) => owner.errorPrototype(name)
		};
		this.#bell = bell;
		this.#port = port;
		this.outbox = new Outbox(out, port, ports, bell);
		this.inbox = new Inbox(inward, port, ports, owner.takerOf(this), () => owner.woken());
	}
	add(kind, sender, actor, target, settles, call, count, a, b, c, name) {
		const classes = this.#newClasses.length;
		const given = this.#given.length;
		try {
			this.outbox.add(kind, sender, actor, target, settles, call, count, a, b, c, name);
		} catch (error) {
			this.#undo(classes, given);
			throw error;
		}
		this.#noted(classes, given);
	}
	addMany(kind, sender, actor, target, settles, call, args, name) {
		const classes = this.#newClasses.length;
		const given = this.#given.length;
		try {
			this.outbox.addMany(kind, sender, actor, target, settles, call, args, name);
		} catch (error) {
			this.#undo(classes, given);
			throw error;
		}
		this.#noted(classes, given);
	}
	/** What was noted for one message, which may be sent in the midst of another: by an accessor of what that one carries. */
	#noted(classes, given) {
		if (this.#newClasses.length > classes) this.#newClasses.length = classes;
		if (this.#given.length > given) this.#given.length = given;
	}
	#undo(classes, given) {
		for (const type of this.#newClasses.slice(classes)) this.#classNumbers.delete(type);
		for (const ref of this.#given.slice(given)) this.#owner.references.takeBackOne(this.worker, ref);
		this.#noted(classes, given);
	}
	/** The number under which an answer will come. */
	ask(eventual, actor, asked, call) {
		const number = ++this.#questions;
		this.#asked.set(number, {
			eventual,
			actor,
			asked,
			call
		});
		return number;
	}
	unask(number) {
		this.#asked.delete(number);
		if (this.#trails.size > 0) this.#trails.delete(number);
	}
	/** What a question leads to there is part of a trail here. */
	track(question, trail) {
		this.#trails.set(question, new ReportedTrail(trail));
	}
	trailOf(question) {
		return this.#trails.get(question);
	}
	/** So many messages at most; answers how many were taken. */
	drain(most) {
		const count = this.inbox.drain(most);
		if (count > 0 && this.inbox.isRoomWanted() && this.#bell.ring()) this.#port.postMessage(0);
		return count;
	}
	/** Nothing has come that is not taken, and what was sent has left. */
	get isQuiet() {
		return this.outbox.spilled === 0 && this.inbox.isEmpty();
	}
	#write(reference, out) {
		if (!FarRef.has(reference)) {
			const number = ++this.#eventuals;
			out.integer(EVENTUAL);
			out.integer(number);
			this.#owner.forward(reference, this, number);
			return;
		}
		const type = FarRef.classOf(reference);
		const known = this.#classNumbers.get(type);
		if (known === void 0) {
			const number = this.#classCount++;
			this.#classNumbers.set(type, number);
			this.#newClasses.push(type);
			const { key, name, methods } = type.interface;
			out.integer(NEW_CLASS);
			out.integer(number);
			out.text(key);
			out.text(name);
			out.text(methods.join("\n"));
		} else {
			out.integer(KNOWN_CLASS);
			out.integer(known);
		}
		const actor = FarRef.actorOf(reference);
		const life = actor.life === EVERY_LIFE ? 0 : 1 + (actor.worker === this.#owner.here ? this.#owner.life : actor.life);
		out.integer(actor.worker + 64 * life);
		out.integer(actor.id);
		out.integer(FarRef.numberOf(reference));
		if (actor.worker === this.worker) return;
		this.#owner.references.give(reference, this.worker);
		this.#given.push(reference);
	}
	#read(from) {
		const what = from.integer();
		const number = from.integer();
		if (what === EVENTUAL) {
			const eventual = this.#owner.createEventual();
			this.#arrived.push({
				number,
				eventual
			});
			return eventual;
		}
		if (what === NEW_CLASS) {
			const key = from.text();
			const name = from.text();
			const methods = from.text();
			this.#classes[number] = this.#owner.classes.named({
				key,
				name,
				methods: methods === "" ? [] : methods.split("\n")
			});
		}
		const type = this.#classes[number];
		const home = from.integer();
		const actor = from.integer();
		const place = from.integer();
		const { references, here } = this.#owner;
		const worker = home % 64;
		if (worker === here) return references.find(actor, place) ?? this.#owner.expected(actor, place, type);
		const life = home < 64 ? EVERY_LIFE : Math.floor(home / 64) - 1;
		const ref = references.take(this.worker, worker, life, actor, place, type);
		if (this.phase < this.#owner.phase()) this.#counted.push(ref);
		return ref;
	}
	/** Of the message at hand, if it was sent before this worker's phase: references that were counted, and eventuals with their numbers, in turn. */
	brought() {
		const references = this.#counted;
		this.#counted = [];
		return {
			references,
			eventuals: this.#arrived.flatMap(({ number, eventual }) => [number, eventual])
		};
	}
	/** What a message has brought is there again, before it is taken again. */
	bringAgain({ references, eventuals }) {
		for (const ref of references) this.#owner.references.takeAgain(this.worker, ref);
		for (let i = 0; i < eventuals.length; i += 2) this.#arrived.push({
			number: eventuals[i],
			eventual: eventuals[i + 1]
		});
	}
	/** The eventuals of the message at hand are its recipient's. */
	arrived(actor) {
		if (this.#arrived.length === 0) return;
		for (const { number, eventual } of this.#arrived) this.#passed.set(number, {
			eventual,
			actor,
			asked: this.peer,
			call: ""
		});
		this.#arrived = [];
	}
	/** Who waits for an answer, or for what becomes of an eventual. */
	answered(number) {
		const waiting = this.#asked.get(number);
		this.unask(number);
		return waiting;
	}
	settled(number) {
		const waiting = this.#passed.get(number);
		this.#passed.delete(number);
		return waiting;
	}
	/** Whether an actor that lived there has ended with it. */
	hasLost(actor) {
		return !this.isOpen || actor.life < this.life;
	}
	failure(actor) {
		return new ActorLostError(`${actor.name} is lost: ${this.#lost ?? `${this.peer.name} has ended`}`);
	}
	/** The other end is gone: everybody who waits for it. */
	*abandon(why) {
		this.#close(why);
		yield* this.#asked.values();
		yield* this.#passed.values();
		this.#asked.clear();
		this.#passed.clear();
		this.#trails.clear();
	}
	#close(why) {
		this.isOpen = false;
		this.#lost = why;
		this.peer.life = -1;
	}
	read() {
		const { worker, life, isOpen, phase } = this;
		return {
			worker,
			life,
			isOpen,
			phase,
			lost: this.#lost,
			questions: this.#questions,
			eventuals: this.#eventuals,
			asked: [...this.#asked],
			passed: [...this.#passed],
			trails: [...this.#trails]
		};
	}
	/** Why the worker that it has led to has ended, if it has. */
	get end() {
		return this.isOpen ? void 0 : this.#lost;
	}
	/** In the place of all that was kept in mind. Where it leads nowhere any more, it does not matter who is joined to it now. */
	write({ life, isOpen, phase, lost, questions, eventuals, asked, passed, trails }) {
		this.life = life;
		this.isOpen = isOpen;
		this.phase = phase;
		this.#lost = lost;
		if (!isOpen) this.#close(lost);
		this.#questions = questions;
		this.#eventuals = eventuals;
		this.#asked.clear();
		this.#passed.clear();
		this.#trails.clear();
		for (const [number, waiting] of asked) this.#asked.set(number, waiting);
		for (const [number, waiting] of passed) this.#passed.set(number, waiting);
		for (const [number, trail] of trails) this.#trails.set(number, trail);
	}
};
// packages/runtime/src/transport/wake-up.ts
const AWAKE = 0;
const PARKED = 1;
const ASLEEP = 2;
/** Milliseconds; Node's own work waits no longer. */
const PATIENCE$1 = .1;
/** Shorter waiting is none: waking takes as long. */
const LEAST = .02;
/** So many times parking, or looking, is left out before it is tried again. */
const AGAIN = 32;
/** Milliseconds; an answer that takes no longer is waited for awake. */
const LOOK = .03;
/** So often it looks before it looks at the clock. */
const LOOKS = 8;
/**
* Looking has credit: what came while it looked adds one, up to so many, and a look in vain takes two. Without any it is left out: whoever is to answer has
* no core of its own, or much to do.
*/
const CREDIT = 16;
/** Milliseconds that it looks when it tries again: whoever is to answer may be parked, and takes that long to get up. */
const LONG_LOOK = .1;
/** So many rests are at most without another try. */
const SELDOM = 256;
/** After so many rests that were soon over, one after the other, messages are taken for a stream. */
const STREAM = 4;
/** Milliseconds between two looks at a stream; the system adds some twentieth. */
const NAP = .02;
function createBell() {
	return new SharedArrayBuffer(64);
}
/** A worker's bell, as those have it who send to it. */
var Bell = class {
	#words;
	constructor(bell) {
		this.#words = new Int32Array(bell);
	}
	/** After publishing. Answers true to one of all senders if the worker sleeps: it is to be woken by a message. */
	ring() {
		const words = this.#words;
		const state = Atomics.load(words, 0);
		if (state === AWAKE || Atomics.compareExchange(words, 0, state, AWAKE) !== state) return false;
		if (state === ASLEEP) return true;
		Atomics.notify(words, 0);
		return false;
	}
};
/** The worker's own end. */
var Sleeper = class {
	#words;
	constructor(bell) {
		this.#words = new Int32Array(bell);
	}
	#credit = CREDIT / 4;
	/** Rests without a look since the last one, and those after which it is tried again. */
	#unlooked = 0;
	#untried = AGAIN;
	/** Milliseconds that parking may take now. */
	#patience = PATIENCE$1;
	#skipped = 0;
	/** Rests that were soon over, one after the other, while this worker has sent nothing. */
	#rung = 0;
	#nobody = new Int32Array(new SharedArrayBuffer(4));
	/**
	* When there is nothing to do. True: something has come; false: it sleeps, a message will wake it. Where parking has been in vain it
	* is left out for a while: a thread with other things to do, sockets say, must not lose its time to waiting.
	* @param isEmpty no inbox has anything, and no outbox has got the room that it waits for
	* @param hasSent anything since it rested last: somebody may wait for an answer
	*/
	rest(isEmpty, hasSent) {
		if (hasSent && (this.#credit > 0 ? this.look(isEmpty) : this.#tryAgain(isEmpty))) {
			this.#rung = 0;
			return true;
		}
		return this.wait(isEmpty, hasSent);
	}
	/** Now and then, and ever less often as long as that is in vain, too. */
	#tryAgain(isEmpty) {
		if (++this.#unlooked < this.#untried) return false;
		this.#unlooked = 0;
		const hasCome = this.look(isEmpty, LONG_LOOK);
		this.#untried = hasCome ? AGAIN : Math.min(this.#untried * 2, SELDOM);
		if (hasCome) this.#credit = CREDIT / 2;
		return hasCome;
	}
	/** Whether something has come while it looked. Nobody had to ring. */
	look(isEmpty, milliseconds = LOOK) {
		const until = hostClock.now() + milliseconds;
		do
			for (let looks = 0; looks < LOOKS; looks++) {
				if (isEmpty()) continue;
				if (this.#credit < CREDIT) this.#credit++;
				return true;
			}
		while (hostClock.now() < until);
		this.#credit = Math.max(0, this.#credit - 2);
		return false;
	}
	/** As `rest`, without looking first. */
	wait(isEmpty, hasSent) {
		if (hasSent) this.#rung = 0;
		else if (this.#rung >= STREAM && this.#nap(isEmpty)) return true;
		if (this.#patience < LEAST && ++this.#skipped === AGAIN) {
			this.#skipped = 0;
			this.#patience = PATIENCE$1 / 2;
		}
		const hasCome = this.#patience >= LEAST && this.park(isEmpty) || !this.sleep(isEmpty);
		if (hasCome) this.#skipped = 0;
		this.#rung = hasCome ? this.#rung + 1 : 0;
		this.#patience = hasCome ? PATIENCE$1 : this.#patience / 2;
		return hasCome;
	}
	/** Leaves a stream alone for a moment. Nobody is told, so nobody has to ring, which costs a sender more than many messages do. */
	#nap(isEmpty) {
		Atomics.wait(this.#nobody, 0, 0, NAP);
		return !isEmpty();
	}
	/** Whether the bell was rung, or something is there. */
	park(isEmpty) {
		const words = this.#words;
		Atomics.store(words, 0, PARKED);
		if (isEmpty()) Atomics.wait(words, 0, PARKED, this.#patience);
		return Atomics.exchange(words, 0, AWAKE) === AWAKE || !isEmpty();
	}
	/** Whether it may go back to Node. */
	sleep(isEmpty) {
		const words = this.#words;
		Atomics.store(words, 0, ASLEEP);
		if (isEmpty()) return true;
		Atomics.store(words, 0, AWAKE);
		return false;
	}
	/** When it works again, for whatever reason. */
	wake() {
		Atomics.store(this.#words, 0, AWAKE);
	}
};
// packages/runtime/src/connect.ts
function connect(scheduler, data) {
	scheduler.neighbours.connect(linkOf(data));
}
/** A worker has ended; perhaps another one takes its place. */
function lose(scheduler, { worker, life, why, successor, isRestored }) {
	const next = successor === void 0 ? void 0 : {
		link: linkOf(successor),
		isRestored
	};
	scheduler.neighbours.lose(worker, life, why, next);
}
function linkOf({ bell, ...data }) {
	return (owner, before = data.before) => {
		const link = new Link(owner, {
			...data,
			before,
			bell: new Bell(bell)
		});
		data.port.unref();
		return link;
	};
}
// packages/runtime/src/threads.ts
/** A worker that has been lost more often than so many times, within so many milliseconds, is not replaced any more. */
const MOST_LOSSES = 3;
const LOSSES_WITHIN = 1e4;
var Threads = class {
	#ports;
	#scheduler;
	#options;
	/** By their numbers; of one that was replaced, the last. */
	#threads = /* @__PURE__ */ new Map();
	#bell = createBell();
	/** How many have ended; shared with all. */
	#losses = new SharedArrayBuffer(4);
	/** Of each worker, how many actors it has with which everybody goes back; shared with all. */
	#rollbacks = new SharedArrayBuffer(256);
	/** When the workers of a number have ended lately. */
	#lossesOf = [];
	/** Why the last one of a number has ended. */
	#why = [];
	/** Those that have, or have had, actors that are to be what they were in a snapshot. */
	#toBeRestored = /* @__PURE__ */ new Set();
	/** In which life each is started, where the program goes on. */
	#lives = [];
	/** The parts of workers that are about to be started. */
	#restoring;
	#restored = /* @__PURE__ */ new Map();
	#areStarted = false;
	/** In a run again: those that have ended, and whose places others will take. */
	#toBeFollowed = /* @__PURE__ */ new Set();
	constructor(ports) {
		this.#ports = ports;
		this.#scheduler = ports.scheduler;
		this.#options = ports.options;
	}
	get areStarted() {
		return this.#areStarted;
	}
	/** All of them, once. */
	start() {
		if (this.#areStarted) return;
		this.#areStarted = true;
		const { workers } = this.#ports.places;
		const bells = Array.from({ length: workers + 1 }, (_, index) => index === 0 ? this.#bell : createBell());
		const links = bells.map(() => []);
		for (let a = 0; a <= workers; a++) for (let b = a + 1; b <= workers; b++) {
			const [there, back] = pair(this.#endOf(a, bells[a], this.#lives[a]), this.#endOf(b, bells[b], this.#lives[b]));
			links[a].push(there);
			links[b].push(back);
		}
		this.#ports.host.sleepBy(this.#bell);
		for (const link of links[0]) connect(this.#scheduler, link);
		for (let index = 1; index <= workers; index++) {
			if (this.#restoring?.has(index) === false) continue;
			this.#startThread(this.#endOf(index, bells[index], this.#lives[index]), links[index], [], this.#beforeOf(index));
		}
	}
	/** Of one that is started in a later life than the first. */
	#beforeOf(index) {
		const why = this.#why[index];
		return why === void 0 ? void 0 : {
			why,
			snapshot: void 0,
			whyForgotten: ""
		};
	}
	/** The same, for the one that takes the place of a worker that has just ended. */
	#goneOn({ index, notRestored }, why) {
		const wanted = this.#toBeRestored.has(index) || this.#ports.replaying() !== void 0;
		const last = notRestored ?? (wanted ? this.#options.lastSnapshot?.() : void 0) ?? "no snapshot was asked for";
		return typeof last === "string" ? {
			why,
			snapshot: void 0,
			whyForgotten: last
		} : {
			why,
			snapshot: last,
			whyForgotten: ""
		};
	}
	/** A worker as others are told of it. */
	#endOf(worker, bell, life = 0) {
		return {
			worker,
			life,
			before: this.#why[worker],
			bell
		};
	}
	#startThread({ worker: index, life, bell }, links, lost, before) {
		const { entry, placement = "least-loaded", resourceLimits, variables, workerData = {} } = this.#options;
		const { workers } = this.#ports.places;
		const { port1, port2 } = new MessageChannel();
		const feed = this.#options.feed?.();
		const trace = this.#options.trace?.(index, life, this.#scheduler.phase);
		this.#ports.replaying()?.started(index, life);
		const data = {
			index,
			life,
			before,
			workers,
			placement,
			links,
			bell,
			phase: this.#scheduler.phase,
			control: port2,
			losses: this.#losses,
			heardOf: Atomics.load(new Int32Array(this.#losses), 0),
			lost,
			rollbacks: this.#rollbacks,
			isSnapshotted: this.#options.room !== void 0,
			feed: feed?.data,
			restored: this.#restoring?.get(index),
			pace: this.#ports.pace(),
			trace: trace?.data,
			replay: this.#options.replay
		};
		const worker = new Worker(entry, {
			name: `turntable worker ${index}`,
			workerData: {
				...workerData,
				turntable: data
			},
			transferList: [
				port2,
				...links.map(({ port }) => port),
				...feed?.transfer ?? [],
				...trace?.transfer ?? []
			],
			...resourceLimits === void 0 ? {} : { resourceLimits },
			...variables === void 0 ? {} : { env: {
				...process.env,
				...variables
			} }
		});
		const thread = {
			index,
			life,
			bell,
			worker,
			port: port1,
			isLost: false,
			failure: void 0,
			notRestored: void 0
		};
		this.#threads.set(index, thread);
		worker.unref();
		worker.on("error", (error) => thread.failure = whyOf(error));
		worker.on("exit", (code) => this.#ended(thread, code));
		port1.on("message", (message) => this.#hear(thread, message));
		port1.unref();
	}
	#ended(thread, code) {
		const { index } = thread;
		thread.isLost = true;
		for (let last = receiveMessageOnPort(thread.port); last !== void 0; last = receiveMessageOnPort(thread.port)) this.#hear(thread, last.message);
		thread.port.close();
		this.#ports.gone(index);
		if (this.#ports.isOver()) return;
		const replaying = this.#ports.replaying();
		if (replaying !== void 0) return this.#endedAgain(thread, replaying);
		const why = `worker ${index} has ended: ${thread.failure ?? `process.exit(${code})`}`;
		this.#why[index] = why;
		this.#restored.get(index)?.({
			code: "TT_ACTOR_LOST",
			message: why
		});
		const goesBack = Atomics.exchange(new Int32Array(this.#rollbacks), index, 0) > 0 ? this.#options.rollback?.(why) : void 0;
		if (goesBack === void 0) this.#goOnWithout(thread, why);
		else goesBack.then(() => this.#goOnWithout(thread, why));
	}
	/** In a run again: another one takes its place if one did. */
	#endedAgain(thread, replaying) {
		const { index: worker, life, failure } = thread;
		const isFollowed = replaying.isFollowed(worker, life);
		replaying.stopped({
			worker,
			life,
			why: isFollowed ? "cut off" : "failed",
			events: 0,
			messages: 0,
			turns: 0,
			failure
		});
		if (isFollowed) this.#toBeFollowed.add(thread);
		this.#followAll(replaying);
	}
	/** Each that may be followed is; one may have waited for another. */
	#followAll(replaying) {
		const lifeOf = (worker) => this.#threads.get(worker)?.life ?? 0;
		const isNext = ({ index: worker, life }) => replaying.mayFollow({
			worker,
			life: life + 1
		}, lifeOf);
		for (let next = [...this.#toBeFollowed].find(isNext); next !== void 0;) {
			this.#toBeFollowed.delete(next);
			this.#replace(next, `worker ${next.index} has ended`);
			next = [...this.#toBeFollowed].find(isNext);
		}
	}
	#goOnWithout(thread, why) {
		const { index } = thread;
		const isReplaced = thread.notRestored !== void 0 || !this.#isLostTooOften(index);
		if (isReplaced) this.#replace(thread, why);
		else {
			const loss = {
				worker: index,
				life: thread.life,
				why,
				successor: void 0,
				isRestored: false
			};
			this.tell({
				what: "lost",
				...loss
			});
			Atomics.add(new Int32Array(this.#losses), 0, 1);
			lose(this.#scheduler, loss);
		}
		this.#ports.lost(index, why, isReplaced);
	}
	#isLostTooOften(index) {
		const now = hostClock.now();
		const lately = (this.#lossesOf[index] ?? []).filter((moment) => now - moment < LOSSES_WITHIN);
		lately.push(now);
		this.#lossesOf[index] = lately;
		return lately.length > MOST_LOSSES;
	}
	/** Everybody is told before anybody can know of what lives on the new one. */
	#replace(thread, why) {
		const { index, life } = thread;
		const before = this.#goneOn(thread, why);
		const end = this.#endOf(index, createBell(), life + 1);
		const links = [];
		const lost = [];
		const loss = {
			worker: index,
			life,
			why,
			isRestored: before.snapshot !== void 0
		};
		const connected = (other) => {
			const [there, back] = pair(end, other);
			links.push(there);
			return back;
		};
		for (const other of this.#threads.values()) {
			if (other.index === index) continue;
			const successor = connected(this.#endOf(other.index, other.bell, other.life));
			if (other.isLost && !this.#toBeFollowed.has(other)) lost.push({
				worker: other.index,
				life: other.life,
				why: this.#why[other.index],
				successor: void 0,
				isRestored: false
			});
			else other.port.postMessage({
				what: "lost",
				...loss,
				successor
			}, [successor.port]);
		}
		for (const { worker, life, end: why } of this.#scheduler.neighbours.links) {
			if (why === void 0 || worker === index || this.#threads.has(worker)) continue;
			connected(this.#endOf(worker, createBell(), life));
			lost.push({
				worker,
				life,
				why,
				successor: void 0,
				isRestored: false
			});
		}
		Atomics.add(new Int32Array(this.#losses), 0, 1);
		const back = connected(this.#endOf(0, this.#bell));
		this.#startThread(end, links, lost, before);
		lose(this.#scheduler, {
			...loss,
			successor: back
		});
	}
	tell(message) {
		for (const { port } of this.alive()) port.postMessage(message);
	}
	/** Whether the process goes on as long as the workers do. */
	keep(isKept) {
		for (const each of this.alive().flatMap(({ port, worker }) => [port, worker])) if (isKept) each.ref();
		else each.unref();
	}
	/** Those that have not ended. */
	alive() {
		return [...this.#threads.values()].filter(({ isLost }) => !isLost);
	}
	#hear(thread, message) {
		const { index } = thread;
		switch (message.what) {
			case "to be restored":
				this.#toBeRestored.add(index);
				return;
			case "not restored":
				thread.notRestored = message.why;
				thread.failure = `it could not be restored: ${message.why}`;
				return;
			case "restored": return this.#restored.get(index)?.(message.failure);
			default: return this.#ports.hear(index, message);
		}
	}
	/** The one of that number that was started last is to end at once. */
	terminate(index) {
		this.#threads.get(index)?.worker.terminate();
	}
	/** Starts them as they were in a snapshot; each of what it answers waits until one of them is. */
	restore(parts) {
		for (const { worker, life } of parts) {
			this.#lives[worker] = life;
			if (life > 0) this.#why[worker] = `worker ${worker} has ended`;
		}
		this.#restoring = new Map(parts.map(({ worker, bytes }) => [worker, bytes]));
		const others = [...this.#restoring.keys()].filter((worker) => worker > 0);
		const all = others.map((worker) => new Promise((resolve, reject) => this.#restored.set(worker, (failure) => {
			if (failure === void 0) resolve();
			else reject(new RuntimeError(failure.code, `worker ${worker}: ${failure.message}`));
		})));
		if (others.length > 0) this.start();
		this.#restoring = void 0;
		return all;
	}
};
/** What leads from one to the other, and back. */
function pair(one, other) {
	const { port1, port2 } = new MessageChannel();
	const [there, back] = [createRing(), createRing()];
	return [{
		...other,
		out: there,
		in: back,
		port: port1
	}, {
		...one,
		out: back,
		in: there,
		port: port2
	}];
}
function whyOf(error) {
	if (!(error instanceof Error)) return String(error);
	return error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "it was out of memory" : error.message;
}
// packages/runtime/src/app.ts
const { setTimeout: nativeSetTimeout$1, clearTimeout: nativeClearTimeout$1, setImmediate: nativeSetImmediate$1 } = globalThis;
/** Milliseconds that a worker has to end by itself. */
const PATIENCE = 2e3;
function checkWorkers(workers) {
	if (!Number.isInteger(workers) || workers < 0 || workers >= 64) throw new RuntimeError("TT_PLACEMENT", `workers: a number from 0 to 63, not ${workers}`);
}
var App = class {
	places;
	#scheduler;
	#host;
	#options;
	#threads;
	#questions = /* @__PURE__ */ new Map();
	#asked = 0;
	/** What was sent and taken in all when nothing was left to do the last time. */
	#before;
	#phase = 0;
	#snapshots = new Collector({
		begin: () => this.advance(),
		agreed: () => this.#agreed,
		abandoned: (phase) => this.#options.abandoned?.(phase)
	});
	#whenDue;
	/** Answers when all know the same of who has ended. */
	#agreed;
	#isClosing = false;
	/** The program has said that it spawns no more actors. */
	#isFull = false;
	/** If the program runs again. */
	#replaying;
	/** Nothing is to happen any more. */
	#isStill = false;
	constructor(scheduler, host, options) {
		const { workers, placement = "least-loaded" } = options;
		checkWorkers(workers);
		this.#scheduler = scheduler;
		this.#host = host;
		this.#options = { ...options };
		this.places = scheduler.places = new Places(0, workers, placement);
		this.#threads = new Threads({
			scheduler,
			host,
			options: this.#options,
			places: this.places,
			pace: () => this.#whenDue?.pace,
			replaying: () => this.#replaying,
			isOver: () => this.#isClosing || this.#isStill,
			hear: (worker, said) => this.#hear(worker, said),
			gone: (worker) => {
				this.#unanswered(worker);
				this.#snapshots.lost(worker);
			},
			lost: (worker, why, isReplaced) => this.#lost(worker, why, isReplaced)
		});
		scheduler.neighbours.onLost = (worker, isReplaced) => this.places.lost(worker, isReplaced);
		if (options.room !== void 0) scheduler.keepSnapshots({
			room: options.room,
			sink: options.sink,
			cut: (phase) => this.#snapshots.cut(phase, [0, ...this.#threads.alive().map(({ index }) => index)]),
			deliver: (delivery) => this.#part({
				...delivery,
				worker: 0,
				life: 0
			}),
			failed: (phase, reason, again) => this.#snapshots.failed(0, phase, reason, again)
		});
		process.on("beforeExit", own(() => this.#nothingLeft()));
		const { following } = scheduler.ingests;
		if (following === void 0 || options.replayed === void 0) return;
		this.#replaying = new Replaying(options.replayed, {
			taken: () => following.progress.events,
			isStanding: () => scheduler.isStanding,
			rest: () => host.rests?.(),
			ask: async () => void await this.#ask("standing"),
			next: (worker) => this.#threads.terminate(worker)
		});
		this.#replaying.started(0, 0);
		following.onHalt((halt) => this.#replaying?.stopped({
			...halt,
			worker: 0,
			life: 0
		}));
		host.rests = () => {
			this.#threads.keep(false);
			nativeSetImmediate$1(() => {});
		};
	}
	/** Before the first actor, of an app that began before its program could say how. */
	arrange(options) {
		const { workers, placement = "least-loaded" } = options;
		checkWorkers(workers);
		Object.assign(this.#options, options);
		this.places.arrange(workers, placement);
	}
	get areThreadsStarted() {
		return this.#threads.areStarted;
	}
	/** Where an actor is to live; starts the workers if it is one of them. */
	place(placement) {
		if (this.#isClosing || this.#isFull) throw new RuntimeError("TT_CLOSED", "the app is closing; it spawns no more actors");
		const worker = this.places.choose(placement);
		if (worker !== 0) this.#threads.start();
		return worker;
	}
	#lost(worker, why, isReplaced) {
		const agreed = this.#agree().then(() => {
			if (this.#agreed === agreed) this.#agreed = void 0;
		});
		this.#agreed = agreed;
		this.#options.onLost?.(worker, why, isReplaced);
	}
	/** Until all have heard. */
	async #agree() {
		await this.#ask("heard");
		while (!this.#scheduler.ingests.isEmpty) await new Promise((resolve) => nativeSetImmediate$1(resolve));
	}
	#hear(worker, said) {
		switch (said.what) {
			case "answer": return this.#questions.get(said.question)?.(worker, said.answer);
			case "due": return this.#whenDue?.callback();
			case "stands": return this.#replaying?.stands(said);
			case "stopped":
				this.#unanswered(worker);
				return this.#replaying?.stopped(said);
			case "part": return this.#part(said.part);
			case "no part": return this.#snapshots.failed(worker, said.phase, said.reason, said.again);
		}
	}
	/** It answers nothing any more. */
	#unanswered(worker) {
		for (const answer of this.#questions.values()) answer(worker, void 0);
	}
	/** Asks every worker and waits for all answers; of one that ends meanwhile there is none. Until then the process does not end. */
	async #ask(what) {
		const question = ++this.#asked;
		const missing = new Set(this.#threads.alive().flatMap(({ index }) => this.#replaying?.isOver(index) === true ? [] : index));
		const answers = [];
		if (missing.size === 0) return answers;
		this.#threads.keep(true);
		this.#threads.tell({
			what,
			question
		});
		await new Promise((resolve) => {
			this.#questions.set(question, (worker, answer) => {
				if (answer !== void 0) answers.push(answer);
				if (missing.delete(worker) && missing.size === 0) resolve();
			});
		});
		this.#questions.delete(question);
		if (this.#questions.size === 0 && this.#replaying === void 0) this.#threads.keep(false);
		return answers;
	}
	/** Node has nothing left to do here. Workers may have; if not, this is the end. */
	#nothingLeft() {
		const { following } = this.#scheduler.ingests;
		if (following !== void 0) return this.#judge(following);
		if (!this.#threads.areStarted || this.#isClosing || this.#threads.alive().length === 0) return;
		this.#isAllDone().then((isAllDone) => isAllDone ? this.#end() : void 0);
	}
	/** In a run again: nothing is left to do here. What is waited for may come as long as there are workers. */
	#judge(following) {
		const event = following.judge();
		this.#threads.keep(true);
		if (event !== void 0) this.#replaying?.stands({
			worker: 0,
			life: 0,
			...standing(following, event)
		});
	}
	/**
	* Each worker answers when it has nothing left to do, and says how much it has sent and taken. If together they have taken all that was sent, and
	* the next time it is as much, nothing is under way and nobody will do anything any more.
	*/
	async #isAllDone() {
		const answers = await this.#ask("quiet");
		let { sent, taken } = this.#scheduler.neighbours.traffic;
		for (const each of answers) {
			sent += each.sent;
			taken += each.taken;
		}
		const isAwaited = this.#options.isSnapshotAwaited?.() === true;
		const isQuiet = this.#scheduler.isIdle && sent === taken && !isAwaited;
		const isSame = this.#before?.sent === sent && this.#before.taken === taken;
		this.#before = isQuiet ? {
			sent,
			taken
		} : void 0;
		return isQuiet && isSame;
	}
	/** The program spawns no more actors. */
	closing() {
		this.#isFull = true;
	}
	/** Ends when nothing is left to do between actors, or after so many milliseconds. Answers whether all was done. */
	async close(deadline = Infinity) {
		if (this.#isClosing) return true;
		this.#isClosing = true;
		const limit = new AbortController();
		const timer = deadline === Infinity ? void 0 : nativeSetTimeout$1(() => limit.abort(), deadline);
		const late = once(limit.signal, "abort").then(() => false);
		let isAllDone = !this.#threads.areStarted;
		while (!isAllDone && !limit.signal.aborted) {
			isAllDone = await Promise.race([this.#isAllDone(), late]);
			if (!isAllDone) await new Promise((resolve) => nativeSetTimeout$1(resolve, 1));
		}
		nativeClearTimeout$1(timer);
		await this.#end();
		this.#scheduler.neighbours.close();
		return isAllDone;
	}
	/** Every thread ends by itself; one that does not is ended. */
	async #end() {
		this.#isClosing = true;
		this.#threads.keep(true);
		await this.#options.ending?.();
		const ends = this.#threads.alive().map(async ({ worker, port }) => {
			const ended = new Promise((resolve) => worker.once("exit", () => resolve()));
			worker.ref();
			port.postMessage({ what: "end" });
			const timer = nativeSetTimeout$1(() => void worker.terminate(), PATIENCE);
			await ended;
			nativeClearTimeout$1(timer);
		});
		await Promise.all(ends);
	}
	/** Nothing happens between actors any more, for good: answers when what workers have written is on its way, if they still answer. */
	async still() {
		this.#isStill = true;
		this.#scheduler.hold();
		await this.#ask("still");
	}
	/** The last one that has begun. */
	get phase() {
		return this.#phase;
	}
	/** A new phase begins, on each thread as soon as it has the time; answers its number. */
	advance() {
		this.#phase++;
		this.#scheduler.begin(this.#phase);
		this.#threads.tell({
			what: "phase",
			phase: this.#phase
		});
		return this.#phase;
	}
	#part(part) {
		if (this.#replaying === void 0) this.#snapshots.part(part);
		else this.#replaying.part(part);
	}
	/** Calls back when a thread has done so much since its last snapshot. */
	whenDue(pace, callback) {
		this.#whenDue = {
			pace,
			callback
		};
		keepPace(this.#scheduler, this.#host, pace, callback);
	}
	/** One of the whole program, when it is whole. */
	snapshot() {
		if (this.#options.room === void 0) throw new RuntimeError("TT_NO_SNAPSHOT", "this program is not recorded, so nothing is known of what it has changed; start it with --recordings DIR");
		return this.#snapshots.take();
	}
	/**
	* Goes on from a snapshot, which whoever has asked for one is told of as `taken`, in a process in which no program has been loaded: answers when all workers are as they were; nothing has run until the
	* answer is called, which answers at the end of the entry point.
	*/
	async restore({ phase, parts }, taken) {
		const { room } = this.#options;
		const main = parts.find(({ worker }) => worker === 0);
		if (room === void 0 || main === void 0) throw damaged$1("it has no part of the main thread");
		this.#phase = phase;
		this.#scheduler.hold();
		this.#scheduler.bornIn(phase);
		const all = this.#threads.restore(parts);
		this.#threads.keep(true);
		const [goOn] = await Promise.all([restoreHere(this.#scheduler, room, main.bytes), ...all]);
		return () => {
			this.#threads.keep(false);
			this.#threads.tell({ what: "go on" });
			this.#scheduler.questions.answerAll(taken);
			return goOn();
		};
	}
	async stats(withActors) {
		const workers = await this.#ask(withActors ? "stats of actors" : "stats");
		workers.push(threadStats(this.#scheduler, this.#host, withActors));
		return {
			epoch: this.#options.epoch ?? 0,
			workers: workers.toSorted((a, b) => a.worker - b.worker)
		};
	}
};
// packages/runtime/src/slots.ts
const SEGMENT = 512;
/** Slots of the first segment of few: one message, or two. */
const FEW$1 = 8;
/** The next segment after a small one is so many times as long. */
const GROWTH = 4;
/** Segments that are kept for later; more only until the collector goes through the whole heap. */
const SPARE$1 = 256;
/** Where a segment ends before its last slot. */
const END = { end: true };
const blank$1 = Array.from({ length: SEGMENT }, () => void 0);
var Pool = class {
	#segments = [];
	/** What a flood leaves is there for the next one, and no memory that anybody else is short of. */
	#more;
	take() {
		return this.#segments.pop() ?? this.#more?.deref()?.pop() ?? {
			slots: blank$1.slice(),
			next: void 0
		};
	}
	give(segment) {
		segment.next = void 0;
		if (segment.slots.length !== SEGMENT) return;
		if (this.#segments.length < SPARE$1) this.#segments.push(segment);
		else this.#keep(segment);
	}
	#keep(segment) {
		let more = this.#more?.deref();
		if (more === void 0) this.#more = new WeakRef(more = []);
		more.push(segment);
	}
};
function small(length) {
	return {
		slots: blank$1.slice(0, length),
		next: void 0
	};
}
/** For the few messages of one of many that are held: a whole segment each would be most of the memory of them all. */
function few() {
	return small(FEW$1);
}
/** Slots, first in, first out. */
var Slots = class {
	#pool;
	first;
	last;
	from = 0;
	to = 0;
	/** Whether a token stands for it. */
	isListed = false;
	/** What stands here is to be told of before it is taken. */
	seal = void 0;
	constructor(pool, first = pool.take()) {
		this.#pool = pool;
		this.first = this.last = first;
	}
	/** The first of `count` slots beside each other, in `last`. */
	place(count) {
		if (this.to + count > this.last.slots.length) this.#extend(count);
		const at = this.to;
		this.to = at + count;
		return at;
	}
	#extend(count) {
		const { slots } = this.last;
		if (this.to < slots.length) slots[this.to] = END;
		const least = Math.max(count, GROWTH * slots.length);
		const next = count > SEGMENT ? {
			slots: Array.from({ length: count }, () => void 0),
			next: void 0
		} : least < SEGMENT ? small(least) : this.#pool.take();
		this.last = this.last.next = next;
		this.to = 0;
	}
	/** Whether nothing is left; otherwise the next message begins at `first.slots[from]`. */
	isEmpty() {
		for (;;) {
			const { first } = this;
			if (first === this.last) return this.from === this.to;
			if (this.from < first.slots.length && first.slots[this.from] !== END) return false;
			if (this.from < first.slots.length) first.slots[this.from] = void 0;
			this.first = first.next;
			this.from = 0;
			if (this.seal !== void 0) this.seal.reach(this.first);
			this.#pool.give(first);
		}
	}
	release() {
		this.#pool.give(this.first);
	}
	/** What stands in them, a segment at a time. */
	parts() {
		const parts = [];
		const seal = new Seal(this, (part) => parts.push(part));
		while (seal.goOn());
		return parts;
	}
	clear() {
		this.first = this.last = this.#pool.take();
		this.from = this.to = 0;
	}
};
/** What stands in slots at a moment, told of segment by segment, each before anything of it is taken. */
var Seal = class {
	#slots;
	#tell;
	#last;
	#to;
	/** The next one to be told of. */
	#next;
	constructor(slots, tell) {
		this.#slots = slots;
		this.#tell = tell;
		this.#last = slots.last;
		this.#to = slots.to;
		this.#next = slots.first;
	}
	/** What stands in a segment is about to be taken. */
	reach(segment) {
		if (segment === this.#next) this.goOn();
	}
	/** Nobody is told any more. */
	end() {
		if (this.#slots.seal === this) this.#slots.seal = void 0;
		this.#next = void 0;
	}
	/** Tells of one segment; whether there are more. */
	goOn() {
		const segment = this.#next;
		if (segment === void 0) return false;
		const { slots } = segment;
		const from = segment === this.#slots.first ? this.#slots.from : 0;
		const isLast = segment === this.#last;
		const end = isLast ? this.#to : slots.indexOf(END, from);
		this.#next = isLast ? void 0 : segment.next;
		if (isLast && this.#slots.seal === this) this.#slots.seal = void 0;
		this.#tell([
			slots,
			from,
			end < 0 ? slots.length : end
		]);
		return !isLast;
	}
};
// packages/runtime/src/message-queue.ts
/**
* A message that is told to an actor's root: recipient, what it is, what to call, arguments. Any other has a target, what to settle and its
* sender before its arguments. A store of an object costs more than one of a number, more still if the object is young.
*/
const TOLD_HEAD = 3;
const HEAD = 6;
/** What it is: twice the number of arguments, and one more unless it is told to a root. */
const WHOLE = 1;
/** So many messages may wait for an actor in the queue of all. */
const CROWD = 1024;
/** So many messages of a crowded actor stand behind a token. */
const SHARE = 64;
/** Or, of two slots: some of a mailbox, some of what was put aside. */
const TOKEN = -1;
const ASIDE = -2;
const TOKEN_LENGTH = 2;
const NOTHING = [];
/** What was sent with a message, in one list. */
function listOf(count, a, b, c, many) {
	return count > 3 ? many : [
		a,
		b,
		c
	].slice(0, count);
}
var MessageQueue = class {
	#pool = new Pool();
	#all = new Slots(this.#pool);
	#recipients;
	/** Those that have a mailbox of their own, or of whose messages some were put aside. */
	#apart = /* @__PURE__ */ new Set();
	#size = 0;
	constructor(recipients) {
		this.#recipients = recipients;
	}
	/** Messages that wait, of all actors. */
	get size() {
		return this.#size;
	}
	/** To the actor's root, from whomever, and nobody asks what comes of it; with up to three arguments. */
	tell(recipient, call, count, a, b, c) {
		const into = this.#slotsOf(recipient);
		const at = into.place(TOLD_HEAD + count);
		const { slots } = into.last;
		slots[at] = recipient;
		slots[at + 1] = 2 * count;
		slots[at + 2] = call;
		if (count > 0) slots[at + 3] = a;
		if (count > 1) slots[at + 4] = b;
		if (count > 2) slots[at + 5] = c;
	}
	/** A message from `sender`, with up to three arguments; `count` says how many there are. */
	add(sender, recipient, target, call, settles, count, a, b, c) {
		const into = this.#slotsOf(recipient);
		const at = enter(into, sender, recipient, target, call, settles, count);
		const { slots } = into.last;
		if (count > 0) slots[at] = a;
		if (count > 1) slots[at + 1] = b;
		if (count > 2) slots[at + 2] = c;
	}
	addMany(sender, recipient, target, call, settles, args) {
		const into = this.#slotsOf(recipient);
		const at = enter(into, sender, recipient, target, call, settles, args.length);
		const { slots } = into.last;
		for (let i = 0; i < args.length; i++) slots[at + i] = args[i];
	}
	/** Where its next message goes. */
	#slotsOf(recipient) {
		this.#size++;
		recipient.waiting++;
		return recipient.mailbox !== void 0 || recipient.waiting > CROWD ? this.#crowded(recipient) : this.#all;
	}
	#crowded(recipient) {
		if (recipient.mailbox !== void 0) return recipient.mailbox;
		const mailbox = new Slots(this.#pool);
		recipient.mailbox = mailbox;
		this.#apart.add(recipient);
		this.#list(recipient, mailbox, TOKEN);
		return mailbox;
	}
	#list(recipient, what, token) {
		if (what.isListed) return;
		what.isListed = true;
		const at = this.#all.place(TOKEN_LENGTH);
		const { slots } = this.#all.last;
		slots[at] = recipient;
		slots[at + 1] = token;
	}
	/** Whether nothing is to be delivered or put aside. */
	isEmpty() {
		return this.#all.isEmpty();
	}
	/** It has no turns until it is let go. */
	hold(recipient) {
		recipient.isHeld = recipient.isAside = true;
	}
	letGo(recipient) {
		if (!recipient.isHeld) return;
		recipient.isHeld = false;
		this.takeUp(recipient);
	}
	/** What comes for it is put aside until it is taken up. */
	putAside(recipient) {
		recipient.isAside = true;
	}
	takeUp(recipient) {
		if (recipient.aside !== void 0) this.#list(recipient, recipient.aside, ASIDE);
		else this.#caughtUp(recipient);
	}
	#caughtUp(recipient) {
		recipient.isAside = false;
		if (recipient.mailbox !== void 0) this.#list(recipient, recipient.mailbox, TOKEN);
	}
	/** Delivers up to `budget` messages; whether any are left. */
	run(budget) {
		const all = this.#all;
		for (let left = budget; left > 0 && !all.isEmpty();) {
			const { slots } = all.first;
			const recipient = slots[all.from];
			if (recipient.isAside) left -= this.#beside(recipient, left);
			else if (slots[all.from + 1] === TOKEN) left -= this.#some(left);
			else {
				this.#next(all);
				left--;
			}
		}
		return !all.isEmpty();
	}
	/** The next entry is of a recipient whose messages are put aside; answers how many were delivered. */
	#beside(recipient, budget) {
		const all = this.#all;
		const { slots } = all.first;
		const at = all.from;
		const what = slots[at + 1];
		if (what < 0) {
			this.#takeToken();
			const stands = what === TOKEN ? recipient.mailbox : recipient.aside;
			stands.isListed = false;
			if (what === TOKEN || recipient.isHeld) return 0;
			const count = this.#deliverSome(recipient, stands, budget);
			if (recipient.isHeld || stands.isListed) return count;
			if (!stands.isEmpty()) this.#list(recipient, stands, ASIDE);
			else {
				stands.release();
				recipient.aside = void 0;
				if (recipient.mailbox === void 0) this.#apart.delete(recipient);
				this.#caughtUp(recipient);
			}
			return count;
		}
		const length = ((what & WHOLE) === 0 ? TOLD_HEAD : HEAD) + (what >> 1);
		const aside = recipient.aside ?? this.#asideOf(recipient);
		const to = aside.place(length);
		for (let i = 0; i < length; i++) {
			aside.last.slots[to + i] = slots[at + i];
			slots[at + i] = void 0;
		}
		all.from = at + length;
		return 0;
	}
	#asideOf(recipient) {
		const aside = new Slots(this.#pool, few());
		recipient.aside = aside;
		this.#apart.add(recipient);
		return aside;
	}
	/** Some of what waits in a mailbox; answers how many. */
	#some(budget) {
		const recipient = this.#takeToken();
		const mailbox = recipient.mailbox;
		mailbox.isListed = false;
		const count = this.#deliverSome(recipient, mailbox, budget);
		if (recipient.isAside || mailbox.isListed) return count;
		if (!mailbox.isEmpty()) this.#list(recipient, mailbox, TOKEN);
		else {
			mailbox.release();
			recipient.mailbox = void 0;
			if (recipient.aside === void 0) this.#apart.delete(recipient);
		}
		return count;
	}
	#takeToken() {
		const all = this.#all;
		const { slots } = all.first;
		const recipient = slots[all.from];
		slots[all.from] = void 0;
		all.from += TOKEN_LENGTH;
		return recipient;
	}
	#deliverSome(recipient, from, budget) {
		const share = Math.min(budget, SHARE);
		let left = share;
		while (left > 0 && !recipient.isHeld && !from.isEmpty()) {
			this.#next(from);
			left--;
		}
		return share - left;
	}
	#next(from) {
		const { slots } = from.first;
		const at = from.from;
		const recipient = slots[at];
		const what = slots[at + 1];
		const call = slots[at + 2];
		const count = what >> 1;
		slots[at] = void 0;
		recipient.waiting--;
		this.#size--;
		if ((what & WHOLE) !== 0) return this.#nextWhole(from, recipient, call, count);
		from.from = at + TOLD_HEAD + count;
		let a;
		let b;
		let c;
		if (count > 0) {
			a = slots[at + 3];
			slots[at + 3] = void 0;
		}
		if (count > 1) {
			b = slots[at + 4];
			slots[at + 4] = void 0;
		}
		if (count > 2) {
			c = slots[at + 5];
			slots[at + 5] = void 0;
		}
		this.#recipients.told(recipient, call, count, a, b, c);
	}
	#nextWhole(from, recipient, call, count) {
		const { slots } = from.first;
		const at = from.from;
		const target = slots[at + 3];
		const settles = slots[at + 4];
		const sender = slots[at + 5];
		const first = at + HEAD;
		slots[at + 2] = slots[at + 3] = slots[at + 4] = slots[at + 5] = void 0;
		from.from = first + count;
		if (count > 3) {
			const many = slots.slice(first, first + count);
			slots.fill(void 0, first, first + count);
			return this.#recipients.deliver(recipient, target, call, settles, sender, count, void 0, void 0, void 0, many);
		}
		let a;
		let b;
		let c;
		if (count > 0) {
			a = slots[first];
			slots[first] = void 0;
		}
		if (count > 1) {
			b = slots[first + 1];
			slots[first + 1] = void 0;
		}
		if (count > 2) {
			c = slots[first + 2];
			slots[first + 2] = void 0;
		}
		this.#recipients.deliver(recipient, target, call, settles, sender, count, a, b, c, NOTHING);
	}
	/** What waits; how much for whom is the recipients' own. */
	read() {
		const entries = (slots) => slots === void 0 ? void 0 : [...entriesOf(slots.parts())];
		const apart = [...this.#apart].map((recipient) => ({
			recipient,
			mailbox: entries(recipient.mailbox),
			aside: entries(recipient.aside)
		}));
		return {
			all: [...entriesOf(this.#all.parts())],
			apart
		};
	}
	/** Those of whose messages some stand elsewhere. */
	get apart() {
		return this.#apart;
	}
	/** What waits at this moment is told of, some at a time: what may be taken next at once, all else before it is taken. */
	seal(tell) {
		const seals = [];
		const add = (slots, where, recipient) => {
			const seal = new Seal(slots, (part) => tell([...entriesOf([part])], where, recipient));
			slots.seal = seal;
			seals.push(seal);
			seal.goOn();
		};
		for (const recipient of this.#apart) {
			if (recipient.mailbox !== void 0) add(recipient.mailbox, "mailbox", recipient);
			if (recipient.aside !== void 0) add(recipient.aside, "aside", recipient);
		}
		add(this.#all, "all", void 0);
		return {
			goOn() {
				while (seals.at(-1)?.goOn() === false) seals.pop();
				return seals.length > 0;
			},
			end() {
				for (const seal of seals) seal.end();
			}
		};
	}
	/** In the place of what waits now. */
	write({ all, apart }) {
		for (const recipient of this.#apart) recipient.mailbox = recipient.aside = void 0;
		this.#apart.clear();
		this.#all.clear();
		this.#size = 0;
		for (const { recipient, mailbox, aside } of apart) {
			this.#apart.add(recipient);
			if (mailbox !== void 0) this.#fill(recipient.mailbox = new Slots(this.#pool), mailbox);
			if (aside !== void 0) this.#fill(recipient.aside = new Slots(this.#pool, few()), aside);
		}
		this.#fill(this.#all, all);
	}
	#fill(into, entries) {
		for (const entry of entries) {
			const { recipient } = entry;
			if (entry.what === "mailbox") this.#list(recipient, recipient.mailbox, TOKEN);
			else if (entry.what === "aside") this.#list(recipient, recipient.aside, ASIDE);
			else {
				this.#size++;
				const { call, args } = entry;
				const at = entry.what === "told" ? enterTold(into, recipient, call, args.length) : enter(into, entry.sender, recipient, entry.target, call, entry.settles, args.length);
				const { slots } = into.last;
				for (let i = 0; i < args.length; i++) slots[at + i] = args[i];
			}
		}
	}
};
function* entriesOf(parts) {
	for (const [from, first, end] of parts) for (let at = first; at < end;) {
		const recipient = from[at];
		const what = from[at + 1];
		if (what < 0) {
			yield {
				what: what === TOKEN ? "mailbox" : "aside",
				recipient
			};
			at += TOKEN_LENGTH;
			continue;
		}
		const isWhole = (what & WHOLE) !== 0;
		const behind = at + (isWhole ? HEAD : TOLD_HEAD);
		const next = behind + (what >> 1);
		const call = from[at + 2];
		const args = from.slice(behind, next);
		if (isWhole) {
			const sender = from[at + 5];
			yield {
				what: "sent",
				recipient,
				call,
				args,
				target: from[at + 3],
				settles: from[at + 4],
				sender
			};
		} else yield {
			what: "told",
			recipient,
			call,
			args
		};
		at = next;
	}
}
/** Answers where the arguments go, in the last segment. */
function enter(into, sender, recipient, target, call, settles, count) {
	const at = into.place(HEAD + count);
	const { slots } = into.last;
	slots[at] = recipient;
	slots[at + 1] = 2 * count + WHOLE;
	slots[at + 2] = call;
	slots[at + 3] = target;
	slots[at + 4] = settles;
	slots[at + 5] = sender;
	return at + HEAD;
}
/** The same, of a message to a root that nobody asks about. */
function enterTold(into, recipient, call, count) {
	const at = into.place(TOLD_HEAD + count);
	const { slots } = into.last;
	slots[at] = recipient;
	slots[at + 1] = 2 * count;
	slots[at + 2] = call;
	return at + TOLD_HEAD;
}
// packages/runtime/src/passing.ts
/** Until so many objects have been met, they are looked for one by one. */
const FEW = 8;
const { getOwnPropertySymbols, getOwnPropertyDescriptor: getOwnPropertyDescriptor$1, getPrototypeOf, setPrototypeOf, hasOwn, defineProperty: defineProperty$1 } = Object;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { apply, ownKeys } = Reflect;
const objectPrototype = Object.prototype;
const mapForEach = Map.prototype.forEach;
const mapSet = Map.prototype.set;
const setForEach = Set.prototype.forEach;
const setAdd = Set.prototype.add;
const getTime = Date.prototype.getTime;
const NativeMap = Map;
const NativeSet = Set;
var Passing = class Passing {
	#ports;
	#count = 0;
	#met = [];
	#copies = [];
	#more;
	#isBusy = false;
	constructor(ports) {
		this.#ports = ports;
	}
	/** `name` says what the value is: `args[0] of Cart.add`. */
	pass(value, name) {
		if (typeof value !== "object" || value === null) {
			if (typeof value !== "function" && typeof value !== "symbol") return value;
		}
		if (this.#isBusy) return new Passing(this.#ports).pass(value, name);
		this.#isBusy = true;
		try {
			return this.#copy(value);
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			throw refusedValue(error, value, name());
		} finally {
			this.#forget();
			this.#isBusy = false;
		}
	}
	#forget() {
		const few = this.#count < FEW ? this.#count : FEW;
		for (let i = 0; i < few; i++) this.#met[i] = this.#copies[i] = void 0;
		this.#count = 0;
		this.#more = void 0;
	}
	#copy(value) {
		if (typeof value === "object" && value !== null) return this.#object(value);
		if (typeof value === "function") return this.#function(value);
		if (typeof value === "symbol") return passedSymbol(value);
		return value;
	}
	#object(value) {
		const known = this.#known(value);
		if (known !== void 0) return known;
		if (isArray(value)) return this.#array(value);
		const prototype = getPrototypeOf(value);
		if (prototype === objectPrototype) return this.#plain(value, { ...value });
		return this.#rare(value, prototype);
	}
	#known(value) {
		const met = this.#met;
		const few = this.#count < FEW ? this.#count : FEW;
		for (let i = 0; i < few; i++) if (met[i] === value) return this.#copies[i];
		return this.#more?.get(value);
	}
	#remember(value, copy) {
		const place = this.#count++;
		if (place < FEW) {
			this.#met[place] = value;
			this.#copies[place] = copy;
			return;
		}
		this.#more ??= new NativeMap();
		this.#more.set(value, copy);
	}
	/** `made`: with the values of `value`, which are replaced by what they become. */
	#plain(value, made) {
		const reference = this.#ports.reference(value);
		if (reference !== void 0) return reference;
		this.#remember(value, made);
		for (const key in made) {
			const inner = made[key];
			if (typeof inner === "object" && inner !== null || typeof inner === "function" || typeof inner === "symbol") {
				if (hasOwn(made, key)) made[key] = this.#copy(inner);
			}
		}
		if (getOwnPropertySymbols(made).length > 0) throw namedBySymbol(value);
		return made;
	}
	#array(value) {
		if (this.#ports.types.isProxy(value)) throw proxied(value);
		const copy = [];
		this.#remember(value, copy);
		copy.length = value.length;
		let own = 0;
		for (let i = 0; i < value.length; i++) {
			if (!(i in value)) continue;
			own++;
			copy[i] = this.#copy(value[i]);
		}
		if (value.length < 64 ? ownKeys(value).length > own + 1 : hasOwn(value, "index")) this.#own(value, copy);
		return copy;
	}
	/** Own properties under names that the copy has not got yet. */
	#own(value, copy) {
		for (const key of ownKeys(value)) {
			if (hasOwn(copy, key)) continue;
			if (typeof key === "symbol") throw namedBySymbol(value);
			const { enumerable } = getOwnPropertyDescriptor$1(value, key);
			const inner = this.#copy(value[key]);
			defineProperty$1(copy, key, {
				value: inner,
				writable: true,
				enumerable: enumerable === true,
				configurable: true
			});
		}
	}
	#function(value) {
		const reference = this.#ports.reference(value);
		if (reference !== void 0) return reference;
		throw functionRefused(value);
	}
	#rare(value, prototype) {
		const { types } = this.#ports;
		const reference = this.#ports.reference(value);
		if (reference !== void 0) return reference;
		if (types.isProxy(value)) throw proxied(value);
		if (prototype === null) return this.#plain(value, {
			__proto__: null,
			...value
		});
		if (types.isNativeError(value)) return this.#error(value, prototype);
		const copy = this.#builtin(value, prototype);
		if (copy !== void 0) return copy;
		throw instanceRefused(value, prototype);
	}
	/** A copy without what a program added to it: these are values. */
	#builtin(value, prototype) {
		const { types } = this.#ports;
		if (types.isDate(value) && prototype === Date.prototype) return this.#kept(value, new Date(apply(getTime, value, [])));
		if (types.isRegExp(value) && prototype === RegExp.prototype) {
			const copy = new RegExp(value.source, value.flags);
			copy.lastIndex = value.lastIndex;
			return this.#kept(value, copy);
		}
		if (types.isMap(value) && prototype === NativeMap.prototype) {
			const copy = this.#kept(value, new NativeMap());
			apply(mapForEach, value, [(inner, key) => void apply(mapSet, copy, [this.#copy(key), this.#copy(inner)])]);
			return copy;
		}
		if (types.isSet(value) && prototype === NativeSet.prototype) {
			const copy = this.#kept(value, new NativeSet());
			apply(setForEach, value, [(inner) => void apply(setAdd, copy, [this.#copy(inner)])]);
			return copy;
		}
		if (types.isArrayBuffer(value)) {
			if (value.detached) throw transferred(value);
			return this.#kept(value, structuredClone(value));
		}
		if (isView(value)) return this.#view(value, prototype);
		if (types.isBoxedPrimitive(value)) return this.#kept(value, Object(this.#copy(value.valueOf())));
	}
	/** A view of a copy of its buffer. What lies in a pool of Node's comes alone. */
	#view(value, prototype) {
		const { buffer, byteOffset, byteLength } = value;
		if (!this.#ports.types.isArrayBuffer(buffer)) throw sharedMemory(value);
		if (prototype === nodeBufferPrototype) {
			const bytes = new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
			return this.#kept(value, setPrototypeOf(bytes, prototype));
		}
		const number = viewNumbers.get(prototype);
		if (number === void 0) throw instanceRefused(value, prototype);
		const type = viewTypes[number];
		const bytes = this.#object(buffer);
		const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
		const length = "length" in value ? value.length : byteLength;
		return this.#kept(value, isWhole ? new type(bytes) : new type(bytes, byteOffset, length));
	}
	#kept(value, copy) {
		this.#remember(value, copy);
		return copy;
	}
	/** Of whatever class, with its stack: the class is the same in all actors of a worker. */
	#error(value, prototype) {
		const copy = value instanceof DOMException ? new DOMException(value.message, value.name) : /* @__PURE__ */ new Error();
		this.#remember(value, copy);
		setPrototypeOf(copy, prototype);
		Reflect.deleteProperty(copy, "stack");
		defineProperty$1(copy, "stack", {
			value: this.#copy(value.stack),
			writable: true,
			enumerable: false,
			configurable: true
		});
		this.#own(value, copy);
		return copy;
	}
};
// packages/runtime/src/alone.ts
function aloneWith(realm) {
	const keys = /* @__PURE__ */ new WeakMap();
	let classes = 0;
	return {
		after(milliseconds, callback) {
			const timer = setTimeout(callback, milliseconds);
			return () => clearTimeout(timer);
		},
		report(_actor, reason) {
			const { eventuals, host } = realm.parts;
			host.unhandledRejection?.(eventuals.create(), reason);
		},
		classes: {
			keyOf(prototype) {
				let key = keys.get(prototype);
				if (key === void 0) keys.set(prototype, key = `here:${++classes}`);
				return key;
			},
			addressOf(type) {
				throw new RuntimeError("TT_UNKNOWN_CLASS", `no other worker can find ${type.name}`);
			},
			find(address) {
				throw new RuntimeError("TT_UNKNOWN_CLASS", `there is no class ${address}`);
			}
		},
		errorClassName: () => void 0,
		errorPrototype: () => void 0,
		awaitedBy: () => [],
		isReferenced: () => false,
		rest: () => false,
		awake() {}
	};
}
// packages/runtime/src/births.ts
var Births = class {
	#ports;
	/** The root that is being made, until it is known. */
	#making;
	constructor(ports) {
		this.#ports = ports;
	}
	/** One that others had heard of; one that will never be has failed. */
	begin(actor, { of, isAnew }) {
		if (of !== void 0) this.make(actor, of.type, of.ref, of.args, isAnew);
	}
	make(actor, type, ref, args, isAnew = false) {
		if (actor.failure !== void 0) return;
		this.#ports.comes(actor);
		this.#making = {
			actor,
			type,
			ref
		};
		try {
			const root = Reflect.construct(type, args);
			FarRef.born(ref, root);
			actor.root = root;
			actor.rootRef = ref;
		} catch (cause) {
			const message = `${actor.name} could not be made: ${cause instanceof Error ? cause.message : String(cause)}`;
			this.#ports.failed(actor, new RuntimeError("TT_ACTOR_FAILED", message, { cause }));
			if (actor.waiting === 0 || isAnew) this.#ports.report(actor, actor.failure);
		} finally {
			this.#making = void 0;
		}
	}
	/** An object of a class is being made: if it is the root that is made now, it is known before its constructor passes it on. */
	meet(object, type) {
		const making = this.#making;
		if (making === void 0 || making.type !== type) return;
		this.#making = void 0;
		making.actor.root = object;
		making.actor.rootRef = making.ref;
	}
};
// packages/runtime/src/channels.ts
const spawns = channel("turntable.spawn");
const sends = channel("turntable.send");
const turns = channel("turntable.turn");
const settlements = channel("turntable.settle");
const snapshots = channel("turntable.snapshot");
/**
* Whether anybody wants to know: of spawns, of sends, of turns or what is settled in them; and whether turns have company, be it these
* subscribers or somebody else on this thread.
*/
const observed = {
	spawns: false,
	sends: false,
	turns: false,
	hasCompany: false
};
let companies = 0;
function look() {
	observed.spawns = spawns.hasSubscribers;
	observed.sends = sends.hasSubscribers;
	observed.turns = turns.hasSubscribers || settlements.hasSubscribers;
	observed.hasCompany = observed.turns || companies > 0;
}
/** Somebody else keeps company with turns of this thread, or does no more: one look tells of all. */
function keepCompany(change) {
	companies += change;
	look();
}
/** Node tells nobody that somebody subscribes; but it calls these methods of the channel, by whichever door. */
const CHANGING = [
	"subscribe",
	"unsubscribe",
	"bindStore",
	"unbindStore"
];
for (const each of [
	spawns,
	sends,
	turns,
	settlements
]) for (const name of CHANGING) Object.defineProperty(each, name, {
	value(...args) {
		const { [name]: change } = Object.getPrototypeOf(this);
		const answer = change === void 0 ? void 0 : Reflect.apply(change, this, args);
		look();
		return answer;
	},
	writable: true,
	enumerable: false,
	configurable: true
});
look();
let isPublishing = false;
function publish(to, event) {
	if (isPublishing) return;
	isPublishing = true;
	try {
		to.publish(event);
	} finally {
		isPublishing = false;
	}
}
function party({ id, name, worker }) {
	return {
		actor: id,
		name,
		worker
	};
}
function publishSnapshot(event) {
	if (snapshots.hasSubscribers) publish(snapshots, event);
}
function publishSpawn(actor, type, from) {
	publish(spawns, {
		...party(actor),
		class: type.name,
		from: party(from)
	});
}
function publishSend(actor, method, asks, from) {
	publish(sends, {
		...party(actor),
		method,
		asks,
		from: party(from)
	});
}
function methodOf(called) {
	return typeof called === "string" ? called : "name" in called ? called.name : void 0;
}
/** For people. */
function calledName(called) {
	return methodOf(called) ?? called.kind;
}
function publishTurn(at, turn, actor, called, from) {
	const kind = typeof called === "object" && "kind" in called ? called.kind : "call";
	publish(turns, {
		at,
		turn,
		...party(actor),
		kind,
		method: methodOf(called),
		from: from === void 0 ? void 0 : party(from)
	});
}
function publishSettle(actor, rejected, from) {
	publish(settlements, {
		...party(actor),
		rejected,
		from: party(from)
	});
}
// packages/runtime/src/census.ts
/** So many are known from their birth on. */
const FIRST = 1e3;
/** Those that are gone are looked for when it knows so many, and twice as many as were left then. */
const FEWEST = 64;
var Census = class {
	#known = [];
	#limit = FEWEST;
	#born = 0;
	/** An actor has been made here. */
	born(actor) {
		if (this.#born++ < FIRST) this.#add(actor);
	}
	/** It has had `KNOWN_TURN` turns. */
	grown(actor) {
		if (!actor.isKnown) this.#add(actor);
	}
	#add(actor) {
		actor.isKnown = true;
		if (this.#known.length >= this.#limit) {
			this.#known = this.#known.filter((ref) => isAlive(ref.deref()));
			this.#limit = Math.max(FEWEST, this.#known.length * 2);
		}
		this.#known.push(new WeakRef(actor));
	}
	read() {
		return { born: this.#born };
	}
	/** In the place of all that it knew. */
	write({ born }) {
		this.#known = [];
		this.#limit = FEWEST;
		this.#born = born;
	}
	/** These have been here before. */
	again(actors) {
		let left = FIRST;
		for (const actor of actors) if (left-- > 0 || actor.turns >= 8) this.#add(actor);
	}
	/** In the order of their births. */
	stats() {
		return this.#known.map((ref) => ref.deref()).filter(isAlive).toSorted((a, b) => a.id - b.id).map(({ id, name, turns, waiting, busy }) => ({
			actor: id,
			name,
			turns,
			waiting,
			busy
		}));
	}
};
function isAlive(actor) {
	return actor !== void 0 && actor.failure === void 0;
}
// packages/runtime/src/company.ts
/** Milliseconds of a turn that is timed by itself. */
const LONG_TURN = .02;
var Company = class {
	#realm;
	#host;
	#main;
	/** So far. */
	#turns;
	/** Whether there is any but subscribers. */
	#isPresent = false;
	onlooker;
	#onlookers = {
		snapshot: void 0,
		other: void 0
	};
	/** Runs turns so that Node knows whose code it is. */
	#outside;
	#hasActors = false;
	/** Whether turns take so long that each is worth looks at the clock. */
	#isTimed = false;
	/** Milliseconds that turns have taken. */
	busy = 0;
	constructor(realm, host, main, turns) {
		this.#realm = realm;
		this.#host = host;
		this.#main = main;
		this.#turns = turns;
		host.outside?.whenReached(() => {
			if (this.#hasActors) this.#goOutside();
		});
	}
	/** Something is going to live here beside the main program. */
	hasActors() {
		if (this.#hasActors) return;
		this.#hasActors = true;
		if (this.#host.outside?.isReached === true) this.#goOutside();
	}
	/** Two at a time: a snapshot, and somebody else. */
	watch(onlooker, place) {
		this.#onlookers[place] = onlooker;
		const { snapshot, other } = this.#onlookers;
		this.#lookOn(snapshot === void 0 ? other : other === void 0 ? snapshot : both(snapshot, other));
	}
	#lookOn(onlooker) {
		this.onlooker = onlooker;
		this.#count();
		const { jobs } = this.#realm;
		const { outside } = this.#host;
		const actorOf = (home) => home instanceof Actor ? home : this.#main;
		jobs.watch(onlooker?.touch === void 0 ? void 0 : (home) => onlooker.touch?.(actorOf(home)));
		if (onlooker?.touch === void 0 && onlooker?.enter === void 0) return outside?.watchEntries(void 0);
		let turn = this.#turns();
		let entries = 0;
		return outside?.watchEntries((home) => {
			const actor = actorOf(home);
			const now = this.#turns();
			if (turn !== now) {
				turn = now;
				entries = 0;
			}
			onlooker.enter?.(actor, turn, ++entries);
			onlooker.touch?.(actor);
		});
	}
	/** `sender`: of a message that says who has sent it. */
	keep(actor, call, sender, turn) {
		this.onlooker?.touch?.(actor);
		const number = this.#turns() + 1;
		const isTold = observed.turns;
		if (isTold) {
			publishTurn("start", number, actor, call, sender);
			if (sender !== void 0 && (call === FULFIL || call === REJECT)) publishSettle(actor, call === REJECT, sender);
		}
		this.onlooker?.begins?.(number, actor, call, sender);
		const began = this.#isTimed ? this.#host.now() : void 0;
		if (this.#outside === void 0) turn();
		else this.#runnerOf(actor, this.#outside)(turn, void 0, 0, void 0);
		if (began !== void 0) actor.busy += this.#host.now() - began;
		this.onlooker?.ends?.(number, actor, call);
		if (isTold) publishTurn("end", number, actor, call, sender);
	}
	/**
	* So many turns were had since the clock was looked at; answers what it shows now. As long as turns are short, the time is put down to the
	* last one's actor, each having its share in the long run; turns that take longer are timed one by one.
	*/
	worked(since, turns) {
		const now = this.#host.now();
		this.busy += now - since;
		if (turns === 0) return now;
		const { home } = this.#realm.now.context;
		if (!this.#isTimed && home instanceof Actor) home.busy += now - since;
		const isTimed = now - since > turns * LONG_TURN;
		if (isTimed !== this.#isTimed) {
			this.#isTimed = isTimed;
			this.#count();
		}
		return now;
	}
	#count() {
		const isPresent = this.onlooker !== void 0 || this.#outside !== void 0 || this.#isTimed;
		if (isPresent !== this.#isPresent) keepCompany(isPresent ? 1 : -1);
		this.#isPresent = isPresent;
	}
	#runnerOf(actor, outside) {
		const { home, store } = actor.context;
		if (store !== void 0) return store;
		const runner = outside.contextOf(home);
		actor.context = {
			home,
			store: runner,
			trail: void 0
		};
		return runner;
	}
	/** From now on what this thread's program makes may call it back. */
	#goOutside() {
		const { outside } = this.#host;
		if (outside === void 0 || this.#outside !== void 0) return;
		this.#outside = outside;
		this.#count();
		const { home } = this.#realm.now.context;
		if (home instanceof Actor) outside.enter(home);
	}
};
function both(first, second) {
	return {
		touch(actor) {
			first.touch?.(actor);
			second.touch?.(actor);
		},
		enter(actor, turn, entry) {
			first.enter?.(actor, turn, entry);
			second.enter?.(actor, turn, entry);
		},
		given(on, args, settles) {
			first.given?.(on, args, settles);
			second.given?.(on, args, settles);
		},
		begins(turn, actor, call, sender) {
			first.begins?.(turn, actor, call, sender);
			second.begins?.(turn, actor, call, sender);
		},
		ends(turn, actor, call) {
			first.ends?.(turn, actor, call);
			second.ends?.(turn, actor, call);
		},
		cut(phase) {
			first.cut?.(phase);
			second.cut?.(phase);
		},
		take(from, sentIn) {
			first.take?.(from, sentIn);
			second.take?.(from, sentIn);
		}
	};
}
// packages/runtime/src/trace/recording-tape.ts
const NONE_YET = { count: 0 };
const NO_STEPS = { steps: 0 };
var RecordingTape = class {
	isReplay = false;
	sink;
	/** While messages are taken: notes those that were, before what they lead to. */
	noteTaken;
	#rounds = NONE_YET;
	#steps = NO_STEPS;
	constructor(sink) {
		this.sink = sink;
	}
	get isResting() {
		return this.sink.isResting;
	}
	attach(steps) {
		this.#steps = steps;
	}
	join(rounds) {
		this.#rounds = rounds;
	}
	outcome(source, value) {
		if (this.noteTaken !== void 0) this.noteTaken();
		this.sink.outcome(source, value);
	}
	entry(source, id, value) {
		this.sink.entry(this.#rounds.count, this.#steps.steps, source, id, value);
		this.sink.commit();
	}
};
// packages/runtime/src/ingests.ts
var Ingests = class {
	#ports;
	#events = [];
	#recording;
	#sink;
	/** If this is a run again. */
	following;
	/** In a run again: what has happened, or will be said to have. */
	#acts = /* @__PURE__ */ new Map();
	/** In a run again: messages that were taken already of those that stand next. */
	#taken = 0;
	constructor(ports, tape) {
		this.#ports = ports;
		this.#recording = tape instanceof RecordingTape ? tape : void 0;
		this.#sink = this.#recording?.sink;
		this.following = tape instanceof FollowingTape ? tape : void 0;
	}
	get isFollowing() {
		return this.following !== void 0;
	}
	/** Whether nothing has happened that is still to be looked at. */
	get isEmpty() {
		return this.#events.length === 0;
	}
	/** Something may happen: in a run again it does when it did. */
	expect(what, key, act) {
		if (this.isFollowing) this.#acts.set(`${what} ${key}`, act);
	}
	/** Something has happened. It acts when the scheduler looks. */
	happened(what, key, act, value) {
		if (this.isFollowing) this.#acts.set(`${what} ${key}`, act);
		else this.#events.push({
			what,
			key,
			act,
			value
		});
		this.#ports.wake();
	}
	/** Messages are being taken: `note` notes those that were, since some may lead to what is noted itself. */
	taking(note) {
		if (this.#recording !== void 0) this.#recording.noteTaken = note;
	}
	/** Whether what is taken is noted. */
	get areNoted() {
		return this.#sink !== void 0;
	}
	/** Messages of a worker have been taken. */
	took(worker, count) {
		if (this.#sink === void 0) return;
		const { round, turns } = this.#ports.position();
		this.#sink.messages(round, turns, worker, count);
	}
	/** Something happens now, between two turns. */
	note(what, key, value) {
		if (this.#sink === void 0) return;
		const { round, turns } = this.#ports.position();
		this.#sink.happened(round, turns, what, key, value);
	}
	/** What was noted so far is not lost if this thread is. */
	commit() {
		this.#sink?.commit();
	}
	/** A phase begins. */
	cut(phase) {
		this.#sink?.cut(phase);
	}
	/** What has happened to what this worker had in mind is nothing to what it has in mind now. */
	forget() {
		this.#events = this.#events.filter(({ what }) => what === "lost" || what === "phase" || what === "pace");
	}
	/** Does what events call for; whether any did. */
	events() {
		if (this.#events.length === 0) return false;
		let any = false;
		for (let event = this.#events.shift(); event !== void 0; event = this.#events.shift()) {
			const { what, key, act, value } = event;
			const { round, turns } = this.#ports.position();
			if (act() === false) continue;
			any = true;
			this.#sink?.happened(round, turns, what, key, value);
		}
		return any;
	}
	/** Whether something is to be taken, or to call the program, before the next turn. */
	isDue() {
		const tape = this.following;
		if (tape === void 0) return false;
		if (tape.halt !== void 0) return true;
		const { next } = tape;
		return next !== void 0 && next.what !== "outcome" && next.round <= this.#ports.position().round;
	}
	/** Whether it is there: messages that are to be taken now have come. */
	haveCome() {
		const next = this.following?.next;
		if (next?.what !== "messages" || this.following?.halt !== void 0) return false;
		return next.round <= this.#ports.position().round && this.#ports.haveCome(next.worker, next.count - this.#taken);
	}
	/** Takes what was taken after as many rounds, as far as it is there; whether there was any. */
	again() {
		const tape = this.following;
		if (tape === void 0) return false;
		let any = false;
		for (let { next } = tape; next !== void 0; {next} = tape) {
			if (tape.halt !== void 0 || next.what === "outcome") break;
			const { round, turns } = this.#ports.position();
			if (round < next.round) break;
			if (round > next.round) tape.diverge(told(next), `${round} rounds have been`);
			if (next.what === "entry") break;
			if (turns !== next.turns) tape.diverge(told(next), `there have been ${turns} turns`);
			if (next.what === "messages") {
				const missing = next.count - this.#taken;
				if (!this.#ports.haveCome(next.worker, missing)) break;
				any = true;
				const { worker } = next;
				if (this.#ports.areThere(worker, missing)) {
					this.#taken = 0;
					tape.take();
					this.#ports.messages(worker, missing);
				} else this.#taken += this.#ports.messages(worker, missing);
				continue;
			}
			const act = this.#actOf(next);
			if (act === void 0) break;
			tape.take();
			act(next);
			any = true;
		}
		return any;
	}
	#actOf(next) {
		const key = `${next.kind} ${next.key}`;
		const act = this.#acts.get(key);
		this.#acts.delete(key);
		return act ?? this.#ports.unexpected(next);
	}
};
// packages/runtime/src/journey.ts
const ASKED = "    at <asked> ";
/** Characters; what is thrown from actor to actor to actor does not grow without end. */
const LONGEST = 8192;
const { defineProperty, getOwnPropertyDescriptor } = Object;
/** An error has come that an actor has answered a call with. */
function askedOf(error, actor, call) {
	const stack = stackOf(error);
	if (stack === void 0 || stack.length > LONGEST) return;
	const where = actor.worker === 0 ? "main thread" : `worker ${actor.worker}`;
	lengthen(error, stack, `${ASKED}${actor.name}.${call} (${where})`);
}
/** It is about to reach those who wait for it. */
function awaitedBy(error, lines) {
	const stack = stackOf(error);
	if (stack === void 0 || !stack.startsWith(ASKED, stack.lastIndexOf("\n") + 1)) return;
	for (const line of lines()) lengthen(error, stackOf(error), `    at ${line}`);
}
/** Of a copy, which has it as data. */
function stackOf(error) {
	if (!(error instanceof Error)) return void 0;
	const stack = getOwnPropertyDescriptor(error, "stack")?.value;
	return typeof stack === "string" ? stack : void 0;
}
function lengthen(error, stack, line) {
	defineProperty(error, "stack", { value: `${stack}\n${line}` });
}
// packages/runtime/src/references.ts
const nobody = { deref: () => void 0 };
var References = class {
	#here;
	/** What has been given to each worker. */
	#pins = [];
	#exported = /* @__PURE__ */ new Map();
	#strangers = /* @__PURE__ */ new Map();
	/** Which life each worker has. */
	#lives = [];
	/** By the places of workers that have ended, or of which others have said so already. */
	#orphans = /* @__PURE__ */ new Map();
	#letGo;
	#ingests;
	#dropped;
	#touch;
	#forgotten;
	/**
	* `touch`: an actor is about to be reached from elsewhere by what it was not before, or not any more.
	* `forgotten`: one that lives elsewhere is known here no more.
	*/
	constructor(here, letGo, ingests, touch, forgotten) {
		this.#touch = touch;
		this.#forgotten = forgotten;
		this.#here = here;
		this.#letGo = letGo;
		this.#ingests = ingests;
		this.#dropped = new FinalizationRegistry((held) => this.#gone(held));
	}
	#gone(held) {
		this.#ingests.happened("dropped", `${held.actor.id} ${held.number}`, () => this.#drop(held));
	}
	/** How many objects of this worker others hold. */
	get exported() {
		return this.#exported.size;
	}
	/** How many objects of others are held here. */
	get held() {
		let count = 0;
		for (const { held } of this.#strangers.values()) count += held.size;
		return count;
	}
	/** A worker is joined, for the first time or in the place of one that has ended. */
	joined(worker, life) {
		this.#lives[worker] = life;
	}
	/** A worker in its life of now, as one number: what an earlier one was given is nothing to the one in its place. */
	placeOf(worker) {
		return worker + 64 * (this.#lives[worker] ?? 0);
	}
	isNow(place) {
		return place === this.placeOf(workerAt(place));
	}
	/**
	* A worker has ended. What it was given stays until the others, whose numbers these are, have claimed of it what is held there; the one in its
	* place may be among them, if it is going to know of what the lost one knew.
	* @param claim what it had given here of what lives on others
	*/
	lost(worker, others, claim) {
		const place = this.placeOf(worker);
		const goesOn = others.includes(worker);
		for (const [each, orphans] of this.#orphans) if (!goesOn || workerAt(each) !== worker) orphans.missing.delete(worker);
		const orphans = this.#orphansOf(place);
		const pins = this.#pins[worker] ?? /* @__PURE__ */ new Map();
		for (const [key, { ref }] of pins) if (ref === void 0) pins.delete(key);
		orphans.pins = pins;
		orphans.missing = new Set(others.filter((other) => !orphans.claimed.has(other)));
		delete this.#pins[worker];
		for (const { actor, held } of this.#strangers.values()) {
			if (actor.worker === worker || actor.life < (this.#lives[actor.worker] ?? 0)) continue;
			const home = this.placeOf(actor.worker);
			for (const [number, { counts }] of held) {
				if ((counts[place] ?? 0) === 0) continue;
				counts[place] = 0;
				counts[home] = (counts[home] ?? 0) + 1;
				claim(actor, number);
			}
		}
		const life = this.#lives[worker] ?? 0;
		for (const pins of this.#pins) this.#forget(pins, worker, life);
		for (const each of this.#orphans.keys()) this.#release(each);
	}
	/** Nobody need keep what belonged to a worker that has ended. */
	#forget(pins, worker, life) {
		for (const [key, { ref }] of pins ?? []) {
			if (ref === void 0) continue;
			const actor = FarRef.actorOf(ref);
			if (actor.worker === worker && actor.life <= life) pins?.delete(key);
		}
	}
	/** A worker has claimed what it had from one that has ended, or what those had that have had its place. */
	claimed(by, place) {
		if (workerAt(place) === by) {
			for (const [each, { missing }] of this.#orphans) if (workerAt(each) === by && missing.delete(by)) this.#release(each);
			return;
		}
		const orphans = this.#orphansOf(place);
		orphans.claimed.add(by);
		orphans.missing.delete(by);
		this.#release(place);
	}
	#orphansOf(place) {
		let orphans = this.#orphans.get(place);
		if (orphans === void 0) {
			orphans = {
				pins: void 0,
				missing: /* @__PURE__ */ new Set(),
				claimed: /* @__PURE__ */ new Set()
			};
			this.#orphans.set(place, orphans);
		}
		return orphans;
	}
	#release(place) {
		const { pins, missing } = this.#orphansOf(place);
		if (pins === void 0 || missing.size > 0) return;
		this.#orphans.delete(place);
		for (const key of pins.keys()) this.#unpin(key);
	}
	/** A reference goes to a worker. */
	give(ref, worker) {
		const key = keyOf(ref);
		const pins = this.#pins[worker] ??= /* @__PURE__ */ new Map();
		const pin = pins.get(key);
		if (pin !== void 0) pin.count++;
		else pins.set(key, {
			ref,
			count: 1
		});
		if (pin?.ref !== void 0) return;
		if (pin !== void 0) pin.ref = ref;
		if (FarRef.actorOf(ref).worker === this.#here) this.#export(key, ref);
	}
	#export(key, ref) {
		const exported = this.#exported.get(key);
		if (exported !== void 0) exported.pins++;
		else {
			this.#touch(FarRef.actorOf(ref));
			this.#exported.set(key, {
				ref,
				pins: 1
			});
		}
	}
	/** A worker counts a reference as given that it has from another life, or from somebody who has ended. */
	claim(worker, actor, number) {
		const ref = this.find(actor, number);
		if (ref !== void 0) return this.give(ref, worker);
		const key = keyFor(actor, number);
		const pins = this.#pins[worker] ??= /* @__PURE__ */ new Map();
		const pin = pins.get(key);
		if (pin === void 0) pins.set(key, {
			ref: void 0,
			count: 1
		});
		else pin.count++;
	}
	/** An actor is here: some may have claimed it before. */
	born(ref) {
		const key = keyOf(ref);
		for (const pins of this.#pins) {
			const pin = pins?.get(key);
			if (pin === void 0 || pin.ref !== void 0) continue;
			pin.ref = ref;
			this.#export(key, ref);
		}
	}
	/** A worker has let go of what it was given. */
	takeBack(worker, key, count) {
		const pins = this.#pins[worker];
		const pin = pins?.get(key);
		if (pins === void 0 || pin === void 0) return;
		pin.count -= count;
		if (pin.count > 0) return;
		pins.delete(key);
		this.#unpin(key);
	}
	#unpin(key) {
		const exported = this.#exported.get(key);
		if (exported === void 0 || --exported.pins > 0) return;
		this.#touch(FarRef.actorOf(exported.ref));
		this.#exported.delete(key);
	}
	takeBackOne(worker, ref) {
		this.takeBack(worker, keyOf(ref), 1);
	}
	/** The reference to an object of this worker's that others know. */
	find(actor, number) {
		return this.#exported.get(keyFor(actor, number))?.ref;
	}
	/** A reference has come from a worker. */
	take(from, worker, life, id, number, type) {
		const stranger = this.#stranger(id, worker, life, type);
		const held = this.#count(stranger, number, from);
		return held.weak.deref() ?? this.#make(held, type);
	}
	/** A reference that is here again has come from a worker: it was under way when that was written down. */
	takeAgain(from, ref) {
		const actor = FarRef.actorOf(ref);
		const stranger = this.#strangers.get(actor.id) ?? {
			actor,
			held: /* @__PURE__ */ new Map()
		};
		this.#strangers.set(actor.id, stranger);
		const held = this.#count(stranger, FarRef.numberOf(ref), from);
		if (held.weak === nobody) this.#attach(held, ref);
	}
	/** A reference to an actor that has been spawned from here, and that its worker will hold for us. */
	spawned(actor, type) {
		const stranger = {
			actor,
			held: /* @__PURE__ */ new Map()
		};
		this.#strangers.set(actor.id, stranger);
		return this.#make(this.#count(stranger, 0, actor.worker), type);
	}
	#stranger(id, worker, life, type) {
		let stranger = this.#strangers.get(id);
		if (stranger === void 0 || stranger.actor.life < life) {
			stranger = {
				actor: new Actor(id, worker, `${type.interface.name}#${displayed(id)}`),
				held: /* @__PURE__ */ new Map()
			};
			stranger.actor.life = life;
			this.#strangers.set(id, stranger);
		}
		return stranger;
	}
	/** One more has come from a worker, the first one perhaps. */
	#count(stranger, number, from) {
		let held = stranger.held.get(number);
		if (held === void 0) {
			held = {
				actor: stranger.actor,
				number,
				counts: [],
				weak: nobody
			};
			stranger.held.set(number, held);
		}
		const place = this.placeOf(from);
		held.counts[place] = (held.counts[place] ?? 0) + 1;
		return held;
	}
	#make(held, type) {
		const ref = new type(held.actor, held.number, void 0);
		this.#attach(held, ref);
		return ref;
	}
	#attach(held, ref) {
		if (this.#ingests.isFollowing) held.weak = { deref: () => ref };
		else {
			held.weak = new WeakRef(ref);
			this.#dropped.register(ref, held);
		}
	}
	stranger(id) {
		return this.#strangers.get(id)?.actor;
	}
	/** Actors that live elsewhere, of a worker. */
	strangersOf(worker) {
		return [...this.#strangers.values()].filter(({ actor }) => actor.worker === worker).map(({ actor }) => actor);
	}
	/** The collector had come by before, in a run again. */
	dropAgain(actor, number) {
		const held = this.#strangers.get(actor)?.held.get(number);
		if (held === void 0) return false;
		held.weak = nobody;
		return this.#drop(held);
	}
	#drop(held) {
		const { actor, number, counts, weak } = held;
		const stranger = this.#strangers.get(actor.id);
		if (stranger?.held.get(number) !== held || weak.deref() !== void 0) return false;
		stranger.held.delete(number);
		if (stranger.held.size === 0) {
			this.#strangers.delete(actor.id);
			this.#forgotten(actor);
		}
		counts.forEach((count, place) => {
			if (count > 0 && this.isNow(place)) this.#letGo(workerAt(place), actor, number, count);
		});
		return true;
	}
	read() {
		return {
			pins: this.#pins.flatMap((pins, worker) => [...pins.values()].flatMap(({ ref, count }) => ref === void 0 ? [] : [[
				worker,
				ref,
				count
			]])),
			inVain: this.#pins.flatMap((pins, worker) => [...pins].flatMap(([key, { ref, count }]) => ref === void 0 ? [[
				worker,
				key,
				count
			]] : [])),
			exported: [...this.#exported.values()].map(({ ref, pins }) => [ref, pins]),
			strangers: [...this.#strangers.values()].map(({ actor, held }) => ({
				actor,
				held: [...held.values()].map(({ number, counts, weak }) => ({
					number,
					counts: present(counts),
					ref: weak.deref()
				}))
			})),
			lives: present(this.#lives),
			orphans: [...this.#orphans].map(([place, { pins, missing, claimed }]) => ({
				place,
				pins: pins === void 0 ? void 0 : [...pins.values()].map(({ ref, count }) => [ref, count]),
				missing: [...missing],
				claimed: [...claimed]
			}))
		};
	}
	/** In the place of all that was known. */
	write({ pins, inVain, exported, strangers, lives, orphans }) {
		this.#pins.length = this.#lives.length = 0;
		this.#exported.clear();
		this.#strangers.clear();
		this.#orphans.clear();
		for (const [worker, life] of lives) this.#lives[worker] = life;
		for (const [worker, ref, count] of pins) (this.#pins[worker] ??= /* @__PURE__ */ new Map()).set(keyOf(ref), {
			ref,
			count
		});
		for (const [worker, key, count] of inVain) (this.#pins[worker] ??= /* @__PURE__ */ new Map()).set(key, {
			ref: void 0,
			count
		});
		for (const [ref, workers] of exported) this.#exported.set(keyOf(ref), {
			ref,
			pins: workers
		});
		for (const { actor, held } of strangers) this.#strangers.set(actor.id, {
			actor,
			held: this.#heldAgain(actor, held)
		});
		for (const { place, pins: given, missing, claimed } of orphans) {
			const known = given?.map(([ref, count]) => [keyOf(ref), {
				ref,
				count
			}]);
			const all = known === void 0 ? void 0 : new Map(known);
			this.#orphans.set(place, {
				pins: all,
				missing: new Set(missing),
				claimed: new Set(claimed)
			});
		}
	}
	#heldAgain(actor, all) {
		const known = /* @__PURE__ */ new Map();
		for (const { number, counts, ref } of all) {
			const held = {
				actor,
				number,
				counts: [],
				weak: nobody
			};
			for (const [place, count] of counts) held.counts[place] = count;
			known.set(number, held);
			if (ref !== void 0) this.#attach(held, ref);
			else this.#gone(held);
		}
		return known;
	}
};
/** Of an array with gaps. */
function present(numbers) {
	const all = [];
	numbers.forEach((number, i) => all.push([i, number]));
	return all;
}
/** Of a place. */
function workerAt(place) {
	return place % 64;
}
function keyFor(actor, number) {
	return number === 0 ? actor : `${actor}.${number}`;
}
function keyOf(ref) {
	return keyFor(FarRef.actorOf(ref).id, FarRef.numberOf(ref));
}
// packages/runtime/src/arrivals.ts
var Arrivals = class {
	#parts;
	#neighbours;
	#references;
	#unborn;
	#supervision;
	#queue;
	#outgoing;
	/** Names of those that were to be what they were, and are made anew without. */
	#forgotten = [];
	#revived = /* @__PURE__ */ new WeakSet();
	constructor(parts, neighbours, references, unborn, supervision) {
		this.#parts = parts;
		this.#neighbours = neighbours;
		this.#references = references;
		this.#unborn = unborn;
		this.#supervision = supervision;
		this.#queue = parts.queue;
		this.#outgoing = parts.outgoing;
	}
	take(link, kind, _sender, id, number, settles, call, count, a, b, c, many) {
		if (kind !== WIRE.phase) this.#parts.onlooker()?.take?.(link.worker, link.phase);
		if (kind !== WIRE.phase && link.phase < this.#parts.phase()) {
			const brought = link.brought();
			const args = listOf(count, a, b, c, many);
			const what = {
				worker: link.worker,
				kind,
				id,
				number,
				settles,
				call,
				args,
				...brought
			};
			this.#parts.snapshots()?.underWay(link.phase, what);
		}
		switch (kind) {
			case WIRE.call: return this.#takeCall(link, id, number, settles, call, count, a, b, c, many);
			case WIRE.trackedCall: {
				const tracked = new TrackedCall(call, new Trail("", new Asker(link.worker, link.life, settles)));
				return this.#takeCall(link, id, number, settles, tracked, count, a, b, c, many);
			}
			case WIRE.led: {
				const trail = link.trailOf(settles);
				return trail === void 0 ? void 0 : this.#parts.trails.led(trail, id, a, number);
			}
			case WIRE.over: {
				const trail = link.trailOf(settles);
				return trail === void 0 ? void 0 : this.#parts.trails.ended(trail, number);
			}
			case WIRE.spawn: return this.#takeSpawn(link, id, call, settles, listOf(count, a, b, c, many));
			case WIRE.answer:
			case WIRE.failure: return this.#takeOutcome(link, link.answered(settles), kind === WIRE.answer, a);
			case WIRE.settled:
			case WIRE.failed: return this.#takeOutcome(link, link.settled(settles), kind === WIRE.settled, a);
			case WIRE.stop:
			case WIRE.watch: return this.#takeSignal(link, kind, id, settles);
			case WIRE.letGo:
				if (!this.#references.isNow(a)) return;
				return this.#references.takeBack(workerAt(a), keyFor(id, number), settles);
			case WIRE.letGoOf:
				if (!this.#references.isNow(a)) return;
				return this.#neighbours.send(workerAt(a), WIRE.letGo, 0, id, number, settles, this.#references.placeOf(link.worker));
			case WIRE.come:
				this.#tellOfForgotten();
				this.#unborn.over(link.worker, settles, this.#unborn.before);
				return this.settleChildren();
			case WIRE.claim:
				this.#references.claim(link.worker, id, number);
				if (number === 0 && this.#hasEnded(id)) this.#neighbours.send(link.worker, WIRE.ended, this.#parts.here, id, 0, 0);
				return;
			case WIRE.claimed: return this.#references.claimed(link.worker, settles);
			case WIRE.ended: return this.#supervision.end(id);
			case WIRE.pressure: {
				const stranger = this.#references.stranger(id);
				if (stranger === void 0) return;
				stranger.waiting = settles === 1 ? stranger.mark : 0;
				return settles === 1 ? void 0 : this.#parts.pressure.off(stranger);
			}
			case WIRE.phase:
				link.marks.taken++;
				if (settles > link.phase && settles < this.#parts.phase()) {
					const what = {
						worker: link.worker,
						kind,
						id,
						number,
						settles,
						call,
						args: [],
						...link.brought()
					};
					this.#parts.snapshots()?.underWay(settles, what);
				}
				link.phase = settles;
				this.#parts.enter(settles);
				return this.#parts.snapshots()?.marked(link.worker, settles);
			default: throw new RuntimeError("TT_DAMAGED_MESSAGE", `${link.peer.name} has sent a message of an unknown kind, ${kind}`);
		}
	}
	#takeCall(link, id, number, settles, call, count, a, b, c, many) {
		const ref = this.#references.find(id, number);
		const asked = settles === 0 ? void 0 : settles;
		if (ref !== void 0) {
			const actor = FarRef.actorOf(ref);
			link.arrived(actor);
			if (actor.waiting >= actor.mark) {
				const refusal = this.#parts.pressure.onFrom(link.worker, actor);
				if (refusal !== void 0) return this.#outgoing.fail(actor, link.peer, asked, refusal, "");
			}
			if (count > 3) this.#queue.addMany(link.peer, actor, ref, call, asked, many);
			else this.#queue.add(link.peer, actor, ref, call, asked, count, a, b, c);
			return;
		}
		if (this.#unborn.has(id)) {
			link.arrived(this.#unborn.actor(id));
			const args = listOf(count, a, b, c, many);
			return this.#unborn.wait(id, {
				link,
				kind: WIRE.call,
				number,
				settles,
				call,
				args
			});
		}
		link.arrived(this.#parts.main);
		const actor = new Actor(id, this.#parts.here, `actor ${displayed(id)}`);
		this.#outgoing.fail(actor, link.peer, asked, this.#absence(actor, number), "");
	}
	/** To the actor as such, with nothing. */
	#takeSignal(link, kind, id, settles) {
		const ref = this.#references.find(id, 0);
		if (ref === void 0 && this.#unborn.has(id)) return this.#unborn.wait(id, {
			link,
			kind,
			number: 0,
			settles,
			call: void 0,
			args: NOTHING
		});
		const actor = ref === void 0 ? new Actor(id, this.#parts.here, `actor ${displayed(id)}`) : FarRef.actorOf(ref);
		if (ref === void 0) actor.failure = this.#absence(actor, 0);
		if (kind === WIRE.watch) this.#parts.watch(actor, {
			what: "asked",
			to: link.peer,
			settles
		});
		else this.#queue.add(link.peer, actor, void 0, STOP, void 0, 0, void 0, void 0, void 0);
	}
	/** What has waited for an actor that is here now, or will never be. */
	takeUp(id, { link, kind, number, settles, call, args }) {
		if (kind !== WIRE.call) return this.#takeSignal(link, kind, id, settles);
		const [a, b, c] = args;
		this.#takeCall(link, id, number, settles, call, args.length, a, b, c, args);
	}
	/** As when a reference to it came. */
	expectAgain({ actor, ref, revivable }) {
		if (revivable?.by !== void 0 || this.#unborn.has(actor.id)) this.#unborn.expectAgain(actor, ref, revivable);
		else actor.failure = this.#absence(actor, 0);
	}
	#hasEnded(id) {
		const root = this.#references.find(id, 0);
		return root === void 0 ? !this.#unborn.has(id) : FarRef.actorOf(root).failure !== void 0;
	}
	/** Nothing has been found under these numbers yet. A reference to what is no more says so to whoever sends something. */
	expected(id, number, type) {
		if (number === 0 && this.#unborn.has(id)) return this.#unborn.ref(id, type);
		const actor = new Actor(id, this.#parts.here, `actor ${displayed(id)}`);
		return new type(standIn(id, actor.worker, this.#absence(actor, number)), number, void 0);
	}
	/** Why something that others know is not here. */
	#absence(actor, number) {
		const failure = this.#unborn.failure(actor.id);
		const root = this.#references.find(actor.id, 0);
		if (number === 0 || number > this.#neighbours.life * LIFE || failure !== void 0 && root === void 0) return failure ?? gone(actor);
		const { name } = root === void 0 ? actor : FarRef.actorOf(root);
		return new ActorLostError(`this object belonged to an earlier life of ${name}: ${this.#unborn.before}`);
	}
	#takeSpawn(link, id, address, supervised, [name, mailbox, ...args]) {
		const creator = this.#references.placeOf(link.worker);
		const actor = this.#unborn.announced(id, {
			address,
			args,
			supervised,
			creator
		});
		actor.name = name;
		if (mailbox !== void 0) actor.setMailbox(mailbox);
		link.arrived(actor);
		if (supervised === RESTORE + 16) {
			if (this.#unborn.revived(id, (revivable) => this.#revive(actor, revivable, link.worker))) return this.settleChildren();
			this.#forgotten.push(actor.name);
		}
		this.find(id);
		this.settleChildren();
	}
	/** Those that were spawned on this worker are what they were if those are that have spawned them, and otherwise lost. */
	settleChildren() {
		const { main } = this.#parts;
		for (let isDone = false; !isDone;) {
			isDone = true;
			for (const { actor, by } of this.#unborn.children) {
				if (this.#unborn.revivable(by.id) !== void 0) continue;
				isDone = false;
				if (by === main || this.#revived.has(by)) this.#begin(actor);
				else this.#unborn.forsake(actor.id);
			}
		}
	}
	/** With the one that has spawned it here; it may have been still to be made. */
	#begin(actor) {
		const { main, classes } = this.#parts;
		const { ref, birth, by } = this.#unborn.revivable(actor.id);
		if (birth === void 0) {
			this.#unborn.revived(actor.id, (revivable) => this.#revive(actor, revivable, main.worker));
			return;
		}
		const { type, args } = birth;
		this.#unborn.born(actor.id, classes.of(type.prototype), type, args, true, () => {
			this.#references.born(ref);
			this.keep(actor, ref, main.worker, RESTORE, by);
		});
	}
	/** It is what it was, and is told that what it was waiting for will not come. */
	#revive(actor, revivable, supervisor) {
		const { root, ref, exports, turns, eventuals, timers, waiting, by } = revivable;
		Object.assign(actor, {
			root,
			rootRef: ref,
			exports,
			turns
		});
		FarRef.born(ref, root);
		this.#revived.add(actor);
		this.#parts.comes(actor);
		if (by === void 0) this.#references.give(ref, supervisor);
		this.#references.born(ref);
		this.keep(actor, ref, supervisor, RESTORE, by);
		this.tellOfLoss(actor, eventuals);
		this.#parts.rejoin(timers, waiting);
	}
	/** What an actor here was waiting for in an earlier life will not come. */
	tellOfLoss(actor, eventuals) {
		for (const eventual of eventuals) {
			const failure = new ActorLostError(`${actor.name} was restored, and what it was waiting for then is not answered any more: ${this.#unborn.before}`);
			this.#queue.add(actor, actor, void 0, REJECT, eventual, 1, failure, void 0, void 0);
		}
	}
	/** Who was to be what it was and is not. */
	#tellOfForgotten() {
		const forgotten = this.#forgotten;
		if (forgotten.length === 0) return;
		this.#forgotten = [];
		this.#parts.host.forgotten?.(forgotten, this.#neighbours.whyForgotten);
	}
	/** An actor is made as soon as its class is found. */
	find(id) {
		this.#find(id, (act) => act());
	}
	/** Its class was still looked for in the snapshot that this goes on from: in a run again it is found when it was, though it is there by now. */
	findAgain(id) {
		if (this.#parts.ingests.isFollowing) this.#find(id, (act) => this.#ended(id, act));
		else this.find(id);
	}
	#ended(id, act) {
		this.#parts.ingests.happened("class", String(id), act);
	}
	/** `now`: does what comes of a class that need not be waited for. */
	#find(id, now) {
		const coming = this.#unborn.coming(id);
		if (coming === void 0) return;
		try {
			const type = this.#parts.host.classes.find(coming.address);
			if (typeof type === "function") return now(() => this.#found(id, coming, type));
			type.then((loaded) => this.#ended(id, () => this.#found(id, coming, loaded)), (error) => this.#ended(id, () => this.#notFound(id, coming, error)));
		} catch (error) {
			now(() => this.#notFound(id, coming, error));
		}
	}
	#found(id, coming, type) {
		if (this.#unborn.coming(id) !== coming) return false;
		const { args, supervised, creator } = coming;
		const refClass = this.#parts.classes.of(type.prototype);
		this.#unborn.born(id, refClass, type, args, (supervised & 16) !== 0, (ref) => {
			if (this.#references.isNow(creator)) this.#references.give(ref, workerAt(creator));
			this.#references.born(ref);
			const way = wayOf(supervised);
			if (way !== 0) this.keep(FarRef.actorOf(ref), ref, workerAt(creator), way);
		});
		return true;
	}
	#notFound(id, coming, cause) {
		if (this.#unborn.coming(id) !== coming) return false;
		const { supervised, creator } = coming;
		const { here, host, main } = this.#parts;
		const { name } = this.#unborn.actor(id);
		const why = cause instanceof Error ? cause.message : String(cause);
		const failure = new RuntimeError("TT_ACTOR_FAILED", `${name} could not be made on ${main.name}: ${why}`, { cause });
		this.#unborn.fail(id, failure);
		if (supervised !== 0) this.#neighbours.send(workerAt(creator), WIRE.ended, here, id, 0, 0);
		if ((supervised & 16) !== 0) host.report(name, failure);
		return true;
	}
	/** A supervised actor stays until it is stopped, whoever still knows that it has a reference. */
	keep(actor, ref, supervisor, way, by) {
		actor.life = EVERY_LIFE;
		if (way === RESTORE) this.#neighbours.onToBeRestored?.();
		this.#references.give(ref, this.#parts.here);
		this.#parts.watch(actor, {
			what: "supervised",
			ref,
			supervisor,
			way,
			by
		});
	}
	#takeOutcome(link, waiting, isFulfilled, value) {
		link.arrived(waiting?.actor ?? this.#parts.main);
		if (waiting === void 0) return;
		const { asked, call } = waiting;
		const kind = isFulfilled ? FULFIL : REJECT;
		if (!isFulfilled && asked !== link.peer && call !== void 0) askedOf(value, asked, call);
		this.#queue.add(link.peer, waiting.actor, void 0, kind, waiting.eventual, 1, value, void 0, void 0);
	}
};
function gone(actor) {
	return new RuntimeError("TT_ACTOR_STOPPED", `${actor.name} is gone: it was stopped, or nobody had a reference to it any more`);
}
// packages/runtime/src/snapshot/known-in-time.ts
var KnownInTime = class {
	#known;
	constructor(known) {
		this.#known = new Map(known.map((each) => [each.actor.id, each]));
	}
	/** A message comes: those that it speaks of first, in the order in which it does, and its recipient; each once. */
	by({ id, args }) {
		if (this.#known.size === 0) return [];
		const found = [];
		const meet = (id) => {
			const known = this.#known.get(id);
			if (known === void 0) return;
			this.#known.delete(id);
			found.push(known);
		};
		for (const actor of actorsIn(args)) meet(actor.id);
		meet(id);
		return found;
	}
};
/** Whom the references stand for that a value leads to. */
function* actorsIn(value, seen = /* @__PURE__ */ new Set()) {
	if (typeof value !== "object" || value === null || seen.has(value)) return;
	seen.add(value);
	if (FarRef.has(value)) return yield FarRef.actorOf(value);
	if (value instanceof Map || value instanceof Set) for (const entry of value) for (const each of [entry].flat()) yield* actorsIn(each, seen);
	if (ArrayBuffer.isView(value)) return;
	for (const key of Reflect.ownKeys(value)) {
		const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
		if (descriptor !== void 0 && "value" in descriptor) yield* actorsIn(descriptor.value, seen);
	}
}
// packages/runtime/src/supervision.ts
var Supervision = class {
	/** In the order of their ids. */
	#supervised = /* @__PURE__ */ new Map();
	add(supervised) {
		this.#supervised.set(supervised.actor.id, supervised);
	}
	/** It is not made anew any more. */
	end(id) {
		this.#supervised.delete(id);
	}
	/** Of a worker that no other takes the place of. */
	endAll(worker) {
		for (const { actor } of this.of(worker)) this.end(actor.id);
	}
	read() {
		return [...this.#supervised.values()];
	}
	/** In the place of all that are. */
	write(supervised) {
		this.#supervised.clear();
		for (const each of supervised) this.add(each);
	}
	/** Of a worker. */
	of(worker) {
		return [...this.#supervised.values()].filter(({ actor }) => actor.worker === worker);
	}
};
// packages/runtime/src/taking.ts
var Taking = class {
	/** By the workers that they lead to. */
	#links;
	#ports;
	/** Of which messages are being taken, if that is noted, and how many of all that were taken of it are. */
	#noting;
	#noted = 0;
	/** In a run again that goes on from a cut: by worker, what comes before that which comes by its ring. */
	#before = /* @__PURE__ */ new Map();
	/** In a run again that goes on from a cut: is told of what was under way, before it comes. */
	#coming;
	/** Is asked whether workers have ended, and loses them then: something was taken from somebody who may have known. */
	onTaken;
	constructor(links, ports) {
		this.#links = links;
		this.#ports = ports;
	}
	/** Messages of others that were taken, in all. */
	get taken() {
		return this.#links.reduce((sum, link) => sum + (link?.inbox.taken ?? 0), 0);
	}
	#takeFrom(link, most) {
		if (!this.#ports.ingests.areNoted) return link.drain(most);
		if (link.inbox.isEmpty()) return 0;
		this.#noting = link;
		this.#noted = link.inbox.taken;
		this.#ports.ingests.taking(this.noteTaken);
		try {
			return link.drain(most);
		} finally {
			this.#ports.ingests.taking(void 0);
			this.noteTaken();
			this.#noting = void 0;
		}
	}
	/** Those that are being taken: what comes now is behind them. */
	noteTaken = () => {
		const link = this.#noting;
		if (link === void 0) return;
		const { taken } = link.inbox;
		const count = taken - this.#noted;
		this.#noted = taken;
		if (count > 0) this.#ports.ingests.took(link.worker, count);
	};
	/** Takes what has come; whether anything has. */
	ingest() {
		let any = false;
		for (const link of this.#links) {
			if (link === void 0 || !link.isOpen) continue;
			if (this.#takeFrom(link, this.#ports.batch) > 0) any = true;
			if (link.outbox.spilled > 0 && link.outbox.publish()) link.outbox.wake();
		}
		if (any) this.onTaken?.();
		return any;
	}
	/** Takes so many messages of a worker, in a run again; answers how many there were. */
	takeAgain(worker, count) {
		const link = this.#links[worker];
		const before = this.#before.get(worker);
		if (link === void 0) return 0;
		if (before === void 0) return link.drain(count);
		let taken = 0;
		while (taken < count && before.underWay.length > 0) {
			taken++;
			const message = before.underWay.shift();
			this.#coming?.(message);
			this.takeUnderWay(message);
		}
		if (taken === count) return taken;
		this.#before.delete(worker);
		if (before.isMarked) link.drain(1);
		return taken + link.drain(count - taken);
	}
	/** A run again goes on from the cut of a phase: these were under way, and of some workers the marker has come already that they send first. */
	followUnderWay(underWay, phase, coming) {
		this.#coming = coming;
		for (const link of this.#links) {
			if (link === void 0) continue;
			const { worker } = link;
			const before = {
				underWay: underWay.filter((message) => message.worker === worker),
				isMarked: link.phase >= phase
			};
			if (before.isMarked || before.underWay.length > 0) this.#before.set(worker, before);
		}
	}
	/** So many messages of a worker have come, if not more than that. */
	#available(link, count) {
		const before = this.#before.get(link.worker);
		if (before === void 0) return link.inbox.available(count);
		const marker = before.isMarked ? 1 : 0;
		return before.underWay.length + Math.max(0, link.inbox.available(count + marker) - marker);
	}
	/** Whether so many messages of a worker have come. */
	areThere(worker, count) {
		const link = this.#links[worker];
		return link !== void 0 && this.#available(link, count) >= count;
	}
	/** The same, or as many as can before some are taken. */
	haveCome(worker, count) {
		const link = this.#links[worker];
		if (link === void 0) return false;
		const available = this.#available(link, count);
		return available >= count || available > 0 && link.inbox.isFull;
	}
	/** What waited for room and has got it. */
	publishSpilled() {
		for (const link of this.#links) if (link?.isOpen === true && link.outbox.spilled > 0 && link.outbox.publish()) link.outbox.wake();
	}
	get isRoomMade() {
		return this.#links.some((link) => link?.isOpen === true && link.outbox.isRoomMade());
	}
	/** All that a worker which has ended has sent. */
	takeAll(link) {
		while (this.#takeFrom(link, this.#ports.batch) > 0);
	}
	/** Whether nothing has come from anywhere, and nothing that waits for room has got it. */
	isEmpty = () => {
		for (const link of this.#links) if (link?.isOpen === true && (!link.inbox.isEmpty() || link.outbox.isRoomMade())) return false;
		return true;
	};
	/** A message comes again that was under way. */
	takeUnderWay(message) {
		const { worker } = message;
		const link = this.#links[worker];
		if (link === void 0) throw new RuntimeError("TT_DAMAGED_SNAPSHOT", `a message of worker ${worker} was under way, and there is none`);
		link.bringAgain(message);
		this.#ports.takeAgain(link, message);
	}
};
// packages/runtime/src/unborn.ts
var Unborn = class {
	#here;
	#queue;
	#phase;
	#expected = /* @__PURE__ */ new Map();
	/** How far each creator has come. */
	#created = [];
	/** Up to which ordinal of a creator's those that are not here never will be, and why. */
	#over = [];
	/** Others that will never be here. */
	#failed = /* @__PURE__ */ new Map();
	#heed;
	/** `heed`: a message has waited long enough for the actor. */
	constructor(here, queue, phase, heed) {
		this.#here = here;
		this.#phase = phase;
		this.#queue = queue;
		this.#heed = heed;
	}
	/** Why the worker has ended whose place this one has. */
	get before() {
		return this.#over[this.#here]?.why ?? "its worker has ended";
	}
	get size() {
		return this.#expected.size;
	}
	/** Whether it is still to come. */
	has(id) {
		if (this.#expected.has(id)) return true;
		const creator = creatorOf(id);
		return creator !== this.#here && ordinalOf(id) > (this.#created[creator] ?? 0);
	}
	failure(id) {
		const failure = this.#failed.get(id);
		if (failure !== void 0) return failure;
		const over = this.#over[creatorOf(id)];
		if (over === void 0 || ordinalOf(id) === 0 || ordinalOf(id) > over.ordinal) return void 0;
		return new ActorLostError(`actor ${displayed(id)} is lost: ${over.why}`);
	}
	/** Of what a creator has given ids to, up to an ordinal, nothing will come any more but what it has announced. */
	over(creator, ordinal, why) {
		this.#over[creator] = {
			ordinal,
			why
		};
		this.#created[creator] = Math.max(this.#created[creator] ?? 0, ordinal);
		for (const [id, expected] of this.#expected) {
			if (expected.coming !== void 0 || creatorOf(id) !== creator || ordinalOf(id) > ordinal) continue;
			expected.actor.failure = this.failure(id);
			this.#begin(id, expected);
		}
	}
	/** What its creator has said of it, until it is here. */
	coming(id) {
		return this.#expected.get(id)?.coming;
	}
	/** The actor it will be. */
	actor(id) {
		return this.#expect(id).actor;
	}
	/** An actor that has been made is the one that is expected. */
	expectAgain(actor, ref, revivable) {
		if (this.#expected.has(actor.id)) return;
		const expected = this.#expect(actor.id, actor);
		expected.ref = ref;
		expected.revivable = revivable;
	}
	/** Whether any may be what they were in a snapshot, and nobody has said whether they are to be. */
	get areRevivable() {
		for (const { revivable } of this.#expected.values()) if (revivable !== void 0) return true;
		return false;
	}
	revivable(id) {
		return this.#expected.get(id)?.revivable;
	}
	/** Those that are what they were if the ones are that have spawned them. */
	get children() {
		return [...this.#expected.values()].flatMap(({ actor, revivable }) => revivable?.by === void 0 ? [] : [{
			actor,
			by: revivable.by
		}]);
	}
	/** It will never be what it was. */
	forsake(id) {
		const expected = this.#expect(id);
		expected.actor.failure = this.failure(id);
		this.#begin(id, expected);
	}
	/** The reference it will have. */
	ref(id, type) {
		const expected = this.#expect(id);
		return expected.ref ??= new type(expected.actor, 0, void 0);
	}
	/** Until it is here. */
	wait(id, message) {
		this.#expect(id).messages.push(message);
	}
	/** Its creator has said so; until `born` or `fail`, messages still wait. */
	announced(id, coming) {
		const creator = creatorOf(id);
		const expected = this.#expect(id);
		expected.coming = coming;
		if (wayOf(coming.supervised) !== RESTORE) expected.revivable = void 0;
		this.#created[creator] = Math.max(this.#created[creator] ?? 0, ordinalOf(id));
		return expected.actor;
	}
	/** Its creator has said that it is to be what it was; if that is known, it is here when `begin` has been called with it. */
	revived(id, begin) {
		const expected = this.#expect(id);
		const { revivable } = expected;
		if (revivable === void 0) return false;
		begin(revivable);
		this.#begin(id, expected);
		return true;
	}
	/** `known` is given the reference to it, before what waited is sent. */
	born(id, refClass, type, args, isAnew, known) {
		const ref = this.ref(id, refClass);
		const expected = this.#expect(id);
		expected.birth.of = {
			type,
			ref,
			args
		};
		expected.birth.isAnew = isAnew;
		known(ref);
		this.#begin(id, expected);
	}
	fail(id, failure) {
		const expected = this.#expect(id);
		expected.actor.failure = failure;
		this.#failed.set(id, failure);
		this.#begin(id, expected);
	}
	read() {
		const created = [];
		const over = [];
		this.#created.forEach((ordinal, creator) => created.push([creator, ordinal]));
		this.#over.forEach(({ ordinal, why }, creator) => over.push([
			creator,
			ordinal,
			why
		]));
		return {
			expected: [...this.#expected.values()].map(({ actor, birth, ref, coming, messages }) => ({
				actor,
				birth,
				ref,
				coming,
				messages: [...messages]
			})),
			created,
			over,
			failed: [...this.#failed]
		};
	}
	/** In the place of all that was expected. Classes that were to be found are not looked for by that. */
	write({ expected, created, over, failed }) {
		this.#expected.clear();
		this.#failed.clear();
		this.#created.length = this.#over.length = 0;
		for (const { actor, birth, ref, coming, messages } of expected) {
			const again = coming === void 0 ? void 0 : { ...coming };
			this.#expected.set(actor.id, {
				actor,
				birth,
				ref,
				coming: again,
				revivable: void 0,
				messages: [...messages]
			});
		}
		for (const [creator, ordinal] of created) this.#created[creator] = ordinal;
		for (const [creator, ordinal, why] of over) this.#over[creator] = {
			ordinal,
			why
		};
		for (const [id, failure] of failed) this.#failed.set(id, failure);
	}
	#begin(id, { actor, messages }) {
		this.#expected.delete(id);
		this.#queue.takeUp(actor);
		for (const message of messages) this.#heed(id, message);
	}
	#expect(id, known) {
		let expected = this.#expected.get(id);
		if (expected === void 0) {
			const actor = known ?? new Actor(id, this.#here, `actor ${displayed(id)}`);
			actor.writtenIn = this.#phase();
			const birth = {
				of: void 0,
				isAnew: false
			};
			expected = {
				actor,
				birth,
				ref: void 0,
				coming: void 0,
				revivable: void 0,
				messages: []
			};
			this.#expected.set(id, expected);
			this.#queue.add(actor, actor, birth, BEGIN, void 0, 0, void 0, void 0, void 0);
			this.#queue.putAside(actor);
		}
		return expected;
	}
};
// packages/runtime/src/neighbours.ts
var Neighbours = class {
	references;
	#parts;
	#queue;
	#outgoing;
	#links = [];
	/** With messages that nobody sees yet. */
	#touched = [];
	#unborn;
	#supervision = new Supervision();
	#arrivals;
	taking;
	#life = 0;
	#ingests;
	/** Is told when a worker has ended, before anybody else is, and whether another one has its place. */
	onLost;
	onToBeRestored;
	/** Why actors here are not what they were in a snapshot, though they are to be. */
	whyForgotten = "this worker has not been restored";
	constructor(parts) {
		this.#parts = parts;
		this.#queue = parts.queue;
		this.#outgoing = parts.outgoing;
		this.#unborn = new Unborn(parts.here, parts.queue, () => parts.phase(), (id, message) => this.#arrivals.takeUp(id, message));
		this.#ingests = parts.ingests;
		this.references = new References(parts.here, (worker, actor, number, count) => this.#letGo(worker, actor, number, count), parts.ingests, (actor) => parts.onlooker()?.touch?.(actor), (actor) => parts.pressure.off(actor));
		this.#arrivals = new Arrivals(parts, this, this.references, this.#unborn, this.#supervision);
		this.taking = new Taking(this.#links, {
			ingests: parts.ingests,
			batch: parts.pace.batch,
			takeAgain: (link, { kind, id, number, settles, call, args }) => {
				const [a, b, c] = args;
				if (kind === WIRE.phase) link.marks.taken--;
				this.#arrivals.take(link, kind, 0, id, number, settles, call, args.length, a, b, c, args);
			}
		});
	}
	/** Which life of its worker it is: 0 unless it has the place of one that has ended. */
	get life() {
		return this.#life;
	}
	/** It has the place of a worker that has ended. Before it is joined to others. */
	succeed(life, why) {
		this.#life = life;
		this.references.joined(this.#parts.here, life);
		this.#unborn.over(this.#parts.here, life * LIFE, why);
	}
	get isAlone() {
		return this.#links.length === 0;
	}
	/** Bytes under way to others beside those in the rings: they wait for room in one, or are parcels. */
	get spilled() {
		return this.#links.reduce((sum, link) => sum + (link?.isOpen === true ? link.outbox.spilled + link.outbox.posted : 0), 0);
	}
	connect(make) {
		const link = make({
			here: this.#parts.here,
			life: this.#life,
			phase: () => this.#parts.phase(),
			classes: this.#parts.classes,
			references: this.references,
			types: this.#parts.host.types,
			engine: this.#parts.realm.parts.host.engine,
			reference: (value) => this.#outgoing.isEventual(value) ? value : this.#parts.referenceTo(value),
			createEventual: () => this.#parts.realm.parts.eventuals.create(),
			forward: (eventual, to, number) => this.#outgoing.passAway(eventual, to, number),
			expected: (id, number, type) => this.#arrivals.expected(id, number, type),
			takerOf: (from) => (kind, sender, actor, target, settles, call, count, a, b, c, many) => this.#arrivals.take(from, kind, sender, actor, target, settles, call, count, a, b, c, many),
			woken: () => this.#parts.wake(),
			errorClassName: (prototype) => this.#parts.host.errorClassName(prototype),
			errorPrototype: (name) => this.#parts.host.errorPrototype(name)
		});
		this.#links[link.worker] = link;
		this.references.joined(link.worker, link.life);
		if (this.#parts.phase() > 0) this.#mark(link.worker, this.#parts.phase());
		this.#parts.wake();
	}
	/** A worker has ended, in a certain life of it: this one learns it between two turns. */
	lose(worker, life, why, successor) {
		const noted = {
			why,
			isReplaced: successor !== void 0,
			isRestored: successor?.isRestored === true
		};
		this.#ingests.happened("lost", `${worker} ${life}`, (event) => {
			const known = event === void 0 ? noted : lossOf(event);
			const next = successor === void 0 ? void 0 : {
				...successor,
				isRestored: known.isRestored
			};
			return this.#lost(worker, life, known.why, next);
		}, noted);
	}
	/** The same, in a run again, if nobody has taken its place. */
	loseAgain(event) {
		const [worker, life] = event.key.split(" ").map(Number);
		const { why, isReplaced } = lossOf(event);
		return isReplaced ? void 0 : () => this.#lost(worker, life, why);
	}
	/**
	* What it has sent is taken first; then all that waits for it is told. With `successor`, another one takes its place, and is given what this one
	* supervises before anything else can be sent there.
	*/
	#lost(worker, life, why, successor) {
		const link = this.#links[worker];
		if (link === void 0 || !link.isOpen || link.life !== life) return false;
		this.onLost?.(worker, successor !== void 0);
		this.#parts.snapshots()?.lost(worker);
		if (!this.#ingests.isFollowing) this.taking.takeAll(link);
		this.publish();
		const watching = [];
		for (const waiting of link.abandon(why)) {
			const { eventual, actor, asked, call } = waiting;
			if (call === void 0 && asked.life === EVERY_LIFE && successor !== void 0) {
				watching.push(waiting);
				continue;
			}
			const failure = asked === link.peer ? new ActorLostError(why) : link.failure(asked);
			const kind = call === void 0 ? FULFIL : REJECT;
			this.#queue.add(link.peer, actor, void 0, kind, eventual, 1, failure, void 0, void 0);
		}
		for (const each of this.references.strangersOf(worker)) {
			this.#parts.pressure.off(each);
			each.waiting = 0;
		}
		this.#unborn.over(worker, (life + 1) * LIFE - 1, why);
		this.#arrivals.settleChildren();
		this.#claimFrom(worker, successor?.isRestored === true);
		if (successor === void 0) this.#supervision.endAll(worker);
		else {
			this.connect((owner) => successor.link(owner, why));
			this.#resume(worker, watching);
		}
		return true;
	}
	/** Whether it is still to be heard which of the actors are what they were in a snapshot. */
	get areRevivable() {
		return this.#unborn.areRevivable;
	}
	/**
	* What was there in an earlier life of this worker is there again: references to what lives elsewhere count as given by those it lives with, and
	* actors as soon as somebody says so. `supervised`: by actors here; `waiting`: what the program outside of all actors was waiting for.
	*/
	revive(foreign, actors, supervised, waiting) {
		for (const ref of foreign) this.#claimAgain(ref);
		for (const each of supervised) if (this.#links[each.actor.worker]?.isOpen === true) this.#supervision.add(each);
		for (const known of actors) this.#arrivals.expectAgain(known);
		this.#arrivals.settleChildren();
		this.#arrivals.tellOfLoss(this.#parts.main, waiting);
	}
	#claimAgain(ref) {
		const actor = FarRef.actorOf(ref);
		if (this.to(actor)?.hasLost(actor) !== false) return;
		this.references.takeAgain(actor.worker, ref);
		this.send(actor.worker, WIRE.claim, this.#parts.here, actor.id, FarRef.numberOf(ref), 0);
	}
	/** Nothing more is claimed of what earlier lives of this worker were given, which waits for that if they were to be restored. */
	claimNoMore() {
		const { here, main } = this.#parts;
		const place = this.references.placeOf(here);
		for (const link of this.links) this.send(link.worker, WIRE.claimed, here, main.id, 0, place);
	}
	/** What is sent from here on is sent in that phase. */
	mark(phase) {
		this.#links.forEach((_, worker) => this.#mark(worker, phase));
	}
	#mark(worker, phase) {
		const link = this.#links[worker];
		if (link?.isOpen !== true) return;
		link.marks.sent++;
		this.send(worker, WIRE.phase, 0, 0, 0, phase);
	}
	/** `isRestored`: whoever has its place will claim what it had, too. */
	#claimFrom(worker, isRestored) {
		const { here, main } = this.#parts;
		const place = this.references.placeOf(worker);
		const { others } = this;
		this.references.lost(worker, isRestored ? [...others, worker] : others, (actor, number) => this.send(actor.worker, WIRE.claim, here, actor.id, number, 0));
		for (const other of others) this.send(other, WIRE.claimed, here, main.id, 0, place);
	}
	/** Another worker has the place of one that has ended. */
	#resume(worker, watching) {
		const { main } = this.#parts;
		const link = this.#links[worker];
		for (const each of this.#supervision.of(worker)) {
			this.#announce(link, main, each, each.way + 16);
			this.references.takeAgain(worker, each.ref);
		}
		this.send(worker, WIRE.come, main.id, main.id, 0, this.#parts.spawned());
		for (const { eventual, actor, asked } of watching) this.send(worker, WIRE.watch, actor.id, asked.id, 0, link.ask(eventual, actor, asked, void 0));
	}
	/** In a run again: nothing goes on here, and others may still take what they took. */
	handOver() {
		for (const link of this.#links) if (link?.isOpen === true) link.outbox.handOver();
	}
	/** Other workers are no more. */
	close() {
		for (const link of this.#links) if (link !== void 0) this.lose(link.worker, link.life, "the app has been closed");
	}
	/** Whether nothing has come that is not taken, and nothing that was sent waits for room. */
	get isQuiet() {
		return this.#unborn.size === 0 && this.#links.every((link) => link === void 0 || !link.isOpen || link.isQuiet);
	}
	/** Messages sent to and taken from each other worker, but those that say that a phase begins: while nothing else does, they come for ever. */
	get traffic() {
		let sent = 0;
		let taken = 0;
		for (const link of this.#links) {
			if (link === void 0 || !link.isOpen) continue;
			sent += link.outbox.sent - link.marks.sent;
			taken += link.inbox.taken - link.marks.taken;
		}
		return {
			sent,
			taken
		};
	}
	touch(link) {
		if (!link.isTouched) {
			link.isTouched = true;
			this.#touched.push(link);
		}
		this.#parts.wake();
	}
	/** Makes visible what was sent: once a turn, or a round of them. Whether there was anything. */
	publish() {
		const touched = this.#touched;
		if (touched.length === 0) return false;
		this.#touched = [];
		this.#ingests.commit();
		for (const link of touched) {
			link.isTouched = false;
			if (link.isOpen && link.outbox.publish()) link.outbox.wake();
		}
		return true;
	}
	#letGo(worker, actor, number, count) {
		const isHome = worker === actor.worker;
		const kind = isHome ? WIRE.letGo : WIRE.letGoOf;
		this.send(actor.worker, kind, 0, actor.id, number, count, this.references.placeOf(isHome ? this.#parts.here : worker));
	}
	/** An actor that is to live elsewhere. */
	spawn(from, actor, type, refClass, args, mailbox, way) {
		const link = this.#links[actor.worker];
		if (link === void 0) throw new RuntimeError("TT_PLACEMENT", `there is no worker ${actor.worker}`);
		if (!link.isOpen) throw link.failure(actor);
		const isSupervised = way !== 0;
		actor.life = isSupervised ? EVERY_LIFE : link.life;
		const made = isSupervised ? this.#outgoing.kept(args, type.name) : args;
		this.#announce(link, from, {
			actor,
			type,
			args: made,
			mailbox
		}, way);
		const ref = this.references.spawned(actor, refClass);
		if (isSupervised) this.#supervision.add({
			actor,
			type,
			args: made,
			mailbox,
			way,
			ref
		});
		return ref;
	}
	#announce(link, from, { actor, type, args, mailbox }, supervised) {
		const address = this.#parts.host.classes.addressOf(type);
		const name = (place) => `args[${place - 2}] of new ${type.name}`;
		link.addMany(WIRE.spawn, from.id, actor.id, 0, supervised, address, [
			actor.name,
			mailbox,
			...args
		], name);
		this.touch(link);
	}
	/** An actor is to end: it is not made anew, even if its worker ends before. */
	ends(actor) {
		this.#supervision.end(actor.id);
	}
	/** A worker is to hold those who send to an actor here, or to hold them no longer. */
	press(worker, actor, isOn) {
		this.send(worker, WIRE.pressure, 0, actor.id, 0, isOn ? 1 : 0);
	}
	/** A message of the runtime's own, about an actor. */
	signal(worker, kind, from, actor, number, settles) {
		this.send(worker, kind, from.id, actor.id, number, settles);
	}
	send(worker, kind, from, actor, number, settles, about) {
		const link = this.#links[worker];
		if (link?.isOpen !== true) return;
		const count = about === void 0 ? 0 : 1;
		link.add(kind, from, actor, number, settles, void 0, count, about, void 0, void 0, noName);
		this.touch(link);
	}
	/** A worker is told of a trail, if it still is the one that has asked. */
	report(worker, life, kind, before, number, question, what) {
		if (this.#links[worker]?.life === life) this.send(worker, kind, 0, before, number, question, what);
	}
	/** An actor of this worker that is supervised here: until it is stopped, whoever still knows that it has a reference. */
	keepHere(actor, ref, way, by) {
		this.#arrivals.keep(actor, ref, this.#parts.here, way, by);
	}
	/** One that another worker has supervised is not to be made anew. */
	unsupervised(actor, ref, supervisor) {
		const { here } = this.#parts;
		this.references.takeBackOne(here, ref);
		this.send(supervisor, WIRE.ended, here, actor.id, 0, 0);
	}
	/** What leads to the others, those that have ended among them. */
	get links() {
		return this.#links.filter((link) => link !== void 0);
	}
	/** Workers that messages come from. */
	get others() {
		return this.#links.flatMap((link) => link?.isOpen === true ? [link.worker] : []);
	}
	/** Actors that are known by others and are not here yet, or not any more. */
	expectAgain(actors) {
		for (const each of actors) this.#arrivals.expectAgain(each);
	}
	/** A run again goes on from a cut: what was under way comes when it came, and what is not known but by that is known then. */
	follow(underWay, actors) {
		const isStillToCome = ({ actor }) => this.#unborn.has(actor.id);
		const inTime = new KnownInTime(actors.filter(isStillToCome));
		this.expectAgain(actors.filter((each) => !isStillToCome(each)));
		this.taking.followUnderWay(underWay, this.#parts.phase(), (message) => this.expectAgain(inTime.by(message)));
	}
	read() {
		return {
			life: this.#life,
			links: this.#links.flatMap((link) => link === void 0 ? [] : [link.read()]),
			references: this.references.read(),
			unborn: this.#unborn.read(),
			supervised: this.#supervision.read()
		};
	}
	/** In the place of all that was kept in mind. Whoever is a worker there has been joined before. */
	write({ life, links, references, unborn, supervised }) {
		this.#life = life;
		for (const each of links) {
			const link = this.#links[each.worker];
			if (link === void 0 || each.isOpen && link.life !== each.life) throw new RuntimeError("TT_PLACEMENT", `worker ${this.#parts.here} is to go on with worker ${each.worker} in its life ${each.life}, and is joined to ${link === void 0 ? "none there" : `its life ${link.life}`}; join that one first`);
			link.write(each);
		}
		this.references.write(references);
		this.#unborn.write(unborn);
		this.#supervision.write(supervised);
		for (const { actor, coming } of unborn.expected) if (coming !== void 0) this.#arrivals.findAgain(actor.id);
	}
	to({ worker }) {
		return this.#links[worker];
	}
};
function lossOf({ value }) {
	return value;
}
function noName() {
	return "a message of the runtime";
}
// packages/runtime/src/outgoing.ts
var Outgoing = class {
	#parts;
	#realm;
	#now;
	#main;
	#pump;
	#here;
	#queue;
	#passing;
	/** For whom the value is that is being passed; nobody yet, if it waits for an eventual. */
	#recipient;
	#trails;
	constructor(parts) {
		this.#parts = parts;
		this.#realm = parts.realm;
		this.#now = parts.realm.now;
		this.#main = parts.main;
		this.#pump = parts.pump;
		this.#here = parts.here;
		this.#queue = parts.queue;
		this.#trails = parts.trails;
		this.#passing = new Passing({
			reference: (value) => this.#referenceTo(value),
			types: parts.types
		});
		this.#realm.forwardBy((target, value, isRejected) => this.#forwarded(target, value, isRejected));
	}
	/** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
	#current() {
		const { home } = this.#now.context;
		return home instanceof Actor ? home : this.#main;
	}
	send(ref, asks, call, count, a, b, c) {
		const actor = FarRef.actorOf(ref);
		if (observed.sends) publishSend(actor, call, asks, this.#current());
		const settles = asks ? this.#realm.parts.eventuals.create() : void 0;
		const { trail } = this.#realm.now.context;
		if (trail !== void 0) this.#callTracked(ref, settles, call, listOf(count, a, b, c, NOTHING), trail);
		else if (actor.worker !== this.#here) this.#callAway(ref, settles, call, count, a, b, c);
		else {
			const from = this.#current();
			if (actor.waiting >= actor.mark && this.#isRefused(from, actor, settles)) return settles;
			this.#queue.add(from, actor, ref, call, settles, count, count > 0 ? this.#pass(a, from, actor, call, 0) : void 0, count > 1 ? this.#pass(b, from, actor, call, 1) : void 0, count > 2 ? this.#pass(c, from, actor, call, 2) : void 0);
			if (!this.#pump.isAwake) this.#parts.wake();
		}
		return settles;
	}
	tell(teller, root, call, count, a, b, c) {
		if (root.worker !== this.#here || observed.sends || observed.turns) return void this.send(Teller.refOf(teller), false, call, count, a, b, c);
		const from = this.#current();
		if (root.waiting >= root.mark && isToBeHeld(from, root) && this.#isRefused(from, root, void 0)) return;
		this.#queue.tell(root, call, count, count > 0 ? this.#pass(a, from, root, call, 0) : void 0, count > 1 ? this.#pass(b, from, root, call, 1) : void 0, count > 2 ? this.#pass(c, from, root, call, 2) : void 0);
		if (!this.#pump.isAwake) this.#parts.wake();
	}
	sendMany(ref, asks, call, args) {
		if (observed.sends) publishSend(FarRef.actorOf(ref), call, asks, this.#current());
		const settles = asks ? this.#realm.parts.eventuals.create() : void 0;
		this.#call(ref, settles, call, args, this.#realm.now.context.trail);
		return settles;
	}
	/** Of what turns out to be no reference, `settles` is rejected. `trail` is there if somebody wants to know how far it came. */
	callOn(target, settles, call, args, trail) {
		if (FarRef.has(target)) {
			if (typeof target[call] !== "function") return this.refuse(settles, unknownMethod(FarRef.actorOf(target), call));
			if (observed.sends) publishSend(FarRef.actorOf(target), call, settles !== void 0, this.#current());
			return this.#call(target, settles, call, args, trail);
		}
		if (!this.isEventual(target)) return this.refuse(settles, noReference(call, target));
		const taken = this.#passAll(args, void 0, call);
		this.#forward(target, new Later(call, taken, settles, trail));
	}
	#call(ref, settles, call, args, trail) {
		if (trail !== void 0) this.#callTracked(ref, settles, call, args, trail);
		else if (FarRef.actorOf(ref).worker !== this.#here) this.#callManyAway(ref, settles, call, args);
		else this.#callHere(ref, settles, call, call, args);
	}
	#callTracked(ref, settles, call, args, before) {
		if (settles === void 0) return this.#call(ref, settles, call, args, void 0);
		const actor = FarRef.actorOf(ref);
		const trail = this.#trails.lead(before, nameOf(actor, call));
		this.#trails.ask(settles, this.#current(), trail);
		try {
			if (actor.worker !== this.#here) this.#callManyAway(ref, settles, call, args, trail);
			else this.#callHere(ref, settles, new TrackedCall(call, trail), call, args);
		} catch (error) {
			this.#trails.end(trail);
			throw error;
		}
	}
	#callHere(ref, settles, call, name, args) {
		const actor = FarRef.actorOf(ref);
		const from = this.#current();
		if (actor.waiting >= actor.mark && this.#isRefused(from, actor, settles)) return;
		this.#enqueue(from, actor, ref, call, settles, this.#passAll(args, actor, name));
		if (!this.#pump.isAwake) this.#parts.wake();
	}
	#isRefused(from, actor, settles) {
		const refusal = this.#parts.pressure.on(from, actor);
		if (refusal !== void 0) this.refuse(settles, refusal);
		return refusal !== void 0;
	}
	#enqueue(sender, actor, target, call, settles, args) {
		const count = args.length;
		if (count > 3) this.#queue.addMany(sender, actor, target, call, settles, args);
		else this.#queue.add(sender, actor, target, call, settles, count, args[0], args[1], args[2]);
	}
	#callAway(ref, settles, call, count, a, b, c, many = NOTHING, trail) {
		const actor = FarRef.actorOf(ref);
		const link = this.#parts.linkTo(actor);
		if (link.hasLost(actor)) return this.refuse(settles, link.failure(actor));
		const from = this.#current();
		if (actor.waiting >= actor.mark) this.#parts.pressure.on(from, actor);
		const question = settles === void 0 ? 0 : link.ask(settles, from, actor, call);
		if (trail !== void 0) link.track(question, trail);
		const kind = trail === void 0 ? WIRE.call : WIRE.trackedCall;
		const number = FarRef.numberOf(ref);
		const name = (place) => `args[${place}] of ${nameOf(actor, call)}`;
		try {
			if (count > 3) link.addMany(kind, from.id, actor.id, number, question, call, many, name);
			else link.add(kind, from.id, actor.id, number, question, call, count, a, b, c, name);
		} catch (error) {
			link.unask(question);
			throw error;
		}
		this.#parts.touch(link);
	}
	#callManyAway(ref, settles, call, args, trail) {
		this.#callAway(ref, settles, call, args.length, args[0], args[1], args[2], args, trail);
	}
	/** What cannot be asked is rejected, what cannot be told is reported where it was. */
	refuse(settles, reason) {
		if (settles !== void 0) this.settle(settles, reason, true);
		else this.#parts.report(this.#current(), reason);
	}
	/** The outcome of a call goes to who asked for it, as a message; that of what the call has begun once there is one. */
	answer(actor, to, settles, call, value) {
		if (settles === void 0) return;
		if ((typeof value === "object" && value !== null || typeof value === "function") && this.isEventual(value)) return this.#forward(value, new Forward(actor, to, settles, call));
		if (to.worker !== this.#here) return this.#answerAway(actor, to, settles, call, value);
		let passed = value;
		try {
			if (isPart(value)) passed = this.#passResult(value, actor, to, call);
		} catch (error) {
			return this.fail(actor, to, settles, error, call);
		}
		this.#queue.add(actor, to, void 0, FULFIL, settles, 1, passed, void 0, void 0);
		if (!this.#pump.isAwake) this.#parts.wake();
	}
	#answerAway(actor, to, question, call, value) {
		const link = this.#parts.linkTo(to);
		if (!link.isOpen || link.peer !== to) return;
		const name = () => `the result of ${nameOf(actor, call)}`;
		try {
			link.add(WIRE.answer, actor.id, 0, 0, question, void 0, 1, value, void 0, void 0, name);
		} catch (error) {
			return this.fail(actor, to, question, error, call);
		}
		this.#parts.touch(link);
	}
	/** What nobody asked for is reported where it has failed. */
	fail(actor, to, settles, reason, call) {
		if (settles === void 0) return this.#parts.report(actor, reason);
		if (to.worker !== this.#here) {
			const link = this.#parts.linkTo(to);
			if (link.isOpen && link.peer === to) this.#sendOutcome(link, actor, WIRE.failure, settles, reason);
			return;
		}
		let passed;
		try {
			passed = this.#passTo(to, reason, () => thrownBy(actor));
			if (call !== "an eventual that was passed") askedOf(passed, actor, call);
		} catch (error) {
			passed = refusedError(error, reason);
		}
		this.#queue.add(actor, to, void 0, REJECT, settles, 1, passed, void 0, void 0);
		if (!this.#pump.isAwake) this.#parts.wake();
	}
	/** A value that does not pass becomes the reason why. */
	#sendOutcome(link, actor, kind, number, value) {
		const name = () => kind === WIRE.failure ? thrownBy(actor) : `an eventual that ${actor.name} has passed`;
		try {
			link.add(kind, actor.id, 0, 0, number, void 0, 1, value, void 0, void 0, name);
		} catch (error) {
			const failed = kind === WIRE.settled ? WIRE.failed : kind;
			const reason = refusedError(error, value);
			link.add(failed, actor.id, 0, 0, number, void 0, 1, reason, void 0, void 0, name);
		}
		this.#parts.touch(link);
	}
	isEventual(value) {
		return Eventual.has(value) || this.#realm.parts.brands.isNativePromise(value);
	}
	/** Settles what may be settled already, by a deadline. */
	settle(eventual, value, isRejected) {
		if (this.#trails.areAny) this.#trails.answer(eventual);
		if (Eventual.state(eventual) !== PENDING) return;
		const { eventuals } = this.#realm.parts;
		if (isRejected) {
			if (this.#parts.types.isNativeError(value)) awaitedBy(value, () => this.#parts.awaitedBy(eventual));
			eventuals.reject(eventual, value);
		} else eventuals.resolve(eventual, value);
	}
	/** An eventual goes to another worker, which will know it by a number. */
	passAway(eventual, link, number) {
		this.#forward(eventual, new Passed(link, number));
	}
	#forward(value, target) {
		const { eventuals } = this.#realm.parts;
		eventuals.forward(eventuals.eventualOf(value), target);
	}
	#forwarded(target, value, isRejected) {
		if (target instanceof Forward) {
			const { owner, to, settles, call } = target;
			if (isRejected) this.fail(owner, to, settles, value, call);
			else this.answer(owner, to, settles, call, value);
		} else if (target instanceof Passed) {
			const { link, number } = target;
			if (!link.isOpen) return;
			this.#sendOutcome(link, this.#current(), isRejected ? WIRE.failed : WIRE.settled, number, value);
		} else if (target instanceof Later) {
			const { call, args, settles, trail } = target;
			if (isRejected) this.refuse(settles, value);
			else this.callOn(value, settles, call, args, trail);
		}
	}
	/** An eventual of the recipient's that is settled as this one is. */
	#passedEventual(value, to) {
		const settles = this.#realm.parts.eventuals.create();
		this.#forward(value, new Forward(this.#current(), to, settles, PASSED));
		return settles;
	}
	#pass(value, from, actor, call, place) {
		if (typeof value !== "object" || value === null) {
			if (typeof value !== "function" && typeof value !== "symbol") return value;
		} else {
			if (value === from.root) return from.rootRef;
			if (FarRef.has(value)) return value;
		}
		return this.#passArgument(value, actor, call, place);
	}
	#passArgument(value, actor, call, place) {
		return this.#passTo(actor, value, () => `args[${place}] of ${nameOf(actor, call)}`);
	}
	#passResult(value, actor, to, call) {
		return this.#passTo(to, value, () => `the result of ${nameOf(actor, call)}`);
	}
	#passAll(args, actor, call) {
		const name = actor === void 0 ? call : nameOf(actor, call);
		return args.map((arg, i) => this.#passTo(actor, arg, () => `args[${i}] of ${name}`));
	}
	/** For the constructor of an actor that may be made more than once: as it is now. */
	kept(args, type) {
		return this.#passAll(args, void 0, `new ${type}`);
	}
	/** For the constructor of an actor that is about to live here. */
	passToNew(args, actor, type) {
		return args.map((arg, i) => this.#passTo(actor, arg, () => `args[${i}] of new ${type}`));
	}
	#passTo(actor, value, name) {
		const before = this.#recipient;
		this.#recipient = actor;
		try {
			return this.#passing.pass(value, name);
		} finally {
			this.#recipient = before;
		}
	}
	#referenceTo(value) {
		if (!this.isEventual(value)) return this.#parts.referenceTo(value);
		const recipient = this.#recipient;
		return recipient === void 0 ? value : this.#passedEventual(value, recipient);
	}
};
/** Whether it makes a difference that `from` sends to an actor that has as much as it wants; most often it is held already. */
function isToBeHeld(from, to) {
	return !from.isHeld || to.isHeld || to.waiting >= to.limit;
}
function isPart(value) {
	return typeof value === "object" && value !== null || typeof value === "function" || typeof value === "symbol";
}
function nameOf(actor, call) {
	return `${actor.name}.${call}`;
}
function thrownBy(actor) {
	return `what ${actor.name} has thrown`;
}
function unknownMethod(actor, call) {
	return new RuntimeError("TT_UNKNOWN_METHOD", `${actor.name} has no method ${JSON.stringify(call)}; only methods of its class can be called`);
}
function noReference(call, target) {
	return new RuntimeError("TT_NOT_A_REFERENCE", `${call}() was sent to ${target === null ? "null" : typeof target === "object" ? "an object" : typeof target}, which is no far reference; await it and call it, or have the other actor answer far(…)`);
}
// packages/runtime/src/pressure.ts
var Pressure = class {
	#queue;
	#main;
	/** Those on whose account others are held. */
	#pressing = /* @__PURE__ */ new Set();
	#tell;
	/** `tell`: a worker, about an actor here. */
	constructor(queue, main, tell) {
		this.#queue = queue;
		this.#main = main;
		this.#tell = tell;
	}
	/** `from` sends to an actor that has as much as it wants; answers why it must not, if so. */
	on(from, to) {
		if (to.waiting >= to.limit) return full(to);
		this.#queue.letGo(to);
		if (from === this.#main || from === to || from.isHeld || from.waiting >= from.mark) return void 0;
		if (from.held !== void 0 || from.heldWorkers !== void 0) return void 0;
		this.#queue.hold(from);
		(to.held ??= []).push(from);
		this.#pressing.add(to);
	}
	/** The same of a sender on another worker. */
	onFrom(worker, to) {
		if (to.waiting >= to.limit) return full(to);
		this.#queue.letGo(to);
		const workers = to.heldWorkers ??= [];
		if (!workers.includes(worker)) {
			workers.push(worker);
			this.#pressing.add(to);
			this.#tell(worker, to, true);
		}
	}
	/** Those on whose account others are held, and those others. */
	get pressed() {
		return [...this.#pressing].flatMap((actor) => [actor, ...actor.held ?? []]);
	}
	/** It is among them again. */
	pressAgain(actor) {
		if (actor.held !== void 0 || actor.heldWorkers !== void 0) this.#pressing.add(actor);
	}
	/** An actor has had a turn, and others are held on its account. */
	turned(actor) {
		if (actor.waiting <= actor.mark / 2) this.off(actor);
	}
	off(actor) {
		const { held = [], heldWorkers = [] } = actor;
		actor.held = actor.heldWorkers = void 0;
		this.#pressing.delete(actor);
		for (const each of held) this.#queue.letGo(each);
		for (const worker of heldWorkers) this.#tell(worker, actor, false);
	}
};
function full(actor) {
	return new RuntimeError("TT_MAILBOX_FULL", `${actor.waiting} messages wait for ${actor.name}, as many as may; send it less at a time, or spawn it with a higher limit`);
}
// packages/runtime/src/own-references.ts
var OwnReferences = class {
	#others = /* @__PURE__ */ new WeakMap();
	/** The reference to an object of an actor's, if it has one. */
	of(actor, object) {
		return actor.root === object ? actor.rootRef : this.#others.get(object);
	}
	add(object, ref) {
		this.#others.set(object, ref);
	}
	delete(object) {
		this.#others.delete(object);
	}
};
// packages/runtime/src/program.ts
var Program = class {
	/** The ordinal of the actor that was spawned last. */
	spawned = 0;
	#parts;
	#realm;
	#main;
	#outgoing;
	/** References to what belongs to actors here. */
	#refs = new OwnReferences();
	constructor(parts) {
		this.#parts = parts;
		this.#realm = parts.realm;
		this.#main = parts.main;
		this.#outgoing = parts.outgoing;
	}
	/** An actor with an instance of the class as its root. It is made in the actor's first turn. */
	spawn(type, args, worker = this.#parts.here, settings = {}) {
		const { name, mailbox, supervise } = settings;
		if (typeof type !== "function" || typeof type.prototype !== "object") throw noClass(type);
		if (mailbox !== void 0) checkMailbox(mailbox);
		const way = checkSupervise(supervise);
		const from = this.currentActor();
		const id = ++this.spawned * 64 + this.#parts.here;
		const actor = new Actor(id, worker, name ?? type);
		actor.writtenIn = this.#parts.phase();
		const refClass = this.#parts.classes.of(type.prototype);
		if (observed.spawns) publishSpawn(actor, type, from);
		if (worker !== this.#parts.here) return this.#parts.neighbours.spawn(from, actor, type, refClass, args, mailbox, way);
		if (mailbox !== void 0) actor.setMailbox(mailbox);
		const passed = args.length === 0 ? NOTHING : this.#outgoing.passToNew(args, actor, type.name);
		const ref = new refClass(actor, 0, void 0);
		this.#parts.queue.addMany(from, actor, type, CONSTRUCT, ref, passed);
		if ((way === ROLLBACK || way === RESTORE) && worker !== 0) this.#parts.neighbours.keepHere(actor, ref, way, from);
		this.#parts.wake();
		return ref;
	}
	/** A reference to an object of the actor whose turn it is, for others. */
	far(object) {
		const actor = this.currentActor();
		if (object === actor.root) return actor.rootRef;
		if (FarRef.has(object)) return object;
		const known = this.#refs.of(actor, object);
		if (known !== void 0) return known;
		this.#parts.company.onlooker?.touch?.(actor);
		const ref = new (this.#parts.classes.ofObject(object))(actor, this.#parts.neighbours.life * LIFE + ++actor.exports, object);
		this.#refs.add(object, ref);
		return ref;
	}
	/** The object behind a reference, if it belongs to the actor whose turn it is. */
	near(ref) {
		return FarRef.actorOf(ref) === this.currentActor() ? FarRef.objectOf(ref) : void 0;
	}
	/** Equal for references to one object, in all actors. */
	identityOf(ref) {
		return String(keyFor(FarRef.actorOf(ref).id, FarRef.numberOf(ref)));
	}
	/** For messages whose outcome nobody asks for. `target`: a reference, or an eventual that will be one. */
	tell(target) {
		if (FarRef.has(target)) return FarRef.tellerOf(target);
		return sending((call, args) => this.#outgoing.callOn(target, void 0, call, args));
	}
	/** For messages to a reference, or to an eventual that will be one. */
	send(target) {
		if (FarRef.has(target)) return target;
		return sending((call, args) => {
			const settles = this.#realm.parts.eventuals.create();
			this.#outgoing.callOn(target, settles, call, args, this.#realm.now.context.trail);
			return settles;
		});
	}
	/** For messages whose answer is wanted in time. */
	sendWith(options, target) {
		checkDeadline(options.deadline);
		return sending((call, args) => {
			const { eventuals } = this.#realm.parts;
			const settles = eventuals.create();
			const actor = this.currentActor();
			if (options.signal?.aborted === true) {
				eventuals.reject(settles, options.signal.reason);
				return settles;
			}
			const outer = this.#realm.now.context.trail;
			const number = this.#parts.deadlines.next();
			const trail = new Trail(actor.name, outer === void 0 ? void 0 : new ReportedTrail(outer), number);
			if (!FarRef.has(target)) this.#parts.trails.ask(settles, actor, trail);
			this.#outgoing.callOn(target, settles, call, args, trail);
			this.#parts.deadlines.add(options, {
				number,
				actor,
				settles,
				call,
				trail
			});
			return settles;
		});
	}
	/** After what has been sent to it before: what waits for the actor then, and what comes, is rejected, and its objects are let go. */
	stop(ref) {
		const actor = FarRef.actorOf(ref);
		if (actor.id < 64) throw new RuntimeError("TT_NOT_OWNER", "this belongs to no actor that was spawned, so there is none to stop; who has lent it takes it back with release(…)");
		const from = this.currentActor();
		if (actor.worker === this.#parts.here) {
			this.#parts.queue.add(from, actor, void 0, STOP, void 0, 0, void 0, void 0, void 0);
			this.#parts.wake();
			return;
		}
		this.#parts.neighbours.ends(actor);
		this.#parts.neighbours.signal(actor.worker, WIRE.stop, from, actor, 0, 0);
	}
	/** Takes back a reference to an object of the actor whose turn it is: what is sent to it from now on is rejected. */
	release(ref) {
		const actor = FarRef.actorOf(ref);
		const object = FarRef.objectOf(ref);
		if (actor !== this.currentActor()) throw new RuntimeError("TT_NOT_OWNER", `only ${actor.name} can release what belongs to it`);
		if (FarRef.numberOf(ref) === 0) throw new RuntimeError("TT_NOT_OWNER", `${actor.name} is an actor, not an object of one; stop it with stop(…)`);
		this.#parts.company.onlooker?.touch?.(actor);
		this.#parts.snapshots()?.release(ref);
		if (object !== void 0) this.#refs.delete(object);
		FarRef.release(ref);
	}
	/** Settled with the reason when nothing can be sent to the actor any more. */
	whenBroken(ref) {
		const actor = FarRef.actorOf(ref);
		const settles = this.#realm.parts.eventuals.create();
		const from = this.currentActor();
		if (actor.worker === this.#parts.here) {
			this.#parts.endings.watch(actor, {
				what: "asked",
				to: from,
				settles
			});
			return settles;
		}
		const link = this.#parts.neighbours.to(actor);
		if (link.hasLost(actor)) this.#realm.parts.eventuals.resolve(settles, link.failure(actor));
		else this.#parts.neighbours.signal(actor.worker, WIRE.watch, from, actor, 0, link.ask(settles, from, actor, void 0));
		return settles;
	}
	/** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
	currentActor() {
		const { home } = this.#realm.now.context;
		return home instanceof Actor ? home : this.#main;
	}
	/** To an object that passes by reference, if it is one. */
	referenceTo(value) {
		if (FarRef.has(value)) return value;
		return this.#refs.of(this.currentActor(), value) ?? (this.#parts.host.isReferenced(value) ? this.far(value) : void 0);
	}
	/** What was lent before is known again. */
	lendAgain(object, ref) {
		this.#refs.add(object, ref);
	}
};
function noClass(value) {
	return new RuntimeError("TT_UNKNOWN_CLASS", `spawn was given ${typeof value === "function" ? "a function" : typeof value === "object" ? "an object" : String(value)}, which is no class; if its module is imported in a circle, it is not there yet`);
}
/** An object on which any method can be called, but `then`. */
function sending(send) {
	return new Proxy(blank, { get: (_, key) => typeof key === "symbol" || key === "then" ? void 0 : (...args) => send(key, args) });
}
const blank = Object.freeze({ __proto__: null });
// packages/runtime/src/trace/answers.ts
function answerOf(value) {
	if (isPlain(value)) return { value };
	try {
		return { clone: serialize(value) };
	} catch (error) {
		return failureFor(error);
	}
}
function readAnswer(answer) {
	return "clone" in answer ? deserialize(answer.clone) : structuredClone(answer.value);
}
function failureFor(reason) {
	if (!(reason instanceof Error)) return {
		failure: String(reason),
		code: void 0
	};
	const { code } = reason;
	return {
		failure: reason.message,
		code: typeof code === "string" ? code : void 0
	};
}
function readFailure({ failure, code }) {
	if (code === void 0) return new Error(failure);
	return code === "TT_ACTOR_LOST" ? new ActorLostError(failure) : new RuntimeError(code, failure);
}
/** Of a question whose answer belongs to another life of the process. */
function noAnswer() {
	return new RuntimeError("TT_CLOSED", "this was asked before the snapshot that the program goes on from, and is not answered any more; ask again");
}
function isPlain(value, depth = 0) {
	switch (typeof value) {
		case "undefined":
		case "boolean":
		case "number":
		case "bigint":
		case "string": return true;
		case "object":
			if (value === null) return true;
			if (depth > 8) return false;
			if (Array.isArray(value)) return value.every((each) => isPlain(each, depth + 1));
			return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every((each) => isPlain(each, depth + 1));
		default: return false;
	}
}
// packages/runtime/src/questions.ts
var Questions = class {
	#ports;
	#asked = /* @__PURE__ */ new Set();
	/** So many so far. */
	#count = 0;
	constructor(ports) {
		this.#ports = ports;
	}
	/** An eventual of whose code runs; one that waits for a snapshot is settled where that goes on, too. */
	ask(ask, what = "other") {
		const eventual = this.#ports.createEventual();
		const asked = {
			number: ++this.#count,
			what,
			eventual,
			actor: this.#ports.currentActor()
		};
		this.#asked.add(asked);
		const { ingests } = this.#ports;
		const key = String(asked.number);
		if (!ingests.isFollowing) ask().then((value) => ingests.happened("answered", key, () => this.#answer(asked, FULFIL, value), answerOf(value)), (reason) => ingests.happened("answered", key, () => this.#answer(asked, REJECT, reason), failureFor(reason)));
		return eventual;
	}
	/** Who has asked for snapshots before this life began gets this one; other questions were of that life. */
	answerAll(taken) {
		if (this.#ports.ingests.isFollowing) return;
		for (const asked of this.#asked) if (asked.what === "snapshot") this.#answer(asked, FULFIL, taken);
		else this.#answer(asked, REJECT, noAnswer());
	}
	/** In a run again: as it was. */
	answerAgain(number, answer) {
		for (const asked of this.#asked) {
			if (asked.number !== number) continue;
			if (typeof answer === "object" && answer !== null && "failure" in answer) this.#answer(asked, REJECT, readFailure(answer));
			else this.#answer(asked, FULFIL, readAnswer(answer));
			return;
		}
		this.#ports.ingests.following?.differ(`question ${number} to Turntable is answered`, "nobody has asked it");
	}
	#answer(asked, kind, value) {
		if (!this.#asked.delete(asked)) return false;
		this.#ports.settle(asked, kind, value);
		return true;
	}
	read() {
		return {
			asked: [...this.#asked],
			questions: this.#count
		};
	}
	write(asked, questions) {
		this.#asked = new Set(asked);
		this.#count = questions;
	}
};
// packages/runtime/src/rounds.ts
/** Milliseconds after which Node has its turn. */
const SLICE = 1;
/** Milliseconds of a round: what is sent in it, and what comes meanwhile, waits for its end. */
const LONG_ROUND = .5;
const SHORT_ROUND = .1;
var Rounds = class {
	/** So many so far, those in which there was nothing to do left out. */
	count = 0;
	/** Turns of the next one. */
	length;
	/** Whether the loop is to run. */
	isDue = false;
	#isHeld = false;
	#parts;
	#pump;
	constructor(parts) {
		this.#parts = parts;
		this.#pump = parts.pump;
		this.length = parts.pace.round;
	}
	wake() {
		if (this.#pump.isAwake) return;
		this.#pump.isAwake = this.isDue = true;
		this.#parts.host.soon(() => this.#run());
	}
	/** Nothing runs until it is let go. */
	hold() {
		this.#isHeld = true;
		this.#pump.isAwake = true;
	}
	letGo() {
		this.#isHeld = false;
		this.#pump.isAwake = false;
		this.wake();
	}
	#run() {
		const { realm, host, queue, ingests, neighbours, turns } = this.#parts;
		this.isDue = false;
		if (this.#isHeld) return;
		this.#pump.isAwake = true;
		const { context } = realm.now;
		let looked = host.now();
		const until = looked + SLICE;
		let isLeft = true;
		try {
			realm.jobs.attend(true);
			host.awake();
			this.#finish();
			let hasSent = neighbours.publish();
			do {
				const hasCome = this.#ingest();
				if (ingests.isDue() || this.#isHeld) {
					if (neighbours.publish()) hasSent = true;
					isLeft = this.#await(hasSent);
					hasSent = false;
					looked = host.now();
					continue;
				}
				this.#finish();
				const before = turns.count;
				if (!queue.isEmpty()) this.count++;
				isLeft = queue.run(this.length) || hasCome || ingests.isDue();
				if (neighbours.publish()) hasSent = true;
				looked = this.#worked(looked, turns.count - before);
				if (this.#parts.spare(!isLeft) || !ingests.isEmpty) isLeft = true;
				if (isLeft) host.outside?.rest(true);
				if (!isLeft && !neighbours.isAlone) {
					isLeft = host.rest(ingests.isFollowing ? this.#hasNotCome : neighbours.taking.isEmpty, hasSent);
					hasSent = false;
					looked = host.now();
				}
			} while (isLeft && looked < until && !this.#isHeld);
		} finally {
			realm.jobs.attend(false);
			host.outside?.rest(false);
			this.#pump.isAwake = isLeft || this.#isHeld;
			realm.now.context = context;
			ingests.commit();
			ingests.following?.wake();
			if (isLeft && !this.#isHeld) {
				this.isDue = true;
				this.#parts.host.later(() => this.#run());
			}
		}
	}
	/** What is left of code outside of turns is no part of the first one. As in Node: it may be running its microtasks, and ticks come behind these. */
	#finish() {
		const { jobs } = this.#parts.realm;
		if (!jobs.isLeft()) return;
		jobs.drain();
		if (jobs.isLeft()) jobs.finish();
	}
	/** In a run again: what is next has not come yet. Whether it has meanwhile; otherwise it wakes this worker when it does. */
	#await(hasSent) {
		const { host, ingests, neighbours } = this.#parts;
		if (this.#isHeld || neighbours.isAlone || ingests.following?.halt !== void 0) return false;
		return host.rest(this.#hasNotCome, hasSent);
	}
	#hasNotCome = () => {
		const { ingests, neighbours } = this.#parts;
		return !ingests.haveCome() && !neighbours.taking.isRoomMade;
	};
	/** A round has ended that began at a moment; answers the moment now. The next ones are longer or shorter if this one was too short or too long. */
	#worked(since, turns) {
		const { company, ingests, pace } = this.#parts;
		const now = company.worked(since, turns);
		if (ingests.isFollowing) return now;
		const round = this.length;
		let next = round;
		if (now - since > LONG_ROUND) next = Math.max(1, round >> 2);
		else if (turns >= round && now - since < SHORT_ROUND) next = Math.min(pace.round, round * 4);
		if (next !== round) ingests.happened("pace", String(next), () => this.setLength(next));
		return now;
	}
	setLength(turns) {
		this.length = turns;
		return true;
	}
	/** Takes what is to be taken now, if it is there; whether it was. */
	#again() {
		const { ingests, neighbours } = this.#parts;
		neighbours.taking.publishSpilled();
		try {
			return ingests.again();
		} catch (error) {
			if (ingests.following?.halt !== void 0) return false;
			throw error;
		}
	}
	/** Takes what has come from outside; whether anything has. */
	#ingest() {
		const { ingests, neighbours } = this.#parts;
		if (ingests.isFollowing) return this.#again();
		const hasHappened = ingests.events();
		const hasCome = neighbours.taking.ingest();
		return hasCome && ingests.events() || hasCome || hasHappened;
	}
};
// packages/runtime/src/snapshot/snapshots.ts
/** Objects that are written at a time for nothing. */
const REHEARSED = 1e3;
/** When so many bytes wait for the disk, nothing more is written but what has to be; then it is looked again after so many milliseconds. */
const MOST_PENDING = 16 << 20;
const LOOK_AGAIN = 5;
/** Milliseconds that may be spent on actors nobody is waiting for, between two rounds of turns. */
const SPARE = .5;
var Snapshots = class {
	#worker;
	#ports;
	/** The last one, if something of it is still to be written. */
	#current;
	/** Those that are not whole, the oldest first. */
	#open = [];
	/** Until the first cut, or until it is done. */
	#rehearsal;
	/** Texts that were met and are still to be told of. */
	#modules = [];
	/** Waits for the disk, and will be woken. */
	#isWaiting = false;
	#stats = {
		taken: 0,
		failed: 0,
		pieces: 0,
		bytes: 0,
		total: 0,
		longest: 0,
		cut: 0
	};
	/** When the next one is. */
	#due;
	constructor(worker, ports) {
		this.#worker = worker;
		this.#ports = ports;
		this.#rehearsal = ports.room.rehearsal?.({ adapters: [runtimeObjects({ debts: new Debts(worker.here, () => true) })] });
	}
	get stats() {
		return { ...this.#stats };
	}
	/** All of this worker as it is, between two turns, but what is under way to it. It does nothing any more. */
	last(phase, date) {
		const snapshot = new WorkerSnapshot(phase, this.#worker.here, [], this.#ports.room);
		snapshot.add({
			piece: PIECE.tables,
			...writeTables(this.#worker.tables(), snapshot.debts, date)
		}, "the runtime");
		const sealed = this.#seal(snapshot);
		snapshot.writeActor(this.#worker.main);
		for (let isLeft = true; isLeft;) isLeft = sealed.goOn() || snapshot.goOn();
		return snapshot.finish();
	}
	/** The worker enters a phase, between two turns, at a moment in milliseconds since 1970. */
	cut(phase, date) {
		this.#finishWriting();
		this.#rehearsal = void 0;
		this.#due?.cut();
		const began = this.#worker.now();
		let sealed;
		try {
			const chunks = {
				count: 0,
				size: 0
			};
			const give = this.#giving(phase, chunks);
			const snapshot = new WorkerSnapshot(phase, this.#worker.here, this.#worker.others(), this.#ports.room, give);
			this.#modules.push(...snapshot.modules);
			const tables = writeTables(this.#worker.tables(), snapshot.debts, date);
			snapshot.add({
				piece: PIECE.tables,
				...tables
			}, "the runtime");
			sealed = this.#seal(snapshot);
			snapshot.writeActor(this.#worker.main);
			const open = {
				snapshot,
				sealed,
				chunks,
				cut: 0,
				total: 0,
				longest: 0,
				pieces: 0
			};
			this.#open.push(open);
			this.#current = open;
			open.cut = this.#stats.cut = this.#spent(open, began, "cut");
		} catch (error) {
			sealed?.end();
			this.#stats.failed++;
			return this.#ports.failed(phase, error, false);
		}
		this.#worker.watch({ touch: (actor) => this.touch(actor) });
		if (this.#worker.isFollowing) this.#finishWriting();
		this.#ports.cut?.(phase);
		this.#worker.wake();
	}
	#giving(phase, chunks) {
		const { sink } = this.#ports;
		return sink && ((bytes) => {
			chunks.count++;
			chunks.size += bytes.length;
			sink.add(phase, bytes);
		});
	}
	/** What waits is written before it is taken: some of it now, and if that fails, nothing more. */
	#seal(snapshot) {
		let failure;
		const write = (entries, where, recipient) => {
			const messages = writeMessages(entries, where, recipient, snapshot.debts);
			snapshot.add({
				piece: PIECE.messages,
				...messages
			}, "messages that wait");
		};
		const sealed = this.#worker.seal((entries, where, recipient) => {
			const open = this.#current;
			if (open?.snapshot === snapshot) return this.#writing(open, () => write(entries, where, recipient));
			try {
				if (failure === void 0) write(entries, where, recipient);
			} catch (error) {
				failure = { error };
			}
		});
		if (failure === void 0) return sealed;
		sealed.end();
		throw failure.error;
	}
	/** Calls back once so much has been done since the last cut; answers who is to be told of each request. */
	whenDue(pace, callback) {
		const due = this.#due = new Due(pace, () => this.#worker.turns(), callback);
		return () => due.requested();
	}
	/** Before an actor changes. */
	touch(actor) {
		const open = this.#current;
		if (open === void 0 || actor.writtenIn >= open.snapshot.phase) return;
		this.#writing(open, () => open.snapshot.writeActor(actor), actor);
	}
	/** Before a reference is taken back. */
	release(ref) {
		this.touch(FarRef.actorOf(ref));
		const open = this.#current;
		if (open !== void 0) this.#writing(open, () => open.snapshot.mention(ref));
	}
	/** Somebody's message is taken that was sent in an earlier phase; before it has any effect. */
	underWay(sentIn, message) {
		for (const open of this.#open) if (open.snapshot.phase > sentIn) this.#writing(open, () => open.snapshot.add({
			piece: PIECE.underWay,
			...message
		}, "a message"));
	}
	/** Everything that comes of that worker from now on was sent in that phase. */
	marked(worker, phase) {
		for (const { snapshot } of this.#open) if (snapshot.phase <= phase) snapshot.marked(worker);
		this.#deliver();
	}
	/** A worker has ended: what is not whole will never be. */
	lost(worker) {
		for (const open of this.#open) this.#fail(open, /* @__PURE__ */ new Error(`worker ${worker} has ended before the snapshot was whole`));
	}
	/** Between two rounds: writes what nobody has touched yet, for a while; whether anything is left. */
	spare(isIdle) {
		this.#due?.look();
		const open = this.#current;
		if (open === void 0) return isIdle && this.#rehearse();
		if (this.#isHeldUp()) return false;
		return this.#writeOn(open, isIdle);
	}
	/** Whether the disk does not keep up: what is written for nothing but to be done with it waits then, as it would wait in memory. */
	#isHeldUp() {
		if ((this.#ports.sink?.pending ?? 0) <= MOST_PENDING) return false;
		if (!this.#isWaiting) {
			this.#isWaiting = true;
			this.#worker.after(LOOK_AGAIN, () => {
				this.#isWaiting = false;
				this.#worker.wake();
			});
		}
		return true;
	}
	#writeOn(open, isIdle) {
		const until = this.#worker.now() + (isIdle ? 2 * SPARE : SPARE);
		do {
			let isLeft = open.sealed.goOn();
			if (!isLeft && this.#current === open) this.#writing(open, () => isLeft = open.snapshot.goOn());
			if (this.#current !== open) return false;
			if (!isLeft) {
				this.#written();
				return false;
			}
		} while (this.#worker.now() < until);
		return true;
	}
	/** A little of it, when there is nothing else to do; whether anything is left. */
	#rehearse() {
		if (this.#rehearsal === void 0) return false;
		if (this.#rehearsal(REHEARSED)) this.#rehearsal = void 0;
		return this.#rehearsal !== void 0;
	}
	#finishWriting() {
		for (let open = this.#current; open !== void 0; open = this.#current) this.#writeOn(open, true);
	}
	#written() {
		this.#current = void 0;
		this.#worker.watch(void 0);
		this.#deliver();
	}
	/** `actor`: whose piece it is. */
	#writing(open, write, actor) {
		const began = this.#worker.now();
		try {
			write();
		} catch (error) {
			return this.#fail(open, error);
		}
		this.#spent(open, began, "piece", actor);
	}
	#spent(open, began, at, actor) {
		const spent = this.#worker.now() - began;
		for (const each of [open, this.#stats]) {
			each.pieces++;
			each.total += spent;
			each.longest = Math.max(each.longest, spent);
		}
		const { phase, size: bytes } = open.snapshot;
		publishSnapshot({
			at,
			phase,
			worker: this.#worker.here,
			name: actor?.name,
			pause: spent,
			bytes
		});
		return spent;
	}
	#fail(open, reason) {
		this.#open = this.#open.filter((each) => each !== open);
		this.#stats.failed++;
		open.sealed.end();
		if (this.#current === open) {
			this.#current = void 0;
			this.#worker.watch(void 0);
		}
		this.#ports.failed(open.snapshot.phase, reason, reason instanceof ChangedMeanwhile);
	}
	#deliver() {
		for (const open of this.#open) {
			if (open === this.#current || open.snapshot.isMissing) continue;
			let rest;
			this.#writing(open, () => rest = open.snapshot.finish());
			if (rest === void 0) continue;
			this.#open = this.#open.filter((each) => each !== open);
			this.#delivered(open, rest);
		}
	}
	#delivered({ snapshot, chunks, cut, total, longest, pieces }, rest) {
		const { phase } = snapshot;
		const size = chunks.size + rest.length;
		const give = this.#giving(phase, chunks);
		give?.(rest);
		const modules = this.#modules;
		this.#modules = [];
		this.#stats.taken++;
		this.#stats.bytes += size;
		const { here: worker } = this.#worker;
		publishSnapshot({
			at: "whole",
			phase,
			worker,
			name: void 0,
			pause: 0,
			bytes: size
		});
		const bytes = give === void 0 ? rest : void 0;
		this.#ports.deliver({
			phase,
			size,
			bytes,
			chunks: chunks.count,
			modules,
			pauses: {
				cut,
				total,
				longest,
				pieces
			}
		});
	}
};
// packages/runtime/src/turns.ts
const NONE = [];
var Turns = class {
	/** So many so far. */
	count = 0;
	#parts;
	#realm;
	#company;
	#outgoing;
	#pressure;
	constructor(parts) {
		this.#parts = parts;
		this.#realm = parts.realm;
		this.#company = parts.company;
		this.#outgoing = parts.outgoing;
		this.#pressure = parts.pressure;
	}
	#enter(actor) {
		const { now } = this.#realm;
		if (now.context !== actor.context) now.context = actor.context;
		this.count++;
		if (++actor.turns === 8) this.#parts.census.grown(actor);
	}
	#leave(actor) {
		const { jobs } = this.#realm;
		if (jobs.isLeft()) jobs.finish();
		if (actor.held !== void 0 || actor.heldWorkers !== void 0) this.#pressure.turned(actor);
	}
	/** The turn of a message to the actor's root whose outcome nobody asks for. */
	told(actor, call, count, a, b, c) {
		this.#enter(actor);
		if (actor.failure !== void 0) this.#parts.report(actor, failureOf(actor));
		else {
			const root = actor.root;
			try {
				if (count === 0) root[call]();
				else if (count === 1) root[call](a);
				else if (count === 2) root[call](a, b);
				else root[call](a, b, c);
			} catch (error) {
				this.#parts.report(actor, error);
			}
		}
		this.#leave(actor);
	}
	toldInCompany(actor, call, count, a, b, c) {
		this.#company.onlooker?.given?.(actor.root, listOf(count, a, b, c, NONE), void 0);
		this.#company.keep(actor, call, void 0, () => this.told(actor, call, count, a, b, c));
	}
	handleInCompany(actor, target, call, settles, sender, count, a, b, c, many) {
		this.#company.onlooker?.given?.(typeof call === "string" || call instanceof TrackedCall ? FarRef.objectOf(target) : void 0, listOf(count, a, b, c, many), settles);
		this.#company.keep(actor, call, sender, () => this.handle(actor, target, call, settles, sender, count, a, b, c, many));
	}
	handle(actor, target, call, settles, sender, count, a, b, c, many) {
		this.#enter(actor);
		if (typeof call === "string") this.#call(actor, target, call, settles, sender, count, a, b, c, many);
		else if (call === FULFIL) this.#outgoing.settle(settles, a, false);
		else if (call === REJECT) this.#outgoing.settle(settles, a, true);
		else if (call === CONSTRUCT) this.#parts.births.make(actor, target, settles, listOf(count, a, b, c, many));
		else if (call === STOP) this.#parts.endings.end(actor, STOPPED);
		else if (call === BEGIN) this.#parts.births.begin(actor, target);
		else {
			const { name, trail } = call;
			this.#realm.now.context = {
				home: actor,
				store: actor.context.store,
				trail
			};
			this.#call(actor, target, name, settles, sender, count, a, b, c, many);
		}
		this.#leave(actor);
	}
	#call(actor, target, call, settles, sender, count, a, b, c, many) {
		if (actor.failure !== void 0) return this.#outgoing.fail(actor, sender, settles, failureOf(actor), call);
		const object = FarRef.objectOf(target);
		if (object === void 0) return this.#outgoing.fail(actor, sender, settles, released(actor), call);
		let value;
		let failed = false;
		try {
			value = count === 0 ? object[call]() : count === 1 ? object[call](a) : count === 2 ? object[call](a, b) : count === 3 ? object[call](a, b, c) : object[call](...many);
		} catch (error) {
			failed = true;
			value = error;
		}
		if (failed) this.#outgoing.fail(actor, sender, settles, value, call);
		else this.#outgoing.answer(actor, sender, settles, call, value);
	}
};
function released(actor) {
	return new RuntimeError("TT_RELEASED", `${actor.name} has taken back the reference to this object of its`);
}
// packages/runtime/src/scheduler.ts
const USUAL = {
	round: 64,
	batch: 512
};
var Scheduler = class {
	index;
	/** The program of this thread outside of all actors that were spawned. */
	main;
	/** What that can ask. */
	program;
	/** What actors here have asked Turntable. */
	questions;
	#realm;
	#host;
	#queue;
	#classes;
	#outgoing;
	/** What this worker takes from outside, and when. */
	ingests;
	#neighbours;
	#pressure;
	/** The actors that live here. */
	census = new Census();
	/** Where those are that are spawned from here, if any can be elsewhere. */
	places;
	#company;
	#phase = 0;
	#snapshots;
	/** In a run again: is told when this worker has been told to end. */
	onEnded;
	/** In a life that knows what an earlier one was. */
	#rejoin;
	#turns;
	#rounds;
	#births;
	#endings;
	#trails;
	/** Messages whose answer is wanted in time. */
	#deadlines;
	constructor(realm, host, index = 0, pace = USUAL) {
		this.index = index;
		this.#realm = realm;
		const whole = "rest" in host ? host : {
			...aloneWith(realm),
			...host
		};
		this.#host = whole;
		this.main = new Actor(index, index, index === 0 ? "the main program" : `worker ${index}`, ROOT_CONTEXT);
		this.#company = new Company(realm, whole, this.main, () => this.#turns.count);
		this.#queue = new MessageQueue({
			told: (recipient, call, count, a, b, c) => observed.hasCompany ? this.#turns.toldInCompany(recipient, call, count, a, b, c) : this.#turns.told(recipient, call, count, a, b, c),
			deliver: (recipient, target, call, settles, sender, count, a, b, c, many) => observed.hasCompany ? this.#turns.handleInCompany(recipient, target, call, settles, sender, count, a, b, c, many) : this.#turns.handle(recipient, target, call, settles, sender, count, a, b, c, many)
		});
		this.#births = new Births({
			comes: (actor) => this.#comes(actor),
			failed: (actor, failure) => this.#endings.end(actor, failure),
			report: (actor, reason) => this.#report(actor, reason)
		});
		this.#endings = new Endings({
			touch: (actor) => this.#company.onlooker?.touch?.(actor),
			answer: (actor, to, settles, failure) => this.#outgoing.answer(actor, to, settles, "whenBroken", failure),
			unsupervised: (actor, ref, supervisor) => this.#neighbours.unsupervised(actor, ref, supervisor)
		});
		this.#trails = new Trails({
			tell: (worker, life, kind, before, number, question, what) => this.#neighbours.report(worker, life, kind, before, number, question, what),
			over: (deadline) => this.#deadlines.over(deadline)
		});
		this.#pressure = new Pressure(this.#queue, this.main, (worker, actor, isOn) => this.#neighbours.press(worker, actor, isOn));
		const pump = { isAwake: false };
		this.#outgoing = new Outgoing({
			pressure: this.#pressure,
			trails: this.#trails,
			realm,
			here: index,
			queue: this.#queue,
			types: host.types,
			main: this.main,
			pump,
			referenceTo: (value) => this.program.referenceTo(value),
			linkTo: (actor) => this.#neighbours.to(actor),
			wake: () => this.#wake(),
			touch: (link) => this.#neighbours.touch(link),
			awaitedBy: (eventual) => whole.awaitedBy(eventual),
			report: (actor, reason) => this.#report(actor, reason)
		});
		realm.parts.rejections.divert((home, reason) => {
			if (!(home instanceof Actor)) return false;
			this.#report(home, reason);
			return true;
		});
		const { tape } = realm.parts.host;
		this.ingests = new Ingests({
			position: () => ({
				round: this.#rounds.count,
				turns: this.#turns.count
			}),
			wake: () => this.#wake(),
			messages: (worker, count) => this.#neighbours.taking.takeAgain(worker, count),
			areThere: (worker, count) => this.#neighbours.taking.areThere(worker, count),
			haveCome: (worker, count) => this.#neighbours.taking.haveCome(worker, count),
			unexpected: (event) => this.#unexpected(event)
		}, tape);
		this.#deadlines = new Deadlines({
			ingests: this.ingests,
			date: () => this.#date(),
			after: (milliseconds, callback) => whole.after(milliseconds, callback),
			reject: (actor, settles, reason) => this.#queue.add(actor, actor, void 0, REJECT, settles, 1, reason, void 0, void 0)
		});
		this.#classes = new FarRefClasses(this.#outgoing, (prototype) => whole.classes.keyOf(prototype));
		this.#neighbours = new Neighbours({
			here: index,
			main: this.main,
			realm,
			host: whole,
			pace,
			queue: this.#queue,
			classes: this.#classes,
			outgoing: this.#outgoing,
			ingests: this.ingests,
			phase: () => this.#phase,
			enter: (phase) => this.#enterPhase(phase),
			onlooker: () => this.#company.onlooker,
			snapshots: () => this.#snapshots,
			spawned: () => this.program.spawned,
			referenceTo: (value) => this.program.referenceTo(value),
			pressure: this.#pressure,
			trails: this.#trails,
			watch: (actor, watcher) => this.#endings.watch(actor, watcher),
			comes: (actor) => this.#comes(actor),
			rejoin: (timers, waiting) => this.#rejoin?.(timers, waiting),
			wake: () => this.#wake()
		});
		this.program = new Program({
			here: index,
			main: this.main,
			realm,
			host: whole,
			queue: this.#queue,
			classes: this.#classes,
			outgoing: this.#outgoing,
			neighbours: this.#neighbours,
			company: this.#company,
			endings: this.#endings,
			trails: this.#trails,
			deadlines: this.#deadlines,
			phase: () => this.#phase,
			snapshots: () => this.#snapshots,
			wake: () => this.#wake()
		});
		this.questions = new Questions({
			ingests: this.ingests,
			createEventual: () => realm.parts.eventuals.create(),
			currentActor: () => this.program.currentActor(),
			settle: ({ actor, eventual }, kind, value) => {
				this.#queue.add(actor, actor, void 0, kind, eventual, 1, value, void 0, void 0);
				this.#wake();
			}
		});
		this.#turns = new Turns({
			realm,
			company: this.#company,
			outgoing: this.#outgoing,
			pressure: this.#pressure,
			births: this.#births,
			endings: this.#endings,
			census: this.census,
			report: (actor, reason) => this.#report(actor, reason)
		});
		this.#rounds = new Rounds({
			realm,
			host: whole,
			pace,
			queue: this.#queue,
			company: this.#company,
			turns: this.#turns,
			ingests: this.ingests,
			neighbours: this.#neighbours,
			pump,
			spare: (isIdle) => this.#snapshots?.spare(isIdle) === true
		});
		if (tape instanceof RecordingTape) tape.join(this.#rounds);
		this.ingests.following?.join(this.#follower());
	}
	/** This worker as its tape knows it, if it runs again. */
	#follower() {
		const turns = this.#turns;
		const neighbours = this.#neighbours;
		const queue = this.#queue;
		return {
			rounds: this.#rounds,
			get turns() {
				return turns.count;
			},
			get hasTurns() {
				return !queue.isEmpty();
			},
			get messages() {
				return neighbours.taking.taken;
			},
			whose: () => this.program.currentActor().name,
			wake: () => this.#wake(),
			hold: () => {
				this.hold();
				neighbours.handOver();
			}
		};
	}
	/** Milliseconds that turns have taken. */
	get busy() {
		return this.#company.busy;
	}
	get neighbours() {
		return this.#neighbours;
	}
	get turns() {
		return this.#turns.count;
	}
	/** This worker has the place of one that has ended, and goes on counting where that cannot have come. */
	succeed(life, why) {
		this.program.spawned = life * LIFE;
		this.neighbours.succeed(life, why);
	}
	/** Messages that wait. */
	get waiting() {
		return this.#queue.size;
	}
	#report(actor, reason) {
		this.#host.report(actor.name, reason);
	}
	/** One at a time. */
	watch(onlooker) {
		this.#company.watch(onlooker, "other");
	}
	/** From now on each phase begins with a snapshot of this worker. */
	keepSnapshots(ports) {
		this.#snapshots = new Snapshots({
			here: this.index,
			main: this.main,
			tables: () => {
				const mind = this.#readMind();
				const others = [...this.#pressure.pressed, ...this.#queue.apart];
				return {
					...mind,
					pressed: pressedIn(mind.neighbours, others)
				};
			},
			seal: (tell) => this.#queue.seal(tell),
			others: () => this.#neighbours.others,
			now: () => this.#host.now(),
			turns: () => this.#turns.count,
			watch: (onlooker) => this.#company.watch(onlooker, "snapshot"),
			wake: () => this.#wake(),
			isFollowing: this.ingests.isFollowing,
			after: (milliseconds, callback) => void this.#host.after(milliseconds, callback)
		}, ports);
	}
	/** What it is now, between two turns, if it keeps snapshots; it does nothing any more. */
	lastState() {
		return this.#snapshots?.last(this.#phase + 1, 0);
	}
	/** Nothing runs here until it is let go. */
	hold() {
		this.#rounds.hold();
	}
	letGo() {
		this.#rounds.letGo();
	}
	/** It has not been there in the phases before. */
	bornIn(phase) {
		this.#phase = phase;
		if (phase > 0) this.#neighbours.mark(phase);
	}
	/** `tell` hears how many actors here everybody goes back with if they are lost, from now on. */
	watchRollbacks(tell) {
		this.#endings.onRollbacks = tell;
	}
	get classes() {
		return this.#classes;
	}
	/** It is held. What was under way comes again, before anything else; in a run again, when it came. */
	restore({ pressed, ...state }, restored, underWay) {
		for (const { actor, ...pressure } of pressed) {
			Object.assign(actor, pressure);
			this.#pressure.pressAgain(actor);
		}
		this.write(state);
		this.#company.hasActors();
		this.census.again(restored.actors.filter((actor) => actor !== this.main));
		this.#endings.again(restored.actors);
		if (restored.actors.some(isToBeRestored)) this.#neighbours.onToBeRestored?.();
		for (const [object, ref] of restored.lent) this.program.lendAgain(object, ref);
		if (this.ingests.isFollowing) return this.#neighbours.follow(underWay, restored.unknown());
		this.#neighbours.expectAgain(restored.unknown());
		for (const message of underWay) this.#neighbours.taking.takeUnderWay(message);
	}
	/**
	* It is held. What an earlier life was in a snapshot is known again, as far as it means anything beside the others of now; `rejoin` is given
	* what waits of each actor that is what it was.
	*/
	revive(revived, rejoin) {
		this.#rejoin = rejoin;
		this.#company.hasActors();
		this.#neighbours.revive(revived.foreign, revived.actors(), revived.supervised, revived.waitingOfMain);
	}
	/** An eventual for whoever waits no longer. */
	settled() {
		const { eventuals } = this.#realm.parts;
		const settled = eventuals.create();
		eventuals.resolve(settled, void 0);
		return settled;
	}
	/** An actor is here. */
	#comes(actor) {
		this.#company.hasActors();
		this.census.born(actor);
	}
	get snapshots() {
		return this.#snapshots;
	}
	/** Between two turns. */
	read() {
		return {
			...this.#readMind(),
			queue: this.#queue.read()
		};
	}
	/** All but what waits for the actors. */
	#readMind() {
		return {
			phase: this.#phase,
			spawned: this.program.spawned,
			turns: this.#turns.count,
			rounds: this.#rounds.count,
			steps: this.#realm.jobs.steps,
			round: this.#rounds.length,
			neighbours: this.#neighbours.read(),
			deadlines: this.#deadlines.read(),
			tracked: this.#trails.read(),
			...this.questions.read(),
			census: this.census.read(),
			places: this.places?.read()
		};
	}
	/** In the place of all that it has in mind; what its actors are is theirs. */
	write(state) {
		this.ingests.forget();
		this.#phase = state.phase;
		this.program.spawned = state.spawned;
		this.#turns.count = state.turns;
		this.#rounds.count = state.rounds;
		this.#realm.jobs.steps = state.steps;
		this.#rounds.length = state.round;
		this.#queue.write(state.queue);
		this.#trails.write(state.tracked);
		this.questions.write(state.asked, state.questions);
		this.#deadlines.write(state.deadlines);
		this.census.write(state.census);
		if (state.places !== void 0) this.places?.write(state.places);
		this.#neighbours.write(state.neighbours);
		if (!this.#queue.isEmpty() || !this.ingests.isEmpty) this.#wake();
	}
	/** Stands among the listeners of a signal that is read from a state, for one that waits by that number and is written afterwards. */
	signalListener(number) {
		return this.#deadlines.listener(number);
	}
	/** The stretch between two snapshots that this worker is in. */
	get phase() {
		return this.#phase;
	}
	/** A phase is to begin: on this worker between two turns, on others when they are told or meet a message of it. */
	begin(phase) {
		this.ingests.happened("phase", String(phase), () => {
			if (phase <= this.#phase) return false;
			this.ingests.note("phase", String(phase));
			this.#enterPhase(phase);
			return false;
		});
	}
	#enterPhase(phase) {
		if (phase <= this.#phase) return false;
		this.#neighbours.taking.noteTaken();
		const date = this.#date();
		this.ingests.cut(phase);
		this.#phase = phase;
		this.#snapshots?.cut(phase, date);
		this.#company.onlooker?.cut?.(phase);
		this.#neighbours.mark(phase);
		return true;
	}
	/** Something may have come while nobody could say so. */
	look() {
		if (this.ingests.isFollowing ? this.ingests.haveCome() : !this.#neighbours.taking.isEmpty()) this.#wake();
	}
	/** It ends in order, now: nothing of it comes behind this. */
	ends() {
		this.ingests.note("end", "");
		this.ingests.commit();
	}
	/** Whether nothing is left to do between actors here. */
	get isIdle() {
		return this.#queue.size === 0 && !this.#rounds.isDue && this.ingests.isEmpty && this.#neighbours.isQuiet;
	}
	/** In a run again: whether nothing is left to do here but to wait for others. */
	get isStanding() {
		return !this.#rounds.isDue && !this.ingests.haveCome() && !this.#realm.jobs.isLeft();
	}
	#wake() {
		this.#rounds.wake();
	}
	/** Milliseconds since 1970; in a run again, as they were. */
	#date() {
		const { tape } = this.#realm.parts.host;
		if (tape?.isReplay === true) return tape.outcome(SOURCES.date);
		const now = hostClock.date();
		tape?.outcome(SOURCES.date, now);
		return now;
	}
	/** What happens in a run again because it has happened before. */
	#unexpected(event) {
		const { kind, key } = event;
		const [number = 0, second = 0] = key.split(" ").map(Number);
		if (kind === "lost") return this.#neighbours.loseAgain(event);
		if (kind === "pace") return () => void this.#rounds.setLength(number);
		if (kind === "phase") return () => void this.#enterPhase(number);
		if (kind === "dropped") return () => this.#neighbours.references.dropAgain(number, second);
		if (kind === "answered") return () => this.questions.answerAgain(number, event.value);
		if (kind === "end") return () => {
			this.hold();
			this.onEnded?.();
		};
	}
	/** An object of a class is being made: if it is the root that this turn makes, it is known before its constructor passes it on. */
	meetRoot(object, type) {
		this.#births.meet(object, type);
	}
};
function isToBeRestored({ watchers = [] }) {
	return watchers.some((watcher) => watcher.what === "supervised" && watcher.way === RESTORE);
}
// packages/runtime/src/snapshot/revived.ts
var Revived = class {
	isAnotherLife = true;
	classes;
	#main;
	#mentioned;
	#waiting = /* @__PURE__ */ new Map();
	#pieces = /* @__PURE__ */ new Map();
	#supervised = [];
	#births = /* @__PURE__ */ new Map();
	/** To what lives on other workers. */
	foreign = [];
	#settled;
	/**
	* `main`: the main program's actor of this worker, `life`: the life that begins; `settled`: an eventual that is.
	*/
	constructor(classes, main, life, settled) {
		this.classes = classes;
		this.#settled = settled;
		this.#main = main;
		this.#mentioned = new Mentioned({
			worker: main.worker,
			life,
			known: [main],
			isOver: (id) => id < 0
		});
	}
	actor(id, worker, life) {
		return this.#mentioned.actor(id, worker, life);
	}
	reference(type, id, worker, life, number) {
		const ref = this.#mentioned.reference(type, id, worker, life, number);
		if (worker !== this.#main.worker) this.foreign.push(ref);
		return ref;
	}
	linkTo(peer) {
		return {
			peer: peer.life === -1 ? peer : overActor(peer.id, peer.worker),
			isOpen: false
		};
	}
	/** Deadlines of that life are over. */
	signalListener() {
		return new SignalListener(0, () => void 0);
	}
	/** Who waited for an answer within this worker is told that there is none, or is no more. */
	whenPaid(_ticket, use) {
		use(this.#settled);
	}
	take(roots) {
		const messages = roots.filter(({ piece }) => piece === PIECE.messages);
		this.#births = birthsIn(messages);
		for (const root of roots) {
			if (root.piece === PIECE.tables) this.#supervised = root["neighbours"].supervised;
			if (root.piece === PIECE.actor) {
				const piece = root;
				this.#pieces.set(piece.actor, piece);
			}
			if (root.piece === PIECE.actor || root.piece === PIECE.debts) this.#pay(root);
		}
	}
	#pay({ actor, eventuals }) {
		for (let i = 0; i < eventuals.length; i += 2) {
			const waiting = this.#waiting.get(actor) ?? [];
			waiting.push(eventuals[i + 1]);
			this.#waiting.set(actor, waiting);
		}
	}
	/** What lives elsewhere and is supervised from here. */
	get supervised() {
		return this.#supervised;
	}
	/** What the program outside of all actors was waiting for. */
	get waitingOfMain() {
		return this.#waiting.get(this.#main) ?? [];
	}
	/** The actors of this worker that anything can be sent to, and what those were that may be that again. */
	actors() {
		return this.#mentioned.here.flatMap((actor) => {
			const ref = this.#mentioned.rootOf(actor);
			return ref === void 0 ? [] : [{
				actor,
				ref,
				revivable: this.#revivable(actor, ref)
			}];
		});
	}
	#revivable(actor, known) {
		const piece = this.#pieces.get(actor);
		if (piece === void 0) return void 0;
		const { root, ref, failure, exports, turns, timers, waiting, watchers } = piece;
		const supervisor = watchers.find(([of, , way]) => FarRef.has(of) && way === RESTORE);
		if (supervisor === void 0 || failure !== void 0) return void 0;
		const by = supervisor[3];
		const birth = by === void 0 || root !== void 0 ? void 0 : this.#births.get(actor);
		if (root === void 0 && birth === void 0) return void 0;
		const placed = [];
		for (let i = 0; i < timers.length; i += 2) placed.push([timers[i], timers[i + 1]]);
		const eventuals = this.#waiting.get(actor) ?? [];
		return {
			root,
			birth,
			ref: ref ?? known,
			exports,
			turns,
			timers: placed,
			waiting,
			eventuals,
			by
		};
	}
};
// packages/runtime/src/snapshot/revive-here.ts
/** Answers when the worker has been let go. */
async function reviveHere(scheduler, room, bytes) {
	const { classes, main, neighbours } = scheduler;
	const revived = new Revived(classes, main, neighbours.life, scheduler.settled());
	const { roots, goOn, rejoin } = await room.restorePieces(bytes, [runtimeObjects(revived)]);
	revived.take(roots);
	await goOn({
		timers: [],
		waiting: [],
		held: []
	}, () => {
		scheduler.revive(revived, rejoin);
		neighbours.claimNoMore();
		scheduler.letGo();
	});
}
// packages/runtime/src/serve.ts
/** Answers where actors that are spawned here are to live. */
function serve(data, scheduler, host, ports = {}) {
	return new WorkerThread(data, scheduler, host, ports).places;
}
var WorkerThread = class {
	places;
	#data;
	#scheduler;
	#host;
	#ports;
	#losses;
	/** How many losses this thread has been told of. */
	#heardOf;
	/** Who wants to know when nothing is left to do. */
	#questions = [];
	/** What this worker was is being read. */
	#isReviving;
	/** The same, or what others were. */
	#isRestoring;
	#goOn = () => {};
	constructor(data, scheduler, host, ports) {
		const { bell, control, workers, placement, index, losses, lost, heardOf } = data;
		const { phase, before, links } = bornAs(data, scheduler);
		const { neighbours } = scheduler;
		this.#data = data;
		this.#scheduler = scheduler;
		this.#host = host;
		this.#ports = ports;
		this.#losses = new Int32Array(losses);
		this.#heardOf = heardOf;
		this.places = scheduler.places = new Places(index, workers, placement);
		neighbours.onLost = (worker, isReplaced) => this.places.lost(worker, isReplaced);
		neighbours.onToBeRestored = () => {
			neighbours.onToBeRestored = void 0;
			this.#say({ what: "to be restored" });
		};
		if (before !== void 0) {
			scheduler.succeed(data.life, before.why);
			neighbours.whyForgotten = before.whyForgotten;
		}
		this.#isReviving = before?.snapshot !== void 0;
		this.#isRestoring = data.restored !== void 0;
		host.sleepBy(bell);
		host.rests = () => this.#rests();
		if (this.#isRestoring || this.#isReviving) scheduler.hold();
		const rollbacks = new Int32Array(data.rollbacks);
		scheduler.watchRollbacks((count) => Atomics.store(rollbacks, index, count));
		for (const link of links) connect(scheduler, link);
		for (const each of lost) lose(scheduler, each);
		scheduler.bornIn(phase);
		const { room } = ports;
		if (room !== void 0 && data.isSnapshotted) this.#keepSnapshots(room);
		if (before?.snapshot !== void 0) this.#revive(before.snapshot);
		control.on("message", (message) => this.#hear(message));
		neighbours.taking.onTaken = () => this.#hearOfLosses();
		control.unref();
		process.on("beforeExit", own(() => this.#nothingLeft()));
		const { following } = scheduler.ingests;
		if (following === void 0) return;
		scheduler.onEnded = () => this.#rests();
		following.onHalt(({ why, events, turns, messages, divergence }) => this.#say({
			what: "stopped",
			worker: index,
			life: data.life,
			why,
			events,
			turns,
			messages,
			...divergence === void 0 ? {} : { divergence }
		}));
		process.on("exit", own(() => following.exits()));
	}
	#say(message, transfer) {
		this.#data.control.postMessage(message, transfer);
	}
	#answer(question, what) {
		this.#say({
			what: "answer",
			question,
			answer: what
		});
	}
	#keepSnapshots(room) {
		const { index, life, pace, restored } = this.#data;
		this.#scheduler.keepSnapshots({
			room,
			sink: this.#ports.sink,
			deliver: (delivery) => {
				const part = {
					...delivery,
					worker: index,
					life
				};
				const { bytes } = delivery;
				this.#say({
					what: "part",
					part
				}, bytes && [bytes.buffer]);
			},
			failed: (phase, reason, again) => this.#say({
				what: "no part",
				phase,
				reason: messageOf(reason),
				again
			})
		});
		if (pace !== void 0) keepPace(this.#scheduler, this.#host, pace, () => this.#say({ what: "due" }));
		if (restored !== void 0) this.#restore(room, restored);
	}
	async #restore(room, bytes) {
		try {
			this.#goOn = await restoreHere(this.#scheduler, room, bytes, () => this.#isRestoring = false);
		} catch (error) {
			const { code = "TT_DAMAGED_SNAPSHOT", message = String(error) } = error;
			return this.#say({
				what: "restored",
				failure: {
					code,
					message
				}
			});
		}
		this.#say({
			what: "restored",
			failure: void 0
		});
	}
	/** This worker has the place of a lost one, and is to be what that one was, if that can be had. */
	async #revive(place) {
		try {
			const part = this.#lastPart(place);
			const { room } = this.#ports;
			if (part === void 0 || room === void 0) {
				this.#scheduler.neighbours.claimNoMore();
				this.#scheduler.letGo();
			} else {
				this.#scheduler.neighbours.whyForgotten = `snapshot ${part.phase} does not have them`;
				await reviveHere(this.#scheduler, room, part.bytes);
			}
			this.#isReviving = false;
		} catch (error) {
			this.#say({
				what: "not restored",
				why: messageOf(error).replaceAll(/\s*\n\s*/g, " ")
			});
			process.exit(1);
		}
	}
	#lastPart(place) {
		try {
			return this.#ports.lastPart?.(place, this.#data.index);
		} catch (error) {
			this.#scheduler.neighbours.whyForgotten = messageOf(error);
			return;
		}
	}
	#hear(message) {
		const scheduler = this.#scheduler;
		switch (message.what) {
			case "quiet":
				this.#questions.push(message.question);
				return this.#rests();
			case "heard": return this.#answerWhenHeard(message.question);
			case "stats":
			case "stats of actors": return this.#answer(message.question, threadStats(scheduler, this.#host, message.what === "stats of actors"));
			case "still":
				scheduler.hold();
				this.#standStill(message.question);
				return;
			case "lost":
				this.#heardOf++;
				return lose(scheduler, message);
			case "phase": return scheduler.begin(message.phase);
			case "go on": return this.#goOn();
			case "standing":
				this.#questions.push(message.question);
				return this.#rests();
			case "end":
				scheduler.ends();
				process.exit();
		}
	}
	#hearOfLosses() {
		while (Atomics.load(this.#losses, 0) !== this.#heardOf) {
			const received = receiveMessageOnPort(this.#data.control);
			if (received === void 0) return;
			const { message } = received;
			if (message.what === "lost") this.#hear(message);
			else setImmediate(() => this.#hear(message));
		}
	}
	/** No snapshot can begin before it is known who is what it was. */
	#answerWhenHeard(question) {
		const { ingests, neighbours } = this.#scheduler;
		if (!this.#isReviving && ingests.isEmpty && !neighbours.areRevivable) this.#answer(question, true);
		else setImmediate(() => this.#answerWhenHeard(question));
	}
	/** For good, once the main thread has what this one has written. */
	async #standStill(question) {
		const streams = [process.stdout, process.stderr];
		await Promise.all(streams.map((stream) => new Promise((resolve) => stream.write("", resolve))));
		this.#answer(question, true);
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
	}
	/** Nothing is to be done between actors: Node will say when nothing is left at all. */
	#rests() {
		if (this.#questions.length === 0 && !this.#scheduler.ingests.isFollowing) return;
		this.#data.control.unref();
		setImmediate(() => {});
	}
	/** In a run again: what it waits for is told; that it has come to its end is told by its tape. */
	#judge(following) {
		const { index: worker, life } = this.#data;
		const event = this.#isReviving || this.#isRestoring ? void 0 : following.judge();
		if (event !== void 0) this.#say({
			what: "stands",
			worker,
			life,
			...standing(following, event)
		});
		const asked = this.#questions;
		this.#questions = [];
		for (const question of asked) this.#answer(question, true);
	}
	#nothingLeft() {
		this.#data.control.ref();
		const { following } = this.#scheduler.ingests;
		if (following !== void 0) return this.#judge(following);
		if (this.#isReviving || !this.#scheduler.isIdle) return;
		const asked = this.#questions;
		this.#questions = [];
		for (const question of asked) this.#answer(question, this.#scheduler.neighbours.traffic);
	}
};
/** What it is to know of itself and of others; in a run again, what it knew. */
function bornAs(data, { ingests }) {
	const { following } = ingests;
	const { life, phase, before, links, heardOf: losses } = data;
	if (data.restored !== void 0) return data;
	if (following === void 0) {
		const whys = Object.fromEntries(links.flatMap((link) => link.before === void 0 ? [] : [[link.worker, link.before]]));
		const known = before === void 0 ? null : {
			...before,
			snapshot: before.snapshot?.phase ?? null
		};
		ingests.note("born", String(life), {
			phase,
			before: known,
			whys,
			losses
		});
		return data;
	}
	const { next } = following;
	if (next === void 0) {
		following.exits();
		return data;
	}
	if (next.what !== "happened" || next.kind !== "born") {
		following.differ(told(next), "the worker begins");
		return data;
	}
	following.take();
	const noted = next.value;
	const known = (link) => ({
		...link,
		before: noted.whys[link.worker]
	});
	const recording = before?.snapshot?.recording ?? "";
	return {
		phase: noted.phase,
		links: links.map(known),
		before: noted.before === null ? void 0 : againBefore(noted.before, recording)
	};
}
function againBefore({ snapshot, ...why }, recording) {
	return {
		...why,
		snapshot: snapshot === null ? void 0 : {
			recording,
			phase: snapshot
		}
	};
}
function messageOf(reason) {
	return reason instanceof Error ? reason.message : String(reason);
}
// packages/runtime/src/thread-host.ts
const { setImmediate: nativeSetImmediate, setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;
const { queueMicrotask: nativeQueueMicrotask } = globalThis;
const { monitorEventLoopDelay } = perfHooks;
/** Where Node tells of requests. */
const REQUESTS = ["http.server.request.start", "http2.server.stream.start"];
var ThreadHost = class {
	types = types;
	classes;
	errorClassName;
	errorPrototype;
	awaitedBy;
	isReferenced;
	report;
	forgotten;
	outside;
	/** Is told when there is nothing to do between actors. */
	rests;
	#sleeper;
	#delay;
	constructor(program) {
		this.classes = program.classes;
		this.errorClassName = program.errorClassName;
		this.errorPrototype = program.errorPrototype;
		this.awaitedBy = program.awaitedBy;
		this.isReferenced = program.isReferenced;
		this.report = program.report;
		this.forgotten = program.forgotten;
		this.outside = program.outside;
	}
	/** From now on there are other workers, which wake this one by its bell. */
	sleepBy(bell) {
		this.#sleeper = new Sleeper(bell);
	}
	soon(callback) {
		nativeQueueMicrotask(callback);
	}
	later(callback) {
		nativeSetImmediate(callback);
	}
	now() {
		return hostClock.now();
	}
	after(milliseconds, callback) {
		const timer = nativeSetTimeout(callback, milliseconds);
		return () => nativeClearTimeout(timer);
	}
	rest(isEmpty, hasSent) {
		if (this.#sleeper?.rest(isEmpty, hasSent) === true) return true;
		this.rests?.();
		return false;
	}
	awake() {
		this.#sleeper?.wake();
	}
	/** Calls back for every HTTP request that a server of this thread gets. */
	whenRequested(callback) {
		for (const channel of REQUESTS) subscribe(channel, callback);
	}
	/** Milliseconds by which Node came back late to its loop, the most since this was asked before. */
	takeDelay() {
		if (this.#delay === void 0) {
			this.#delay = monitorEventLoopDelay({ resolution: 10 });
			this.#delay.enable();
			return 0;
		}
		const most = this.#delay.max / 1e6;
		this.#delay.reset();
		return most;
	}
};
export { ActorLostError, App, FarRef as FarReference, FollowingTape, MessageQueue, Passing, RecordingTape, RuntimeError, Scheduler, ThreadHost, calledName, serve };
