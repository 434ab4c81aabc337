const { EventEmitter } = process.getBuiltinModule("node:events");
// packages/loader/src/state/descriptors.ts
function descriptorsOf(object) {
	return Object.getOwnPropertyDescriptors(object);
}
// packages/loader/src/membrane/crossing.ts
/** Begins a list. */
const FORM = {
	/** Its number; kind and name of its class, too, if it is the first time after a snapshot: who goes on from there may never have met it. */
	handle: 0,
	/** Kind, name of its class, prototype if that is a handle: a new one, with the next number. */
	newHandle: 1,
	/** Its number: something of the inside that the outside has. */
	exported: 2,
	/** Its path: an object of a builtin that is there in every process; the next number is its from now on. */
	static: 3,
	/** Its path: one object for both sides. */
	neutral: 4,
	/** Whether it has no prototype, then keys and values by turns. */
	plain: 5,
	array: 6,
	/** Kind and bytes; the next number of exported objects. */
	bytes: 7,
	/** See `errors.ts`; the next number of exported objects. */
	error: 8,
	/** A native promise: the next number of promises, and of exported objects. */
	promise: 9,
	/** Milliseconds; the next number of exported objects. */
	date: 10,
	/** A symbol that both sides can name. */
	symbol: 11,
	/** Its description, and the number of a symbol that nobody can name; with `symbol`s of the outside in their order. */
	ownSymbol: 12,
	/** A hole of an array. */
	hole: 13,
	/** Which kind, its facts: an object of the program's for something outside, which has the next number of handles after what is among its facts. */
	handMade: 14,
	/** A list of records that have the same keys: whether they have no prototype, how many there are, then keys and lists of values by turns. */
	rows: 15,
	/** Its number: why a signal of the program's was aborted, which the outside throws or rejects with; the next number of exported objects. */
	reason: 16
};
/** What is done to a handle, or to something that was exported. */
const OP = {
	get: 0,
	set: 1,
	has: 2,
	delete: 3,
	define: 4,
	describe: 5,
	keys: 6,
	prototype: 7,
	setPrototype: 8,
	apply: 9,
	construct: 10,
	inspect: 11,
	isExtensible: 12,
	preventExtensions: 13,
	/** How a property that somebody inherits is set: by a setter, or on the heir. */
	setInherited: 14,
	/** Bytes that were lent are written. */
	fill: 15,
	/** A property of what a hand-made object stands for. */
	read: 16,
	/** A method of it is called, which has a name. */
	invoke: 17
};
/** Of an entry: it came from a microtask of Node's, so jobs that it makes come before ticks. */
const MICROTASK = 1024;
const NAMES = Object.entries(OP);
function opName(code) {
	const base = code & -225;
	return NAMES.find(([, op]) => op === base)?.[0] ?? `operation ${code}`;
}
const ASKED = {
	[OP.get]: "property",
	[OP.set]: "sets",
	[OP.has]: "whether there is",
	[OP.delete]: "deletes",
	[OP.define]: "defines",
	[OP.describe]: "describes",
	[OP.keys]: "keys",
	[OP.prototype]: "prototype",
	[OP.setPrototype]: "sets the prototype",
	[OP.apply]: "a call",
	[OP.construct]: "new",
	[OP.inspect]: "how it is shown",
	[OP.isExtensible]: "whether it can be extended",
	[OP.preventExtensions]: "is extended no more",
	[OP.setInherited]: "how it is set",
	[OP.fill]: "writes bytes",
	[OP.read]: "property",
	[OP.invoke]: "a call"
};
/** For people: `property url of IncomingMessage#12`, `a call of fs.readFileSync`. */
function opText(code, whom, key) {
	return `${ASKED[code & -225] ?? opName(code)}${key === void 0 ? "" : ` ${String(key)}`}${whom === void 0 ? "" : ` of ${whom}`}`;
}
/** A method cannot be constructed, and has no `prototype`. */
const KIND = {
	object: 0,
	function: 1,
	array: 2,
	method: 3
};
const WELL_KNOWN = new Map(Reflect.ownKeys(Symbol).flatMap((key) => {
	const value = Symbol[key];
	return typeof value === "symbol" && typeof key === "string" ? [[value, `@@${key}`]] : [];
}));
const BY_NAME = new Map([...WELL_KNOWN].map(([symbol, name]) => [name, symbol]));
/** Symbols that builtins export, by their descriptions: the program can have them otherwise than from here. */
const OF_BUILTINS = {
	"events.errorMonitor": ["events", "errorMonitor"],
	"events.maxEventTargetListeners": ["events", "kMaxEventTargetListeners"],
	"events.maxEventTargetListenersWarned": ["events", "kMaxEventTargetListenersWarned"],
	IncomingMessage: ["_http_common", "kIncomingMessage"],
	SkipPendingData: ["_http_common", "kSkipPendingData"],
	ServerResponse: ["_http_server", "kServerResponse"],
	"http.server.connectionsCheckingInterval": ["_http_server", "kConnectionsCheckingInterval"],
	kHighWaterMark: ["_http_outgoing", "kHighWaterMark"],
	kUniqueHeaders: ["_http_outgoing", "kUniqueHeaders"],
	kDetachAbortSignal: ["_http_incoming", "kDetachAbortSignal"],
	sensitiveHeaders: ["http2", "sensitiveHeaders"]
};
/** Node's own: the program's answers handles. */
const { getBuiltinModule } = process;
/** Under which every emitter has something, whichever side has made it. */
const OF_EMITTERS = new Map([EventEmitter.prototype, new EventEmitter()].flatMap((each) => Object.getOwnPropertySymbols(each).flatMap((symbol) => symbol.description === void 0 ? [] : [[symbol.description, symbol]])));
function ofBuiltin(description) {
	const ofEmitters = OF_EMITTERS.get(description);
	if (ofEmitters !== void 0) return ofEmitters;
	const [builtin, name] = Object.hasOwn(OF_BUILTINS, description) ? OF_BUILTINS[description] ?? [] : [];
	if (builtin === void 0 || name === void 0) return void 0;
	const found = getBuiltinModule(builtin)?.[name];
	return typeof found === "symbol" ? found : void 0;
}
/** `@@iterator`, `#` and the key of the registry, `:` and the description of a builtin's: undefined for others. */
function nameOfSymbol(symbol) {
	const key = Symbol.keyFor(symbol);
	if (key !== void 0) return `#${key}`;
	const { description } = symbol;
	if (description !== void 0 && ofBuiltin(description) === symbol) return `:${description}`;
	return WELL_KNOWN.get(symbol);
}
function symbolNamed(name) {
	if (name.startsWith("#")) return Symbol.for(name.slice(1));
	return name.startsWith(":") ? ofBuiltin(name.slice(1)) : BY_NAME.get(name);
}
/** Symbols that stand in no table of names: numbered as they come. */
var SymbolNumbers = class {
	#codes = /* @__PURE__ */ new Map();
	#symbols = [];
	code(symbol) {
		const known = this.#codes.get(symbol);
		if (known !== void 0) return known;
		const name = nameOfSymbol(symbol);
		if (name === void 0) return [...this.#add(symbol), symbol.description];
		const coded = [FORM.symbol, name];
		this.#codes.set(symbol, coded);
		return coded;
	}
	/** The program's goes out: both runs know it from now on. */
	meet(symbol) {
		this.code(symbol);
	}
	decode([form, what, description]) {
		if (form === FORM.symbol) return symbolNamed(what) ?? Symbol(what);
		const known = this.#symbols[what];
		if (known !== void 0) return known;
		const symbol = Symbol(description);
		this.#add(symbol);
		return symbol;
	}
	read() {
		return [...this.#symbols];
	}
	write(symbols) {
		for (const symbol of symbols) this.#add(symbol);
	}
	#add(symbol) {
		const coded = [FORM.ownSymbol, this.#symbols.length];
		this.#codes.set(symbol, coded);
		this.#symbols.push(symbol);
		return coded;
	}
};
const VIEWS = [
	"Buffer",
	"ArrayBuffer",
	"Uint8Array",
	"Uint8ClampedArray",
	"Int8Array",
	"Uint16Array",
	"Int16Array",
	"Uint32Array",
	"Int32Array",
	"Float32Array",
	"Float64Array",
	"BigInt64Array",
	"BigUint64Array",
	"DataView"
];
/** What is in it now: whoever takes this takes it before anybody can write there. */
function codeBytes(value) {
	if (Buffer.isBuffer(value)) return [
		FORM.bytes,
		0,
		value
	];
	if (value instanceof ArrayBuffer) return [
		FORM.bytes,
		1,
		new Uint8Array(value)
	];
	const kind = VIEWS.indexOf(Object.prototype.toString.call(value).slice(8, -1));
	return [
		FORM.bytes,
		Math.max(kind, 0),
		new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
	];
}
function bytesOf([, kind, noted]) {
	const bytes = noted;
	if (kind === 0) return Buffer.from(bytes);
	const { buffer } = bytes.slice();
	if (kind === 1) return buffer;
	const name = VIEWS[kind] ?? "Uint8Array";
	return new globalThis[name](buffer);
}
export { SymbolNumbers as a, opName as c, OP as i, opText as l, KIND as n, bytesOf as o, MICROTASK as r, codeBytes as s, FORM as t, descriptorsOf as u };
