const { createRequire } = process.getBuiltinModule("node:module");
// packages/core/src/intrinsics.ts
const { apply: apply$1, construct, defineProperty, getPrototypeOf, setPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect;
const { create, freeze, is, hasOwn } = Object;
/** The method as a function of its receiver: immune to later patches of `call`. */
function receiverFirst(method) {
	return (receiver, ...args) => apply$1(method, receiver, args);
}
function prototypeOf$1(object) {
	return getPrototypeOf(object);
}
function getterOf(object, key) {
	return getOwnPropertyDescriptor(object, key)?.get;
}
const isArray = Array.isArray;
const sourceText = receiverFirst(Function.prototype.toString);
const NativePromise = Promise;
const nativeThen = Promise.prototype.then;
const NativeTypeError = TypeError;
const NativeWeakMap = WeakMap;
const functionPrototype = Function.prototype;
const iteratorPrototype = prototypeOf$1(prototypeOf$1([][Symbol.iterator]()));
const asyncGeneratorFunctionPrototype = prototypeOf$1(async function* () {});
const nativeAsyncFunctionPrototype = prototypeOf$1(async function() {});
const nativeGeneratorFunctionPrototype = prototypeOf$1(function* () {});
const nativeAsyncGeneratorFunctionPrototype = asyncGeneratorFunctionPrototype;
const asyncIteratorPrototype = prototypeOf$1(asyncGeneratorFunctionPrototype.prototype);
const arrayIteratorPrototype = getPrototypeOf([][Symbol.iterator]());
const mapIteratorPrototype = getPrototypeOf((/* @__PURE__ */ new Map())[Symbol.iterator]());
const setIteratorPrototype = getPrototypeOf((/* @__PURE__ */ new Set())[Symbol.iterator]());
const stringIteratorPrototype = getPrototypeOf(""[Symbol.iterator]());
const arrayIteratorNext = arrayIteratorPrototype.next;
const mapIteratorNext = mapIteratorPrototype.next;
const setIteratorNext = setIteratorPrototype.next;
const stringIteratorNext = stringIteratorPrototype.next;
const typedArrayPrototype$1 = getPrototypeOf(Uint8Array.prototype);
const arrayValues = Array.prototype[Symbol.iterator];
const typedArrayValues = typedArrayPrototype$1[Symbol.iterator];
const mapEntries = Map.prototype[Symbol.iterator];
const setValues = Set.prototype[Symbol.iterator];
const stringCharacters = String.prototype[Symbol.iterator];
const mapSize$1 = getterOf(Map.prototype, "size");
const setSize$1 = getterOf(Set.prototype, "size");
const typedArrayTag = getterOf(typedArrayPrototype$1, Symbol.toStringTag);
const typedArrayLength = getterOf(typedArrayPrototype$1, "length");
/** A copy made without the array iterator, which a program may have replaced. */
function copyOf(list) {
	const copy = [];
	for (let i = 0; i < list.length; i++) copy[i] = list[i];
	return copy;
}
function isObject(value) {
	return typeof value === "object" && value !== null || typeof value === "function";
}
// packages/core/src/host-globals.ts
/** Connections, ports, streams: what is behind them is outside of a program. As in the transform's table. */
const OUTER_GLOBALS = [
	"fetch",
	"Request",
	"Response",
	"FormData",
	"WebSocket",
	"EventSource",
	"Blob",
	"File",
	"BroadcastChannel",
	"MessageChannel",
	"MessagePort",
	"ReadableStream",
	"ReadableStreamDefaultReader",
	"ReadableStreamBYOBReader",
	"ReadableStreamBYOBRequest",
	"ReadableByteStreamController",
	"ReadableStreamDefaultController",
	"TransformStream",
	"TransformStreamDefaultController",
	"WritableStream",
	"WritableStreamDefaultController",
	"WritableStreamDefaultWriter",
	"ByteLengthQueuingStrategy",
	"CountQueuingStrategy",
	"TextEncoderStream",
	"TextDecoderStream",
	"CompressionStream",
	"DecompressionStream",
	"SubtleCrypto",
	"CryptoKey",
	"PerformanceObserver",
	"PerformanceObserverEntryList"
];
/** Data; but Node loads its network code when one of these is first read. */
const LATE_GLOBALS = [
	"Headers",
	"CloseEvent",
	"ErrorEvent",
	"MessageEvent"
];
/** Each leads to the host's global object, until somebody defines it anew. */
function addHostGlobals(ambient) {
	const globals = globalThis;
	for (const name of [...OUTER_GLOBALS, ...LATE_GLOBALS]) defineProperty(ambient, name, {
		get: () => globals[name],
		set: (value) => void (globals[name] = value),
		enumerable: true,
		configurable: true
	});
}
// packages/core/src/abort-listeners.ts
const targets = new NativeWeakMap();
const { get: get$5, set: set$7 } = NativeWeakMap.prototype;
/** From now on `abortTargetOf` knows. `signals`: the prototype of the host's signals. */
function watchAbortListeners(signals) {
	const keys = ownKeys(signals);
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		if (typeof key !== "symbol" || key.description !== "kNewListener") continue;
		const descriptor = getOwnPropertyDescriptor(signals, key);
		const native = descriptor.value;
		const { watch } = { watch() {
			const args = arguments;
			const listener = args[2];
			const target = args[6];
			if (typeof target === "object" && target !== null && typeof listener === "function") apply$1(set$7, targets, [listener, target]);
			return apply$1(native, this, args);
		} };
		defineProperty(signals, key, {
			...descriptor,
			value: watch
		});
	}
}
/** The target whose listener `listener` removes. */
function abortTargetOf(listener) {
	return apply$1(get$5, targets, [listener]);
}
// packages/core/src/abi.ts
const ABI_VERSION = 4;
// packages/core/src/thrown-again.ts
/**
* An error that is thrown again on this line. Node shows the line where one that ends the process was thrown last, unless these words stand in it; a comment would do, if
* bundlers kept it.
*/
function thrownAgain(error, _words) {
	return error;
}
// packages/core/src/stamp.ts
function Identity(object) {
	return object;
}
const Stamp = Identity;
// packages/core/src/cell.ts
var Cell = class {
	name;
	constructor(name) {
		this.name = name;
	}
	get v() {
		throw new ReferenceError(`Cannot access '${this.name}' before initialization`);
	}
	set v(_value) {
		throw new ReferenceError(`Cannot access '${this.name}' before initialization`);
	}
};
/** A field definition is the one way to an own data property under an accessor that V8 compiles inline (10x defineProperty). */
var Initialised = class extends Stamp {
	v;
	constructor(cell, value) {
		super(cell);
		this.v = value;
	}
};
/** Initialises the variable: from here on it is read and written freely. */
function init(cell, value) {
	new Initialised(cell, value);
}
// packages/core/src/core-error.ts
var CoreError = class extends Error {
	code;
	constructor(code, message, options) {
		super(message, options);
		this.name = "CoreError";
		this.code = code;
	}
};
// packages/core/src/frame.ts
/** The main program, which is there before any actor. */
const ROOT_HOME = {
	id: 0,
	ownContext: void 0
};
const ROOT_CONTEXT = {
	home: ROOT_HOME,
	store: void 0,
	trail: void 0
};
var Frame = class {
	step;
	pc = 0;
	/** What the frame answers to: the eventual of an async function, the state of a (async) generator. */
	result = void 0;
	kind = 0;
	/** Whose turn it was, and its AsyncLocalStorage context, at the last suspension. */
	context = ROOT_CONTEXT;
	s0 = void 0;
	s1 = void 0;
	s2 = void 0;
	s3 = void 0;
	s4 = void 0;
	s5 = void 0;
	s6 = void 0;
	s7 = void 0;
	more;
	constructor(step, count) {
		this.step = step;
		this.more = count === void 0 || count === 0 ? void 0 : slots(count);
	}
};
function slots(count) {
	const more = [];
	for (let i = 0; i < count; i++) more[i] = void 0;
	return more;
}
/** A `then` of the program: handlers that are functions of the program, and what their outcome settles. */
var Reaction = class {
	kind = 4;
	/** What the outcome of the handler settles: an eventual of core's own, or the capability of a subclass. */
	derived;
	onFulfilled;
	onRejected;
	context;
	constructor(derived, onFulfilled, onRejected, context) {
		this.derived = derived;
		this.onFulfilled = onFulfilled;
		this.onRejected = onRejected;
		this.context = context;
	}
};
/** A reaction of core's own: no program function, so nothing but data. */
var Continuation = class {
	kind = 6;
	tag;
	target;
	detail;
	context;
	constructor(tag, target, detail, context) {
		this.tag = tag;
		this.target = target;
		this.detail = detail;
		this.context = context;
	}
};
/** A thenable to be called in a job of its own. */
var ThenableJob = class {
	eventual;
	then;
	context;
	constructor(eventual, then, context) {
		this.eventual = eventual;
		this.then = then;
		this.context = context;
	}
};
/** A callback of `queueMicrotask` or `nextTick`. */
var CallbackJob = class {
	callback;
	args;
	context;
	constructor(callback, args, context) {
		this.callback = callback;
		this.args = args;
		this.context = context;
	}
};
// packages/core/src/show.ts
/** What no JavaScript can ask without being noticed; guesses until a host knows better. */
const brands = {
	isProxy: (_value) => false,
	isNativePromise: (value) => isObject(value) && value instanceof NativePromise,
	/** A function's text as it was written. */
	sourceText: (fn) => apply$1(functionPrototype.toString, fn, [])
};
const { toString: objectToString } = Object.prototype;
const { toString: errorToString } = Error.prototype;
const { toString: symbolToString } = Symbol.prototype;
function show(value) {
	if (typeof value === "symbol") return apply$1(symbolToString, value, []);
	if (!isObject(value)) return `${value}`;
	if (brands.isProxy(value)) return typeof value === "function" ? "function () { [native code] }" : "#<Object>";
	if (typeof value === "function") return brands.sourceText(value);
	const toString = dataProperty(value, "toString");
	if (toString === errorToString) return errorText(value);
	if (toString === objectToString) {
		const name = nameOf(dataProperty(value, "constructor"));
		if (name !== "") return `#<${name}>`;
	}
	const tag = dataProperty(value, Symbol.toStringTag);
	return typeof tag === "string" ? `[object ${tag}]` : apply$1(objectToString, value, []);
}
function errorText(error) {
	const name = dataProperty(error, "name");
	const message = dataProperty(error, "message");
	const shownName = name === void 0 ? "Error" : show(name);
	const shownMessage = message === void 0 ? "" : show(message);
	if (shownName === "") return shownMessage;
	return shownMessage === "" ? shownName : `${shownName}: ${shownMessage}`;
}
function nameOf(constructor) {
	if (typeof constructor !== "function" || brands.isProxy(constructor)) return "";
	const name = dataProperty(constructor, "name");
	return typeof name === "string" ? name : "";
}
/** The value of a property that is not an accessor. */
function dataProperty(object, key) {
	for (let at = object; at !== null && !brands.isProxy(at); at = getPrototypeOf(at)) {
		const descriptor = getOwnPropertyDescriptor(at, key);
		if (descriptor !== void 0) return descriptor.value;
	}
}
/** What V8 calls a value of which it finds no expression in the source. */
function showWithType(value) {
	if (typeof value === "string") return `string "${value}"`;
	if (value === null || typeof value === "boolean" || typeof value === "number") return `${typeof value} ${value}`;
	return typeof value;
}
// packages/core/src/eventual.ts
const PENDING = 0;
const FULFILLED = 1;
const REJECTED = 2;
/**
* The hidden state. Only `this` file and `inspect.ts` touch it, through the statics. A base class, whose prototype is the
* first realm's `Promise.prototype`: made by plain `new`, twice as fast as private fields stamped on an object that exists.
*/
var Eventual = class {
	#state = 0;
	#value = void 0;
	#waiting = void 0;
	#handled = false;
	static has(value) {
		return typeof value === "object" && value !== null && #state in value;
	}
	static state(eventual) {
		return eventual.#state;
	}
	static value(eventual) {
		return eventual.#value;
	}
	static handled(eventual) {
		return eventual.#handled;
	}
	static handle(eventual) {
		eventual.#handled = true;
	}
	static settle(eventual, state, value) {
		const waiting = eventual.#waiting;
		eventual.#state = state;
		eventual.#value = value;
		eventual.#waiting = void 0;
		return waiting;
	}
	/** Adds to the waiting ones if pending (its rejection counts as handled from now on); answers the state. */
	static wait(eventual, waiting) {
		const state = eventual.#state;
		if (state === 0) {
			eventual.#handled = true;
			const before = eventual.#waiting;
			if (before === void 0) eventual.#waiting = waiting;
			else if (isArray(before)) before[before.length] = waiting;
			else eventual.#waiting = [before, waiting];
		}
		return state;
	}
	static read(eventual) {
		return {
			state: eventual.#state,
			value: eventual.#value,
			waiting: eventual.#waiting,
			handled: eventual.#handled
		};
	}
	static write(eventual, state) {
		eventual.#state = state.state;
		eventual.#value = state.value;
		eventual.#waiting = state.waiting;
		eventual.#handled = state.handled;
	}
};
let prototypeIsFree = true;
/** The prototype of a realm's eventuals, and what makes them. The first realm of a worker has the fast way. */
function eventualsOfRealm() {
	if (prototypeIsFree) {
		prototypeIsFree = false;
		return {
			prototype: Eventual.prototype,
			create: () => new Eventual()
		};
	}
	const prototype = {};
	const target = constructing(prototype);
	return {
		prototype,
		create: () => construct(Eventual, [], target)
	};
}
const constructors = new NativeWeakMap();
const constructorOf = receiverFirst(constructors.get);
const setConstructor = receiverFirst(constructors.set);
/** An eventual that inherits from an object of the program: an instance of a subclass. */
function eventualUnder(prototype) {
	let target = constructorOf(constructors, prototype);
	if (target === void 0) {
		target = constructing(prototype);
		setConstructor(constructors, prototype, target);
	}
	return construct(Eventual, [], target);
}
function constructing(prototype) {
	const target = function() {};
	target.prototype = prototype;
	return target;
}
const NativeWeakRef$1 = WeakRef;
const deref$2 = receiverFirst(WeakRef.prototype.deref);
/** So many may be dead before they are looked through. */
const FEW = 64;
function createEventuals(jobs, now, rejections, intrinsics, create, resolvers) {
	const { enqueue } = jobs;
	function settle(eventual, state, value) {
		const waiting = Eventual.settle(eventual, state, value);
		if (waiting === void 0) {
			if (state === 2 && !Eventual.handled(eventual)) rejections.rejected(eventual);
			return;
		}
		const side = state - 1;
		if (isArray(waiting)) for (let i = 0; i < waiting.length; i++) enqueue(waiting[i], waiting[i].kind + side, value);
		else enqueue(waiting, waiting.kind + side, value);
	}
	function reject(eventual, reason) {
		settle(eventual, 2, reason);
	}
	function resolve(eventual, value) {
		if (typeof value !== "object" && typeof value !== "function" || value === null) return settle(eventual, 1, value);
		resolveWithObject(eventual, value);
	}
	function resolveWithObject(eventual, value) {
		if (value === eventual) return settle(eventual, 2, new NativeTypeError(`Chaining cycle detected for promise ${show(value)}`));
		let then;
		try {
			then = value.then;
		} catch (error) {
			return settle(eventual, 2, error);
		}
		resolveWithThen(eventual, value, then);
	}
	function resolveWithThen(eventual, value, then) {
		if (typeof then !== "function") return settle(eventual, 1, value);
		if (then === intrinsics.then && Eventual.has(value)) return enqueue(eventual, 8, value);
		enqueue(new ThenableJob(eventual, then, now.context), 10, value);
	}
	function resolveWithResult(eventual, value, done) {
		const result = {
			value,
			done
		};
		let then;
		try {
			then = result.then;
		} catch (error) {
			return settle(eventual, 2, error);
		}
		if (then === void 0) settle(eventual, 1, result);
		else resolveWithThen(eventual, result, then);
	}
	function register(eventual, waiting) {
		const state = Eventual.wait(eventual, waiting);
		if (state === 0) return;
		if (state === 2 && !Eventual.handled(eventual)) {
			rejections.handled(eventual);
			Eventual.handle(eventual);
		}
		enqueue(waiting, waiting.kind + state - 1, Eventual.value(eventual));
	}
	function eventualOf(value) {
		if (Eventual.has(value) && value.constructor === intrinsics.constructor) return value;
		const eventual = create();
		if (typeof value !== "object" && typeof value !== "function" || value === null) {
			settle(eventual, 1, value);
			return eventual;
		}
		let then;
		try {
			then = value.then;
		} catch (error) {
			settle(eventual, 2, error);
			return eventual;
		}
		if (then === nativeThen && isNativePromise(value)) listen(value, eventual);
		else resolveWithThen(eventual, value, then);
		return eventual;
	}
	function awaitValue(frame, k, value) {
		if (typeof value !== "object" && typeof value !== "function" || value === null) {
			frame.pc = k;
			frame.context = now.context;
			return enqueue(frame, frame.kind, value);
		}
		if (Eventual.has(value) && value.constructor === intrinsics.constructor) {
			frame.pc = k;
			frame.context = now.context;
			if (Eventual.state(value) === 1) return enqueue(frame, frame.kind, Eventual.value(value));
			return register(value, frame);
		}
		awaitObject(frame, k, value);
	}
	function awaitObject(frame, k, value) {
		let then;
		let eventual;
		let how = 0;
		let sent = value;
		try {
			then = value.then;
		} catch (error) {
			how = 1;
			sent = error;
		}
		if (typeof then === "function") {
			eventual = create();
			if (then === nativeThen && isNativePromise(value)) listen(value, eventual);
			else if (then === intrinsics.then && Eventual.has(value)) enqueue(eventual, 8, value);
			else enqueue(new ThenableJob(eventual, then, now.context), 10, value);
		}
		frame.pc = k;
		frame.context = now.context;
		if (eventual === void 0) enqueue(frame, frame.kind + how, sent);
		else register(eventual, frame);
	}
	/** A native promise nobody has tampered with: asked at once, so that no job is spent on calling its `then`. */
	function isNativePromise(value) {
		return brands.isNativePromise(value) && value.constructor === NativePromise;
	}
	let watchSettling;
	const sources = new NativeWeakMap();
	const sourceOf = receiverFirst(sources.get);
	const setSource = receiverFirst(sources.set);
	const removeSource = receiverFirst(sources.delete);
	const homes = new NativeWeakMap();
	const homeOf = receiverFirst(homes.get);
	const setHome = receiverFirst(homes.set);
	let refs;
	let sweepAt = FEW;
	function remember(list, eventual) {
		if (list.length >= sweepAt) {
			const alive = followed();
			list = refs = [];
			for (let i = 0; i < alive.length; i++) list[i] = new NativeWeakRef$1(alive[i]);
			sweepAt = FEW + 2 * alive.length;
		}
		list[list.length] = new NativeWeakRef$1(eventual);
	}
	function keep(eventual) {
		if (refs === void 0) return;
		remember(refs, eventual);
		setHome(homes, eventual, now.context.home);
	}
	function followed() {
		const alive = [];
		const list = refs ?? [];
		for (let i = 0; i < list.length; i++) {
			const eventual = deref$2(list[i]);
			if (eventual === void 0 || Eventual.state(eventual) !== 0) continue;
			alive[alive.length] = eventual;
		}
		return alive;
	}
	function listen(promise, eventual) {
		setSource(sources, eventual, promise);
		const { home } = now.context;
		keep(eventual);
		let end = (state, value) => settleFromOutside(eventual, state, value, home);
		if (watchSettling !== void 0) end = watchSettling(end);
		apply$1(nativeThen, promise, [(value) => end(1, value), (reason) => end(2, reason)]);
	}
	/** An entry from native code: only queues, never runs. */
	function settleFromOutside(eventual, state, value, home) {
		jobs.entering(home);
		removeSource(sources, eventual);
		settle(eventual, state, value);
	}
	function adopt(target, inner) {
		try {
			const species = intrinsics.speciesOf(inner);
			if (species === intrinsics.constructor) return register(inner, continuation(1, target, void 0));
			const functions = resolvers(target);
			try {
				intrinsics.performThen(inner, species, functions[0], functions[1]);
			} catch (error) {
				functions[1](error);
			}
		} catch (error) {
			reject(target, error);
		}
	}
	function callThen(job, thenable) {
		const functions = resolvers(job.eventual);
		try {
			apply$1(job.then, thenable, functions);
		} catch (error) {
			functions[1](error);
		}
	}
	function continuation(tag, target, detail) {
		return new Continuation(tag, target, detail, now.context);
	}
	function forward(eventual, target) {
		register(eventual, continuation(5, target, void 0));
	}
	return {
		create,
		forward,
		settle,
		resolve,
		resolveWithResult,
		reject,
		register,
		eventualOf,
		await: awaitValue,
		adopt,
		callThen,
		continuation,
		followed,
		follow: keep,
		settledBy(watch) {
			watchSettling = watch;
		},
		homeOf: (eventual) => homeOf(homes, eventual),
		followSources() {
			refs ??= [];
		},
		sourceOf: (eventual) => sourceOf(sources, eventual)
	};
}
// packages/core/src/generator.ts
const finished = new Frame(() => void 0);
finished.pc = -1;
/** `frame.result` of a generator's frame: whether its first step has run. */
const STARTED = true;
var GeneratorState = class GeneratorState extends Stamp {
	#frame;
	constructor(object, frame) {
		super(object);
		this.#frame = frame;
	}
	static has(value) {
		return typeof value === "object" && value !== null && #frame in value;
	}
	/** The frame, or nothing once the generator has finished. */
	static frame(generator) {
		return generator.#frame === finished ? void 0 : generator.#frame;
	}
	static setFrame(generator, frame) {
		generator.#frame = frame ?? finished;
	}
	static next(generator, value) {
		const frame = generator.#frame;
		if (frame.pc > 0) return GeneratorState.run(generator, frame, value, 0);
		if (frame.pc < 0) return {
			value: void 0,
			done: true
		};
		if (frame.result === STARTED) throw new NativeTypeError("Generator is already running");
		frame.result = STARTED;
		return GeneratorState.run(generator, frame, void 0, 0);
	}
	static abrupt(generator, value, how) {
		const frame = generator.#frame;
		if (frame.pc > 0) return GeneratorState.run(generator, frame, value, how);
		if (frame.pc === 0 && frame.result === STARTED) throw new NativeTypeError("Generator is already running");
		generator.#frame = finished;
		if (how === 1) throw value;
		return {
			value,
			done: true
		};
	}
	static run(generator, frame, value, how) {
		const { step } = frame;
		let suspends = false;
		try {
			const result = step(frame, value, how);
			suspends = frame.pc > 0;
			return result;
		} finally {
			if (!suspends) {
				generator.#frame = finished;
				frame.pc = -1;
			}
		}
	}
};
/** One set for all realms: they need nothing of one. */
const methods$2 = {
	next(value) {
		if (!GeneratorState.has(this)) throw incompatible("next", this);
		return GeneratorState.next(this, value);
	},
	return(value) {
		if (!GeneratorState.has(this)) throw incompatible("return", this);
		return GeneratorState.abrupt(this, value, 2);
	},
	throw(error) {
		if (!GeneratorState.has(this)) throw incompatible("throw", this);
		return GeneratorState.abrupt(this, error, 1);
	}
};
/** `next` as it was born: who holds it and a generator may step the generator without a call. */
const generatorNext = methods$2.next;
function createGenerators() {
	const prototype = create(iteratorPrototype);
	for (const [name, value] of Object.entries(methods$2)) defineProperty(prototype, name, {
		value,
		writable: true,
		enumerable: false,
		configurable: true
	});
	defineProperty(prototype, Symbol.toStringTag, {
		value: "Generator",
		configurable: true
	});
	function generator(frame, proto) {
		return new GeneratorState(create(typeof proto === "object" && proto !== null || typeof proto === "function" ? proto : prototype), frame);
	}
	function generatorPrototype() {
		return create(prototype);
	}
	return {
		prototype,
		generator,
		generatorPrototype
	};
}
function incompatible(method, receiver) {
	return new NativeTypeError(`Method [Generator].prototype.${method} called on incompatible receiver ${show(receiver)}`);
}
// packages/core/src/host-clock.ts
const { now: date } = Date;
const { performance } = globalThis;
const hostClock = {
	date,
	now: performance?.now.bind(performance) ?? date
};
var AsyncGeneratorState = class {
	status = 0;
	frame;
	/** Requests not yet answered, oldest first. */
	queue = [];
	/** The frame waits at a yield for the value of a `return` request. */
	returning = false;
	/** The last step ended in a yield, not in an await. */
	yielded = false;
	constructor(frame) {
		this.frame = frame;
	}
};
var AsyncGeneratorObject = class extends Stamp {
	#state;
	constructor(object, state) {
		super(object);
		this.#state = state;
	}
	static state(value) {
		return typeof value === "object" && value !== null && #state in value ? value.#state : void 0;
	}
	static setState(generator, state) {
		generator.#state = state;
	}
};
function createAsyncGenerators(eventuals, jobs, now) {
	const prototype = create(asyncIteratorPrototype);
	const methods = {
		next(value) {
			const state = AsyncGeneratorObject.state(this);
			if (state === void 0) return incompatible("next", this);
			if (state.status === 4) {
				const eventual = eventuals.create();
				eventuals.resolveWithResult(eventual, void 0, true);
				return eventual;
			}
			return request(state, 0, value);
		},
		return(value) {
			const state = AsyncGeneratorObject.state(this);
			if (state === void 0) return incompatible("return", this);
			return request(state, 2, value);
		},
		throw(error) {
			const state = AsyncGeneratorObject.state(this);
			if (state === void 0) return incompatible("throw", this);
			if (state.status === 0) finish(state);
			if (state.status === 4) {
				const eventual = eventuals.create();
				eventuals.reject(eventual, error);
				return eventual;
			}
			return request(state, 1, error);
		}
	};
	for (const [name, value] of Object.entries(methods)) defineProperty(prototype, name, {
		value,
		writable: true,
		enumerable: false,
		configurable: true
	});
	defineProperty(prototype, Symbol.toStringTag, {
		value: "AsyncGenerator",
		configurable: true
	});
	function incompatible(method, receiver) {
		const eventual = eventuals.create();
		eventuals.reject(eventual, new NativeTypeError(`Method [AsyncGenerator].prototype.${method} called on incompatible receiver ${show(receiver)}`));
		return eventual;
	}
	function asyncGenerator(frame, proto) {
		const state = new AsyncGeneratorState(frame);
		frame.result = state;
		frame.kind = 2;
		return new AsyncGeneratorObject(create(isObject(proto) ? proto : prototype), state);
	}
	function asyncGeneratorPrototype() {
		return create(prototype);
	}
	function request(state, how, value) {
		const eventual = eventuals.create();
		const { status, queue } = state;
		queue[queue.length] = {
			how,
			value,
			eventual
		};
		if (status === 1) resumeWith(state, how, value);
		else if (status === 0 || status === 4) {
			if (how === 2) {
				if (status === 0) finish(state);
				awaitReturn(state);
			} else resumeWith(state, how, value);
		}
		return eventual;
	}
	/** Resumes at a yield, or starts. A `return` first awaits its value. */
	function resumeWith(state, how, value) {
		state.status = 2;
		if (how !== 2) return drive(state, value, how);
		const { frame } = state;
		let eventual;
		try {
			eventual = eventuals.eventualOf(value);
		} catch (error) {
			return drive(state, error, 1);
		}
		state.returning = true;
		frame.context = now.context;
		eventuals.register(eventual, frame);
	}
	function resume(frame, value, how) {
		if (now.context !== frame.context) now.context = frame.context;
		const state = frame.result;
		if (!state.returning) return drive(state, value, how);
		state.returning = false;
		drive(state, value, how === 0 ? 2 : 1);
	}
	function drive(state, value, how) {
		const { frame } = state;
		const { step } = frame;
		for (;;) {
			let completion;
			try {
				completion = step(frame, value, how);
			} catch (error) {
				frame.pc = -1;
				rememberParents(error, jobs.running());
				return complete(state, 1, error);
			}
			if (frame.pc <= 0) {
				frame.pc = -1;
				return complete(state, 0, completion);
			}
			if (!state.yielded) return;
			state.yielded = false;
			const request = state.queue[0];
			if (request === void 0) {
				state.status = 1;
				return;
			}
			if (request.how === 2) return resumeWith(state, 2, request.value);
			value = request.value;
			how = request.how;
		}
	}
	function yieldAsync(frame, k, value) {
		const state = frame.result;
		frame.pc = k;
		state.yielded = true;
		answer(state, 0, value, false);
	}
	function complete(state, how, value) {
		state.status = 3;
		answer(state, how, value, true);
		drain(state);
	}
	/** Answers the oldest request. */
	function answer(state, how, value, done) {
		const { eventual } = shift(state.queue);
		if (how === 1) eventuals.reject(eventual, value);
		else eventuals.resolveWithResult(eventual, value, done);
	}
	function drain(state) {
		const { queue } = state;
		while (queue.length > 0) {
			const request = queue[0];
			if (request.how === 2) return awaitReturn(state);
			answer(state, request.how, request.how === 0 ? void 0 : request.value, true);
		}
		finish(state);
	}
	function awaitReturn(state) {
		state.status = 3;
		let eventual;
		try {
			eventual = eventuals.eventualOf(state.queue[0].value);
		} catch (error) {
			answer(state, 1, error, true);
			return drain(state);
		}
		eventuals.register(eventual, eventuals.continuation(3, state, void 0));
	}
	function returned(state, value, rejected) {
		answer(state, rejected === 1 ? 1 : 0, value, true);
		drain(state);
	}
	function finish(state) {
		state.status = 4;
		state.frame.pc = -1;
	}
	return {
		prototype,
		asyncGenerator,
		asyncGeneratorPrototype,
		yieldAsync,
		resume,
		returned
	};
}
function shift(queue) {
	const first = queue[0];
	for (let i = 1; i < queue.length; i++) queue[i - 1] = queue[i];
	queue.length--;
	return first;
}
// packages/core/src/probe.ts
/** In the place of a variable that has not been initialised. */
const UNINITIALISED = Object.freeze({ uninitialised: true });
/** Thrown by `hit` and `stop`: no program code may catch it, since none runs before a prologue. */
const HIT = Object.freeze({ probe: "hit" });
let answer;
const probe = {
	on: false,
	/** Constructors of remade classes make instances without running code of the program. */
	blank: false,
	hit(module, ordinal, captures) {
		answer = {
			module,
			ordinal,
			captures
		};
		throw HIT;
	},
	/** For emitted functions, which return at once what it answers; their marker tells the rest. */
	take(captures) {
		answer = {
			module: void 0,
			ordinal: -1,
			captures
		};
	},
	/** The same where nothing can be returned yet, in the default of a parameter. */
	stop(captures) {
		answer = {
			module: void 0,
			ordinal: -1,
			captures
		};
		throw HIT;
	},
	/** A captured variable whose declaration may never be reached. */
	read(variable) {
		try {
			return variable();
		} catch {
			return UNINITIALISED;
		}
	}
};
probe.on = true;
probe.on = false;
probe.blank = true;
probe.blank = false;
const CORE = "turntable core";
/** The method as a function of its receiver, which V8 inlines. */
function method(of) {
	return Function.prototype.call.bind(of);
}
const PROLOGUE = /^[^{]*(?:\{|=>)\s*(?:if \()?probe\.on/;
const MARKER = /\/\*@(\w+):(-?\d+)([+!]?)\*\//;
const { exec: exec$2, test } = RegExp.prototype;
const { set: set$6 } = Map.prototype;
const fileOf = method(Map.prototype.get);
const isFile = method(Map.prototype.has);
const files = /* @__PURE__ */ new Map();
/** Ties the name that markers give a file to the record of the file. */
function defineFile(module, id) {
	apply$1(set$6, files, [id, module]);
}
/** Of functions that have been asked for before: a text does not change, and to read it takes longer than all else. */
const markers = /* @__PURE__ */ new WeakMap();
const markerBefore = method(WeakMap.prototype.get);
const keepMarker = method(WeakMap.prototype.set);
/** Who `fn` is, or nothing when it is not of transformed code. Foreign functions are never called. */
function identify(fn) {
	let marker = markerBefore(markers, fn);
	if (marker === void 0) {
		const text = sourceText(fn);
		if (text.startsWith("class")) return void 0;
		const found = apply$1(exec$2, MARKER, [text]);
		if (found === null) return apply$1(test, PROLOGUE, [text]) ? ask(fn) : void 0;
		marker = {
			id: found[1],
			ordinal: Number(found[2]),
			sign: found[3]
		};
		keepMarker(markers, fn, marker);
	}
	const { id, ordinal, sign } = marker;
	const module = fileOf(files, id);
	if (module === void 0 && !isFile(files, id)) return void 0;
	if (sign === "!") return {
		module,
		ordinal,
		captures: [],
		step: true
	};
	return {
		module,
		ordinal,
		captures: sign === "+" ? ask(fn)?.captures ?? [] : []
	};
}
/** Whether its text is that of transformed code, or of core's own closures. */
function isMarked(fn) {
	const text = sourceText(fn);
	return text.includes("/*@") || apply$1(test, PROLOGUE, [text]);
}
/** Calls a function that begins with a probe. */
function ask(fn) {
	answer = void 0;
	probe.on = true;
	try {
		apply$1(fn, void 0, []);
	} catch (error) {
		if (error !== HIT) throw error;
	} finally {
		probe.on = false;
	}
	const found = answer;
	answer = void 0;
	return found;
}
// packages/core/src/awaiting.ts
const LONGEST = 10;
/** Core closures that are element functions, by ordinal. */
const COMBINATORS = {
	7: "all",
	8: "allSettled",
	9: "allSettled"
};
const RESOLVE = 0;
const REJECT = 1;
const NOBODY = [];
const { get: get$4, set: set$5, has: has$1 } = NativeWeakMap.prototype;
/** By error: the frame whose step it left first, and what awaited that one. */
const chains = new NativeWeakMap();
const NOWHERE = {
	bottom: void 0,
	parents: NOBODY
};
/** What awaits `frame`, nearest first, as far as each has one first waiter. */
function asyncParents(frame) {
	return awaiting(frame.result);
}
/** What awaits an outcome, nearest first. */
function awaiting(result) {
	const chain = [];
	let waiting = firstWaiting(result);
	for (let hops = 0; waiting !== void 0 && chain.length < LONGEST && hops < 64; hops++) if (waiting instanceof Frame) {
		chain[chain.length] = {
			step: waiting.step,
			pc: waiting.pc,
			frame: waiting
		};
		waiting = firstWaiting(waiting.result);
	} else if (waiting instanceof Reaction) {
		const element = elementOf$1(waiting);
		if (element?.parent !== void 0) chain[chain.length] = element.parent;
		waiting = firstWaiting(element?.promise ?? outcomeOf(waiting));
	} else waiting = firstWaiting(waiting.target);
	return chain;
}
function outcomeOf({ derived }) {
	return Eventual.has(derived) ? derived : derived.promise;
}
/** What core's own handlers settle: those of `Promise.all` and its like, or a promise's resolving functions. */
function elementOf$1({ onFulfilled, onRejected }) {
	const one = settledBy(onFulfilled);
	return one?.parent === void 0 ? settledBy(onRejected) ?? one : one;
}
function settledBy(handler) {
	if (typeof handler !== "function" || handler.name !== "") return void 0;
	const identity = identify(handler);
	if (identity === void 0 || identity.module !== "turntable core") return void 0;
	if (identity.ordinal === RESOLVE || identity.ordinal === REJECT) return {
		parent: void 0,
		promise: identity.captures[0].eventual
	};
	const combinator = COMBINATORS[identity.ordinal];
	if (combinator === void 0) return void 0;
	const { gathering, index } = identity.captures[0];
	return {
		parent: {
			combinator: gathering.failing ? "any" : combinator,
			index
		},
		promise: gathering.capability.promise
	};
}
function firstWaiting(result) {
	const eventual = result instanceof AsyncGeneratorState ? result.queue[0]?.eventual : result;
	if (!Eventual.has(eventual)) return void 0;
	const { waiting } = Eventual.read(eventual);
	return isArray(waiting) ? waiting[0] : waiting;
}
/** Called when an exception leaves a step: `bottom` is what the job queue is running. */
function rememberParents(error, bottom) {
	if (typeof error !== "object" || error === null || apply$1(has$1, chains, [error])) return;
	apply$1(set$5, chains, [error, bottom instanceof Frame ? {
		bottom,
		parents: asyncParents(bottom)
	} : NOWHERE]);
}
/**
* The frame at the bottom of an error's stack and its async parents: those remembered, else those of what runs now, if the error's
* own frames show that it was made there (a trace is formatted when it is first read, which may be much later).
*/
function originOf(error, bottom, sites) {
	if (typeof error !== "object" || error === null) return NOWHERE;
	const origin = apply$1(get$4, chains, [error]);
	if (origin !== void 0) return origin;
	if (!(bottom instanceof Frame) || bottom.step.name === "") return NOWHERE;
	for (let i = sites.length - 1; i >= 0; i--) if (sites[i]?.getFunctionName() === bottom.step.name) return {
		bottom,
		parents: asyncParents(bottom)
	};
	return NOWHERE;
}
// packages/core/src/async-function.ts
function createAsyncFunctions(eventuals, jobs, now) {
	const { create, resolve, reject } = eventuals;
	function async(frame) {
		const { step } = frame;
		let completion;
		try {
			completion = step(frame, void 0, 0);
		} catch (error) {
			frame.pc = -1;
			rememberParents(error, jobs.running());
			const result = create();
			reject(result, error);
			return result;
		}
		const result = create();
		if (frame.pc > 0) {
			frame.result = result;
			return result;
		}
		frame.pc = -1;
		resolve(result, completion);
		return result;
	}
	function resume(frame, value, how) {
		if (now.context !== frame.context) now.context = frame.context;
		const { step } = frame;
		let completion;
		try {
			completion = step(frame, value, how);
		} catch (error) {
			frame.pc = -1;
			rememberParents(error, jobs.running());
			reject(frame.result, error);
			return;
		}
		if (frame.pc > 0) return;
		frame.pc = -1;
		resolve(frame.result, completion);
	}
	/** Settles an async function that has no frame, since it never suspends. */
	function fulfilled(value) {
		const result = create();
		resolve(result, value);
		return result;
	}
	function rejected(error) {
		rememberParents(error, jobs.running());
		const result = create();
		reject(result, error);
		return result;
	}
	return {
		async,
		resume,
		fulfilled,
		rejected
	};
}
// packages/core/src/iterator.ts
const { slice } = String.prototype;
/** On while a method is asked for an iterator that will be kept across a suspension (`kept-iterator.ts`). */
const keeping = { on: false };
keeping.on = true;
keeping.on = false;
var OwnIterator = class {
	kind;
	#source;
	/** Index of the next element (array, string), unused for Map and Set. */
	#position = 0;
	#native;
	constructor(kind, source, position = 0) {
		this.kind = kind;
		this.#source = source;
		if (kind === 1 || kind === 2) this.#native = advanced(kind, source, position);
		else this.#position = position;
	}
	next() {
		const source = this.#source;
		if (source === void 0) return {
			value: void 0,
			done: true
		};
		switch (this.kind) {
			case 0:
				if (this.#position < lengthOf(source)) return {
					value: source[this.#position++],
					done: false
				};
				break;
			case 3: {
				const character = codePointAt(source, this.#position);
				if (character !== "") {
					this.#position += character.length;
					return {
						value: character,
						done: false
					};
				}
				break;
			}
			case 4:
				if (this.#position < liveLength(source)) return {
					value: source[this.#position++],
					done: false
				};
				break;
			default: {
				const result = nativeNext(this.kind, this.#native);
				if (!result.done) return result;
			}
		}
		this.#source = void 0;
		this.#native = void 0;
		return {
			value: void 0,
			done: true
		};
	}
	[Symbol.iterator]() {
		return this;
	}
	static is(value) {
		return typeof value === "object" && value !== null && #source in value;
	}
	/** The state as data; the iterator goes on as if nobody had looked. */
	static read(iterator) {
		const { kind } = iterator;
		const source = iterator.#source;
		if (source === void 0 || kind !== 1 && kind !== 2) return {
			kind,
			source,
			position: iterator.#position
		};
		let rest = 0;
		while (!nativeNext(kind, iterator.#native).done) rest++;
		const size = apply$1(kind === 1 ? mapSize$1 : setSize$1, source, []);
		iterator.#native = advanced(kind, source, size - rest);
		return {
			kind,
			source,
			position: size - rest
		};
	}
	/** Gives a blank iterator (`new OwnIterator(ARRAY, undefined)`) its state. A Map or Set must have its entries by now. */
	static write(iterator, data) {
		iterator.kind = data.kind;
		iterator.#source = data.source;
		iterator.#position = data.position;
		if (data.source !== void 0 && (data.kind === 1 || data.kind === 2)) iterator.#native = advanced(data.kind, data.source, data.position);
	}
};
function advanced(kind, source, position) {
	const native = apply$1(kind === 1 ? mapEntries : setValues, source, []);
	const size = apply$1(kind === 1 ? mapSize$1 : setSize$1, source, []);
	if (position > size) throw new NativeTypeError(`an iterator cannot have come to ${position} of ${size} entries`);
	for (let i = 0; i < position; i++) nativeNext(kind, native);
	return native;
}
function nativeNext(kind, iterator) {
	return apply$1(kind === 1 ? mapIteratorNext : setIteratorNext, iterator, []);
}
function lengthOf(source) {
	const { length } = source;
	if (isArray(source)) return length;
	const integer = Math.trunc(Number(length));
	return integer > 0 ? Math.min(integer, Number.MAX_SAFE_INTEGER) : 0;
}
function liveLength(source) {
	const length = apply$1(typedArrayLength, source, []);
	if (length === 0) try {
		apply$1(typedArrayValues, source, []);
	} catch (error) {
		error.message = `Cannot perform Array Iterator.prototype.next${onWhat(error.message)}`;
		throw error;
	}
	return length;
}
/** ` on a detached ArrayBuffer`, in this engine's words. */
function onWhat(message) {
	let at = 0;
	while (at < message.length && !(message[at] === " " && message[at + 1] === "o" && message[at + 2] === "n")) at++;
	return apply$1(slice, message, [at]);
}
function codePointAt(text, index) {
	if (index >= text.length) return "";
	const first = text[index];
	if (first < "\ud800" || first > "\udbff" || index + 1 === text.length) return first;
	const second = text[index + 1];
	return second >= "\udc00" && second <= "\udfff" ? first + second : first;
}
function notIterable$1(value, text) {
	return new NativeTypeError(`${text ?? show(value)} is not iterable`);
}
/**
* The iterator a `for-of` over `value` would use: core's own when nobody could tell the difference. `text` is what a message
* calls the value.
*/
function iterator(value, refused = notIterable$1, text) {
	if (value === void 0 || value === null) throw refused(value, text);
	const method = value[Symbol.iterator];
	const own = ownIterator$1(value, method);
	if (own !== void 0) return own;
	if (typeof method !== "function") throw refused(value, text);
	const before = keeping.on;
	let result;
	keeping.on = true;
	try {
		result = apply$1(method, value, []);
	} finally {
		keeping.on = before;
	}
	if (!isObject(result)) throw new NativeTypeError("Result of the Symbol.iterator method is not an object");
	return result;
}
function ownIterator$1(value, method) {
	if (method === arrayValues) {
		if (arrayIteratorPrototype.next !== arrayIteratorNext || !isObject(value)) return void 0;
		if (apply$1(typedArrayTag, value, []) === void 0) return new OwnIterator(0, value);
		apply$1(typedArrayValues, value, []);
		return new OwnIterator(4, value);
	}
	if (method === mapEntries) return mapIteratorPrototype.next === mapIteratorNext ? new OwnIterator(1, value) : void 0;
	if (method === setValues) return setIteratorPrototype.next === setIteratorNext ? new OwnIterator(2, value) : void 0;
	if (method === stringCharacters && stringIteratorPrototype.next === stringIteratorNext) return new OwnIterator(3, String(value));
	if (method === typedArrayValues && arrayIteratorPrototype.next === arrayIteratorNext) {
		apply$1(typedArrayValues, value, []);
		return new OwnIterator(4, value);
	}
}
// packages/core/src/async-iterator.ts
function createAsyncIterators(eventuals) {
	class AsyncFromSync {
		source;
		method;
		constructor(source, method) {
			this.source = source;
			this.method = method;
		}
		next(...sent) {
			const eventual = eventuals.create();
			let result;
			try {
				result = apply$1(callable$2(this.method), this.source, sent);
			} catch (error) {
				eventuals.reject(eventual, error);
				return eventual;
			}
			return proceed(eventual, result, this.source, true);
		}
		return(...sent) {
			const eventual = eventuals.create();
			let result;
			try {
				const method = this.source.return;
				if (method === void 0 || method === null) {
					eventuals.resolve(eventual, {
						value: sent[0],
						done: true
					});
					return eventual;
				}
				result = apply$1(callable$2(method), this.source, sent);
			} catch (error) {
				eventuals.reject(eventual, error);
				return eventual;
			}
			return proceed(eventual, result, this.source, false);
		}
		throw(...sent) {
			const eventual = eventuals.create();
			let result;
			try {
				const method = this.source.throw;
				if (method === void 0 || method === null) {
					close$2(this.source);
					throw new NativeTypeError("The iterator does not provide a 'throw' method.");
				}
				result = apply$1(callable$2(method), this.source, sent);
			} catch (error) {
				eventuals.reject(eventual, error);
				return eventual;
			}
			return proceed(eventual, result, this.source, true);
		}
	}
	/** AsyncFromSyncIteratorContinuation */
	function proceed(eventual, result, source, closeOnRejection) {
		let inner;
		let done;
		try {
			if (!isObject(result)) throw new NativeTypeError(`Iterator result ${show(result)} is not an object`);
			done = Boolean(result.done);
			const { value } = result;
			try {
				inner = eventuals.eventualOf(value);
			} catch (error) {
				if (!done && closeOnRejection) closeQuietly$2(source);
				throw error;
			}
		} catch (error) {
			eventuals.reject(eventual, error);
			return eventual;
		}
		const unwrapping = {
			done,
			close: done || !closeOnRejection ? void 0 : source
		};
		eventuals.register(inner, eventuals.continuation(2, eventual, unwrapping));
		return eventual;
	}
	function unwrap(continuation, value, rejected) {
		const eventual = continuation.target;
		const { done, close: source } = continuation.detail;
		if (rejected === 0) return eventuals.resolve(eventual, {
			value,
			done
		});
		if (source !== void 0) closeQuietly$2(source);
		eventuals.reject(eventual, value);
	}
	function asyncIterator(value, refused = notAsyncIterable) {
		if (value === void 0 || value === null) throw new NativeTypeError(`Cannot read properties of ${value} (reading 'Symbol(Symbol.asyncIterator)')`);
		const method = value[Symbol.asyncIterator];
		if (method === void 0 || method === null) {
			const source = iterator(value, refused);
			const wrapper = new AsyncFromSync(source, source.next);
			return {
				iterator: wrapper,
				next: wrapper.next
			};
		}
		if (typeof method !== "function") throw refused === notAsyncIterable ? refused(value) : notCallable(method);
		const result = apply$1(method, value, []);
		if (!isObject(result)) throw new NativeTypeError("Result of the Symbol.asyncIterator method is not an object");
		return {
			iterator: result,
			next: result.next
		};
	}
	return {
		asyncIterator,
		unwrap,
		AsyncFromSync
	};
}
function notAsyncIterable(value) {
	return new NativeTypeError(`${show(value)} is not async iterable`);
}
function notCallable(value) {
	return new NativeTypeError(`${showWithType(value)} is not a function`);
}
function callable$2(value) {
	if (typeof value !== "function") throw notCallable(value);
	return value;
}
function close$2(source) {
	const method = source.return;
	if (method === void 0 || method === null) return;
	const result = apply$1(callable$2(method), source, []);
	if (!isObject(result)) throw new NativeTypeError(`${show(result)} is not an object`);
}
function closeQuietly$2(source) {
	try {
		close$2(source);
	} catch {}
}
// packages/core/src/class-registry.ts
const { get: get$3, set: set$4 } = WeakMap.prototype;
const { deref: deref$1 } = WeakRef.prototype;
/** What closures and suspended code inside a class reach its home object and its private names by. */
var ClassHandle = class {
	home;
	p;
	constructor(home, privates) {
		this.home = home;
		this.p = privates;
	}
};
function createClassRegistry() {
	const identities = /* @__PURE__ */ new WeakMap();
	const owners = /* @__PURE__ */ new WeakMap();
	const evaluations = /* @__PURE__ */ new WeakMap();
	const keys = [];
	function classOf(constructor) {
		return apply$1(get$3, identities, [constructor]);
	}
	function memberOf(holder, key, kind) {
		const descriptor = getOwnPropertyDescriptor(holder, key);
		return kind === "value" ? descriptor.value : descriptor[kind];
	}
	function remember(module, ordinal, constructor) {
		let ofModule = apply$1(get$3, evaluations, [module]);
		if (ofModule === void 0) {
			ofModule = [];
			apply$1(set$4, evaluations, [module, ofModule]);
		}
		let known = ofModule[ordinal] ?? [];
		if (known.length >= 16 && (known.length & known.length - 1) === 0) known = livingOf(known);
		known[known.length] = new WeakRef(constructor);
		ofModule[ordinal] = known;
	}
	function stamp(constructor, object) {
		const type = constructor;
		if (object === void 0) return blank(type);
		const heritage = getPrototypeOf(type);
		function giver() {
			return object;
		}
		setPrototypeOf(type, giver);
		try {
			return blank(type);
		} finally {
			setPrototypeOf(type, heritage);
		}
	}
	return {
		defineClass(module, ordinal, constructor, captures, privates, fieldKeys = []) {
			const handle = new ClassHandle(constructor, privates);
			apply$1(set$4, identities, [constructor, {
				module,
				ordinal,
				captures,
				privates,
				keys: fieldKeys,
				handle
			}]);
			apply$1(set$4, owners, [constructor.prototype, constructor]);
			remember(module, ordinal, constructor);
			return handle;
		},
		classOf,
		ownerOf: (prototype) => apply$1(get$3, owners, [prototype]),
		classesOf(module, ordinal) {
			return livingOf(apply$1(get$3, evaluations, [module])?.[ordinal] ?? []).map((each) => apply$1(deref$1, each, []));
		},
		memberKey: (ordinal) => keys[ordinal] ??= Symbol(),
		memberOf,
		membersOf(constructor, members) {
			const found = /* @__PURE__ */ new Map();
			const { prototype } = constructor;
			for (const [ordinal, isStatic, key, kind] of members) {
				const holder = isStatic ? constructor : prototype;
				if (kind === "private") {
					const accessors = classOf(constructor)?.privates?.[key];
					found.set(ordinal, accessors.get(isStatic ? constructor : blankOf(constructor)));
					continue;
				}
				found.set(ordinal, memberOf(holder, key, kind));
				if (key === keys[ordinal]) Reflect.deleteProperty(holder, key);
			}
			return found;
		},
		stamp
	};
	/** An object with the instance members of a class, to read its private methods from. */
	function blankOf(constructor) {
		return stamp(constructor, getPrototypeOf(constructor) !== functionPrototype ? {} : void 0);
	}
}
function livingOf(known) {
	const living = [];
	for (let i = 0; i < known.length; i++) {
		const each = known[i];
		if (apply$1(deref$1, each, []) !== void 0) living[living.length] = each;
	}
	return living;
}
function blank(type) {
	probe.blank = true;
	try {
		return construct(type, []);
	} finally {
		probe.blank = false;
	}
}
// packages/core/src/revocable-proxy.ts
const NativeProxy = Proxy;
const nativeRevocable = Proxy.revocable;
const revokers = /* @__PURE__ */ new WeakMap();
const { get: get$2, set: set$3 } = WeakMap.prototype;
/** A proxy that can be revoked by `revoke`. */
function revocableProxy(target, handler) {
	const { proxy, revoke } = apply$1(nativeRevocable, NativeProxy, [target, handler]);
	apply$1(set$3, revokers, [proxy, revoke]);
	return proxy;
}
function revokeOnce(state) {
	const { proxy } = state;
	if (proxy === void 0) return;
	state.proxy = void 0;
	const revoke = apply$1(get$2, revokers, [proxy]);
	if (revoke !== void 0) revoke();
}
function installRevocable({ revoker }) {
	const { revocable } = { revocable(target, handler) {
		const proxy = revocableProxy(target, handler);
		return {
			proxy,
			revoke: revoker({ proxy })
		};
	} };
	defineProperty(NativeProxy, "revocable", {
		value: revocable,
		writable: true,
		enumerable: false,
		configurable: true
	});
}
// packages/core/src/core-closures.ts
function coreClosures(parts) {
	function resolveOnce(state, value) {
		if (state.done) return;
		state.done = true;
		parts().eventuals.resolve(state.eventual, value);
	}
	function rejectOnce(state, reason) {
		if (state.done) return;
		state.done = true;
		parts().eventuals.reject(state.eventual, reason);
	}
	function gather(element, value) {
		if (element.done) return void 0;
		element.done = true;
		const { gathering } = element;
		gathering.values[element.index] = value;
		return --gathering.remaining === 0 ? finish$2(gathering) : void 0;
	}
	const resolve = (state) => (value) => {
		if (probe.on) return probe.hit(CORE, 0, [state]);
		resolveOnce(state, value);
	};
	const reject = (state) => (reason) => {
		if (probe.on) return probe.hit(CORE, 1, [state]);
		rejectOnce(state, reason);
	};
	const executor = (capability) => (resolveFunction, rejectFunction) => {
		if (probe.on) return probe.hit(CORE, 2, [capability]);
		if (capability.resolve !== void 0 || capability.reject !== void 0) throw new NativeTypeError("Promise executor has already been invoked with non-undefined arguments");
		capability.resolve = resolveFunction;
		capability.reject = rejectFunction;
	};
	const thenFinally = (onFinally, constructor) => (value) => {
		if (probe.on) return probe.hit(CORE, 3, [onFinally, constructor]);
		const result = apply$1(onFinally, void 0, []);
		return parts().invokeThen(parts().promiseResolve(constructor, result), valueThunk(value));
	};
	const catchFinally = (onFinally, constructor) => (reason) => {
		if (probe.on) return probe.hit(CORE, 4, [onFinally, constructor]);
		const result = apply$1(onFinally, void 0, []);
		return parts().invokeThen(parts().promiseResolve(constructor, result), thrower(reason));
	};
	const valueThunk = (value) => () => {
		if (probe.on) return probe.hit(CORE, 5, [value]);
		return value;
	};
	const thrower = (reason) => () => {
		if (probe.on) return probe.hit(CORE, 6, [reason]);
		throw reason;
	};
	const element = (of) => (value) => {
		if (probe.on) return probe.hit(CORE, 7, [of]);
		return gather(of, value);
	};
	const fulfilledElement = (of) => (value) => {
		if (probe.on) return probe.hit(CORE, 8, [of]);
		return gather(of, {
			status: "fulfilled",
			value
		});
	};
	const rejectedElement = (of) => (reason) => {
		if (probe.on) return probe.hit(CORE, 9, [of]);
		return gather(of, {
			status: "rejected",
			reason
		});
	};
	const onceListener = (state) => function wrapper() {
		if (probe.on) return probe.hit(CORE, 10, [state]);
		if (state.fired) return void 0;
		state.fired = true;
		state.target.removeListener(state.type, state.wrapper);
		return apply$1(state.listener, state.target, arguments);
	};
	const revoker = (state) => () => {
		if (probe.on) return probe.hit(CORE, 11, [state]);
		revokeOnce(state);
	};
	return {
		resolve,
		reject,
		executor,
		thenFinally,
		catchFinally,
		element,
		fulfilledElement,
		rejectedElement,
		rejectOnce,
		onceListener,
		revoker,
		makers: [
			resolve,
			reject,
			executor,
			thenFinally,
			catchFinally,
			valueThunk,
			thrower,
			element,
			fulfilledElement,
			rejectedElement,
			onceListener,
			revoker
		]
	};
}
/** The last element has come: settles the combinator's promise. */
function finish$2(gathering) {
	const { values } = gathering;
	const { resolve, reject } = gathering.capability;
	if (!gathering.failing) return resolve(values);
	const error = new AggregateError([], "All promises were rejected");
	Object.defineProperty(error, "errors", {
		value: values,
		writable: true,
		enumerable: false,
		configurable: true
	});
	return reject(error);
}
// packages/core/src/combinators.ts
function defineCombinators(parts, closures) {
	const { Promise, newCapability, promiseResolve, invokeThen } = parts;
	const statics = {
		all(iterable) {
			return gatherAll(receiver(this, "all"), iterable, false, (gathering, index) => ({
				onFulfilled: closures.element(elementOf(gathering, index)),
				onRejected: gathering.capability.reject
			}));
		},
		allSettled(iterable) {
			return gatherAll(receiver(this, "allSettled"), iterable, false, (gathering, index) => {
				const element = elementOf(gathering, index);
				return {
					onFulfilled: closures.fulfilledElement(element),
					onRejected: closures.rejectedElement(element)
				};
			});
		},
		any(iterable) {
			return gatherAll(receiver(this, "any"), iterable, true, (gathering, index) => ({
				onFulfilled: gathering.capability.resolve,
				onRejected: closures.element(elementOf(gathering, index))
			}));
		},
		race(iterable) {
			return overIterable(receiver(this, "race"), iterable, (capability, resolve, state) => {
				for (;;) {
					const value = step(state);
					if (state.done) return;
					invokeThen(apply$1(resolve, this, [value]), capability.resolve, capability.reject);
				}
			});
		},
		reject(reason) {
			if (!isObject(this)) throw new NativeTypeError("PromiseReject called on non-object");
			const { promise, reject } = newCapability(this);
			reject(reason);
			return promise;
		},
		resolve(value) {
			if (!isObject(this)) throw new NativeTypeError("PromiseResolve called on non-object");
			return promiseResolve(this, value);
		},
		try(callback, ...args) {
			receiver(this, "try");
			const { promise, resolve, reject } = newCapability(this);
			let result;
			try {
				result = apply$1(callable$1(callback), void 0, args);
			} catch (error) {
				reject(error);
				return promise;
			}
			resolve(result);
			return promise;
		},
		withResolvers() {
			receiver(this, "withResolvers");
			const { promise, resolve, reject } = newCapability(this);
			return {
				promise,
				resolve,
				reject
			};
		}
	};
	defineProperty(statics.try, "length", {
		value: 1,
		configurable: true
	});
	for (const name of Object.getOwnPropertyNames(NativePromise)) {
		const value = statics[name];
		if (hasOwn(statics, name)) defineProperty(Promise, name, {
			value,
			writable: true,
			enumerable: false,
			configurable: true
		});
	}
	function overIterable(constructor, iterable, body) {
		const capability = newCapability(constructor);
		let state;
		try {
			const resolve = callable$1(constructor.resolve);
			state = iteratorOf(iterable);
			body(capability, resolve, state);
		} catch (error) {
			if (state !== void 0 && !state.done) closeQuietly$1(state.iterator);
			const { reject } = capability;
			reject(error);
		}
		return capability.promise;
	}
	function gatherAll(constructor, iterable, failing, each) {
		return overIterable(constructor, iterable, (capability, resolve, state) => {
			const gathering = {
				capability,
				values: [],
				remaining: 1,
				failing
			};
			for (let index = 0;; index++) {
				const value = step(state);
				if (state.done) break;
				appendUndefined(gathering.values, index);
				const promise = apply$1(resolve, constructor, [value]);
				const { onFulfilled, onRejected } = each(gathering, index);
				gathering.remaining++;
				invokeThen(promise, onFulfilled, onRejected);
			}
			if (--gathering.remaining === 0) finish$2(gathering);
		});
	}
}
function elementOf(gathering, index) {
	return {
		gathering,
		index,
		done: false
	};
}
const arrayPrototype = Array.prototype;
/** A plain store, unless a program has put a setter on `Array.prototype`. */
function appendUndefined(list, index) {
	if (!(index in arrayPrototype)) list[index] = void 0;
	else defineProperty(list, index, {
		value: void 0,
		writable: true,
		enumerable: true,
		configurable: true
	});
}
function receiver(value, method) {
	if (!isObject(value)) throw new NativeTypeError(`Promise.${method} called on non-object`);
	return value;
}
function callable$1(value) {
	if (typeof value !== "function") throw new NativeTypeError(`${showWithType(value)} is not a function`);
	return value;
}
function iteratorOf(iterable) {
	if (iterable === void 0 || iterable === null) throw notIterable(iterable);
	const method = iterable[Symbol.iterator];
	if (typeof method !== "function") throw notIterable(iterable);
	const iterator = apply$1(method, iterable, []);
	if (typeof iterator !== "object" && typeof iterator !== "function" || iterator === null) throw new NativeTypeError(`Result of the Symbol.iterator method is not an object`);
	return {
		iterator,
		next: iterator.next,
		done: false
	};
}
function notIterable(value) {
	return new NativeTypeError(`${showWithType(value)} is not iterable (cannot read property Symbol(Symbol.iterator))`);
}
/** The next value; an iterator that throws is done, and is not closed. */
function step(state) {
	state.done = true;
	const result = apply$1(callable$1(state.next), state.iterator, []);
	if (typeof result !== "object" && typeof result !== "function" || result === null) throw new NativeTypeError(`Iterator result ${show(result)} is not an object`);
	if (result.done) return void 0;
	const { value } = result;
	state.done = false;
	return value;
}
/** Closes because of an exception, which wins over whatever closing throws. */
function closeQuietly$1(iterator) {
	try {
		const method = iterator.return;
		if (method !== void 0 && method !== null) apply$1(callable$1(method), iterator, []);
	} catch {}
}
// packages/core/src/language.ts
const { get: get$1, set: set$2 } = Reflect;
const { asyncDispose, dispose } = Symbol;
/** A write to a constant variable whose storage would let it. */
function constAssign(_name, _value, _alive) {
	throw new NativeTypeError("Assignment to constant variable.");
}
/** The same inside a destructuring pattern, where only a target can stand. */
function constTarget(_name, _alive) {
	return {
		get v() {
			throw new NativeTypeError("Assignment to constant variable.");
		},
		set v(_value) {
			throw new NativeTypeError("Assignment to constant variable.");
		}
	};
}
/** A use of a variable that is never going to be initialised. */
function dead(name) {
	throw new ReferenceError(`Cannot access '${name}' before initialization`);
}
/** `super()` in an arrow function whose constructor has ended. */
function superAgain() {
	throw new ReferenceError("Super constructor may only be called once");
}
var Initializer = class {
	#cell;
	constructor(cell) {
		this.#cell = cell;
	}
	set v(value) {
		init(this.#cell, value);
	}
};
/** A target whose assignment initialises a cell. */
function initializer(cell) {
	return new Initializer(cell);
}
/** ToPropertyKey, once, at the moment the key is evaluated. */
function key(value) {
	if (typeof value === "string" || typeof value === "symbol") return value;
	const [made] = ownKeys({ [value]: 0 });
	return made;
}
/** A call whose function was read before its arguments suspended; `text` is what a message calls that function. */
function call(fn, receiver, args, text) {
	if (typeof fn !== "function") throw new NativeTypeError(`${text ?? show(fn)} is not a function`);
	return apply$1(fn, receiver, args);
}
/** `{ a, ...rest } = source`: what is left of the source without the keys already taken. */
function objectRest(source, taken) {
	const rest = {};
	const from = Object(source);
	for (const each of ownKeys(from)) {
		let used = false;
		for (const name of taken) used ||= name === each;
		if (used || getOwnPropertyDescriptor(from, each)?.enumerable !== true) continue;
		defineProperty(rest, each, {
			value: from[each],
			writable: true,
			enumerable: true,
			configurable: true
		});
	}
	return rest;
}
function superGet(home, name, receiver) {
	return get$1(getPrototypeOf(home), key(name), receiver);
}
function superSet(home, name, value, receiver) {
	const property = key(name);
	if (!set$2(getPrototypeOf(home), property, value, receiver)) throw new NativeTypeError(`Cannot assign to read only property '${typeof property === "symbol" ? "" : property}' of object`);
	return value;
}
function superTarget(home, name, receiver) {
	return {
		get v() {
			return superGet(home, name, receiver);
		},
		set v(value) {
			superSet(home, name, value, receiver);
		}
	};
}
function privateTarget(accessors, object) {
	return {
		get v() {
			return accessors.get(object);
		},
		set v(value) {
			accessors.set(object, value);
		}
	};
}
/** The iteration behind an array pattern that suspends. */
var ArrayElements = class {
	iterator;
	method;
	done = false;
	constructor(source) {
		this.iterator = iterator(source);
		this.method = this.iterator.next;
	}
	next() {
		if (this.done) return void 0;
		this.done = true;
		const result = call(this.method, this.iterator, []);
		requireResult(result);
		if (result.done) return void 0;
		const { value } = result;
		this.done = false;
		return value;
	}
	rest() {
		const values = [];
		for (let i = 0;; i++) {
			const value = this.next();
			if (this.done) return values;
			defineProperty(values, i, {
				value,
				writable: true,
				enumerable: true,
				configurable: true
			});
		}
	}
	/** `kind` 1: the pattern was left by a throw, which counts more than what closing does. */
	close(kind) {
		if (this.done) return;
		this.done = true;
		let result;
		try {
			const method = this.iterator.return;
			if (method === void 0 || method === null) return;
			result = call(method, this.iterator, []);
		} catch (error) {
			if (kind === 1) return;
			throw error;
		}
		if (kind !== 1) requireResult(result);
	}
};
/** One `for await`: which iterator, and the value of the turn. The awaits in between are the emitted code's. */
var AsyncIteration = class {
	iterator;
	next;
	/** The value of the turn; while closing, what `return()` gave. */
	value = void 0;
	constructor(record) {
		this.iterator = record.iterator;
		this.next = record.next;
	}
	step() {
		return call(this.next, this.iterator, []);
	}
	finished(result) {
		requireResult(result);
		if (result.done) return true;
		this.value = result.value;
		return false;
	}
	/** Calls `return()` if there is one; true when its result is to be awaited. `kind` 1: the loop was left by a throw. */
	close(kind) {
		try {
			const method = this.iterator.return;
			if (method === void 0 || method === null) return false;
			this.value = call(method, this.iterator, []);
			return true;
		} catch (error) {
			if (kind === 1) return false;
			throw error;
		}
	}
	closed(result, kind) {
		if (kind !== 1) requireResult(result);
	}
};
function requireResult(result) {
	if ((typeof result !== "object" || result === null) && typeof result !== "function") throw new NativeTypeError(`Iterator result ${show(result)} is not an object`);
}
const NativeSuppressedError = SuppressedError;
/** Whether there is to be an await of nothing: something asked for it, and nothing has been awaited. */
const NONE = 0;
const OWED = 1;
const PAID = 2;
function disposeOf({ value, method }) {
	if (typeof method === "function") return apply$1(method, value, []);
	const { sync, adopted } = method;
	if (adopted !== void 0) return apply$1(adopted, void 0, [value]);
	apply$1(sync, value, []);
}
function isPromised(method) {
	return typeof method !== "function" && hasOwn(method, "sync");
}
/** The resources of a block with `using`, disposed of in reverse; what has to be awaited is left to the emitted code. */
var DisposalStack = class {
	resources = [];
	failed = false;
	error = void 0;
	/** What is to be awaited now. */
	pending = void 0;
	owed = NONE;
	add(value, isAsync) {
		if (value === null || value === void 0) {
			if (isAsync) this.put({
				value,
				method: void 0,
				isAsync
			});
			return value;
		}
		if (typeof value !== "object" && typeof value !== "function") throw new NativeTypeError("An object is expected with `using` declarations");
		const holder = value;
		let method = isAsync ? holder[asyncDispose] : void 0;
		let awaited = isAsync;
		if (method === void 0 || method === null) {
			method = holder[dispose];
			awaited = false;
		}
		if (typeof method !== "function") throw new NativeTypeError(`Symbol(Symbol.${awaited ? "asyncDispose" : "dispose"}) is not a function`);
		this.put({
			value,
			method: awaited || !isAsync ? method : { sync: method },
			isAsync
		});
		return value;
	}
	put(resource) {
		this.resources[this.resources.length] = resource;
	}
	/** Disposes until something has to be awaited (true) or nothing is left (false). */
	next() {
		while (this.resources.length > 0) {
			const resource = this.resources[this.resources.length - 1];
			this.resources.length--;
			const { method } = resource;
			if (method === void 0) {
				if (this.owed === NONE) this.owed = OWED;
				continue;
			}
			if (!resource.isAsync && this.owed === OWED) {
				this.put(resource);
				return this.await(void 0, NONE);
			}
			try {
				const result = disposeOf(resource);
				if (resource.isAsync) return this.await(result, PAID);
			} catch (error) {
				this.fail(error);
				if (resource.isAsync && isPromised(method)) return this.await(void 0, PAID);
			}
		}
		return this.owed === OWED ? this.await(void 0, PAID) : false;
	}
	await(value, owed) {
		this.owed = owed;
		this.pending = value;
		return true;
	}
	fail(error) {
		this.error = this.failed ? new NativeSuppressedError(error, this.error, "An error was suppressed during disposal") : error;
		this.failed = true;
	}
};
// packages/core/src/disposable-stacks.ts
function nativeBy(name, disposal, isAsync) {
	const constructor = globalThis[name];
	if (constructor === void 0) return void 0;
	const prototype = constructor.prototype;
	return {
		name,
		isAsync,
		constructor,
		prototype,
		use: prototype["use"],
		adopt: prototype["adopt"],
		defer: prototype["defer"],
		move: prototype["move"],
		dispose: prototype[disposal],
		disposed: getOwnPropertyDescriptor(prototype, "disposed")?.get
	};
}
const natives$1 = [nativeBy("DisposableStack", "dispose", false), nativeBy("AsyncDisposableStack", "disposeAsync", true)];
var OwnStack = class OwnStack extends Stamp {
	#native;
	#disposal;
	constructor(stack, native, disposal) {
		super(stack);
		this.#native = native;
		this.#disposal = disposal;
	}
	static has(value) {
		return typeof value === "object" && value !== null && #native in value;
	}
	/** Nothing for what is no such stack, and where the engine's method has to refuse. */
	static open(value, native) {
		if (!OwnStack.has(value) || value.#native !== native || isDisposed(value, native)) return void 0;
		return value.#disposal;
	}
	static native(stack) {
		return stack.#native;
	}
	static disposal(stack) {
		return stack.#disposal;
	}
	/** What it held is another's from now on. */
	static replace(stack, disposal) {
		const before = stack.#disposal;
		stack.#disposal = disposal;
		return before;
	}
};
function isDisposed(stack, { disposed }) {
	return apply$1(disposed, stack, []);
}
/** What it held, which is nobody's then; the engine calls it disposed. */
function emptied(stack, { move }) {
	apply$1(move, stack, []);
	return OwnStack.replace(stack, new DisposalStack());
}
function replacements(native) {
	return {
		use(value) {
			const disposal = OwnStack.open(this, native);
			const isResource = isObject(value) || value === void 0 || value === null;
			return disposal === void 0 || !isResource ? apply$1(native.use, this, [value]) : disposal.add(value, native.isAsync);
		},
		adopt(value, onDispose) {
			const disposal = OwnStack.open(this, native);
			if (disposal === void 0 || typeof onDispose !== "function") return apply$1(native.adopt, this, [value, onDispose]);
			disposal.put({
				value,
				method: { adopted: onDispose },
				isAsync: native.isAsync
			});
			return value;
		},
		defer(onDispose) {
			const disposal = OwnStack.open(this, native);
			if (disposal === void 0 || typeof onDispose !== "function") return apply$1(native.defer, this, [onDispose]);
			disposal.put({
				value: void 0,
				method: onDispose,
				isAsync: native.isAsync
			});
		},
		move() {
			if (OwnStack.open(this, native) === void 0) return apply$1(native.move, this, []);
			return new OwnStack(apply$1(native.move, this, []), native, OwnStack.replace(this, new DisposalStack()));
		}
	};
}
function createDisposableStacks(eventuals) {
	const constructors = {};
	const functions = [];
	const places = [];
	function dispose() {
		const [native] = natives$1;
		if (OwnStack.open(this, native) === void 0) return apply$1(native.dispose, this, []);
		const disposal = emptied(this, native);
		disposal.next();
		if (disposal.failed) throw disposal.error;
	}
	function disposeAsync() {
		const [, native] = natives$1;
		const isOurs = OwnStack.has(this) && OwnStack.native(this) === native;
		if (!isOurs && isStack(this, native)) return apply$1(native.dispose, this, []);
		const eventual = eventuals.create();
		if (!isOurs) eventuals.reject(eventual, new NativeTypeError("Receiver is not an AsyncDisposableStack"));
		else if (isDisposed(this, native)) eventuals.resolve(eventual, void 0);
		else goOn(emptied(this, native), eventual);
		return eventual;
	}
	function goOn(disposal, eventual) {
		while (disposal.next()) {
			let pending;
			try {
				pending = eventuals.eventualOf(disposal.pending);
			} catch (error) {
				disposal.fail(error);
				continue;
			}
			disposal.pending = void 0;
			eventuals.register(pending, eventuals.continuation(4, eventual, disposal));
			return;
		}
		if (disposal.failed) eventuals.reject(eventual, disposal.error);
		else eventuals.resolve(eventual, void 0);
	}
	function proceed({ target, detail }, value, rejected) {
		const disposal = detail;
		if (rejected === 1) disposal.fail(value);
		goOn(disposal, target);
	}
	function constructed(native, newTarget) {
		const { name, constructor } = native;
		if (newTarget === void 0) throw new NativeTypeError(`Constructor ${name} requires 'new'`);
		return new OwnStack(construct(constructor, [], newTarget), native, new DisposalStack());
	}
	const Own = {
		DisposableStack: function DisposableStack() {
			return constructed(natives$1[0], new.target);
		},
		AsyncDisposableStack: function AsyncDisposableStack() {
			return constructed(natives$1[1], new.target);
		}
	};
	/** Concise methods, as the engine's: without a prototype of their own. */
	const disposals = {
		dispose() {
			return apply$1(dispose, this, []);
		},
		disposeAsync() {
			return apply$1(disposeAsync, this, []);
		}
	};
	for (const native of natives$1) {
		if (native === void 0) continue;
		const { name, prototype } = native;
		const constructor = native.isAsync ? Own.AsyncDisposableStack : Own.DisposableStack;
		defineProperty(constructor, "prototype", {
			value: prototype,
			writable: false,
			enumerable: false,
			configurable: false
		});
		constructors[name] = constructor;
		const disposal = native.isAsync ? "disposeAsync" : "dispose";
		const methods = {
			constructor,
			...replacements(native),
			[disposal]: disposals[disposal],
			[native.isAsync ? Symbol.asyncDispose : Symbol.dispose]: disposals[disposal]
		};
		for (const key of ownKeys(methods)) {
			const value = methods[key];
			functions[functions.length] = value;
			places[places.length] = () => defineProperty(prototype, key, {
				...getOwnPropertyDescriptor(prototype, key),
				value
			});
		}
	}
	return {
		constructors,
		functions,
		install() {
			for (const place of places) place();
		},
		proceed,
		read(value) {
			if (!OwnStack.has(value)) return void 0;
			const native = OwnStack.native(value);
			return {
				isAsync: native.isAsync,
				disposed: isDisposed(value, native),
				disposal: OwnStack.disposal(value)
			};
		},
		allocate(isAsync, prototype) {
			const native = natives$1[isAsync ? 1 : 0];
			return new OwnStack(construct(native.constructor, [], below(prototype ?? native.prototype)), native, new DisposalStack());
		},
		fill(stack, { disposed, disposal }) {
			if (disposed) emptied(stack, OwnStack.native(stack));
			OwnStack.replace(stack, disposal);
		}
	};
}
function isStack(value, native) {
	try {
		isDisposed(value, native);
		return true;
	} catch {
		return false;
	}
}
/** Constructs below any prototype, and runs no constructor of the program. */
function below(prototype) {
	const newTarget = apply$1(functionPrototype.bind, function() {}, [void 0]);
	defineProperty(newTarget, "prototype", { value: prototype });
	return newTarget;
}
// packages/core/src/delegate.ts
var Delegate = class {
	source;
	method;
	/** The inner iterator is a generator of core's with its own `next`. */
	direct;
	/** How the `yield*` ended, once it has. */
	value = void 0;
	returning = false;
	constructor(iterable) {
		const source = iterator(iterable, notDelegable);
		this.source = source;
		this.method = source.next;
		this.direct = this.method === generatorNext && GeneratorState.has(source);
	}
};
/** What the async delegate waits for. */
const YIELDED = 0;
const AWAITING_RESULT = 1;
const AWAITING_RETURN_RESULT = 2;
const AWAITING_RETURN_VALUE = 3;
const AWAITING_CLOSE = 4;
var AsyncDelegate = class {
	/** Filled by the first exchange, which is when core can open the iterator. */
	record = void 0;
	iterable;
	phase = YIELDED;
	value = void 0;
	returning = false;
	constructor(iterable) {
		this.iterable = iterable;
	}
};
function createDelegates(eventuals, asyncGenerators, asyncIterator) {
	function delegate(frame, k, state, value, how) {
		return state instanceof Delegate ? exchange(frame, k, state, value, how) : exchangeAsync(frame, k, state, value, how);
	}
	function exchangeAsync(frame, k, state, value, how) {
		const record = state.record ??= asyncIterator(state.iterable, notAsyncDelegable);
		switch (state.phase) {
			case YIELDED: return request(frame, k, state, record, value, how);
			case AWAITING_CLOSE:
				if (how === 1) throw value;
				resultObject(value);
				throw noThrow();
			case AWAITING_RETURN_VALUE:
				if (how === 1) throw value;
				return finish$1(state, value, true);
		}
		const returning = state.phase === AWAITING_RETURN_RESULT;
		state.phase = YIELDED;
		if (how === 1) throw value;
		const result = resultObject(value);
		if (result.done) return finish$1(state, result.value, returning);
		return asyncGenerators.yieldAsync(frame, k, result.value);
	}
	function request(frame, k, state, record, value, how) {
		const { iterator: inner } = record;
		if (how === 0) return awaitIn(frame, k, state, AWAITING_RESULT, apply$1(callable(record.next), inner, [value]));
		const method = how === 1 ? inner.throw : inner.return;
		if (method !== void 0 && method !== null) return awaitIn(frame, k, state, how === 1 ? AWAITING_RESULT : AWAITING_RETURN_RESULT, apply$1(callable(method), inner, [value]));
		if (how === 2) return awaitIn(frame, k, state, AWAITING_RETURN_VALUE, value);
		const close = inner.return;
		if (close === void 0 || close === null) throw noThrow();
		return awaitIn(frame, k, state, AWAITING_CLOSE, apply$1(callable(close), inner, []));
	}
	function awaitIn(frame, k, state, phase, value) {
		eventuals.await(frame, k, value);
		state.phase = phase;
	}
	return { delegate };
}
function exchange(frame, k, state, value, how) {
	const { source } = state;
	let result;
	if (how === 0) result = state.direct ? GeneratorState.next(source, value) : apply$1(callable(state.method), source, [value]);
	else {
		const method = how === 1 ? source.throw : source.return;
		if (method !== void 0 && method !== null) result = apply$1(callable(method), source, [value]);
		else if (how === 2) return finish$1(state, value, true);
		else {
			close$1(source);
			throw noThrow();
		}
	}
	const { done } = resultObject(result);
	if (done) return finish$1(state, result.value, how === 2);
	frame.pc = k;
	return result;
}
function finish$1(state, value, returning) {
	state.value = value;
	state.returning = returning;
}
function close$1(source) {
	const method = source.return;
	if (method === void 0 || method === null) return;
	resultObject(apply$1(callable(method), source, []));
}
function resultObject(result) {
	if (!isObject(result)) throw new NativeTypeError(`Iterator result ${show(result)} is not an object`);
	return result;
}
function notDelegable(value) {
	return new NativeTypeError(`${showWithType(value)} is not iterable (cannot read property Symbol(Symbol.iterator))`);
}
/** An asynchronous `yield*` says so of the method it found. */
function notAsyncDelegable(value) {
	return new NativeTypeError(`${showWithType(value[Symbol.iterator])} is not a function`);
}
function noThrow() {
	return new NativeTypeError("The iterator does not provide a 'throw' method.");
}
function callable(value) {
	if (typeof value !== "function") throw new NativeTypeError(`${showWithType(value)} is not a function`);
	return value;
}
// packages/core/src/for-in.ts
var ForIn = class {
	frame;
	object;
	keys;
	position = 0;
	value = void 0;
	repeat = false;
	constructor(frame, object) {
		this.frame = frame;
		this.object = object;
		const keys = [];
		for (const key in object) keys[keys.length] = key;
		this.keys = keys;
	}
	[Symbol.iterator]() {
		return this;
	}
	next() {
		if (this.repeat) {
			this.repeat = false;
			return {
				value: this.value,
				done: false
			};
		}
		while (this.position < this.keys.length) {
			const key = this.keys[this.position++];
			if (!isStillEnumerable(Object(this.object), key)) continue;
			this.value = key;
			return {
				value: key,
				done: false
			};
		}
		return {
			value: void 0,
			done: true
		};
	}
	again() {
		this.repeat = true;
		return this;
	}
	return() {
		return {};
	}
};
function isStillEnumerable(object, key) {
	for (let holder = object; holder !== null; holder = getPrototypeOf(holder)) {
		const descriptor = getOwnPropertyDescriptor(holder, key);
		if (descriptor !== void 0) return descriptor.enumerable === true;
	}
	return false;
}
// packages/core/src/for-of.ts
var ForOf = class {
	frame;
	/** The iterator and its `next`, read once. */
	source;
	method;
	/** The value of the round that is running. */
	value = void 0;
	repeat = false;
	constructor(frame, iterable, text) {
		this.frame = frame;
		const source = iterator(iterable, void 0, text);
		this.source = source;
		this.method = source instanceof OwnIterator ? void 0 : source.next;
	}
	[Symbol.iterator]() {
		return this;
	}
	next() {
		if (this.repeat) {
			this.repeat = false;
			return {
				value: this.value,
				done: false
			};
		}
		const { method, source } = this;
		let result;
		if (method === void 0 && source instanceof OwnIterator) result = source.next();
		else {
			if (typeof method !== "function") throw new NativeTypeError(`${showWithType(method)} is not a function`);
			result = apply$1(method, source, []);
			if (!isObject(result)) throw new NativeTypeError(`Iterator result ${show(result)} is not an object`);
		}
		if (result.done) return {
			value: void 0,
			done: true
		};
		const { value } = result;
		this.value = value;
		return {
			value,
			done: false
		};
	}
	again() {
		this.repeat = true;
		return this;
	}
	return() {
		const { source } = this;
		if (this.frame.pc > 0 || source instanceof OwnIterator) return {};
		const method = source.return;
		if (method === void 0 || method === null) return {};
		if (typeof method !== "function") throw new NativeTypeError(`${showWithType(method)} is not a function`);
		return apply$1(method, source, []);
	}
};
// packages/core/src/function-kinds.ts
function createFunctionKinds(host, generators, asyncGenerators) {
	const generatorFunctionPrototype = kindPrototype("GeneratorFunction", generators.prototype);
	const asyncGeneratorFunctionPrototype = kindPrototype("AsyncGeneratorFunction", asyncGenerators.prototype);
	const Function = constructorOf("function", "Function", functionPrototype);
	const AsyncFunction = constructorOf("async", "AsyncFunction", nativeAsyncFunctionPrototype);
	const GeneratorFunction = constructorOf("generator", "GeneratorFunction", generatorFunctionPrototype);
	const AsyncGeneratorFunction = constructorOf("asyncGenerator", "AsyncGeneratorFunction", asyncGeneratorFunctionPrototype);
	for (const constructor of [
		AsyncFunction,
		GeneratorFunction,
		AsyncGeneratorFunction
	]) setPrototypeOf(constructor, Function);
	defineProperty(generatorFunctionPrototype, "constructor", {
		value: GeneratorFunction,
		configurable: true
	});
	defineProperty(asyncGeneratorFunctionPrototype, "constructor", {
		value: AsyncGeneratorFunction,
		configurable: true
	});
	function constructorOf(kind, name, prototype) {
		const constructor = { [name]: function(...args) {
			return compile(kind, prototype, args, new.target);
		} }[name];
		defineProperty(constructor, "length", {
			value: 1,
			configurable: true
		});
		defineProperty(constructor, "prototype", {
			value: prototype,
			writable: false,
			enumerable: false,
			configurable: false
		});
		return constructor;
	}
	function compile(kind, intrinsic, args, newTarget) {
		if (host.compileFunction === void 0) throw new CoreError("TT_DYNAMIC_CODE", "Function(…): this realm's host compiles no source text; give createRealm a host with compileFunction()");
		const parameters = [];
		for (let i = 0; i < args.length - 1; i++) parameters[i] = `${args[i]}`;
		const body = args.length === 0 ? "" : `${args[args.length - 1]}`;
		const fn = host.compileFunction(kind, parameters, body);
		if (newTarget !== void 0) {
			const { prototype } = newTarget;
			if (isObject(prototype) && prototype !== intrinsic) setPrototypeOf(fn, prototype);
		}
		return fn;
	}
	function asyncFunction(fn) {
		setPrototypeOf(fn, nativeAsyncFunctionPrototype);
		return fn;
	}
	function generatorFunction(fn, prototype) {
		setPrototypeOf(fn, generatorFunctionPrototype);
		defineProperty(fn, "prototype", {
			value: prototype,
			writable: true,
			enumerable: false,
			configurable: false
		});
		return fn;
	}
	function asyncGeneratorFunction(fn, prototype) {
		setPrototypeOf(fn, asyncGeneratorFunctionPrototype);
		defineProperty(fn, "prototype", {
			value: prototype,
			writable: true,
			enumerable: false,
			configurable: false
		});
		return fn;
	}
	function install() {
		defineProperty(functionPrototype, "constructor", {
			value: Function,
			writable: true,
			enumerable: false,
			configurable: true
		});
		for (const [prototype, constructor] of [
			[nativeAsyncFunctionPrototype, AsyncFunction],
			[nativeGeneratorFunctionPrototype, GeneratorFunction],
			[nativeAsyncGeneratorFunctionPrototype, AsyncGeneratorFunction]
		]) defineProperty(prototype, "constructor", {
			value: constructor,
			writable: false,
			enumerable: false,
			configurable: true
		});
	}
	return {
		Function,
		AsyncFunction,
		GeneratorFunction,
		AsyncGeneratorFunction,
		asyncFunction,
		generatorFunction,
		asyncGeneratorFunction,
		install
	};
}
/** %GeneratorFunction.prototype% or its async sibling, tied to the prototype of the generators it makes. */
function kindPrototype(tag, generatorPrototype) {
	const prototype = create(functionPrototype);
	defineProperty(prototype, "prototype", {
		value: generatorPrototype,
		configurable: true
	});
	defineProperty(prototype, Symbol.toStringTag, {
		value: tag,
		configurable: true
	});
	defineProperty(generatorPrototype, "constructor", {
		value: prototype,
		configurable: true
	});
	return prototype;
}
// packages/core/src/kept-iterator.ts
/** Kinds of kept iterators; written in captured state. */
const VALUES = 0;
const KEYS = 1;
const CHARACTERS = 3;
const MATCHES = 4;
/** The engine's own, of a Map or Set. */
const COLLECTION_VALUES = 5;
var KeptIterator = class extends Stamp {
	#kind;
	#source;
	#position = 0;
	#matcher;
	constructor(object, kind, source, matcher) {
		super(object);
		this.#kind = kind;
		this.#source = source;
		this.#matcher = matcher;
	}
	static has(value) {
		return typeof value === "object" && value !== null && #kind in value;
	}
	static isCollection(iterator) {
		return iterator.#kind >= COLLECTION_VALUES;
	}
	static read(iterator) {
		return {
			kind: iterator.#kind,
			source: iterator.#source,
			position: iterator.#position,
			matcher: iterator.#matcher
		};
	}
	static write(iterator, data) {
		iterator.#source = data.source;
		iterator.#position = data.position;
		iterator.#matcher = data.matcher;
	}
	static next(iterator) {
		const source = iterator.#source;
		if (source !== void 0) {
			const at = iterator.#position;
			switch (iterator.#kind) {
				case CHARACTERS: {
					const character = codePointAt(source, at);
					if (character === "") break;
					iterator.#position = at + character.length;
					return {
						value: character,
						done: false
					};
				}
				case MATCHES: {
					const match = nextMatch(iterator.#matcher, source);
					if (match === null) break;
					return {
						value: match,
						done: false
					};
				}
				default: {
					const list = source;
					if (at >= lengthNow(list)) break;
					iterator.#position = at + 1;
					if (iterator.#kind === VALUES) return {
						value: list[at],
						done: false
					};
					return {
						value: iterator.#kind === KEYS ? at : [at, list[at]],
						done: false
					};
				}
			}
			iterator.#source = void 0;
			iterator.#matcher = void 0;
		}
		return {
			value: void 0,
			done: true
		};
	}
};
function lengthNow(source) {
	if (isArray(source)) return source.length;
	return apply$1(typedArrayTag, source, []) === void 0 ? lengthOf(source) : liveLength(source);
}
const { exec: exec$1 } = RegExp.prototype;
function nextMatch(matcher, text) {
	const match = apply$1(exec$1, matcher, [text]);
	if (match !== null && match[0] === "") {
		const { lastIndex } = matcher;
		const { unicode, unicodeSets } = matcher;
		const width = unicode || unicodeSets ? codePointAt(text, lastIndex).length : 1;
		matcher.lastIndex = lastIndex + (width === 0 ? 1 : width);
	}
	return match;
}
/** A prototype that looks as the engine's does. */
function prototypeOf(tag, name = tag) {
	function Allocated() {}
	const prototype = create(iteratorPrototype);
	const { next } = { next() {
		if (!KeptIterator.has(this) || KeptIterator.isCollection(this)) throw new NativeTypeError(`Method ${name}.prototype.next called on incompatible receiver ${show(this)}`);
		return KeptIterator.next(this);
	} };
	defineProperty(prototype, "next", {
		value: next,
		writable: true,
		enumerable: false,
		configurable: true
	});
	defineProperty(prototype, Symbol.toStringTag, {
		value: tag,
		configurable: true
	});
	Allocated.prototype = prototype;
	return Allocated;
}
const ArrayIterator = prototypeOf("Array Iterator");
const StringIterator = prototypeOf("String Iterator");
const MatchIterator = prototypeOf("RegExp String Iterator", "%RegExpStringIterator%");
/** Core's own prototypes of iterators, by name. */
const keptPrototypes = {
	KeptArrayIteratorPrototype: ArrayIterator.prototype,
	KeptStringIteratorPrototype: StringIterator.prototype,
	KeptMatchIteratorPrototype: MatchIterator.prototype
};
const { entries: arrayEntries, keys: arrayKeys } = Array.prototype;
const { entries: typedEntries, keys: typedKeys } = getPrototypeOf(Uint8Array.prototype);
const { keys: mapKeys, values: mapValues } = Map.prototype;
const { entries: setEntries } = Set.prototype;
const { matchAll } = String.prototype;
const matchAllOf = RegExp.prototype[Symbol.matchAll];
const NativeRegExp = RegExp;
const matchIteratorPrototype = getPrototypeOf(apply$1(matchAllOf, /x/g, [""]));
const speciesOf = getOwnPropertyDescriptor(RegExp, Symbol.species)?.get;
const flagsOf = getOwnPropertyDescriptor(RegExp.prototype, "flags")?.get;
/** What a method makes iterators of. */
const ARRAYS = 0;
const TYPED_ARRAYS = 8;
const MAPS = 16;
const SETS = 24;
const FAMILY = -8;
/** Family and kind of each of the engine's methods that make iterators; `keys` of a Set is its `values`. */
const makers = /* @__PURE__ */ new Map([
	[arrayValues, 0],
	[arrayKeys, 1],
	[arrayEntries, 2],
	[typedArrayValues, 8],
	[typedKeys, 9],
	[typedEntries, 10],
	[mapValues, 21],
	[mapKeys, 22],
	[mapEntries, 23],
	[setValues, 29],
	[setEntries, 31],
	[stringCharacters, 35],
	[matchAll, 36]
]);
const makerOf = makers.get;
/** `source[key](argument)`, kept. `text` is what a message calls the method. */
function keep(source, key, text, argument) {
	const method = source[key];
	if (typeof method !== "function") throw new NativeTypeError(`${text} is not a function`);
	return made(method, source, argument, key === "matchAll" ? [argument] : []);
}
/** The iterator that `method` makes of `source`, for somebody who keeps it. */
function iteratorBy(method, source) {
	return made(method, source, void 0, []);
}
function made(method, source, argument, args) {
	const maker = apply$1(makerOf, makers, [method]);
	if (maker !== void 0) {
		const kept = ownIterator(source, method, maker & FAMILY, maker & 7, argument);
		if (kept !== void 0) return kept;
	}
	const before = keeping.on;
	keeping.on = true;
	try {
		return apply$1(method, source, args);
	} finally {
		keeping.on = before;
	}
}
/**
* `iterator`, which `source[key](…)` just gave, asked while `keeping.on`, kept. For places where a call through `keep` would cost methods of the
* program too much that only have the name of the engine's: V8 inlines this, and knows what they return.
*/
function kept(iterator, source, key, argument) {
	keeping.on = false;
	if (typeof iterator !== "object" || iterator === null || isArray(iterator)) return iterator;
	const prototype = getPrototypeOf(iterator);
	if (prototype !== arrayIteratorPrototype && prototype !== mapIteratorPrototype && prototype !== setIteratorPrototype && prototype !== stringIteratorPrototype && prototype !== matchIteratorPrototype) return iterator;
	return adopted(iterator, source, key, argument);
}
/** The engine's own iterator is new: what it iterates stands at its beginning. */
function adopted(iterator, source, key, argument) {
	if (brands.isProxy(source)) return iterator;
	const method = source[key];
	const maker = apply$1(makerOf, makers, [method]);
	if (maker === void 0 || KeptIterator.has(iterator)) return iterator;
	const kind = maker & 7;
	if (kind < COLLECTION_VALUES) return ownIterator(source, method, maker & FAMILY, kind, argument) ?? iterator;
	return new KeptIterator(iterator, kind, source);
}
function ownIterator(source, method, family, kind, argument) {
	switch (family) {
		case ARRAYS:
			if (!isObject(source) || arrayIteratorPrototype.next !== arrayIteratorNext) return void 0;
			if (apply$1(typedArrayTag, source, []) !== void 0) apply$1(typedArrayValues, source, []);
			return new KeptIterator(new ArrayIterator(), kind, source);
		case TYPED_ARRAYS:
			if (arrayIteratorPrototype.next !== arrayIteratorNext) return void 0;
			apply$1(method, source, []);
			return new KeptIterator(new ArrayIterator(), kind, source);
		case MAPS:
			if (mapIteratorPrototype.next !== mapIteratorNext) return void 0;
			return new KeptIterator(apply$1(method, source, []), kind, source);
		case SETS:
			if (setIteratorPrototype.next !== setIteratorNext) return void 0;
			return new KeptIterator(apply$1(method, source, []), kind, source);
	}
	if (typeof source !== "string") return void 0;
	if (kind === CHARACTERS) {
		if (stringIteratorPrototype.next !== stringIteratorNext) return void 0;
		return new KeptIterator(new StringIterator(), kind, source);
	}
	if (!isPristine(argument)) return void 0;
	const flags = apply$1(flagsOf, argument, []);
	for (let i = 0; i < flags.length; i++) {
		if (flags[i] !== "g") continue;
		const matcher = new NativeRegExp(argument, flags);
		matcher.lastIndex = argument.lastIndex;
		return new KeptIterator(new MatchIterator(), kind, source, matcher);
	}
}
/** Whether matches of this are found by the engine's own methods throughout. */
function isPristine(value) {
	if (!isObject(value) || getPrototypeOf(value) !== NativeRegExp.prototype) return false;
	if (getOwnPropertyDescriptor(value, "lastIndex") === void 0 || hasOwn(value, "constructor") || hasOwn(value, "exec") || hasOwn(value, "flags")) return false;
	if (hasOwn(value, Symbol.matchAll)) return false;
	const prototype = NativeRegExp.prototype;
	return prototype[Symbol.matchAll] === matchAllOf && prototype.exec === exec$1 && prototype.constructor === NativeRegExp && getOwnPropertyDescriptor(prototype, "flags")?.get === flagsOf && getOwnPropertyDescriptor(NativeRegExp, Symbol.species)?.get === speciesOf;
}
const setEntry$1 = Map.prototype.set;
const removeEntry = Map.prototype.delete;
const addValue = Set.prototype.add;
const removeValue = Set.prototype.delete;
const sizeOf = (source) => apply$1(isMap(source) ? mapSize : setSize, source, []);
const mapSize = getOwnPropertyDescriptor(Map.prototype, "size")?.get;
const setSize = getOwnPropertyDescriptor(Set.prototype, "size")?.get;
const hasEntry = Map.prototype.has;
function isMap(source) {
	try {
		apply$1(hasEntry, source, [void 0]);
		return true;
	} catch {
		return false;
	}
}
/** The state as data; the iterator goes on as if nobody had looked. */
function readKept(iterator, view) {
	const data = KeptIterator.read(iterator);
	if (data.kind < COLLECTION_VALUES) return data;
	const source = data.source;
	const sentinel = {};
	const isOfMap = isMap(source);
	apply$1(isOfMap ? setEntry$1 : addValue, source, [sentinel]);
	let left;
	try {
		left = view.entriesLeft(iterator);
	} finally {
		apply$1(isOfMap ? removeEntry : removeValue, source, [sentinel]);
	}
	return {
		...data,
		position: left === 0 ? -1 : sizeOf(source) - (left - 1)
	};
}
/** A blank iterator; one of a Map or Set needs its source at once, which may still be empty. */
function allocateKept(kind, source) {
	if (kind === CHARACTERS) return new KeptIterator(new StringIterator(), kind, void 0);
	if (kind === MATCHES) return new KeptIterator(new MatchIterator(), kind, void 0);
	if (kind < COLLECTION_VALUES) return new KeptIterator(new ArrayIterator(), kind, void 0);
	const method = (isMap(source) ? [
		mapValues,
		mapKeys,
		mapEntries
	] : [
		setValues,
		setValues,
		setEntries
	])[kind - COLLECTION_VALUES];
	return new KeptIterator(apply$1(method, source, []), kind, source);
}
/** Its place in a source that has its entries by now. */
function fillKept(iterator, data) {
	if (data.kind < COLLECTION_VALUES) return KeptIterator.write(iterator, data);
	const next = isMap(data.source) ? mapIteratorNext : setIteratorNext;
	if (data.position < 0) while (apply$1(next, iterator, []).done !== true);
	const size = sizeOf(data.source);
	if (data.position > size) throw new NativeTypeError(`an iterator cannot have come to ${data.position} of ${size} entries`);
	for (let i = 0; i < data.position; i++) apply$1(next, iterator, []);
}
// packages/core/src/iterator-helpers.ts
/** Kinds of helpers; written in captured state. */
const MAP = 0;
const FILTER = 1;
const TAKE = 2;
const DROP = 3;
const FLAT_MAP = 4;
const CONCAT = 5;
const START = 0;
const WAITING = 1;
const RUNNING = 2;
const DONE = 3;
const { trunc } = Math;
const NativeRangeError = RangeError;
const NativeIterator = globalThis.Iterator;
const helperPrototype = getPrototypeOf(NativeIterator.from([]).take(0));
const wrapperPrototype = getPrototypeOf(NativeIterator.from({ next: () => void 0 }));
const nativeHelperNext = helperPrototype["next"];
const nativeHelperReturn = helperPrototype["return"];
const nativeWrapperNext = wrapperPrototype["next"];
const nativeWrapperReturn = wrapperPrototype["return"];
function notAFunction(value) {
	const isBare = value === void 0 || value === null || isObject(value);
	return new NativeTypeError(`${isBare ? show(value) : `${typeof value} ${show(value)}`} is not a function`);
}
/** The next result, which is an object. */
function advance(iterator, next) {
	if (typeof next !== "function") throw notAFunction(next);
	const result = apply$1(next, iterator, []);
	if (!isObject(result)) throw new NativeTypeError(`Iterator result ${show(result)} is not an object`);
	return result;
}
function close(iterator) {
	const method = iterator.return;
	if (method === void 0 || method === null) return;
	if (typeof method !== "function") throw notAFunction(method);
	if (!isObject(apply$1(method, iterator, []))) throw new NativeTypeError("return called on non-object");
}
/** When something else has failed. */
function closeQuietly(iterator) {
	try {
		close(iterator);
	} catch {}
}
function iteratorMethodOf(object) {
	const method = object[Symbol.iterator];
	if (method === void 0 || method === null) return void 0;
	if (typeof method !== "function") throw new NativeTypeError(`'${show(method)}' returned for property 'Symbol(Symbol.iterator)' of object '${show(object)}' is not a function`);
	return method;
}
/** The iterator of an iterable, or what is one itself. */
function flattened(value) {
	const method = iteratorMethodOf(value);
	if (method === void 0) return value;
	const iterator = iteratorBy(method, value);
	if (!isObject(iterator)) throw new NativeTypeError(`${show(value)} is not iterable`);
	return iterator;
}
var IteratorHelper = class IteratorHelper extends Stamp {
	#kind;
	#status = START;
	#iterator;
	#next;
	#argument;
	#count;
	#inner = void 0;
	#innerNext = void 0;
	constructor(object, kind, iterator, next, argument, count) {
		super(object);
		this.#kind = kind;
		this.#iterator = iterator;
		this.#next = next;
		this.#argument = argument;
		this.#count = count;
	}
	static has(value) {
		return typeof value === "object" && value !== null && #kind in value;
	}
	static read(helper) {
		return {
			kind: helper.#kind,
			status: helper.#status,
			iterator: helper.#iterator,
			next: helper.#next,
			argument: helper.#argument,
			count: helper.#count,
			inner: helper.#inner,
			innerNext: helper.#innerNext
		};
	}
	static write(helper, data) {
		helper.#kind = data.kind;
		helper.#status = data.status;
		helper.#iterator = data.iterator;
		helper.#next = data.next;
		helper.#argument = data.argument;
		helper.#count = data.count;
		helper.#inner = data.inner;
		helper.#innerNext = data.innerNext;
	}
	static next(helper) {
		const status = helper.#status;
		if (status === RUNNING) throw new NativeTypeError("Generator is already running");
		if (status === DONE) return {
			value: void 0,
			done: true
		};
		helper.#status = RUNNING;
		let result;
		try {
			result = IteratorHelper.#step(helper);
		} finally {
			if (result === void 0) IteratorHelper.#finish(helper);
		}
		if (result === void 0) return {
			value: void 0,
			done: true
		};
		helper.#status = WAITING;
		return result;
	}
	static return(helper) {
		const status = helper.#status;
		if (status === RUNNING) throw new NativeTypeError("Generator is already running");
		if (status === DONE) return {
			value: void 0,
			done: true
		};
		const inner = helper.#inner;
		const iterator = helper.#iterator;
		helper.#status = status === START ? DONE : RUNNING;
		try {
			if (inner !== void 0) try {
				close(inner);
			} catch (error) {
				if (iterator !== void 0) closeQuietly(iterator);
				throw error;
			}
			if (iterator !== void 0) close(iterator);
		} finally {
			IteratorHelper.#finish(helper);
		}
		return {
			value: void 0,
			done: true
		};
	}
	/** Nothing of it is needed any more. */
	static #finish(helper) {
		helper.#status = DONE;
		helper.#iterator = void 0;
		helper.#next = void 0;
		helper.#argument = void 0;
		helper.#inner = void 0;
		helper.#innerNext = void 0;
		helper.#count = 0;
	}
	/** A result, or nothing at the end. */
	static #step(helper) {
		switch (helper.#kind) {
			case MAP: {
				const result = advance(helper.#iterator, helper.#next);
				if (result.done) return void 0;
				return {
					value: IteratorHelper.#called(helper, result.value),
					done: false
				};
			}
			case FILTER: for (;;) {
				const result = advance(helper.#iterator, helper.#next);
				if (result.done) return void 0;
				const { value } = result;
				if (IteratorHelper.#called(helper, value)) return {
					value,
					done: false
				};
			}
			case TAKE: {
				if (helper.#count === 0) {
					close(helper.#iterator);
					return;
				}
				helper.#count--;
				const result = advance(helper.#iterator, helper.#next);
				return result.done ? void 0 : {
					value: result.value,
					done: false
				};
			}
			case DROP: {
				for (; helper.#count > 0; helper.#count--) if (advance(helper.#iterator, helper.#next).done) return void 0;
				const result = advance(helper.#iterator, helper.#next);
				return result.done ? void 0 : {
					value: result.value,
					done: false
				};
			}
			case FLAT_MAP: return IteratorHelper.#flatStep(helper);
			default: return IteratorHelper.#concatStep(helper);
		}
	}
	/** What the function says to a value. */
	static #called(helper, value) {
		const fn = helper.#argument;
		let answer;
		let failed = true;
		try {
			answer = fn(value, helper.#count);
			failed = false;
		} finally {
			if (failed) closeQuietly(helper.#iterator);
		}
		helper.#count++;
		return answer;
	}
	static #flatStep(helper) {
		for (;;) {
			if (helper.#inner === void 0) {
				const result = advance(helper.#iterator, helper.#next);
				if (result.done) return void 0;
				const mapped = IteratorHelper.#called(helper, result.value);
				let failed = true;
				try {
					if (!isObject(mapped)) throw new NativeTypeError("Iterator.prototype.flatMap called on non-object");
					const inner = flattened(mapped);
					helper.#innerNext = inner.next;
					helper.#inner = inner;
					failed = false;
				} finally {
					if (failed) closeQuietly(helper.#iterator);
				}
			}
			let done = true;
			let value;
			let failed = true;
			try {
				const result = advance(helper.#inner, helper.#innerNext);
				if (!result.done) {
					done = false;
					value = result.value;
				}
				failed = false;
			} finally {
				if (failed) closeQuietly(helper.#iterator);
			}
			if (!done) return {
				value,
				done: false
			};
			helper.#inner = void 0;
			helper.#innerNext = void 0;
		}
	}
	static #concatStep(helper) {
		const items = helper.#argument;
		for (;;) {
			if (helper.#inner === void 0) {
				if (helper.#count === items.length) return void 0;
				const method = items[helper.#count++];
				const item = items[helper.#count++];
				const inner = iteratorBy(method, item);
				if (!isObject(inner)) throw new NativeTypeError(`${show(inner)} is not iterable`);
				helper.#innerNext = inner.next;
				helper.#inner = inner;
			}
			const result = advance(helper.#inner, helper.#innerNext);
			if (!result.done) return {
				value: result.value,
				done: false
			};
			helper.#inner = void 0;
			helper.#innerNext = void 0;
		}
	}
};
/** What `Iterator.from` makes of an object that has `next` and is no Iterator. */
var WrappedIterator = class extends Stamp {
	#iterator;
	#next;
	constructor(object, iterator, next) {
		super(object);
		this.#iterator = iterator;
		this.#next = next;
	}
	static has(value) {
		return typeof value === "object" && value !== null && #iterator in value;
	}
	static read(wrapper) {
		return {
			iterator: wrapper.#iterator,
			next: wrapper.#next
		};
	}
	static write(wrapper, { iterator, next }) {
		wrapper.#iterator = iterator;
		wrapper.#next = next;
	}
	static next(wrapper) {
		const next = wrapper.#next;
		if (typeof next !== "function") throw notAFunction(next);
		return apply$1(next, wrapper.#iterator, []);
	}
	static return(wrapper) {
		const iterator = wrapper.#iterator;
		const method = iterator.return;
		if (method === void 0 || method === null) return {
			value: void 0,
			done: true
		};
		if (typeof method !== "function") throw new NativeTypeError(`'${show(method)}' returned for property 'return' of object '${show(iterator)}' is not a function`);
		return apply$1(method, iterator, []);
	}
};
function allocateHelper() {
	return new IteratorHelper(create(helperPrototype), MAP, void 0, void 0, void 0, 0);
}
function allocateWrapper() {
	return new WrappedIterator(create(wrapperPrototype), {}, void 0);
}
const natives = iteratorPrototype;
function withFunction(kind, native) {
	return (iterator, fn) => {
		if (!isObject(iterator) || typeof fn !== "function") return apply$1(native, iterator, [fn]);
		const { next } = iterator;
		return new IteratorHelper(create(helperPrototype), kind, iterator, next, fn, 0);
	};
}
function withLimit(kind, native) {
	return (iterator, given) => {
		if (!isObject(iterator)) return apply$1(native, iterator, [given]);
		let limit = given;
		if (isObject(given)) {
			let failed = true;
			try {
				limit = +given;
				failed = false;
			} finally {
				if (failed) closeQuietly(iterator);
			}
		}
		const number = typeof limit === "symbol" || typeof limit === "bigint" ? NaN : trunc(Number(limit));
		if (!(number >= 0)) {
			if (!isObject(given)) return apply$1(native, iterator, [given]);
			closeQuietly(iterator);
			throw new NativeRangeError(`${show(given)} must be positive`);
		}
		const { next } = iterator;
		return new IteratorHelper(create(helperPrototype), kind, iterator, next, void 0, number);
	};
}
const [map, filter, flatMap] = [
	withFunction(MAP, natives["map"]),
	withFunction(FILTER, natives["filter"]),
	withFunction(FLAT_MAP, natives["flatMap"])
];
const [take, drop$1] = [withLimit(TAKE, natives["take"]), withLimit(DROP, natives["drop"])];
const hasInstance = Function.prototype[Symbol.hasInstance];
const nativeFrom = NativeIterator.from;
const nativeConcat = NativeIterator.concat;
const methods$1 = {
	map(mapper) {
		return map(this, mapper);
	},
	filter(predicate) {
		return filter(this, predicate);
	},
	take(limit) {
		return take(this, limit);
	},
	drop(limit) {
		return drop$1(this, limit);
	},
	flatMap(mapper) {
		return flatMap(this, mapper);
	}
};
const helperMethods = {
	next() {
		return IteratorHelper.has(this) ? IteratorHelper.next(this) : apply$1(nativeHelperNext, this, []);
	},
	return() {
		return IteratorHelper.has(this) ? IteratorHelper.return(this) : apply$1(nativeHelperReturn, this, []);
	}
};
const wrapperMethods = {
	next() {
		return WrappedIterator.has(this) ? WrappedIterator.next(this) : apply$1(nativeWrapperNext, this, []);
	},
	return() {
		return WrappedIterator.has(this) ? WrappedIterator.return(this) : apply$1(nativeWrapperReturn, this, []);
	}
};
const statics = {
	from(value) {
		if (!isObject(value) && typeof value !== "string") return apply$1(nativeFrom, this, [value]);
		const iterator = flattened(value);
		const { next } = iterator;
		if (apply$1(hasInstance, NativeIterator, [iterator])) return iterator;
		return new WrappedIterator(create(wrapperPrototype), iterator, next);
	},
	concat(...items) {
		const opened = [];
		for (let i = 0; i < items.length; i++) {
			const item = items[i];
			if (!isObject(item)) return apply$1(nativeConcat, this, [item]);
			const method = iteratorMethodOf(item);
			if (method === void 0) throw new NativeTypeError(`${show(item)} is not iterable`);
			opened[2 * i] = method;
			opened[2 * i + 1] = item;
		}
		return new IteratorHelper(create(helperPrototype), CONCAT, void 0, void 0, opened, 0);
	}
};
defineProperty(statics.concat, "length", {
	value: 0,
	configurable: true
});
/** The functions that stand in the places of the engine's. */
const iteratorFunctions = [
	...Object.values(methods$1),
	...Object.values(helperMethods),
	...Object.values(wrapperMethods),
	...Object.values(statics)
];
function replaceAll(holder, functions) {
	for (const name of Object.keys(functions)) {
		const place = getOwnPropertyDescriptor(holder, name);
		if (place !== void 0) defineProperty(holder, name, {
			...place,
			value: functions[name]
		});
	}
}
function installIteratorHelpers() {
	replaceAll(iteratorPrototype, methods$1);
	replaceAll(helperPrototype, helperMethods);
	replaceAll(wrapperPrototype, wrapperMethods);
	replaceAll(NativeIterator, statics);
}
// packages/core/src/bound-function.ts
const nativeBind = functionPrototype.bind;
const noArguments = Object.freeze([]);
var BoundFunction = class extends Stamp {
	#target;
	#receiver;
	#args;
	constructor(bound, target, receiver, args) {
		super(bound);
		this.#target = target;
		this.#receiver = receiver;
		this.#args = args;
	}
	static parts(value) {
		if (!(#target in value)) return void 0;
		return {
			target: value.#target,
			receiver: value.#receiver,
			args: value.#args
		};
	}
};
const { bind } = { bind(receiver) {
	const given = arguments;
	if (given.length < 2) return new BoundFunction(apply$1(nativeBind, this, [receiver]), this, receiver, noArguments);
	const args = [];
	for (let i = 1; i < given.length; i++) args[i - 1] = given[i];
	return new BoundFunction(apply$1(nativeBind, this, given), this, receiver, args);
} };
function installBind() {
	defineProperty(functionPrototype, "bind", {
		value: bind,
		writable: true,
		enumerable: false,
		configurable: true
	});
}
/** A bound function again; `name`, `length` and other own properties are the caller's to set. */
function bindAgain({ target, receiver, args }) {
	const given = [receiver];
	for (let i = 0; i < args.length; i++) given[i + 1] = args[i];
	return apply$1(bind, target, given);
}
// packages/core/src/outside.ts
/** As the engine's own resolving functions look. */
const NATIVE = "function () { [native code] }";
function isOutside(waiting) {
	return waiting instanceof Reaction && isNative(waiting.onFulfilled) && isNative(waiting.onRejected);
}
function isNative(handler) {
	return typeof handler === "function" && !brands.isProxy(handler) && sourceText(handler) === NATIVE && BoundFunction.parts(handler) === void 0;
}
/** Those who wait inside, in the form in which an eventual keeps them. */
function insideOf(waiting) {
	if (!isArray(waiting)) return isOutside(waiting) ? void 0 : waiting;
	const inside = [];
	for (let i = 0; i < waiting.length; i++) if (!isOutside(waiting[i])) inside[inside.length] = waiting[i];
	return inside.length === waiting.length ? waiting : inside.length > 1 ? inside : inside[0];
}
// packages/core/src/jobs.ts
const WIDTH = 3;
function createJobs(host, now, run, drained) {
	let ring = emptyRing(256);
	let mask = 255;
	let head = 0;
	let tail = 0;
	let anchored = false;
	let attended = false;
	let draining = false;
	let running = false;
	let ticks = [];
	let firstTick = 0;
	/** Ticks that were run without waiting for Node: so many of the host's anchors, the oldest ones, find nothing to do. */
	let spent = 0;
	let atBoundary;
	let watching;
	/** Positions are counted for nobody else. */
	const isTaped = host.tape !== void 0;
	let steps = 0;
	let beforeStep;
	let perform = run;
	function enqueue(target, kind, value) {
		const at = (tail & mask) * WIDTH;
		ring[at] = target;
		ring[at + 1] = kind;
		ring[at + 2] = value;
		tail = tail + 1 | 0;
		if ((tail - head | 0) > mask) grow();
		if (!anchored) anchor();
	}
	function grow() {
		const count = tail - head | 0;
		const capacity = (mask + 1) * 2;
		const larger = emptyRing(capacity);
		for (let i = 0; i < count; i++) {
			const from = (head + i & mask) * WIDTH;
			larger[i * WIDTH] = ring[from];
			larger[i * WIDTH + 1] = ring[from + 1];
			larger[i * WIDTH + 2] = ring[from + 2];
		}
		ring = larger;
		mask = capacity - 1;
		head = 0;
		tail = count;
	}
	function anchor() {
		if (anchored && !attended) return;
		anchored = true;
		host.queueMicrotask(drain);
	}
	function attend(isAttended) {
		attended = anchored = isAttended;
		if (!isAttended && head !== tail) anchor();
	}
	function drain() {
		if (draining) return;
		draining = true;
		anchored = true;
		const { context } = now;
		try {
			let isStep = !isTaped;
			if (atBoundary !== void 0) atBoundary("entry");
			do {
				while (head !== tail) {
					const at = (head & mask) * WIDTH;
					const target = ring[at];
					if (!isStep && !isOutside(target)) {
						isStep = true;
						beforeStep?.(false);
						steps++;
					}
					const kind = ring[at + 1];
					const value = ring[at + 2];
					running = true;
					perform(target, kind, value);
					running = false;
					leave();
				}
				drained();
			} while (head !== tail);
		} finally {
			if (running) leave();
			running = false;
			draining = false;
			anchored = attended;
			now.context = context;
			if (head !== tail && !attended) anchor();
		}
	}
	/** Takes the job that has run out of the queue. */
	function leave() {
		const at = (head & mask) * WIDTH;
		ring[at] = void 0;
		ring[at + 2] = void 0;
		head = head + 1 | 0;
	}
	function size() {
		return (tail - head | 0) - (running ? 1 : 0);
	}
	function isLeft() {
		return head !== tail || areTicksLeft();
	}
	function areTicksLeft() {
		return firstTick !== ticks.length;
	}
	function runningTarget() {
		return running ? ring[(head & mask) * WIDTH] : void 0;
	}
	function queueMicrotask(callback) {
		enqueue(new CallbackJob(callback, [], now.context), 12, void 0);
	}
	function nextTick(callback, ...args) {
		append(new CallbackJob(callback, args, now.context));
	}
	function append(tick) {
		if (host.nextTick === void 0) throw new CoreError("TT_NO_TICKS", "nextTick: this realm's host has no tick queue; give createRealm a host with nextTick()");
		ticks[ticks.length] = tick;
		host.nextTick(runTick);
	}
	/** A tick of an earlier moment, in the host's asynchronous context of that moment. */
	function addTick(tick) {
		const store = tick.context.store;
		if (store === void 0) append(tick);
		else store(() => append(tick));
	}
	function runTick() {
		if (spent > 0) {
			spent--;
			return;
		}
		if (firstTick === ticks.length) return;
		if (beforeStep !== void 0) beforeStep(true);
		steps++;
		const tick = takeTick();
		const { context } = now;
		watching?.(tick.context.home);
		now.context = tick.context;
		try {
			apply$1(tick.callback, void 0, tick.args);
		} finally {
			now.context = context;
		}
		if (atBoundary !== void 0) atBoundary("tick");
	}
	function takeTick() {
		const tick = ticks[firstTick++];
		if (firstTick === ticks.length) {
			ticks = [];
			firstTick = 0;
		} else if (firstTick > 1024 && firstTick * 2 > ticks.length) {
			const rest = [];
			for (let i = firstTick; i < ticks.length; i++) rest[i - firstTick] = ticks[i];
			ticks = rest;
			firstTick = 0;
		}
		return tick;
	}
	function finish() {
		if (draining) return;
		const { context } = now;
		try {
			do {
				while (firstTick !== ticks.length) {
					if (beforeStep !== void 0) beforeStep(true);
					steps++;
					spent++;
					const tick = takeTick();
					watching?.(tick.context.home);
					run(tick, 12, void 0);
					if (atBoundary !== void 0) atBoundary("tick");
				}
				drain();
			} while (isLeft());
		} finally {
			now.context = context;
		}
	}
	function observe(observer) {
		atBoundary = observer;
		setPerform();
	}
	function watch(watcher) {
		watching = watcher;
		setPerform();
	}
	function entering(home) {
		watching?.(home);
	}
	/** Not questions in the loop, which everything else is paid for by. */
	function setPerform() {
		const observer = atBoundary;
		const watcher = watching;
		perform = observer === void 0 && watcher === void 0 ? run : (target, kind, value) => {
			const { context } = target;
			if (context !== void 0) watcher?.(context.home);
			run(target, kind, value);
			if (observer !== void 0 && !isOutside(target)) observer("job");
		};
	}
	function read() {
		const jobs = [];
		for (let i = 0; i < size(); i++) {
			const at = (head + i + (running ? 1 : 0) & mask) * WIDTH;
			if (!isOutside(ring[at])) jobs[jobs.length] = [
				ring[at],
				ring[at + 1],
				ring[at + 2]
			];
		}
		const waiting = [];
		for (let i = firstTick; i < ticks.length; i++) waiting[i - firstTick] = ticks[i];
		return {
			jobs,
			ticks: waiting
		};
	}
	function clear() {
		ring = emptyRing(mask + 1);
		head = 0;
		tail = running ? 1 : 0;
		ticks = [];
		firstTick = 0;
	}
	function beforeSteps(before) {
		beforeStep = before;
	}
	return {
		get steps() {
			return steps;
		},
		set steps(count) {
			steps = count;
		},
		beforeSteps,
		enqueue,
		anchor,
		drain,
		finish,
		areTicksLeft,
		attend,
		size,
		isLeft,
		running: runningTarget,
		queueMicrotask,
		nextTick,
		read,
		observe,
		watch,
		entering,
		addTick,
		clear
	};
}
function emptyRing(capacity) {
	const slots = [];
	for (let i = 0; i < capacity * WIDTH; i++) slots[i] = void 0;
	return slots;
}
// packages/core/src/decorators.ts
function functionOrNothing(value) {
	if (value !== void 0 && typeof value !== "function") throw new NativeTypeError("Function expected");
	return value;
}
/** Applies standard decorators, the last one first: tslib's `__esDecorate`. */
function esDecorate(owner, given, decorators, shared, initializers, extraInitializers) {
	const { kind, name } = shared;
	const key = kind === "getter" ? "get" : kind === "setter" ? "set" : "value";
	const target = given === null && owner !== null ? shared.static === true ? owner : owner.prototype : null;
	const descriptor = given ?? (target === null ? {} : getOwnPropertyDescriptor(target, name) ?? {});
	let done = false;
	for (let i = decorators.length - 1; i >= 0; i--) {
		const context = {
			...shared,
			...shared.access === void 0 ? {} : { access: { ...shared.access } },
			addInitializer(initializer) {
				if (done) throw new NativeTypeError("Cannot add initializers after decoration has completed");
				if (typeof initializer !== "function") throw new NativeTypeError("Function expected");
				extraInitializers.push(initializer);
			}
		};
		const decorator = decorators[i];
		const { get, set } = descriptor;
		const result = decorator(kind === "accessor" ? {
			get,
			set
		} : descriptor[key], context);
		if (kind === "accessor") {
			if (result === void 0) continue;
			if (result === null || typeof result !== "object") throw new NativeTypeError("Object expected");
			const made = result;
			const getter = functionOrNothing(made.get);
			if (getter !== void 0) descriptor.get = getter;
			const setter = functionOrNothing(made.set);
			if (setter !== void 0) descriptor.set = setter;
			const init = functionOrNothing(made.init);
			if (init !== void 0) initializers?.unshift(init);
			continue;
		}
		const replacement = functionOrNothing(result);
		if (replacement === void 0) continue;
		if (kind === "field") initializers?.unshift(replacement);
		else descriptor[key] = replacement;
	}
	if (target !== null) defineProperty(target, name, descriptor);
	done = true;
}
/** `value` after each initialiser, or nothing: tslib's `__runInitializers`. */
function runInitializers(target, initializers, ...given) {
	let [value] = given;
	for (const initializer of initializers) if (given.length === 0) apply$1(initializer, target, []);
	else value = apply$1(initializer, target, [value]);
	return value;
}
/** What lowered TypeScript calls under the global name `babelHelpers`: tslib's `__decorate`, `__metadata` and `__param`. */
const decoratorHelpers = {
	decorate(decorators, target, ...at) {
		const [name, given] = at;
		const isClass = name === void 0;
		const descriptor = isClass || given !== null ? given : getOwnPropertyDescriptor(target, name);
		const { decorate } = Reflect;
		let result = isClass ? target : descriptor;
		if (typeof decorate === "function") result = decorate.call(Reflect, decorators, target, name, descriptor);
		else for (let i = decorators.length - 1; i >= 0; i--) {
			const decorator = decorators[i];
			if (decorator) result = (isClass ? decorator(result) : decorator(target, name, result)) || result;
		}
		if (!isClass && result) defineProperty(target, name, result);
		return result;
	},
	decorateMetadata(name, value) {
		const { metadata } = Reflect;
		return typeof metadata === "function" ? metadata.call(Reflect, name, value) : void 0;
	},
	decorateParam(index, decorator) {
		return (target, name) => {
			decorator(target, name, index);
		};
	},
	esDecorate,
	runInitializers,
	propertyKey(value) {
		return typeof value === "symbol" ? value : `${value}`;
	},
	/** The object that all decorators of a class share, if the program has a `Symbol.metadata`. */
	decoratorMetadata(base) {
		const { metadata } = Symbol;
		if (metadata === void 0) return void 0;
		return Object.create(base?.[metadata] ?? null);
	}
};
// packages/core/src/mapped-parameter.ts
const { set: set$1 } = Reflect;
var MappedParameter = class {
	elements;
	index;
	/** The value once the element is no longer shared. */
	own;
	constructor(elements, index) {
		this.elements = elements;
		this.index = index;
		this.own = elements[index];
	}
	get v() {
		const { elements, index } = this;
		if (elements === null || !hasOwn(elements, index)) return this.own;
		return elements[index];
	}
	set v(value) {
		const { elements, index } = this;
		this.own = value;
		if (elements === null) return;
		if (!hasOwn(elements, index) || !set$1(elements, index, value)) this.elements = null;
	}
};
/** The box of parameter number `index`; one that was not given a value shares nothing. */
function parameter(elements, index, value) {
	return index < elements.length ? new MappedParameter(elements, index) : { v: value };
}
// packages/core/src/pattern-source.ts
function noObject(value, text, property) {
	const what = text ?? (value === null ? "object null" : "undefined");
	const subject = property === null ? `'${what}'` : `property '${property}' of '${what}'`;
	throw new NativeTypeError(`Cannot destructure ${subject} as it is ${value}.`);
}
function noIterable(value, text) {
	if (text !== null) throw new NativeTypeError(`${text} is not iterable`);
	throw new NativeTypeError(`${showWithType(value)} is not iterable (cannot read property Symbol(Symbol.iterator))`);
}
// packages/core/src/promise.ts
function isConstructor(value) {
	if (typeof value !== "function") return false;
	try {
		construct(Object, [], value);
		return true;
	} catch {
		return false;
	}
}
function createPromise(jobs, now, rejections) {
	const { prototype, create } = eventualsOfRealm();
	const intrinsics = {
		constructor: void 0,
		then: void 0,
		speciesOf,
		performThen
	};
	const closures = coreClosures(() => parts);
	const eventuals = createEventuals(jobs, now, rejections, intrinsics, create, (eventual) => {
		const state = {
			eventual,
			done: false
		};
		return [closures.resolve(state), closures.reject(state)];
	});
	const { register } = eventuals;
	const { Promise } = { Promise: function(executor) {
		if (new.target === void 0) throw new NativeTypeError("Promise constructor cannot be invoked without 'new'");
		if (typeof executor !== "function") throw new NativeTypeError(`Promise resolver ${show(executor)} is not a function`);
		const eventual = new.target === Promise ? create() : eventualUnder(getPrototypeOf(this));
		const state = {
			eventual,
			done: false
		};
		try {
			apply$1(executor, void 0, [closures.resolve(state), closures.reject(state)]);
		} catch (error) {
			closures.rejectOnce(state, error);
		}
		return eventual;
	} };
	const methods = {
		then(onFulfilled, onRejected) {
			if (!Eventual.has(this)) {
				if (isNative(this)) return apply$1(prototype.then, eventuals.eventualOf(this), [onFulfilled, onRejected]);
				throw new NativeTypeError(`Method Promise.prototype.then called on incompatible receiver ${show(this)}`);
			}
			return performThen(this, speciesOf(this), onFulfilled, onRejected);
		},
		catch(onRejected) {
			return invokeThen(this, void 0, onRejected);
		},
		finally(onFinally) {
			if (typeof this !== "object" && typeof this !== "function" || this === null) throw new NativeTypeError("Promise.prototype.finally called on non-object");
			const constructor = isNative(this) ? Promise : speciesOf(this);
			if (typeof onFinally !== "function") return invokeThen(this, onFinally, onFinally);
			return invokeThen(this, closures.thenFinally(onFinally, constructor), closures.catchFinally(onFinally, constructor));
		}
	};
	defineProperty(Promise, "prototype", {
		value: prototype,
		writable: false
	});
	defineProperty(prototype, "constructor", {
		value: Promise,
		writable: true,
		enumerable: false,
		configurable: true
	});
	for (const [name, value] of Object.entries(methods)) defineProperty(prototype, name, {
		value,
		writable: true,
		enumerable: false,
		configurable: true
	});
	intrinsics.constructor = Promise;
	intrinsics.then = prototype.then;
	defineProperty(prototype, Symbol.toStringTag, {
		value: "Promise",
		configurable: true
	});
	defineProperty(Promise, Symbol.species, {
		...Object.getOwnPropertyDescriptor({ get [Symbol.species]() {
			return this;
		} }, Symbol.species),
		enumerable: false
	});
	function isNative(value) {
		return brands.isNativePromise(value);
	}
	function performThen(eventual, species, onFulfilled, onRejected) {
		if (species === Promise) {
			const derived = create();
			register(eventual, new Reaction(derived, onFulfilled, onRejected, now.context));
			return derived;
		}
		const capability = newCapability(species);
		register(eventual, new Reaction(capability, onFulfilled, onRejected, now.context));
		return capability.promise;
	}
	function speciesOf(object) {
		const constructor = object.constructor;
		if (constructor === void 0) return Promise;
		if (typeof constructor !== "object" && typeof constructor !== "function" || constructor === null) throw new NativeTypeError("The .constructor property is not an object");
		const species = constructor[Symbol.species];
		if (species === void 0 || species === null) return Promise;
		if (species !== Promise && !isConstructor(species)) throw new NativeTypeError("object.constructor[Symbol.species] is not a constructor");
		return species;
	}
	function newCapability(constructor) {
		if (constructor === Promise) {
			const eventual = create();
			const state = {
				eventual,
				done: false
			};
			return {
				promise: eventual,
				resolve: closures.resolve(state),
				reject: closures.reject(state)
			};
		}
		if (!isConstructor(constructor)) throw new NativeTypeError(`${show(constructor)} is not a constructor`);
		const capability = {
			promise: void 0,
			resolve: void 0,
			reject: void 0
		};
		const promise = new constructor(closures.executor(capability));
		if (typeof capability.resolve !== "function" || typeof capability.reject !== "function") throw new NativeTypeError("Promise resolve or reject function is not callable");
		capability.promise = promise;
		return capability;
	}
	function promiseResolve(constructor, value) {
		if (Eventual.has(value) && value.constructor === constructor) return value;
		if (constructor === Promise) return eventuals.eventualOf(value);
		const { promise, resolve } = newCapability(constructor);
		resolve(value);
		return promise;
	}
	function invokeThen(promise, ...handlers) {
		const then = promise.then;
		if (typeof then !== "function") throw new NativeTypeError(`${showWithType(then)} is not a function`);
		return apply$1(then, promise, handlers);
	}
	/** `nativePromise instanceof Promise` holds by the prototype chain: a `Symbol.hasInstance` of our own would show. */
	function install() {
		setPrototypeOf(NativePromise.prototype, prototype);
	}
	const parts = {
		Promise,
		eventuals,
		newCapability,
		promiseResolve,
		invokeThen,
		install
	};
	return parts;
}
// packages/core/src/rejections.ts
const NOTHING = {
	rejections: [],
	handledLate: []
};
function includes(list, object) {
	for (let i = 0; i < list.length; i++) if (list[i] === object) return true;
	return false;
}
function createRejections(host, jobs, home) {
	let candidates = [];
	/** Whose they are, in the same places. */
	let homes = [];
	let handledLate = [];
	const reported = /* @__PURE__ */ new WeakSet();
	const { has, add, delete: remove } = WeakSet.prototype;
	function rejected(eventual) {
		if (host.unhandledRejection === void 0) return;
		homes[candidates.length] = home();
		candidates[candidates.length] = eventual;
		jobs().anchor();
	}
	function handled(eventual) {
		if (!apply$1(has, reported, [eventual])) return;
		apply$1(remove, reported, [eventual]);
		handledLate[handledLate.length] = eventual;
		jobs().anchor();
	}
	function drained() {
		if (handledLate.length > 0) {
			const late = handledLate;
			handledLate = [];
			for (let i = 0; i < late.length; i++) host.rejectionHandled?.(late[i]);
		}
		if (candidates.length === 0) return;
		const rejections = candidates;
		const owners = homes;
		candidates = [];
		homes = [];
		for (let i = 0; i < rejections.length; i++) {
			const eventual = rejections[i];
			if (Eventual.handled(eventual)) continue;
			if (taken(owners[i], Eventual.value(eventual))) continue;
			apply$1(add, reported, [eventual]);
			host.unhandledRejection?.(eventual, Eventual.value(eventual));
		}
	}
	function read() {
		const untold = host.untold?.() ?? NOTHING;
		const unhandled = [];
		const late = copyOf(untold.handledLate);
		for (const list of [untold.rejections, candidates]) for (let i = 0; i < list.length; i++) {
			const eventual = list[i];
			if (!Eventual.handled(eventual)) unhandled[unhandled.length] = eventual;
		}
		for (let i = 0; i < handledLate.length; i++) {
			const eventual = handledLate[i];
			if (!includes(untold.rejections, eventual)) late[late.length] = eventual;
		}
		return {
			candidates: unhandled,
			handledLate: late
		};
	}
	function isAnyUntold() {
		return candidates.length > 0 || handledLate.length > 0 || host.isAnyUntold?.() === true;
	}
	function isReported(eventual) {
		if (apply$1(has, reported, [eventual]) !== true) return false;
		return !includes((host.untold?.() ?? NOTHING).rejections, eventual);
	}
	function restore(unreported, late) {
		candidates = copyOf(unreported);
		homes = [];
		for (let i = 0; i < candidates.length; i++) homes[i] = home();
		handledLate = copyOf(late);
		if (candidates.length > 0 || handledLate.length > 0) jobs().anchor();
	}
	function wasReported(eventual) {
		apply$1(add, reported, [eventual]);
		host.reportedBefore?.(eventual);
	}
	let taken = (_home, _reason) => false;
	function divert(taker) {
		taken = taker;
	}
	return {
		divert,
		rejected,
		handled,
		drained,
		read,
		isAnyUntold,
		isReported,
		restore,
		wasReported
	};
}
// packages/core/src/call-site.ts
var MappedCallSite = class {
	#parts;
	constructor(parts) {
		this.#parts = parts;
	}
	get #called() {
		return this.#parts.caller ?? this.#parts.site;
	}
	static is(value) {
		return typeof value === "object" && value !== null && #parts in value;
	}
	getColumnNumber() {
		return this.#parts.place?.column ?? null;
	}
	getEnclosingColumnNumber() {
		return this.#parts.place?.enclosing?.().column ?? this.getColumnNumber();
	}
	getEnclosingLineNumber() {
		return this.#parts.place?.enclosing?.().line ?? this.getLineNumber();
	}
	getEvalOrigin() {
		return this.#parts.site?.getEvalOrigin();
	}
	getFileName() {
		return this.#parts.place?.file;
	}
	getFunction() {
		return this.#called?.getFunction();
	}
	getFunctionName() {
		const { element, builtin, place, caller, site } = this.#parts;
		if (element !== void 0) return element.combinator;
		if (builtin !== void 0) return builtin.slice(builtin.indexOf(".") + 1);
		const name = caller?.getFunctionName() ?? place?.name ?? site?.getFunctionName();
		return name === void 0 || name === "" ? null : name;
	}
	getLineNumber() {
		return this.#parts.place?.line ?? null;
	}
	getMethodName() {
		const { element, caller, site, place } = this.#parts;
		if (element !== void 0) return element.combinator;
		if (caller !== void 0) return caller.getMethodName();
		if (place?.name === void 0) return site?.getMethodName() ?? null;
		return place.type === void 0 || place.name === "" ? null : place.name;
	}
	getPosition() {
		return this.#parts.place?.position ?? this.#parts.element?.index ?? 0;
	}
	getPromiseIndex() {
		return this.#parts.element?.index ?? null;
	}
	getScriptNameOrSourceURL() {
		return this.#parts.place?.file ?? null;
	}
	getScriptHash() {
		return this.#parts.site?.getScriptHash() ?? "";
	}
	getThis() {
		return this.#called?.getThis();
	}
	getTypeName() {
		const { element, builtin, caller, site, place } = this.#parts;
		if (element !== void 0) return "Promise";
		if (builtin !== void 0) return builtin.slice(0, builtin.indexOf("."));
		if (caller !== void 0) return caller.getTypeName();
		if (place?.name === void 0) return site?.getTypeName() ?? null;
		return place.type ?? null;
	}
	isAsync() {
		return this.#parts.isAsync ?? this.#parts.site?.isAsync() ?? false;
	}
	isConstructor() {
		return this.#called?.isConstructor() ?? false;
	}
	isEval() {
		return this.#called?.isEval() ?? false;
	}
	isNative() {
		return this.#called?.isNative() ?? false;
	}
	isPromiseAll() {
		return this.#parts.element?.combinator === "all";
	}
	isToplevel() {
		const { element, builtin, caller, site, place } = this.#parts;
		if (builtin !== void 0 || element !== void 0) return false;
		if (caller !== void 0) return caller.isToplevel();
		if (place?.name === void 0) return site?.isToplevel() ?? true;
		return place.type === void 0;
	}
	toString() {
		const { place, element } = this.#parts;
		const prefix = this.isAsync() ? "async " : "";
		if (element !== void 0) return `${prefix}Promise.${element.combinator} (index ${element.index})`;
		const location = place === void 0 ? "<anonymous>" : `${place.file}:${place.line}:${place.column}`;
		const name = calledName(this);
		return name === "" ? prefix + location : `${prefix}${name} (${location})`;
	}
};
Object.defineProperty(MappedCallSite, "name", { value: "CallSite" });
function mappedCallSite(parts) {
	return new MappedCallSite(parts);
}
function isMapped(site) {
	return MappedCallSite.is(site);
}
const IDENTIFIER$1 = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
/** What V8 prints before the location: `new C`, `Object.method [as alias]`. */
function calledName(site) {
	const name = site.getFunctionName() ?? "";
	if (site.isConstructor()) return `new ${name === "" ? "<anonymous>" : name}`;
	const type = site.isToplevel() || site.isNative() ? null : site.getTypeName();
	if (type === null || type === "") return name;
	const method = site.getMethodName();
	if (name === "") return `${type}.${method === null || method === "" ? "<anonymous>" : method}`;
	const qualified = IDENTIFIER$1.test(name) ? `${type}.${name}` : name;
	return method === null || method === "" || name === method || name.endsWith(`.${method}`) || name.endsWith(` ${method}`) ? qualified : `${qualified} [as ${method}]`;
}
// packages/core/src/stack.ts
/** Node's frames between its task queue and an anchor of core: natively there is nothing there. */
const ANCHOR_FRAMES = /* @__PURE__ */ new Set([
	"AsyncResource.runInAsyncScope",
	"AsyncResource.runMicrotask",
	"runMicrotask"
]);
const GENERATOR_METHODS = /* @__PURE__ */ new Set([
	"next",
	"return",
	"throw"
]);
/** The frames a program is to see, at most `limit`. */
function mappedSites(sites, origin, mapping, limit) {
	if (sites.some(isMapped)) return [...sites];
	const shown = [];
	let belowCore = false;
	let open;
	const bottom = bottomOf(sites, origin);
	for (const site of sites) {
		const file = site.getFileName();
		const place = typeof file === "string" ? mapping.place(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, site.getFunctionName()) : void 0;
		if (place === "wrapper") {
			if (open !== void 0) shown[open.at] = mappedCallSite({
				site: open.site,
				place: open.place,
				caller: site
			});
			open = void 0;
			continue;
		}
		if (place === null) {
			belowCore = true;
			const method = site.getFunctionName() ?? "";
			if (open?.place.generator === void 0 || !GENERATOR_METHODS.has(method)) continue;
			shown.push(mappedCallSite({
				site,
				builtin: `${open.place.generator}.${method}`
			}));
			open = void 0;
			continue;
		}
		open = void 0;
		if (belowCore && ANCHOR_FRAMES.has(calledName(site))) continue;
		belowCore = false;
		if (place === void 0) {
			shown.push(site);
			continue;
		}
		if (place.name !== void 0) {
			open = {
				at: shown.length,
				site,
				place
			};
			if (site === bottom) place.type = mapping.receiverType(origin.bottom, place.type);
		}
		shown.push(mappedCallSite({
			site,
			place
		}));
	}
	shown.push(...awaitingSites(origin.parents, mapping));
	return shown.slice(0, limit);
}
/** The frames of what awaits. */
function awaitingSites(parents, mapping) {
	const shown = [];
	for (const parent of parents) if ("combinator" in parent) shown.push(mappedCallSite({
		isAsync: true,
		element: parent
	}));
	else {
		const place = mapping.awaiting(parent);
		if (place !== void 0) shown.push(mappedCallSite({
			place: {
				...place,
				name: place.name ?? ""
			},
			isAsync: true
		}));
	}
	return shown;
}
/** The whole text of `error.stack`. */
function stackText(error, sites, origin, mapping, limit = Infinity) {
	const shown = mappedSites(sites, origin, mapping, limit);
	return [headerOf(error), ...shown.map((site) => `    at ${site.toString()}`)].join("\n");
}
/** The frame of the step that the job queue was running. */
function bottomOf(sites, { bottom }) {
	return bottom === void 0 ? void 0 : sites.findLast((site) => site.getFunctionName() === bottom.step.name);
}
function headerOf(error) {
	try {
		return Error.prototype.toString.call(error);
	} catch {
		return "<error>";
	}
}
// packages/core/src/weak-references.ts
const NativeWeakRef = WeakRef;
const NativeRegistry = FinalizationRegistry;
const { deref } = WeakRef.prototype;
const { register, unregister } = FinalizationRegistry.prototype;
const weakMap = WeakMap.prototype;
const { get, set } = weakMap;
const dropKey = weakMap.delete;
const { keyFor } = Symbol;
const live = Set.prototype;
const { add, forEach, has } = live;
const remove = live.delete;
const size = getOwnPropertyDescriptor(Set.prototype, "size")?.get;
const { get: getEntry, set: setEntry, delete: dropEntry } = Map.prototype;
var OwnWeakRef = class OwnWeakRef extends Stamp {
	#realm;
	/** Its target is not to be had any more, whatever the engine has: it was dead when this was made again, or was found to be. */
	#isDead;
	constructor(ref, realm, isDead) {
		super(ref);
		this.#realm = realm;
		this.#isDead = isDead;
	}
	static has(value) {
		return typeof value === "object" && value !== null && #realm in value;
	}
	static target(ref) {
		return ref.#isDead ? void 0 : targetOf(ref);
	}
	static bury(ref) {
		ref.#isDead = true;
	}
	static answer(ref) {
		const target = OwnWeakRef.target(ref);
		const { dereferenced } = ref.#realm.observer;
		return dereferenced === void 0 ? target : dereferenced(ref, target);
	}
};
/** One call of `register`. The registry holds it as long as its target lives, and knows the target only weakly. */
var Registration = class {
	holdings;
	/** The target is its own unregister token. */
	byTarget;
	/** For those that the engine does not show among a table's keys. */
	target;
	token;
	number;
	constructor(holdings, target, token, number) {
		this.number = number;
		this.holdings = holdings;
		this.byTarget = token === target;
		this.target = isHidden(target) ? new NativeWeakRef(target) : void 0;
		this.token = token !== void 0 && isHidden(token) ? new NativeWeakRef(token) : void 0;
	}
};
function canBeHeld(value) {
	return isObject(value) || typeof value === "symbol" && keyFor(value) === void 0;
}
function isHidden(key) {
	return typeof key === "symbol" || brands.isProxy(key);
}
const none = [];
var OwnRegistry = class extends Stamp {
	#state;
	constructor(registry, state) {
		super(registry);
		this.#state = state;
	}
	static has(value) {
		return typeof value === "object" && value !== null && #state in value;
	}
	static state(registry) {
		return registry.#state;
	}
};
/** The engine's prototypes serve all realms, so their methods are replaced once, and ask the object which realm it is of. */
const methods = {
	deref() {
		return OwnWeakRef.has(this) ? OwnWeakRef.answer(this) : apply$1(deref, this, []);
	},
	register(target, holdings, token) {
		if (!OwnRegistry.has(this) || is(target, holdings)) {
			apply$1(register, this, [
				target,
				holdings,
				token
			]);
			return;
		}
		registerAt(this, OwnRegistry.state(this), target, holdings, token);
	},
	unregister(token) {
		const found = apply$1(unregister, this, [token]);
		if (!found || !OwnRegistry.has(this)) return found;
		const state = OwnRegistry.state(this);
		const before = apply$1(size, state.registrations, []);
		forget(state, token);
		return !state.realm.observer.holds || apply$1(size, state.registrations, []) !== before;
	}
};
defineProperty(methods.register, "length", {
	value: 2,
	configurable: true
});
function registerAt(registry, state, target, holdings, token, again) {
	if (!canBeHeld(target) || token !== void 0 && !canBeHeld(token)) {
		apply$1(register, registry, [
			target,
			holdings,
			token
		]);
		return;
	}
	const { observer, waiting } = state.realm;
	const registration = new Registration(holdings, target, token, again?.number ?? observer.registered);
	if (registration.number >= observer.registered) observer.registered = registration.number + 1;
	if (observer.holds) apply$1(setEntry, waiting, [registration.number, {
		state,
		registration,
		target
	}]);
	apply$1(register, registry, [
		target,
		registration,
		token
	]);
	apply$1(add, state.registrations, [registration]);
	if (again?.isDead !== true) addTo(state.byTarget, target, registration, state);
	if (token !== void 0 && token !== target) addTo(state.byToken, token, registration, state);
}
function addTo(table, key, registration, state) {
	const before = apply$1(get, table, [key]) ?? none;
	const list = [];
	for (let i = 0; i < before.length; i++) {
		const each = before[i];
		if (apply$1(has, state.registrations, [each])) list[list.length] = each;
	}
	list[list.length] = registration;
	apply$1(set, table, [key, list]);
}
function forget(state, token) {
	const own = apply$1(get, state.byTarget, [token]) ?? none;
	for (let i = 0; i < own.length; i++) {
		const each = own[i];
		if (each.byTarget) drop(state, each);
	}
	const others = apply$1(get, state.byToken, [token]) ?? none;
	for (let i = 0; i < others.length; i++) drop(state, others[i]);
	apply$1(dropKey, state.byToken, [token]);
}
function drop({ registrations, realm }, registration) {
	apply$1(remove, registrations, [registration]);
	if (realm.observer.holds) apply$1(dropEntry, realm.waiting, [registration.number]);
}
function report(state, registration) {
	if (!apply$1(remove, state.registrations, [registration])) return;
	const { finalized } = state.realm.observer;
	if (finalized === void 0) cleanUp(state, registration);
	else finalized(registration.number, () => cleanUp(state, registration));
}
function cleanUp(state, registration) {
	const { now } = state.realm;
	const before = now.context;
	now.context = state.context;
	try {
		apply$1(state.cleanup, void 0, [registration.holdings]);
	} finally {
		now.context = before;
	}
}
function createWeakReferences(now, host) {
	const observer = {
		made: void 0,
		dereferenced: void 0,
		finalized: void 0,
		holds: false,
		registered: 0
	};
	const waiting = /* @__PURE__ */ new Map();
	const realm = {
		now,
		observer,
		waiting
	};
	const OwnConstructor = function WeakRef(target) {
		if (new.target === void 0) throw new NativeTypeError("Constructor WeakRef requires 'new'");
		const ref = new OwnWeakRef(construct(NativeWeakRef, [target], new.target), realm, false);
		observer.made?.(ref, target);
		return ref;
	};
	const OwnRegistryConstructor = function FinalizationRegistry(cleanup) {
		if (new.target === void 0) throw new NativeTypeError("Constructor FinalizationRegistry requires 'new'");
		if (typeof cleanup !== "function") new NativeRegistry(cleanup);
		return registryOf(cleanup, new.target);
	};
	function registryOf(cleanup, newTarget) {
		const state = {
			cleanup,
			context: now.context,
			realm,
			registrations: /* @__PURE__ */ new Set(),
			byTarget: /* @__PURE__ */ new WeakMap(),
			byToken: /* @__PURE__ */ new WeakMap()
		};
		const reported = (registration) => report(state, registration);
		return new OwnRegistry(construct(NativeRegistry, [reported], newTarget), state);
	}
	for (const [constructor, { prototype }] of [[OwnConstructor, NativeWeakRef], [OwnRegistryConstructor, NativeRegistry]]) defineProperty(constructor, "prototype", {
		value: prototype,
		writable: false,
		enumerable: false,
		configurable: false
	});
	function finalize(number) {
		const held = apply$1(getEntry, waiting, [number]);
		if (held === void 0) return false;
		apply$1(dropEntry, waiting, [number]);
		if (apply$1(remove, held.state.registrations, [held.registration])) cleanUp(held.state, held.registration);
		return true;
	}
	function install() {
		const attributes = {
			writable: true,
			enumerable: false,
			configurable: true
		};
		defineProperty(NativeWeakRef.prototype, "constructor", {
			...attributes,
			value: OwnConstructor
		});
		defineProperty(NativeWeakRef.prototype, "deref", {
			...attributes,
			value: methods.deref
		});
		defineProperty(NativeRegistry.prototype, "constructor", {
			...attributes,
			value: OwnRegistryConstructor
		});
		defineProperty(NativeRegistry.prototype, "register", {
			...attributes,
			value: methods.register
		});
		defineProperty(NativeRegistry.prototype, "unregister", {
			...attributes,
			value: methods.unregister
		});
	}
	/** Constructs below any prototype, and runs no constructor of the program. */
	function newTargetFor(prototype) {
		const newTarget = apply$1(functionPrototype.bind, function() {}, [void 0]);
		defineProperty(newTarget, "prototype", { value: prototype });
		return newTarget;
	}
	function readRegistry(registry) {
		const state = OwnRegistry.state(registry);
		const registrations = [];
		const at = /* @__PURE__ */ new Map();
		apply$1(forEach, state.registrations, [(registration) => {
			const { holdings } = registration;
			const data = {
				target: registration.target === void 0 ? void 0 : targetOf(registration.target),
				holdings,
				token: registration.token === void 0 ? void 0 : targetOf(registration.token),
				number: registration.number
			};
			registrations[registrations.length] = data;
			apply$1(setEntry, at, [registration, data]);
		}]);
		eachKey(state.byTarget, at, (data, key, { byTarget }) => {
			data.target = key;
			if (byTarget) data.token = key;
		});
		eachKey(state.byToken, at, (data, key) => {
			data.token = key;
		});
		return {
			cleanup: state.cleanup,
			context: state.context,
			registrations
		};
	}
	function eachKey(table, at, found) {
		if (host.engine === void 0) throw new CoreError("TT_ENGINE_CLOSED", "FinalizationRegistry: its targets cannot be read; give createRealm a host with an engine view");
		const { keys } = host.engine.weakKeys(table, Number.MAX_SAFE_INTEGER);
		for (let i = 0; i < keys.length; i++) {
			const list = apply$1(get, table, [keys[i]]);
			for (let k = 0; k < list.length; k++) {
				const data = apply$1(getEntry, at, [list[k]]);
				if (data !== void 0) found(data, keys[i], list[k]);
			}
		}
	}
	function fillRegistry(registry, { cleanup, context, registrations }) {
		const state = OwnRegistry.state(registry);
		state.cleanup = cleanup;
		state.context = context;
		for (let i = 0; i < registrations.length; i++) {
			const { target, holdings, token, number } = registrations[i];
			registerAt(registry, state, target ?? {}, holdings, token, {
				number,
				isDead: target === void 0
			});
		}
	}
	return {
		WeakRef: OwnConstructor,
		FinalizationRegistry: OwnRegistryConstructor,
		observer,
		finalize,
		install,
		isWeakRef: (value) => OwnWeakRef.has(value),
		isRegistry: (value) => OwnRegistry.has(value),
		bury: (ref) => OwnWeakRef.bury(ref),
		target: (ref) => OwnWeakRef.target(ref),
		readRegistry,
		allocateWeakRef(target, prototype) {
			const ref = new OwnWeakRef(construct(NativeWeakRef, [target ?? {}], newTargetFor(prototype)), realm, target === void 0);
			if (target !== void 0) observer.made?.(ref, target);
			return ref;
		},
		allocateRegistry: (prototype) => registryOf(noCleanup, newTargetFor(prototype)),
		fillRegistry
	};
}
function targetOf(ref) {
	return apply$1(deref, ref, []);
}
const noCleanup = () => {
	throw new CoreError("TT_UNKNOWN_STATE", "FinalizationRegistry: it was allocated and never filled");
};
// packages/core/src/realm.ts
const rawGlobal = globalThis;
const TIMERS = [
	"setTimeout",
	"setInterval",
	"setImmediate",
	"clearImmediate"
];
function createRealm(host) {
	const now = { context: ROOT_CONTEXT };
	if (host.isProxy !== void 0) brands.isProxy = host.isProxy;
	if (host.isNativePromise !== void 0) brands.isNativePromise = host.isNativePromise;
	const rejections = createRejections(host, () => jobs, () => now.context.home);
	const jobs = createJobs(host, now, runInContext, rejections.drained);
	host.tape?.attach(jobs);
	const promise = createPromise(jobs, now, rejections);
	const { Promise, eventuals } = promise;
	const closures = coreClosures(() => promise);
	defineCombinators(promise, closures);
	const asyncFunctions = createAsyncFunctions(eventuals, jobs, now);
	const generators = createGenerators();
	const asyncGenerators = createAsyncGenerators(eventuals, jobs, now);
	const asyncIterators = createAsyncIterators(eventuals);
	const delegates = createDelegates(eventuals, asyncGenerators, asyncIterators.asyncIterator);
	const kinds = createFunctionKinds(host, generators, asyncGenerators);
	const weak = createWeakReferences(now, host);
	const disposables = createDisposableStacks(eventuals);
	let tracksContexts = false;
	let entersContext;
	let emptyContext;
	let emptyContextOf;
	/**
	* From the first use of an `AsyncLocalStorage` on, whatever waits keeps the host's context of that moment; the host is told
	* of each that is entered again, and answers whether it is in that one as it is. What waited before goes on in the empty one of
	* whose it is.
	* Where the host enters one by itself, for a callback, it says whose it is.
	*/
	function trackContexts(take, entering, empty, homeOf, emptyOf) {
		if (tracksContexts) return;
		tracksContexts = true;
		entersContext = entering;
		emptyContext = empty;
		emptyContextOf = emptyOf;
		let entered = now.context;
		defineProperty(now, "context", {
			get: () => {
				const store = take();
				if (entered.store !== store) entered = {
					home: homeOf(store) ?? ROOT_HOME,
					store,
					trail: entered.trail
				};
				return entered;
			},
			set: (context) => {
				entered = context;
			}
		});
	}
	function runInContext(target, kind, value) {
		if (!tracksContexts) return run(target, kind, value);
		const { context } = target;
		if (context === void 0) return run(target, kind, value);
		const { home } = context;
		const store = context.store ?? (home === ROOT_HOME ? emptyContext : emptyContextOf(home));
		if (entersContext(store)) run(target, kind, value);
		else store(run, target, kind, value);
	}
	function run(target, kind, value) {
		switch (kind) {
			case 0:
			case 1: return asyncFunctions.resume(target, value, kind);
			case 2:
			case 3: return asyncGenerators.resume(target, value, kind - 2);
			case 4:
			case 5: return react(target, value, kind - 4);
			case 6:
			case 7: return proceed(target, value, kind - 6);
			case 8: return eventuals.adopt(target, value);
			case 10: {
				const job = target;
				enter(job.context);
				return eventuals.callThen(job, value);
			}
			case 12: {
				const job = target;
				enter(job.context);
				apply$1(job.callback, void 0, job.args);
			}
		}
	}
	function enter(context) {
		if (now.context !== context) now.context = context;
	}
	function react(reaction, value, rejected) {
		enter(reaction.context);
		const handler = rejected === 0 ? reaction.onFulfilled : reaction.onRejected;
		let outcome = value;
		let failed = rejected === 1;
		if (typeof handler === "function") {
			failed = false;
			try {
				outcome = handler(value);
			} catch (error) {
				failed = true;
				outcome = error;
			}
		}
		const { derived } = reaction;
		if (Eventual.has(derived)) {
			if (failed) eventuals.reject(derived, outcome);
			else eventuals.resolve(derived, outcome);
			return;
		}
		const { resolve, reject } = derived;
		if (failed) reject(outcome);
		else resolve(outcome);
	}
	function proceed(continuation, value, rejected) {
		enter(continuation.context);
		switch (continuation.tag) {
			case 1: {
				const target = continuation.target;
				if (rejected === 1) eventuals.reject(target, value);
				else eventuals.resolve(target, value);
				return;
			}
			case 2: return asyncIterators.unwrap(continuation, value, rejected);
			case 3: return asyncGenerators.returned(continuation.target, value, rejected);
			case 4: return disposables.proceed(continuation, value, rejected);
			case 5: return forward(continuation.target, value, rejected === 1);
		}
	}
	let forward = (_target, _value, _isRejected) => {
		throw new CoreError("TT_NO_FORWARDING", "an outcome is to leave the realm, but nobody takes it; call forwardBy() first");
	};
	const ambient = {
		Promise,
		queueMicrotask(callback) {
			if (typeof callback !== "function") throw Object.assign(/* @__PURE__ */ new TypeError(`The "callback" argument must be of type function. Received ${received(callback)}`), { code: "ERR_INVALID_ARG_TYPE" });
			jobs.queueMicrotask(callback);
		},
		Function: kinds.Function,
		WeakRef: weak.WeakRef,
		FinalizationRegistry: weak.FinalizationRegistry,
		...disposables.constructors,
		globalThis,
		global: globalThis,
		babelHelpers: decoratorHelpers
	};
	for (const name of TIMERS) {
		const descriptor = getOwnPropertyDescriptor(host.timers ?? globalThis, name);
		if (descriptor !== void 0) defineProperty(ambient, name, descriptor);
	}
	addHostGlobals(ambient);
	const classes = createClassRegistry();
	return {
		Cell,
		init,
		initializer,
		parameter,
		dead,
		superAgain,
		noObject,
		noIterable,
		constAssign,
		constTarget,
		key,
		call,
		objectRest,
		superGet,
		superSet,
		superTarget,
		privateTarget,
		/** The global object as the program knows it. */
		view: (receiver) => receiver === rawGlobal ? ambient["globalThis"] : receiver,
		defineClass: classes.defineClass,
		classOf: classes.classOf,
		ownerOf: classes.ownerOf,
		memberKey: classes.memberKey,
		memberOf: classes.memberOf,
		membersOf: classes.membersOf,
		forAwait: (iterable) => new AsyncIteration(asyncIterators.asyncIterator(iterable)),
		ArrayElements,
		DisposalStack,
		probe,
		identify,
		defineFile,
		Frame,
		async: asyncFunctions.async,
		fulfilled: asyncFunctions.fulfilled,
		rejected: asyncFunctions.rejected,
		await: eventuals.await,
		generator: generators.generator,
		asyncGenerator: asyncGenerators.asyncGenerator,
		yieldAsync: asyncGenerators.yieldAsync,
		Delegate,
		AsyncDelegate,
		delegate: delegates.delegate,
		ForOf,
		ForIn,
		asyncIterator: asyncIterators.asyncIterator,
		iterator,
		keep,
		kept,
		keeping,
		asyncFunction: kinds.asyncFunction,
		generatorFunction: kinds.generatorFunction,
		asyncGeneratorFunction: kinds.asyncGeneratorFunction,
		generatorPrototype: generators.generatorPrototype,
		asyncGeneratorPrototype: asyncGenerators.asyncGeneratorPrototype,
		ambient,
		Promise,
		kinds,
		jobs,
		nextTick: jobs.nextTick,
		now,
		/** For packages of the house (capture, module records), not for transformed code. */
		parts: {
			classes,
			host,
			brands,
			eventuals,
			promise,
			closures,
			generators,
			asyncGenerators,
			asyncIterators,
			rejections,
			weak,
			disposables,
			keptPrototypes,
			iteratorFunctions
		},
		trackContexts,
		/** Who takes the outcomes that are forwarded. */
		forwardBy(taker) {
			forward = taker;
		},
		install() {
			kinds.install();
			promise.install();
			weak.install();
			disposables.install();
			installBind();
			installRevocable(closures);
			installIteratorHelpers();
		},
		/** `error.stack` of an error of this realm, for `Error.prepareStackTrace`. */
		stackText: (error, sites, mapping, limit) => stackText(error, sites, originOf(error, jobs.running(), sites), mapping, limit),
		/** The same frames, for a program's own `Error.prepareStackTrace`. */
		callSites: (error, sites, mapping, limit = Infinity) => mappedSites(sites, originOf(error, jobs.running(), sites), mapping, limit),
		/** The frames of who awaits the outcome of an eventual. */
		awaitingSites: (eventual, mapping) => awaitingSites(awaiting(eventual), mapping)
	};
}
/** As Node says it in ERR_INVALID_ARG_TYPE. */
function received(value) {
	if (value === void 0 || value === null) return `${value}`;
	if (typeof value === "object") {
		const name = value.constructor?.name;
		return name === void 0 ? "[Object: null prototype] {}" : `an instance of ${name}`;
	}
	const text = typeof value === "string" ? `'${value}'` : `${String(value)}${typeof value === "bigint" ? "n" : ""}`;
	return `type ${typeof value} (${text.length > 28 ? `${text.slice(0, 25)}...` : text})`;
}
// packages/core/src/engine-objects.ts
const nothing = Object.freeze({});
/** What such an object consists of; nothing for others, and for those that native code made. */
function readEngineObject(realm, value) {
	if (brands.isProxy(value)) {
		const { engine } = realm.parts.host;
		if (engine === void 0) return void 0;
		const parts = engine.proxyParts(value);
		return {
			kind: "proxy",
			operands: parts === void 0 ? [typeof value === "function"] : [parts.target, parts.handler],
			fields: nothing
		};
	}
	if (typeof value === "function") {
		const parts = BoundFunction.parts(value);
		if (parts === void 0) return readContext(realm, value);
		return {
			kind: "boundFunction",
			operands: [
				parts.target,
				parts.receiver,
				parts.args
			],
			fields: nothing
		};
	}
	if (KeptIterator.has(value)) {
		const { engine } = realm.parts.host;
		if (engine === void 0 && KeptIterator.isCollection(value)) return void 0;
		const { kind, source, ...place } = readKept(value, engine);
		return {
			kind: "keptIterator",
			operands: [kind, source],
			fields: place
		};
	}
	if (IteratorHelper.has(value)) return {
		kind: "iteratorHelper",
		operands: [],
		fields: { ...IteratorHelper.read(value) }
	};
	if (WrappedIterator.has(value)) return {
		kind: "wrappedIterator",
		operands: [],
		fields: { ...WrappedIterator.read(value) }
	};
	const { weak, disposables } = realm.parts;
	const stack = disposables.read(value);
	if (stack !== void 0) {
		const { isAsync, ...fields } = stack;
		return {
			kind: isAsync ? "asyncDisposableStack" : "disposableStack",
			operands: [],
			fields
		};
	}
	if (weak.isWeakRef(value)) return {
		kind: "weakRef",
		operands: [weak.target(value)],
		fields: nothing
	};
	if (weak.isRegistry(value)) return {
		kind: "finalizationRegistry",
		operands: [],
		fields: { ...weak.readRegistry(value) }
	};
	const { contexts } = realm.parts.host;
	if (contexts?.isStorage(value) === true) {
		const { name, defaultValue } = contexts.readStorage(value);
		return {
			kind: "asyncStorage",
			operands: [name, defaultValue],
			fields: nothing
		};
	}
}
function allocateEngineObject(realm, kind, operands, prototype) {
	const { weak, disposables } = realm.parts;
	switch (kind) {
		case "boundFunction": {
			const [target, receiver, args] = operands;
			return bindAgain({
				target,
				receiver,
				args
			});
		}
		case "weakRef": return weak.allocateWeakRef(operands[0], prototype ?? WeakRef.prototype);
		case "finalizationRegistry": return weak.allocateRegistry(prototype ?? FinalizationRegistry.prototype);
		case "asyncContext": {
			const entries = [];
			for (let i = 0; i < operands.length; i += 2) entries[i / 2] = [operands[i], operands[i + 1]];
			return contextsOf(realm).makeContext(entries);
		}
		case "asyncStorage": return contextsOf(realm).makeStorage({
			name: operands[0],
			defaultValue: operands[1]
		}, prototype);
		case "disposableStack":
		case "asyncDisposableStack": return disposables.allocate(kind === "asyncDisposableStack", prototype);
		case "iteratorHelper": return allocateHelper();
		case "wrappedIterator": return allocateWrapper();
		case "keptIterator": return allocateKept(operands[0], operands[1]);
		case "proxy": {
			if (operands.length > 1) return revocableProxy(operands[0], operands[1]);
			const { proxy, revoke } = Proxy.revocable(operands[0] === true ? function() {} : {}, {});
			revoke();
			return proxy;
		}
		default: throw new CoreError("TT_UNKNOWN_STATE", `allocateEngineObject: core knows no ${JSON.stringify(kind)}; the state was written by another version`);
	}
}
function contextsOf(realm) {
	const { contexts } = realm.parts.host;
	if (contexts !== void 0) return contexts;
	throw new CoreError("TT_FOREIGN_STATE", "AsyncLocalStorage: the state has asynchronous contexts, and this realm's host none; give createRealm a host with contexts");
}
function readContext(realm, value) {
	const { contexts } = realm.parts.host;
	if (contexts === void 0 || !contexts.isContext(value)) return void 0;
	const operands = [];
	const entries = contexts.readContext(value);
	for (let i = 0; i < entries.length; i++) {
		const [storage, store] = entries[i];
		operands[2 * i] = storage;
		operands[2 * i + 1] = store;
	}
	return {
		kind: "asyncContext",
		operands,
		fields: nothing
	};
}
/** What an iterator walks must have its entries by now. */
function fillEngineObject(realm, object, { kind, operands, fields }) {
	if (kind === "finalizationRegistry") realm.parts.weak.fillRegistry(object, fields);
	if (kind === "disposableStack" || kind === "asyncDisposableStack") realm.parts.disposables.fill(object, fields);
	if (kind === "iteratorHelper") IteratorHelper.write(object, fields);
	if (kind === "wrappedIterator") WrappedIterator.write(object, fields);
	if (kind === "keptIterator") fillKept(object, {
		...fields,
		kind: operands[0],
		source: operands[1]
	});
}
// packages/core/src/modules/exported-names.ts
function loadedModule(record, request) {
	const loaded = record.loaded[request];
	if (loaded === void 0) throw new Error(`request ${request} of ${record.key} has not been loaded`);
	return loaded;
}
function exportedNames(record, visited = /* @__PURE__ */ new Set()) {
	const names = /* @__PURE__ */ new Set();
	if (visited.has(record)) return names;
	visited.add(record);
	if (record.kind === "synthetic") {
		for (const name of record.cells.keys()) names.add(name);
		return names;
	}
	for (const entry of record.table.exports) if (entry.exported !== null) names.add(entry.exported);
	for (const entry of record.table.exports) {
		if (entry.exported !== null) continue;
		for (const name of exportedNames(loadedModule(record, entry.request), visited)) if (name !== "default") names.add(name);
	}
	return names;
}
/** The way a resolution takes, which ends if it comes to the same place again. */
var ResolutionPath = class {
	#records = [];
	#names = [];
	/** The specifier that led back to where it had been. */
	cycle = void 0;
	enter(record, name, via) {
		for (let i = 0; i < this.#names.length; i++) {
			if (this.#records[i] !== record || this.#names[i] !== name) continue;
			this.cycle ??= via;
			return false;
		}
		this.#records.push(record);
		this.#names.push(name);
		return true;
	}
};
function resolveExport(record, name, path = new ResolutionPath(), via = "") {
	if (record.kind === "synthetic") return record.cells.get(name) ?? null;
	if (!path.enter(record, name, via)) return null;
	const entry = exportIndex(record).get(name);
	if (entry !== void 0) {
		if ("cell" in entry) return record.cell(entry.cell);
		const target = loadedModule(record, entry.request);
		return entry.name === "*" ? namespaceCellOf(target) : resolveExport(target, entry.name, path, record.table.requests[entry.request]?.specifier);
	}
	if (name === "default") return null;
	let found = null;
	for (const star of record.table.exports) {
		if (star.exported !== null) continue;
		const resolution = resolveExport(loadedModule(record, star.request), name, path, record.table.requests[star.request]?.specifier);
		if (resolution === "ambiguous") return resolution;
		if (resolution === null) continue;
		if (found === null) found = resolution;
		else if (found !== resolution) return "ambiguous";
	}
	return found;
}
const indexes = /* @__PURE__ */ new WeakMap();
function exportIndex(record) {
	let index = indexes.get(record.table);
	if (index === void 0) {
		index = /* @__PURE__ */ new Map();
		for (const entry of record.table.exports) if (entry.exported !== null) index.set(entry.exported, entry);
		indexes.set(record.table, index);
	}
	return index;
}
// packages/core/src/modules/namespace.ts
/** Holds the namespace of a module, made when it is first read: by then the whole graph is loaded. */
var NamespaceCell = class extends Cell {
	record;
	constructor(record) {
		super("*namespace*");
		this.record = record;
	}
	get v() {
		const namespace = namespaceOf(this.record);
		init(this, namespace);
		return namespace;
	}
	set v(_value) {
		throw new TypeError("Assignment to constant variable.");
	}
};
function namespaceCellOf(record) {
	record.namespaceCell ??= new NamespaceCell(record);
	return record.namespaceCell;
}
/** GetModuleNamespace: unresolvable and ambiguous names are left out. */
function namespaceOf(record) {
	if (record.namespace === void 0) {
		const bindings = bindingsOf(record);
		record.namespace = record.graph.host.createNamespace?.(record, bindings) ?? createNamespace(bindings);
	}
	return record.namespace;
}
/** A namespace without the host, whatever there is of the exports. */
function imitateNamespace(record) {
	return record.namespace ??= createNamespace(bindingsOf(record));
}
function bindingsOf(record) {
	const bindings = /* @__PURE__ */ new Map();
	for (const name of exportedNames(record)) {
		const resolution = resolveExport(record, name);
		if (resolution !== null && resolution !== "ambiguous") bindings.set(name, resolution);
	}
	return bindings;
}
var NamespaceTraps = class {
	bindings;
	keys;
	constructor(bindings, keys) {
		this.bindings = bindings;
		this.keys = keys;
	}
	get(target, key) {
		if (typeof key === "string") return this.bindings[key]?.v;
		return key === Symbol.toStringTag ? "Module" : Reflect.get(target, key);
	}
	getOwnPropertyDescriptor(target, key) {
		const cell = typeof key === "string" ? this.bindings[key] : void 0;
		if (cell === void 0) return Reflect.getOwnPropertyDescriptor(target, key);
		return {
			value: cell.v,
			writable: true,
			enumerable: true,
			configurable: false
		};
	}
	defineProperty(target, key, wanted) {
		const cell = typeof key === "string" ? this.bindings[key] : void 0;
		if (cell === void 0) return Reflect.defineProperty(target, key, wanted);
		const value = cell.v;
		if (wanted.configurable === true || wanted.enumerable === false || wanted.writable === false) return false;
		if ("get" in wanted || "set" in wanted) return false;
		return !("value" in wanted) || Object.is(wanted.value, value);
	}
	set() {
		return false;
	}
	setPrototypeOf(_target, prototype) {
		return prototype === null;
	}
	preventExtensions() {
		return true;
	}
	ownKeys() {
		return this.keys;
	}
};
function createNamespace(bindings) {
	const names = [...bindings.keys()].sort();
	const target = Object.create(null);
	const byName = Object.create(null);
	for (const name of names) {
		Object.defineProperty(target, name, {
			value: void 0,
			writable: true,
			enumerable: true,
			configurable: false
		});
		byName[name] = bindings.get(name);
	}
	Object.defineProperty(target, Symbol.toStringTag, { value: "Module" });
	Object.preventExtensions(target);
	return new Proxy(target, new NamespaceTraps(byName, [...names, Symbol.toStringTag]));
}
// packages/core/src/modules/errors.ts
/** An error that carries `code` and shows it in its first stack line, as Node's own do. */
function codedError(Base, code, message) {
	const error = new Base(message);
	const { name } = error;
	Object.defineProperty(error, "name", {
		value: `${name} [${code}]`,
		configurable: true,
		writable: true
	});
	error.stack;
	Reflect.deleteProperty(error, "name");
	error.code = code;
	Object.defineProperty(error, "toString", {
		value: codedErrorText,
		configurable: true,
		writable: true
	});
	return error;
}
/** One for all, by its name: in a captured state it closes over nothing. Node's shows the code the error was made with. */
const { toString: codedErrorText } = { toString() {
	return `${this.name} [${String(this.code)}]: ${this.message}`;
} };
function missingExport(request, name) {
	return /* @__PURE__ */ new SyntaxError(`The requested module '${request.specifier}' does not provide an export named '${name}'`);
}
function ambiguousExport(request, name) {
	return /* @__PURE__ */ new SyntaxError(`The requested module '${request.specifier}' contains conflicting star exports for name '${name}'`);
}
function circularExport(specifier, name) {
	return /* @__PURE__ */ new SyntaxError(`Detected cycle while resolving name '${name}' in '${specifier}'`);
}
function requireAsyncModule(filename, requireStack) {
	let message = "require() cannot be used on an ESM graph with top-level await. Use import() instead.";
	message += " To see where the top-level await comes from, use --experimental-print-required-tla.";
	message += `\nRequired module: ${filename}`;
	if (requireStack.length > 0) message += `\nRequire stack:\n- ${requireStack.join("\n- ")}`;
	const error = codedError(Error, "ERR_REQUIRE_ASYNC_MODULE", message);
	Object.defineProperty(error, "requireStack", {
		value: requireStack,
		configurable: true,
		writable: true
	});
	return error;
}
function requireCycle(filename, from) {
	const place = from === void 0 ? "" : ` (from ${from})`;
	return codedError(Error, "ERR_REQUIRE_CYCLE_MODULE", `Cannot require() ES Module ${filename} in a cycle.${place} A cycle involving require(esm) is not allowed to maintain invariants mandated by the ECMAScript specification. Try making at least part of the dependency in the graph lazily loaded.`);
}
/** The file is in the cache of `require` and waits for this very `require`. */
function requireCycleInCache(filename, from) {
	const place = from === void 0 ? "" : ` (from ${from})`;
	return codedError(Error, "ERR_REQUIRE_CYCLE_MODULE", `Cannot require() ES Module ${filename} in a cycle.${place}`);
}
function importCycle(what, specifier, from) {
	return codedError(Error, "ERR_REQUIRE_CYCLE_MODULE", `Cannot import ${what} ${specifier} in a cycle. (from ${from})`);
}
var ModuleRecord = class {
	graph;
	/** What tells this record from all others of its graph: a URL in Node. */
	key;
	kind;
	table;
	factory;
	status = "unlinked";
	failure = void 0;
	cells = /* @__PURE__ */ new Map();
	/** `[[LoadedModules]]`, by index of the request. */
	loaded = [];
	/** What `import(i)` answers, filled in by linking. */
	imported = [];
	namespace = void 0;
	namespaceCell = void 0;
	/** The instantiated code: a generator, or the frame of a module with top-level `await`, which it has until its end. Never part of a state. */
	body = void 0;
	dfsIndex = 0;
	dfsAncestorIndex = 0;
	cycleRoot = void 0;
	asyncEvaluationOrder = 0;
	asyncParents = [];
	pendingAsyncDependencies = 0;
	/** The eventual of `[[TopLevelCapability]]`. */
	completion = void 0;
	/** Sets a synthetic record's exports; may answer a promise, which makes it an asynchronous module. */
	produce = void 0;
	/** Reads a variable of the top scope, by its place in the table; registered by the code, used at capture. */
	readScope = void 0;
	/** Sets them; only code in the form that restores knows how. */
	writeScope = void 0;
	/** What a CommonJS file was run with: `exports`, `require`, `module`, file and directory. */
	parameters = void 0;
	/** Sets them; in the form that restores. */
	writeParameters = void 0;
	/** Where the host keeps what it knows of the file; core never reads it. */
	origin = void 0;
	metaObject = void 0;
	templates = void 0;
	constructor(graph, key, kind, table, factory) {
		this.graph = graph;
		this.key = key;
		this.kind = kind;
		this.table = table;
		this.factory = factory;
	}
	import(index) {
		const cell = this.imported[index];
		if (cell === void 0) throw new Error(`import ${index} of ${this.key} is used before the module was linked`);
		return cell;
	}
	cell(name) {
		let cell = this.cells.get(name);
		if (cell === void 0) {
			cell = new Cell(name === "*default*" ? "default" : name);
			this.cells.set(name, cell);
		}
		return cell;
	}
	get meta() {
		if (this.metaObject === void 0) {
			this.metaObject = Object.create(null);
			this.graph.host.fillMeta?.(this, this.metaObject);
		}
		return this.metaObject;
	}
	dynamicImport(specifier, options, phase) {
		return this.graph.dynamicImport(this, specifier, options, phase);
	}
	template(ordinal, cooked, raw) {
		this.templates ??= [];
		const known = this.templates[ordinal];
		if (known !== void 0) return known;
		Object.defineProperty(cooked, "raw", { value: Object.freeze(raw) });
		const strings = Object.freeze(cooked);
		this.templates[ordinal] = strings;
		return strings;
	}
	scope(read, write) {
		this.readScope = read;
		this.writeScope = write;
	}
	given(write) {
		this.writeParameters = write;
	}
	get realm() {
		return this.graph.realm;
	}
	/** Whether evaluating this one record, its dependencies aside, can suspend. */
	get suspends() {
		return this.table.async;
	}
};
// packages/core/src/modules/evaluate.ts
/** Evaluates a linked module; the eventual of its end. */
function evaluate(requested) {
	const record = evaluationRoot(requested);
	if (record.completion !== void 0) return record.completion;
	const { realm } = record;
	const completion = realm.createEventual();
	record.completion = completion;
	const failure = evaluateGraph(record);
	if (failure !== void 0) realm.rejectEventual(completion, failure.reason);
	else if (record.asyncEvaluationOrder === 0 || record.asyncEvaluationOrder === -1) realm.resolveEventual(completion, void 0);
	return completion;
}
/** Evaluates a linked module of which no part is asynchronous; throws what it throws. */
function evaluateNow(requested) {
	const record = evaluationRoot(requested);
	if (record.failure !== void 0) throw thrownAgain(record.failure.reason, "node-do-not-add-exception-line");
	if (record.status !== "linked") return;
	const failure = evaluateGraph(record);
	if (failure !== void 0) throw thrownAgain(failure.reason, "node-do-not-add-exception-line");
}
function evaluationRoot(record) {
	if (record.status === "evaluating-async" || record.status === "evaluated") return record.cycleRoot ?? record;
	return record;
}
function evaluateGraph(record) {
	const stack = [];
	try {
		evaluateFrom(record, stack, 0);
		return record.failure;
	} catch (reason) {
		record.graph.host.explainFailure?.(record, reason);
		const failure = { reason };
		for (const unfinished of stack) {
			unfinished.status = "evaluated";
			unfinished.failure = failure;
			unfinished.body = void 0;
		}
		if (record.failure === void 0) record.failure = failure;
		return failure;
	}
}
function evaluateFrom(record, stack, nextIndex) {
	if (record.status === "evaluating-async" || record.status === "evaluated") {
		if (record.failure !== void 0) throw record.failure.reason;
		return nextIndex;
	}
	if (record.status === "evaluating") return nextIndex;
	record.status = "evaluating";
	record.dfsIndex = nextIndex;
	record.dfsAncestorIndex = nextIndex;
	record.pendingAsyncDependencies = 0;
	let index = nextIndex + 1;
	stack.push(record);
	for (let i = 0; i < record.table.requests.length; i++) {
		let target = loadedModule(record, i);
		index = evaluateFrom(target, stack, index);
		if (target.status === "evaluating") {
			if (!stack.includes(target)) throw importCycle("Module", record.table.requests[i]?.specifier ?? "", record.key);
			record.dfsAncestorIndex = Math.min(record.dfsAncestorIndex, target.dfsAncestorIndex);
		} else {
			target = target.cycleRoot ?? target;
			if (target.failure !== void 0) throw target.failure.reason;
		}
		if (target.asyncEvaluationOrder > 0) {
			record.pendingAsyncDependencies++;
			target.asyncParents.push(record);
		}
	}
	if (record.pendingAsyncDependencies > 0 || record.suspends) {
		record.asyncEvaluationOrder = record.graph.nextAsyncOrder();
		if (record.pendingAsyncDependencies === 0) executeAsync(record);
	} else executeNow(record);
	if (record.dfsAncestorIndex === record.dfsIndex) {
		let done;
		do {
			done = stack.pop();
			if (done === void 0) break;
			done.status = done.asyncEvaluationOrder === 0 ? "evaluated" : "evaluating-async";
			done.cycleRoot = record;
		} while (done !== record);
	}
	return index;
}
/** ExecuteModule. A synthetic module that answers with a promise becomes an asynchronous one here: nothing waits for it yet. */
function executeNow(record) {
	const pending = run(record);
	if (pending === void 0) return;
	record.asyncEvaluationOrder = record.graph.nextAsyncOrder();
	awaitEnd(record, pending);
}
function run(record) {
	if (record.kind === "synthetic") return record.produce?.(record);
	const body = record.body;
	record.body = void 0;
	record.factory = void 0;
	body.next();
}
function executeAsync(record) {
	const { realm } = record;
	const frame = record.body;
	record.factory = void 0;
	awaitEnd(record, realm.async(frame));
}
function awaitEnd(record, end) {
	const waiting = record.realm.createFrame(settled);
	waiting.s0 = record;
	waiting.s1 = end;
	record.realm.async(waiting);
}
/** Waits for the end of one asynchronous module, then goes on with those that waited for it. */
function settled(frame, value, how) {
	const record = frame.s0;
	if (frame.pc === 0) return record.realm.await(frame, 1, frame.s1);
	frame.pc = 0;
	if (how === 0) asyncFulfilled(record);
	else asyncRejected(record, value);
}
function finish(record) {
	record.body = void 0;
	record.asyncEvaluationOrder = -1;
	record.status = "evaluated";
	if (record.completion !== void 0) record.realm.resolveEventual(record.completion, void 0);
}
function asyncFulfilled(record) {
	if (record.status === "evaluated") return;
	finish(record);
	const available = [];
	gatherAvailableAncestors(record, available);
	available.sort((a, b) => a.asyncEvaluationOrder - b.asyncEvaluationOrder);
	for (const parent of available) {
		if (parent.status === "evaluated") continue;
		if (parent.suspends) {
			executeAsync(parent);
			continue;
		}
		let pending;
		try {
			pending = run(parent);
		} catch (error) {
			asyncRejected(parent, error);
			continue;
		}
		if (pending === void 0) finish(parent);
		else awaitEnd(parent, pending);
	}
}
function gatherAvailableAncestors(record, available) {
	for (const parent of record.asyncParents) {
		if (available.includes(parent) || (parent.cycleRoot ?? parent).failure !== void 0) continue;
		parent.pendingAsyncDependencies--;
		if (parent.pendingAsyncDependencies > 0) continue;
		available.push(parent);
		if (!parent.suspends) gatherAvailableAncestors(parent, available);
	}
}
function asyncRejected(record, reason) {
	if (record.status === "evaluated") return;
	record.failure = { reason };
	record.status = "evaluated";
	record.body = void 0;
	record.asyncEvaluationOrder = -1;
	if (record.completion !== void 0) record.graph.host.explainFailure?.(record, reason);
	if (record.completion !== void 0) record.realm.rejectEventual(record.completion, reason);
	for (const parent of record.asyncParents) asyncRejected(parent, reason);
}
/** Whether evaluating the module would suspend somewhere: what `require` refuses. */
function hasAsyncGraph(record, visited = /* @__PURE__ */ new Set()) {
	if (visited.has(record)) return false;
	visited.add(record);
	if (record.suspends) return true;
	return record.loaded.some((target) => target !== void 0 && hasAsyncGraph(target, visited));
}
/** SetSyntheticModuleExport. */
function setExport(record, name, value) {
	init(record.cell(name), value);
}
// packages/core/src/modules/link.ts
/** Loads everything the module requests, in depth-first source order; the first failure is thrown. */
function loadRequested(record, visited = /* @__PURE__ */ new Set()) {
	if (visited.has(record) || record.status !== "unlinked") return;
	visited.add(record);
	const { requests } = record.table;
	for (let i = 0; i < requests.length; i++) loadRequested(record.loaded[i] ??= record.graph.host.load(record, requests[i]), visited);
}
function link(record) {
	const stack = [];
	try {
		linkFrom(record, stack, 0);
	} catch (error) {
		for (const unfinished of stack) unfinished.status = "unlinked";
		throw error;
	}
}
function linkFrom(record, stack, nextIndex) {
	if (record.status !== "unlinked") return nextIndex;
	record.status = "linking";
	record.dfsIndex = nextIndex;
	record.dfsAncestorIndex = nextIndex;
	let index = nextIndex + 1;
	stack.push(record);
	for (let i = 0; i < record.table.requests.length; i++) {
		const target = loadedModule(record, i);
		index = linkFrom(target, stack, index);
		if (target.status === "linking") record.dfsAncestorIndex = Math.min(record.dfsAncestorIndex, target.dfsAncestorIndex);
	}
	initializeEnvironment(record);
	if (record.dfsAncestorIndex === record.dfsIndex) {
		let done;
		do {
			done = stack.pop();
			if (done !== void 0) done.status = "linked";
		} while (done !== record);
	}
	return index;
}
function initializeEnvironment(record) {
	if (record.kind === "synthetic") {
		for (const cell of record.cells.values()) if (cell.constructor === Cell && !Object.hasOwn(cell, "v")) init(cell, void 0);
		return;
	}
	const { table } = record;
	for (const entry of table.exports) {
		if (entry.exported === null || "cell" in entry || entry.name === "*") continue;
		const path = new ResolutionPath();
		const resolution = resolveExport(record, entry.exported, path);
		if (resolution === null || resolution === "ambiguous") throw unresolvable(record, entry.request, entry.name, resolution, path);
	}
	for (let i = 0; i < table.imports.length; i++) {
		const entry = table.imports[i];
		if (entry === void 0) continue;
		const target = loadedModule(record, entry.request);
		record.imported[i] = entry.name === "*" ? namespaceCellOf(target) : importedCell(record, target, entry);
	}
	instantiate(record);
}
function importedCell(record, target, entry) {
	const path = new ResolutionPath();
	const resolution = resolveExport(target, entry.name, path);
	if (resolution !== null && resolution !== "ambiguous") return resolution;
	if (entry.optional !== true) throw unresolvable(record, entry.request, entry.name, resolution, path);
	const absent = new Cell(entry.name);
	init(absent, void 0);
	return absent;
}
function unresolvable(record, requestIndex, name, resolution, path) {
	const request = record.table.requests[requestIndex];
	if (resolution === "ambiguous") return ambiguousExport(request, name);
	if (path.cycle !== void 0) return circularExport(path.cycle, name);
	const error = missingExport(request, name);
	return record.graph.host.explainMissingExport?.(record, request, name, error) ?? error;
}
/**
* Runs the module up to where user code would begin: its functions exist, its exported functions' cells are initialised.
* Also what a restore does with a module that was linked and not evaluated.
*/
function instantiate(record) {
	if (record.body !== void 0) return;
	const { factory } = record;
	if (factory === void 0) throw new Error(`${record.key} has no code to instantiate`);
	const body = factory(record, record.realm.forCode);
	if (!record.table.async) body.next();
	record.body = body;
}
// packages/core/src/modules/table.ts
const NO_ATTRIBUTES = Object.freeze({ __proto__: null });
/** The table of code that imports and exports nothing: scripts and CommonJS. */
function plainTable(kind) {
	return {
		kind,
		async: false,
		requests: [],
		imports: [],
		exports: [],
		cells: []
	};
}
// packages/core/src/modules/dynamic-import.ts
function dynamicImport(referrer, specifier, options, phase) {
	const { realm } = referrer;
	const frame = realm.createFrame(importing);
	frame.s0 = {
		referrer,
		specifier,
		options,
		phase,
		target: void 0
	};
	return realm.async(frame);
}
/** Point 1: loaded, about to be linked and evaluated. Point 2: evaluated. */
function importing(frame, value, how) {
	const pending = frame.s0;
	const at = frame.pc;
	frame.pc = 0;
	if (how === 1) throw value;
	const { referrer } = pending;
	const { realm } = referrer;
	if (at === 0) {
		const specifier = `${pending.specifier}`;
		const attributes = attributesOf(pending.options);
		pending.target = referrer.graph.host.load(referrer, {
			specifier,
			attributes,
			start: -1
		});
		if (pending.phase === "source") throw new SyntaxError(`Source phase import object is not defined for module '${pending.target.key}'`);
		loadRequested(pending.target);
		return realm.await(frame, 1, void 0);
	}
	const target = pending.target;
	if (at === 1) {
		link(target);
		return realm.await(frame, 2, evaluate(target));
	}
	return namespaceOf(target);
}
function attributesOf(options) {
	if (options === void 0) return NO_ATTRIBUTES;
	if (typeof options !== "object" && typeof options !== "function" || options === null) throw new TypeError("The second argument to import() must be an object");
	const wanted = options.with;
	if (wanted === void 0) return NO_ATTRIBUTES;
	if (typeof wanted !== "object" && typeof wanted !== "function" || wanted === null) throw new TypeError("The 'options' argument of import() must have an object as its 'with' property");
	const attributes = Object.create(null);
	for (const [key, value] of Object.entries(wanted)) {
		if (typeof value !== "string") throw new TypeError("Import attribute value must be a string");
		attributes[key] = value;
	}
	return attributes;
}
// packages/core/src/inspect.ts
const noStep = () => void 0;
const context = {
	home: ROOT_HOME,
	store: void 0,
	trail: void 0
};
/** Classes whose state is their own properties, each with a blank instance of the usual shape. */
const plain = [
	[
		"frame",
		Frame,
		() => new Frame(noStep)
	],
	[
		"reaction",
		Reaction,
		() => new Reaction({}, void 0, void 0, context)
	],
	[
		"continuation",
		Continuation,
		() => new Continuation(0, {}, void 0, context)
	],
	[
		"thenableJob",
		ThenableJob,
		() => new ThenableJob({}, noStep, context)
	],
	[
		"callbackJob",
		CallbackJob,
		() => new CallbackJob(noStep, [], context)
	],
	[
		"asyncGeneratorState",
		AsyncGeneratorState,
		() => new AsyncGeneratorState(new Frame(noStep))
	],
	[
		"forOf",
		ForOf,
		() => new ForOf(new Frame(noStep), [])
	],
	[
		"forIn",
		ForIn,
		() => new ForIn(new Frame(noStep), {})
	],
	[
		"delegate",
		Delegate,
		() => new Delegate([])
	],
	[
		"asyncDelegate",
		AsyncDelegate,
		() => new AsyncDelegate(void 0)
	],
	[
		"arrayElements",
		ArrayElements,
		() => new ArrayElements([])
	],
	[
		"asyncIteration",
		AsyncIteration,
		() => new AsyncIteration({
			iterator: {},
			next: void 0
		})
	],
	[
		"disposalStack",
		DisposalStack,
		() => new DisposalStack()
	],
	[
		"mappedParameter",
		MappedParameter,
		() => new MappedParameter([], 0)
	]
];
const kinds = new Map([[Cell.prototype, "cell"], ...plain.map(([kind, { prototype }]) => [prototype, kind])]);
const kindOf = kinds.get;
/** What a core object consists of; nothing for objects that are not core's. */
function read(realm, value) {
	if (Eventual.has(value)) {
		const { rejections, eventuals } = realm.parts;
		const state = Eventual.read(value);
		return {
			kind: "eventual",
			fields: {
				...state,
				waiting: insideOf(state.waiting),
				reported: rejections.isReported(value),
				source: eventuals.sourceOf(value)
			}
		};
	}
	if (GeneratorState.has(value)) return {
		kind: "generator",
		fields: { frame: GeneratorState.frame(value) }
	};
	const asyncGenerator = AsyncGeneratorObject.state(value);
	if (asyncGenerator !== void 0) return {
		kind: "asyncGenerator",
		fields: { state: asyncGenerator }
	};
	if (OwnIterator.is(value)) return {
		kind: "iterator",
		fields: { ...OwnIterator.read(value) }
	};
	if (typeof value !== "object" || value === null) return void 0;
	const prototype = getPrototypeOf(value);
	const kind = apply$1(kindOf, kinds, [prototype]);
	if (kind !== void 0 && !hasOwn(value, "constructor")) return {
		kind,
		fields: ownFields(value)
	};
	if (prototype === realm.parts.asyncIterators.AsyncFromSync.prototype) return {
		kind: "asyncFromSync",
		fields: ownFields(value)
	};
}
function ownFields(object) {
	const fields = {};
	const keys = ownKeys(object);
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		fields[key] = object[key];
	}
	return fields;
}
/** A blank object of `kind`; `prototype` for those whose prototype is the program's (eventuals, generators). */
function allocate(realm, kind, prototype) {
	switch (kind) {
		case "eventual": {
			const eventual = realm.parts.promise.eventuals.create();
			if (prototype !== void 0) setPrototypeOf(eventual, prototype);
			return eventual;
		}
		case "generator": return new GeneratorState(create(prototype ?? realm.parts.generators.prototype), new Frame(noStep));
		case "asyncGenerator": return new AsyncGeneratorObject(create(prototype ?? realm.parts.asyncGenerators.prototype), new AsyncGeneratorState(new Frame(noStep)));
		case "iterator": return new OwnIterator(0, void 0);
		case "asyncFromSync": return new realm.parts.asyncIterators.AsyncFromSync({}, void 0);
		case "cell": return new Cell("");
	}
	for (const [name, , make] of plain) if (name === kind) return make();
	throw new CoreError("TT_UNKNOWN_STATE", `allocate: core has no objects of kind ${JSON.stringify(kind)}; the state was written by another version`);
}
/** Gives an allocated object its fields. Containers that an iterator walks must have been filled before it. */
function fill$1(realm, object, { kind, fields }) {
	switch (kind) {
		case "eventual":
			Eventual.write(object, fields);
			if (fields["reported"] === true) realm.parts.rejections.wasReported(object);
			return;
		case "generator": return GeneratorState.setFrame(object, fields["frame"]);
		case "asyncGenerator": return AsyncGeneratorObject.setState(object, fields["state"]);
		case "iterator": return OwnIterator.write(object, fields);
		case "cell":
			object.name = fields["name"];
			if (hasOwn(fields, "v")) init(object, fields["v"]);
			return;
	}
	const keys = ownKeys(fields);
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i];
		object[key] = fields[key];
	}
}
/** Whether capture can tell what a function is made of: transformed code, core's own closures, and what was bound to something. */
function isOurs(fn) {
	return BoundFunction.parts(fn) !== void 0 || identify(fn) !== void 0;
}
/** The same for who wants to know no more, and asks often: nothing is called, and nothing is remembered. */
function looksOurs(fn) {
	return BoundFunction.parts(fn) !== void 0 || isMarked(fn);
}
function readQueues(realm) {
	const { jobs: found, ticks } = realm.jobs.read();
	const jobs = [];
	for (let i = 0; i < found.length; i++) {
		const job = found[i];
		jobs[i] = {
			target: job[0],
			kind: job[1],
			value: job[2]
		};
	}
	const { candidates, handledLate } = realm.parts.rejections.read();
	return {
		jobs,
		ticks,
		rejections: candidates,
		handledLate
	};
}
/** Puts rebuilt entries into a realm's queues, behind what is there; they run as if they had been queued here. */
function writeQueues(realm, queues) {
	for (let i = 0; i < queues.jobs.length; i++) {
		const { target, kind, value } = queues.jobs[i];
		realm.jobs.enqueue(target, kind, value);
	}
	for (let i = 0; i < queues.ticks.length; i++) {
		const tick = queues.ticks[i];
		const store = tick.context.store;
		if (store === void 0) realm.jobs.addTick(tick);
		else store(() => realm.jobs.addTick(tick), void 0, 0, void 0);
	}
	realm.parts.rejections.restore(queues.rejections, queues.handledLate);
}
/** One of core's own closures again, from what `identify` said of it. */
function closure(realm, ordinal, captures) {
	const make = realm.parts.closures.makers[ordinal];
	if (make === void 0) throw new CoreError("TT_UNKNOWN_STATE", `closure: core has no closure ${ordinal}; the state was written by another version`);
	return make(...captures);
}
/** Core's own prototypes and constructors by name: written as names, never as state. */
function wellKnown(realm) {
	const { kinds, parts } = realm;
	const named = {
		importing,
		settled,
		UNINITIALISED,
		codedErrorText,
		"ModuleRecord.prototype": ModuleRecord.prototype,
		ClassHandle,
		"ClassHandle.prototype": ClassHandle.prototype,
		Promise: realm.Promise,
		"Promise.prototype": realm.Promise.prototype,
		Function: kinds.Function,
		WeakRef: parts.weak.WeakRef,
		FinalizationRegistry: parts.weak.FinalizationRegistry,
		...parts.disposables.constructors,
		AsyncFunction: kinds.AsyncFunction,
		GeneratorFunction: kinds.GeneratorFunction,
		"GeneratorFunction.prototype": kinds.GeneratorFunction.prototype,
		AsyncGeneratorFunction: kinds.AsyncGeneratorFunction,
		"AsyncGeneratorFunction.prototype": kinds.AsyncGeneratorFunction.prototype,
		GeneratorPrototype: parts.generators.prototype,
		AsyncGeneratorPrototype: parts.asyncGenerators.prototype,
		OwnIteratorPrototype: OwnIterator.prototype,
		...keptPrototypes,
		AsyncFromSyncPrototype: parts.asyncIterators.AsyncFromSync.prototype
	};
	for (const name of [
		"Promise",
		"Promise.prototype",
		"GeneratorPrototype",
		"AsyncGeneratorPrototype",
		"OwnIteratorPrototype",
		...ownKeys(keptPrototypes),
		"AsyncFromSyncPrototype"
	]) {
		const holder = named[name];
		for (const key of ownKeys(holder)) {
			const value = getOwnPropertyDescriptor(holder, key)?.value;
			if (typeof value === "function" && value !== realm.Promise) named[`${name}.${String(key)}`] = value;
		}
	}
	return named;
}
const internals = {
	CORE,
	isOurs,
	looksOurs,
	/** Of a function that was bound: what it was made of. */
	boundParts: (fn) => BoundFunction.parts(fn),
	/** Of the handles through which code reaches its class. */
	handlePrototype: ClassHandle.prototype,
	identify,
	read,
	allocate,
	fill: fill$1,
	readEngineObject,
	allocateEngineObject,
	fillEngineObject,
	readQueues,
	writeQueues,
	closure,
	wellKnown
};
// packages/core/src/modules/graph.ts
const SYNTHETIC_TABLE = {
	...plainTable("script"),
	kind: "module"
};
var ModuleGraph = class {
	realm;
	host;
	/** Every module that `import` can find again, by key. */
	records = /* @__PURE__ */ new Map();
	#asyncOrder = 0;
	constructor(realm, host) {
		this.realm = realm;
		this.host = host;
	}
	/** A transformed ES module; not registered under its key, that is the host's decision. */
	module(key, table, factory) {
		return new ModuleRecord(this, key, "module", table, factory);
	}
	/** `$$M` for a script: it can import dynamically and has templates, and exports nothing. */
	script(key, table = plainTable("script")) {
		const record = new ModuleRecord(this, key, "script", table, void 0);
		record.status = "evaluated";
		return record;
	}
	/** `$$M` for one execution of a CommonJS file. */
	commonjs(key, table = plainTable("commonjs")) {
		const record = new ModuleRecord(this, key, "commonjs", table, void 0);
		record.status = "evaluated";
		return record;
	}
	/** A module whose exports are set from outside when it is evaluated. */
	synthetic(key, names, produce) {
		const record = new ModuleRecord(this, key, "synthetic", SYNTHETIC_TABLE, void 0);
		for (const name of names) record.cell(name);
		record.produce = produce;
		return record;
	}
	/** The ES module of a JSON text. */
	json(key, value) {
		return this.synthetic(key, ["default"], (record) => setExport(record, "default", value));
	}
	load(record) {
		loadRequested(record);
		return record;
	}
	/** Loads, links and evaluates; the eventual of the end. Load and link errors are thrown. */
	run(record) {
		loadRequested(record);
		link(record);
		return evaluate(record);
	}
	/** The same for a graph without asynchronous modules. */
	runNow(record) {
		loadRequested(record);
		link(record);
		evaluateNow(record);
		return namespaceOf(record);
	}
	dynamicImport(referrer, specifier, options, phase) {
		return dynamicImport(referrer, specifier, options, phase);
	}
	/** Where a record comes from, as error messages name it. */
	placeOf(record) {
		return this.host.placeOf?.(record) ?? record.key;
	}
	/** The file name of the CommonJS module that a synthetic record stands for. */
	commonjsFileOf(record) {
		return this.host.commonjsFileOf?.(record);
	}
	nextAsyncOrder() {
		return ++this.#asyncOrder;
	}
	/** The counter as data. */
	get asyncOrder() {
		return this.#asyncOrder;
	}
	set asyncOrder(value) {
		this.#asyncOrder = value;
	}
};
// packages/core/src/modules/live-cell.ts
const NativeFunction = Function;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const { exec } = RegExp.prototype;
const { apply } = Reflect;
var LiveCell = class extends Cell {
	/** Set when the native module is evaluated; until then the exports read as `undefined`. */
	source = void 0;
	#read = void 0;
	#from = void 0;
	get v() {
		const { source } = this;
		if (source === void 0) return void 0;
		if (this.#from !== source) {
			this.#read = readerOf(source, this.name);
			this.#from = source;
		}
		return this.#read();
	}
	set v(_value) {
		throw new TypeError("Assignment to constant variable.");
	}
};
/** V8 reads a namespace by a name in the text as it reads a variable, by one that it is given in ten times as long. */
function readerOf(source, name) {
	try {
		if (apply(exec, IDENTIFIER, [name]) !== null) return new NativeFunction("source", `return () => source.${name};`)(source);
	} catch {}
	return () => source[name];
}
// packages/core/src/modules/module-realm.ts
function moduleRealmOf(realm) {
	const { eventuals } = realm.parts;
	return {
		createFrame: (step) => new realm.Frame(step),
		async: (frame) => realm.async(frame),
		await: (frame, k, value) => realm.await(frame, k, value),
		createEventual: () => eventuals.create(),
		resolveEventual: (eventual, value) => eventuals.resolve(eventual, value),
		rejectEventual: (eventual, reason) => eventuals.reject(eventual, reason),
		forCode: realm
	};
}
// packages/core/src/modules/commonjs.ts
/** `require` of a resolved file that is the program's own. */
function requireFile(host, filename, parent) {
	const cached = host.cache[filename];
	if (cached !== void 0) {
		if (parent !== void 0 && Array.isArray(parent.children) && !parent.children.includes(cached)) parent.children.push(cached);
		return cached.loaded ? cached.exports : exportsInCycle(host, cached);
	}
	const module = host.createModule(filename, parent);
	host.cache[filename] = module;
	fill(host, module, parent);
	return module.exports;
}
/** Gives a module that is in the cache its exports, and takes it out again if that fails. */
function fill(host, module, parent) {
	const filename = module.filename ?? module.id;
	let finished = false;
	try {
		fillFrom(host, module, host.loadSource(filename), parent);
		module.loaded = true;
		finished = true;
	} finally {
		if (finished) host.leaveCycle(module);
		else {
			delete host.cache[filename];
			const siblings = parent?.children;
			const at = Array.isArray(siblings) ? siblings.indexOf(module) : -1;
			if (at !== -1) siblings?.splice(at, 1);
		}
	}
}
/** Modules being filled whose exports come from an ES module, and who asked for it first. */
const requiredModules = /* @__PURE__ */ new WeakMap();
function exportsInCycle(host, module) {
	const required = requiredModules.get(module);
	if (required !== void 0 && required.record.status !== "evaluated") throw requireCycleInCache(module.id, required.from);
	return host.exportsInCycle(module);
}
/** Runs, parses or evaluates; errors leave `module` as it is. */
function fillFrom(host, module, source, parent) {
	const filename = module.filename ?? module.id;
	switch (source.format) {
		case "json":
			module.exports = source.parse();
			return;
		case "module":
			requiredModules.set(module, {
				record: source.record,
				from: parent?.filename ?? void 0
			});
			requireModule(host, source.record, filename, parent);
			module.exports = exportsOfModule(source.record);
			return;
		case "commonjs": {
			const { record, factory } = source;
			const code = factory;
			const { exports } = module;
			const parameters = [
				exports,
				source.require,
				module,
				filename,
				host.directoryOf(filename)
			];
			record.parameters = parameters;
			code.call(exports, record, record.realm.forCode, ...parameters);
		}
	}
}
/** require(esm): the graph must be synchronous, and not be waiting for the very module that requires it. */
function requireModule(host, record, filename, parent) {
	if (record.status === "evaluating" || record.status === "linking") throw requireCycle(filename, parent?.filename ?? void 0);
	if (record.status === "unlinked") {
		loadRequested(record);
		refuseCycles(host, record, /* @__PURE__ */ new Set());
		link(record);
	}
	if (hasAsyncGraph(record)) throw requireAsyncModule(filename, host.requireStack(parent));
	evaluateNow(record);
}
function refuseCycles(host, record, visited) {
	if (visited.has(record)) return;
	visited.add(record);
	record.loaded.forEach((target, i) => {
		if (target === void 0) return;
		const specifier = record.table.requests[i]?.specifier ?? target.key;
		if (target.status === "evaluating") throw importCycle("Module", specifier, record.graph.placeOf(record));
		const running = record.graph.commonjsFileOf(target);
		if (running !== void 0 && target.status !== "evaluated") {
			const module = host.cache[running];
			if (module !== void 0 && !module.loaded) throw importCycle("CommonJS Module", specifier, record.graph.placeOf(record));
		}
		if (target.status === "unlinked") refuseCycles(host, target, visited);
	});
}
const facades = /* @__PURE__ */ new WeakMap();
/** What `require` answers for an evaluated ES module. */
function exportsOfModule(record) {
	const names = exportedNames(record);
	const whole = names.has("module.exports") ? resolveExport(record, "module.exports") : null;
	if (whole instanceof Cell) return whole.v;
	if (!names.has("default") || names.has("__esModule")) return namespaceOf(record);
	let facade = facades.get(record);
	if (facade === void 0) {
		const bindings = /* @__PURE__ */ new Map();
		for (const name of names) {
			const resolution = resolveExport(record, name);
			if (resolution instanceof Cell) bindings.set(name, resolution);
		}
		const marker = new Cell("__esModule");
		init(marker, true);
		bindings.set("__esModule", marker);
		facade = record.graph.host.createNamespace?.(record, bindings) ?? createNamespace(bindings);
		facades.set(record, facade);
	}
	return facade;
}
/** Sets the exports of the ES module that stands for a CommonJS one: names that were found in its text, and the whole. */
function exportCommonJs(record, exports) {
	for (const name of record.cells.keys()) {
		if (name === "default" || name === "module.exports") continue;
		if (exports === null || exports === void 0 || !Object.hasOwn(exports, name)) continue;
		let value;
		try {
			value = exports[name];
		} catch {}
		setExport(record, name, value);
	}
	setExport(record, "default", exports);
	setExport(record, "module.exports", exports);
}
// packages/core/src/modules/state.ts
function readSkeleton(record, numberOf) {
	return {
		key: record.key,
		kind: record.kind,
		status: record.status,
		loaded: Array.from(record.loaded, (target) => target === void 0 ? null : numberOf(target)),
		cycleRoot: record.cycleRoot === void 0 ? null : numberOf(record.cycleRoot),
		asyncEvaluationOrder: record.asyncEvaluationOrder,
		asyncParents: record.asyncParents.map(numberOf),
		pendingAsyncDependencies: record.pendingAsyncDependencies
	};
}
/** Gives new records of the same modules the state that others had, as far as it is in the skeletons: by number. */
function connectModules(skeletons, records) {
	const at = (number) => records[number];
	skeletons.forEach((skeleton, i) => {
		const record = at(i);
		record.status = skeleton.status;
		skeleton.loaded.forEach((number, request) => record.loaded[request] = number === null ? void 0 : at(number));
		record.cycleRoot = skeleton.cycleRoot === null ? void 0 : at(skeleton.cycleRoot);
		record.asyncEvaluationOrder = skeleton.asyncEvaluationOrder;
		record.asyncParents.splice(0, Infinity, ...skeleton.asyncParents.map(at));
		record.pendingAsyncDependencies = skeleton.pendingAsyncDependencies;
	});
	for (const record of records) if (record.status !== "unlinked") reconnect(record);
	for (const record of records) if (isToBeEvaluated(record)) instantiate(record);
}
/** Linked, and its own code has not begun. */
function isToBeEvaluated(record) {
	if (record.kind !== "module") return false;
	return record.status === "linked" || record.status === "evaluating-async" && record.pendingAsyncDependencies > 0;
}
/** The cells that imports are bound to; that they can be resolved was found out when the module was linked. */
function reconnect(record) {
	record.table.imports.forEach((entry, i) => {
		const target = record.loaded[entry.request];
		if (target === void 0) return;
		const resolution = entry.name === "*" ? namespaceCellOf(target) : resolveExport(target, entry.name);
		if (resolution !== null && resolution !== "ambiguous") record.imported[i] = resolution;
	});
}
const FIRST_CELL = 6;
/** What a record holds: failure, completion, templates, parameters, changes of `import.meta`, names of the initialised cells; their values; the top scope. */
function readContents(record) {
	const cells = [...record.cells].filter(([, cell]) => Object.hasOwn(cell, "v")).toSorted(byName);
	return [
		record.failure,
		record.completion,
		record.templates,
		record.parameters,
		changesOfMeta(record),
		cells.map(([name]) => name),
		...cells.map(([, cell]) => cell.v),
		...readVariables(record)
	];
}
function byName([a], [b]) {
	return a < b ? -1 : 1;
}
/** What the program has put there, or changed. */
function changesOfMeta(record) {
	if (record.metaObject === void 0) return void 0;
	const fresh = Object.create(null);
	record.graph.host.fillMeta?.(record, fresh);
	let changes;
	for (const [name, value] of Object.entries(record.metaObject)) if (!(Object.is(value, fresh[name]) || typeof value === "function" && typeof fresh[name] === "function")) (changes ??= {})[name] = value;
	return changes;
}
function readVariables(record) {
	const { readScope } = record;
	if (readScope === void 0) return [];
	return (record.table.variables ?? []).map((_, i) => {
		try {
			return readScope(i);
		} catch {
			return UNINITIALISED;
		}
	});
}
/** Variables of the top scope that are in their dead zones. */
function deadVariables(record) {
	const { variables = [] } = record.table;
	return readVariables(record).flatMap((value, i) => value === UNINITIALISED ? [variables[i]] : []);
}
/** How contents number `index` is called. */
function contentsName(record, contents, index) {
	const names = contents[5];
	if (index < FIRST_CELL) return [
		"failure",
		"completion",
		"templates",
		"parameters",
		"import.meta",
		"exports"
	][index];
	return names[index - FIRST_CELL] ?? record.table.variables?.[index - FIRST_CELL - names.length] ?? `${index}`;
}
function dataOf(changes) {
	const descriptors = Object.getOwnPropertyDescriptors(changes);
	if (Object.values(descriptors).every((descriptor) => "value" in descriptor)) return descriptors;
	throw new TypeError("changes of import.meta are values");
}
function writeContents(record, contents) {
	if (contents.length === 0) return;
	const [failure, completion, templates, parameters, meta, names] = contents;
	record.failure = failure;
	record.completion = completion;
	record.templates = templates;
	if (!Array.isArray(names) || parameters !== void 0 && !Array.isArray(parameters)) throw new TypeError("a module has lists of exports and parameters");
	if (meta !== void 0) Object.defineProperties(record.meta, dataOf(meta));
	names.forEach((name, i) => init(record.cell(name), contents[FIRST_CELL + i]));
	if (parameters !== void 0) {
		record.parameters = parameters;
		record.writeParameters?.(record.parameters);
	}
	const variables = contents.slice(FIRST_CELL + names.length);
	record.writeScope?.(variables.map((value) => value === UNINITIALISED ? void 0 : value));
}
export { ABI_VERSION, Cell, CoreError, Eventual, FULFILLED, Frame, GeneratorState, LATE_GLOBALS, LiveCell, ModuleGraph, ModuleRecord, NO_ATTRIBUTES, NamespaceCell, OUTER_GLOBALS, PENDING, REJECTED, ROOT_CONTEXT, ROOT_HOME, UNINITIALISED, abortTargetOf, bindingsOf, codedError, connectModules, contentsName, createRealm, deadVariables, evaluate, evaluateNow, exportCommonJs, exportedNames, exportsOfModule, fill, fillFrom, hasAsyncGraph, hostClock, imitateNamespace, init, instantiate, internals, isToBeEvaluated, link, loadRequested, mappedSites, moduleRealmOf, namespaceOf, plainTable, readContents, readSkeleton, requireFile, requireModule, resolveExport, setExport, stackText, thrownAgain, watchAbortListeners, writeContents };
