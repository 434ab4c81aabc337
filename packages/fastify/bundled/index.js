const { createRequire } = process.getBuiltinModule("node:module");
import { ask, handMake, invoke, isHandle, isRecorded, settle, snapshot } from "turntable/data-source";
import { RuntimeError } from "turntable";
// packages/fastify/src/flush.ts
async function flush() {
	if (await snapshot() !== void 0) return;
	throw new RuntimeError("TT_NO_SNAPSHOT", "what this reply acknowledges could not be written to the disk; it may have been done all the same");
}
/** Of all routes that are registered from now on. */
function flushBeforeReplies(app, isUsual) {
	app.addHook("onRoute", (route) => {
		if (!(route.config?.flushBeforeReply ?? isUsual)) return;
		const { onSend = [] } = route;
		route.onSend = [...Array.isArray(onSend) ? onSend : [onSend], flush];
	});
}
// packages/fastify/src/followed.ts
/** So many were followed. */
let count = 0;
/** Answers the number under which the end of it will be told. */
function follow(promise) {
	const number = ++count;
	promise.then((value) => settle(number, true, value), (reason) => settle(number, false, reason));
	return number;
}
// packages/fastify/src/outside.ts
/** Of a request that nobody outside changes any more, as data sources say it. */
const SETTLED = Symbol.for("turntable.settled");
/**
* The prototypes of all requests and replies, and from now on a mark on each request that has been validated: validation changes what it looks at.
* Undefined for a Fastify that keeps its classes elsewhere; then its requests are handles as everything is.
*/
function attach(app) {
	const request = prototypeOf(app, "fastify.Request");
	const reply = prototypeOf(app, "fastify.Reply");
	if (request === void 0 || reply === void 0) return void 0;
	app.addHook("preHandler", (each, _, done) => {
		each[SETTLED] = true;
		done();
	});
	return [request, reply];
}
/** What the classes of all encapsulated instances inherit from. */
function prototypeOf(app, description) {
	for (let at = app; at !== null; at = Object.getPrototypeOf(at)) {
		const symbol = Object.getOwnPropertySymbols(at).find((each) => each.description === description);
		if (symbol === void 0) continue;
		const type = Reflect.get(at, symbol);
		return typeof type === "function" ? topOf(type.prototype) : void 0;
	}
}
function topOf(prototype) {
	for (let at = prototype;;) {
		const above = Object.getPrototypeOf(at);
		if (above === null || above === Object.prototype) return at;
		at = above;
	}
}
// packages/fastify/src/reply.ts
/** For those below one prototype of Fastify's, a handle, which has what these have not: `raw`, `log`, `getHeader`, what plugins add. */
function replyBelow(above) {
	class Reply {
		#request;
		constructor(request) {
			this.#request = request;
		}
		get request() {
			return this.#request;
		}
		code(...args) {
			return invoke(this, "code", args);
		}
		status(...args) {
			return invoke(this, "status", args);
		}
		header(...args) {
			return invoke(this, "header", args);
		}
		headers(...args) {
			return invoke(this, "headers", args);
		}
		removeHeader(...args) {
			return invoke(this, "removeHeader", args);
		}
		type(...args) {
			return invoke(this, "type", args);
		}
		redirect(...args) {
			return invoke(this, "redirect", args);
		}
		callNotFound() {
			return invoke(this, "callNotFound", []);
		}
		send(...args) {
			return invoke(this, "send", args);
		}
		/** Handlers that are asynchronous may answer the reply itself. */
		then(onFulfilled, onRejected) {
			if (Reflect.get(above, "sent", this) === true) return onFulfilled?.();
			return Reflect.apply(Reflect.get(above, "then", this), this, [onFulfilled, onRejected]);
		}
	}
	Object.setPrototypeOf(Reply.prototype, above);
	return (request) => new Reply(request);
}
// packages/fastify/src/request.ts
/** For those below one prototype of Fastify's, a handle, which has what these have not: `raw`, `log`, decorators, what plugins add. */
function requestBelow(above) {
	class Request {
		#method;
		#url;
		/** Copies of its data, by their names. */
		#data = void 0;
		constructor(method, url) {
			this.#method = method;
			this.#url = url;
		}
		get method() {
			return this.#method;
		}
		get url() {
			return this.#url;
		}
		get body() {
			return this.#read("body");
		}
		set body(value) {
			this.#write("body", value);
		}
		get query() {
			return this.#read("query");
		}
		set query(value) {
			this.#write("query", value);
		}
		get params() {
			return this.#read("params");
		}
		set params(value) {
			this.#write("params", value);
		}
		get headers() {
			return this.#read("headers");
		}
		set headers(value) {
			this.#write("headers", value);
		}
		/** Of `@fastify/cookie`. */
		get cookies() {
			return this.#read("cookies");
		}
		set cookies(value) {
			this.#write("cookies", value);
		}
		#read(name) {
			if (this.#data !== void 0 && name in this.#data) return this.#data[name];
			const value = ask(this, name);
			if (typeof value === "object" && value !== null && !isHandle(value)) (this.#data ??= bare())[name] = value;
			return value;
		}
		#write(name, value) {
			if (this.#data !== void 0) Reflect.deleteProperty(this.#data, name);
			Reflect.set(above, name, value, this);
		}
	}
	Object.setPrototypeOf(Request.prototype, above);
	return (method, url) => new Request(method, url);
}
function bare() {
	return Object.create(null);
}
// packages/fastify/src/index.ts
/** Those of which objects are made by hand: a program may have more than one Fastify, and each more than one instance. */
const met = /* @__PURE__ */ new WeakSet();
const plugin = async (app, { flushBeforeReply = false }) => {
	if (isRecorded()) flushBeforeReplies(app, flushBeforeReply);
	if (!isHandle(app)) return;
	const prototypes = attach(app);
	if (prototypes === void 0 || met.has(prototypes[0])) return;
	const [request, reply] = prototypes;
	met.add(request);
	handMake(request, {
		facts: ["method", "url"],
		make: requestBelow(request),
		over: ["raw", "destroyed"],
		follow
	});
	handMake(reply, {
		facts: ["request"],
		make: replyBelow(reply),
		over: ["raw", "destroyed"],
		follow
	});
};
/** `app.register(turntable)`, before other plugins and routes. */
const turntable = Object.assign(plugin, {
	[Symbol.for("skip-override")]: true,
	[Symbol.for("fastify.display-name")]: "@turntable/fastify",
	[Symbol.for("plugin-meta")]: {
		fastify: "5.x",
		name: "@turntable/fastify"
	}
});
export { turntable };
