import { $ as countFrom, A as lifetime, At as lookSafelyInto, B as showPromisesAs, Bt as resolveRequire, C as MAP_COMMENT, D as tellUncaught, Dt as showStandIns, E as showElsewhere, Et as functionBehind, F as functions, Gt as packageScope, H as timersView, Ht as formatOf, J as mayBeInRound, K as followTurns, L as note, Lt as NodeModules, M as OwnTimeout, N as ambientTimers, O as withErrorsPlaced, Ot as standIn, P as exchange, Rt as answerQuestion, S as shownError, St as queueImmediate, T as installFatalExceptions, Ut as isTypeScript, V as timeoutLists, Vt as detectFormat, W as watchTimers, Wt as installedPackage, X as timerWaits, Xt as DeadDeviceError, Y as restTurns, Z as turnClock, Zt as LoaderError, _ as originalPlace, _t as isRefed, at as waitingImmediates, b as isLoadingTools, bt as native, c as CodeLoader, d as prebuiltFileOf, dt as contextOf, g as followSourceMaps, gt as isImmediate, h as transformer, it as noteImmediate, k as createNodeHost, l as readSource, lt as blankImmediate, m as runtimeTransform, mt as giveNumber, nt as OwnImmediate, o as lineIn, p as CodeCache, pt as giveContext, qt as readFileSync, s as lineStarts, tt as lastNumber, u as prebuild, ut as blankTimeout, v as readSourceMap, vt as isTimeout, x as parserTools, xt as numberOf$1, yt as markRefed, z as placeTimers, zt as resolveImport } from "./compare-CsEQbnfi.js";
import { A as bytesOf, C as syncBuiltin, D as loaderOptions, E as Sides, M as builtinEntry, N as builtinUse, O as matches, P as isOutside, S as standsOutside, _ as nativeExportNames, c as LazyGlobals, d as addonRecord, f as builtinExports, g as moduleDeviceRecord, h as isShownOtherwise, i as addWebGlobals, j as millisecondsOf, k as closestName, l as isOfProgram, m as commonJsDeviceRecord, o as isWebName, p as builtinRecord, u as NATIVE_LOADER, v as nativeExports, x as showBuiltinAs } from "./marks-uHGhuGZU.js";
import { n as recordedTexts, r as ownDirectories, t as recordedText } from "./recorded-texts-D91a-1KE.js";
import { a as insideFunction, c as placeInsideFunctions, n as requireIs, o as insideUrl, t as createRequireFunction } from "./require-function-DB7CbiAy.js";
import { r as ownVariables, t as installTicks } from "./ticks-rVFALDCw.js";
const Module = process.getBuiltinModule("node:module"), { createRequire, isBuiltin, registerHooks } = process.getBuiltinModule("node:module");
const { dirname, extname, isAbsolute, join, resolve } = process.getBuiltinModule("node:path");
const { Script, compileFunction } = process.getBuiltinModule("node:vm");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");
const util = process.getBuiltinModule("node:util"), { inspect, types } = process.getBuiltinModule("node:util");
const { isMainThread } = process.getBuiltinModule("node:worker_threads");
const timersModule = process.getBuiltinModule("node:timers");
const asyncHooks = process.getBuiltinModule("node:async_hooks"), { AsyncLocalStorage, AsyncResource } = process.getBuiltinModule("node:async_hooks");
import { Cell, Eventual, FULFILLED, GeneratorState, LiveCell, ModuleGraph, NO_ATTRIBUTES, NamespaceCell, PENDING, REJECTED, ROOT_HOME, bindingsOf, codedError, createRealm, evaluate, evaluateNow, exportCommonJs, exportedNames, fillFrom, hasAsyncGraph, hostClock, imitateNamespace, internals, link, loadRequested, moduleRealmOf, namespaceOf, requireFile, resolveExport, thrownAgain, watchAbortListeners } from "@turntable/core";
const events = process.getBuiltinModule("node:events");
import { GREATEST_LOWER_BOUND, LEAST_UPPER_BOUND, TraceMap, originalPositionFor } from "@jridgewell/trace-mapping";
const { tracingChannel } = process.getBuiltinModule("node:diagnostics_channel");
// packages/loader/src/text-table.ts
function table(heads, rows) {
	const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
	const line = (cells) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd();
	return [
		line(heads),
		line(widths.map((width) => "-".repeat(width))),
		...rows.map(line)
	].join("\n");
}
// packages/loader/src/sides/explain.ts
function explain(program, sides) {
	const packages = /* @__PURE__ */ new Map();
	for (const [file, verdict] of sides.verdicts) {
		const installed = installedPackage(file);
		const scope = packageScope(file);
		const name = installed?.name ?? scope?.name ?? "(program)";
		const key = `${installed?.directory ?? scope?.directory ?? ""} ${verdict.side}`;
		const known = packages.get(key);
		if (known === void 0) packages.set(key, {
			name,
			version: scope?.version,
			side: verdict.side,
			reason: verdict.reason,
			files: 1
		});
		else known.files++;
	}
	const builtins = /* @__PURE__ */ new Map();
	const strength = {
		unknown: 3,
		device: 2,
		leaf: 1,
		pure: 0
	};
	const add = (specifier, members) => {
		const name = specifier.replace(/^node:/, "");
		const entry = builtinEntry(name);
		const as = entry === void 0 ? "unknown" : builtinUse(entry, members);
		const known = builtins.get(name);
		if (known !== void 0 && strength[known.class] >= strength[as]) return;
		const of = entry !== void 0 && as !== entry.class ? `; of it, only ${members?.join(", ")}` : "";
		const isRecorded = sides.isRecorded && (as === "device" || as === "unknown") && isOutside(name);
		const why = `${isRecorded ? "recorded: " : ""}${entry?.why ?? "not known to this version"}`;
		builtins.set(name, {
			name,
			class: as,
			reason: `${why}${of}`,
			isRecorded
		});
	};
	for (const file of sides.scannedFiles()) {
		if (sides.of(file).side !== "program") continue;
		for (const request of sides.scan(file)?.requests ?? []) if (builtinEntry(request.specifier) !== void 0) add(request.specifier, request.members);
	}
	for (const [key, record] of program?.graph.records ?? []) if (record.origin.what === "builtin" && !builtins.has(key.slice(5))) add(key, void 0);
	const order = {
		program: 0,
		device: 1,
		native: 2
	};
	return {
		packages: [...packages.values()].sort((a, b) => order[a.side] - order[b.side] || (a.name < b.name ? -1 : 1)),
		builtins: [...builtins.values()].sort((a, b) => a.name < b.name ? -1 : 1)
	};
}
const SIDE_NAMES = {
	program: "transformed",
	device: "device",
	native: "native"
};
function explanationText({ packages, builtins }) {
	const name = (each) => each.version === void 0 ? each.name : `${each.name}@${each.version}`;
	return [table([
		"package",
		"is",
		"files",
		"because"
	], packages.map((each) => [
		name(each),
		SIDE_NAMES[each.side],
		String(each.files),
		each.reason
	])), ...builtins.length === 0 ? [] : ["", table([
		"builtin",
		"is",
		"because"
	], builtins.map((each) => [
		each.name,
		each.class,
		each.reason
	]))]].join("\n");
}
// packages/loader/src/sides/reach.ts
var Reach = class {
	#sides;
	#entry;
	#files;
	constructor(sides, entry) {
		this.#sides = sides;
		this.#entry = entry;
	}
	has(filename) {
		return this.explore().has(filename);
	}
	/** All of them. */
	explore() {
		if (this.#files !== void 0) return this.#files;
		const url = this.#entry();
		const files = new Set(url === void 0 ? [] : [fileURLToPath(url)]);
		for (const file of files) this.#sides.of(file);
		for (const file of files) for (const request of this.#sides.scan(file)?.requests ?? []) {
			if (isBuiltin(request.specifier)) continue;
			const target = resolveFrom(file, request.specifier, request.kind === "require");
			if (target !== void 0 && this.#sides.of(target, file).side === "program") files.add(target);
		}
		this.#files = files;
		return files;
	}
};
function resolveFrom(file, specifier, required) {
	try {
		if (required) {
			const from = new NodeModules(file);
			from.filename = file;
			from.paths = NodeModules._nodeModulePaths(from.path);
			return resolveRequire(specifier, from);
		}
		const { url } = resolveImport(specifier, pathToFileURL(file).href);
		return url.startsWith("file:") ? fileURLToPath(url) : void 0;
	} catch {
		return;
	}
}
// packages/loader/src/sides/examine.ts
/** `isRecorded`: as in a thread that is recorded with traces. */
function examine(entryUrl, options = loaderOptions(), isRecorded = options.trace) {
	const sides = new Sides(options, ownDirectories(), { isRecorded });
	const hooks = registerHooks({ resolve: (specifier, context, next) => answerQuestion(specifier, next) ?? next(specifier, context) });
	try {
		new Reach(sides, () => entryUrl).explore();
	} finally {
		hooks.deregister();
	}
	return {
		...explain(void 0, sides),
		refused: [...refusals(sides)]
	};
}
function* refusals(sides) {
	for (const [file, { side }] of sides.verdicts) {
		if (side !== "program" || installedPackage(file) !== void 0) continue;
		const error = refusalIn(file);
		if (error !== void 0) yield error.message;
	}
}
/** Why a file cannot be transformed, if so. */
function refusalIn(file, isLenientAt) {
	const format = formatOf(file);
	if (format !== void 0 && format.format !== "module" && format.format !== "commonjs") return void 0;
	try {
		const source = readFileSync(file, "utf8");
		const kind = format?.format ?? detectFormat(isTypeScript(file) ? transformer.lower(source, file) : source);
		transformer.transform(source, {
			path: file,
			kind,
			...isLenientAt === void 0 ? {} : { isLenientAt }
		});
		return;
	} catch (error) {
		return error;
	}
}
// packages/loader/src/modules/hidden.ts
const SHELLS = Symbol.for("turntable.shells");
// packages/loader/src/realm/native-text.ts
const SCHEME = "turntable-native:";
const DIRECTORY$1 = "/turntable";
const require = createRequire(import.meta.url);
const texts = /* @__PURE__ */ new Map();
let ordinal = 0;
let delivered;
/** For the resolve hook. */
function nativeTextUrl(specifier) {
	return specifier.startsWith(SCHEME) ? pathToFileURL(`${DIRECTORY$1}/${specifier.slice(17)}.mjs`).href : void 0;
}
/** For the load hook. */
function nativeText$1(url) {
	return texts.get(url);
}
function deliver(value) {
	delivered = value;
}
/** Runs the text `textOf(ownSpecifier)`; answers what it passes to `deliver`. */
function runNativeText(textOf) {
	const specifier = `${SCHEME}${ordinal++}`;
	const url = nativeTextUrl(specifier);
	texts.set(url, textOf(specifier));
	delivered = void 0;
	try {
		require(specifier);
		return delivered;
	} finally {
		texts.delete(url);
		delivered = void 0;
		Reflect.deleteProperty(NodeModules._cache, `${DIRECTORY$1}/${specifier.slice(17)}.mjs`);
	}
}
const DELIVER = `globalThis[Symbol.for(${JSON.stringify(SHELLS.description)})].deliver`;
/** A namespace object with these names, and the functions that set its bindings. */
function createNativeNamespace(names) {
	const text = (self) => [
		`import * as $namespace from '${self}';`,
		...names.map((name, i) => `let $${i}; export { $${i} as ${JSON.stringify(name)} };`),
		`${DELIVER}({ namespace: $namespace, setters: [${names.map((_, i) => `($) => { $${i} = $; }`).join(", ")}] });`
	].join("\n");
	return runNativeText(text);
}
/** The namespace of a native module that has been evaluated. */
function nativeNamespaceOf(url) {
	return runNativeText(() => `import * as $namespace from ${JSON.stringify(url)}; ${DELIVER}($namespace);`);
}
/** What the engine has to say against an ES module's text, if anything. The text is compiled and never runs. */
function nativeSyntaxError(source, url) {
	const filename = `${DIRECTORY$1}/${ordinal}.mjs`;
	const locate = (line, column) => ({
		line: line - 1,
		column
	});
	try {
		const text = () => `${MAP_COMMENT.trim()}\n${source}\nimport 'node:turntable-nothing';`;
		withErrorsPlaced(filename, url, source, locate, () => runNativeText(text));
	} catch (error) {
		if (error instanceof SyntaxError) return error;
	}
}
// packages/loader/src/modules/shells.ts
const nativeNextTick = process.nextTick;
/** Marks the URL of a second shell, for native code that imports a module whose shell waits for that very code. */
const AGAIN = "#turntable-again";
const RUN = "globalThis[Symbol.for('turntable.shells')].run(module);\n";
/** Whether a text is the shell of a CommonJS file. */
function isShell(text) {
	return text.startsWith(RUN);
}
var Shells = class {
	#program;
	#fatal;
	/** Modules of the program's that Node itself has begun to run, each at a moment of its own. */
	begun = 0;
	#open = /* @__PURE__ */ new Set();
	/** Keys of modules whose shells are being evaluated. */
	#evaluating = /* @__PURE__ */ new Set();
	constructor(program, fatal) {
		this.#program = program;
		this.#fatal = fatal;
		Object.defineProperty(globalThis, SHELLS, {
			value: this,
			enumerable: false,
			configurable: true
		});
	}
	/** Text of the shell of a loaded ES module. */
	textOfModule(record) {
		const names = exportsOf(record);
		const variables = names.map((_, i) => `$${i}`);
		const lines = [`const $shell = globalThis[Symbol.for('turntable.shells')].open(${JSON.stringify(record.key)});`];
		if (names.length > 0) {
			lines.push(`var ${variables.join(", ")};`);
			lines.push(`export { ${names.map((name, i) => `$${i} as ${JSON.stringify(name)}`).join(", ")} };`);
			lines.push(`$shell.connect([${variables.map((name) => `($) => { ${name} = $; }`).join(", ")}]);`);
		}
		if (!hasAsyncGraph(record)) return [...lines, "$shell.evaluateNow();"].join(" ");
		return [...lines, "await $shell.evaluate();"].join(" ") + MAP_COMMENT;
	}
	/** Text of the shell of a CommonJS file; the dead branch is for the lexer that finds named exports. */
	textOfCommonJs(names) {
		const marks = [...names].map((name) => `exports[${JSON.stringify(name)}] = 0;`).join(" ");
		return `${RUN}if (0) { ${marks} }\n`;
	}
	/** What a device has of a module of the program's: see lending.ts. */
	lend = () => {
		throw new LoaderError("TT_NOT_INSTALLED", "a module is lent where no membrane is");
	};
	/** For native texts, see native-text.ts. */
	deliver(value) {
		deliver(value);
	}
	open(key) {
		const record = this.#program.graph.records.get(key);
		if (record === void 0) throw new LoaderError("TT_NOT_INSTALLED", `the shell of ${key} runs where its program is not loaded`);
		this.begun++;
		const shell = new ModuleShell(record, this.#evaluating, this.#program, () => this.update());
		this.#open.add(shell);
		return shell;
	}
	/** The URL under which a native importer gets a shell it need not wait for. */
	urlFor(url) {
		return this.#evaluating.has(url) ? url + AGAIN : url;
	}
	/** The module behind a shell's URL. */
	static keyOf(url) {
		return url.endsWith(AGAIN) ? url.slice(0, -16) : url;
	}
	/** Hands on what modules have initialised since. */
	update() {
		for (const shell of this.#open) if (shell.update()) this.#open.delete(shell);
	}
	/** Runs a CommonJS file into the module object that Node has made for it. */
	run(module) {
		this.begun++;
		if (this.#program.takeMain(module)) {
			nativeNextTick(() => this.#runMain(module));
			return;
		}
		this.#fill(module);
	}
	#runMain(module) {
		module.loaded = false;
		this.#fatal.runMain(() => this.#fill(module));
		module.loaded = true;
	}
	#fill(module) {
		this.#program.isAwaited = false;
		const own = module;
		const parent = module.parent;
		fillFrom(this.#program, own, this.#program.loadSource(module.filename), parent ?? void 0);
		this.#program.leaveCycle(own);
	}
};
/** Names of what a linked or loaded module exports. */
function exportsOf(record) {
	return [...exportedNames(record)].filter((name) => typeof resolveExport(record, name) === "object" && resolveExport(record, name) !== null);
}
var ModuleShell = class {
	#record;
	#program;
	#evaluating;
	#evaluated;
	/** By export name, those that have got no value yet. */
	#pending = /* @__PURE__ */ new Map();
	constructor(record, evaluating, program, evaluated) {
		this.#record = record;
		this.#program = program;
		this.#evaluating = evaluating;
		this.#evaluated = evaluated;
	}
	connect(setters) {
		exportsOf(this.#record).forEach((name, i) => this.#pending.set(name, setters[i]));
		if (this.#record.status === "unlinked") link(this.#record);
		this.update();
	}
	evaluateNow() {
		this.#program.isAwaited = false;
		if (this.#record.status === "evaluating") return;
		this.#evaluating.add(this.#record.key);
		try {
			link(this.#record);
			evaluateNow(this.#record);
		} finally {
			this.#evaluating.delete(this.#record.key);
			this.#evaluated();
		}
	}
	async evaluate() {
		this.#program.isAwaited = false;
		if (this.#record.status === "evaluating") return;
		this.#evaluating.add(this.#record.key);
		try {
			link(this.#record);
			await evaluate(this.#record);
		} finally {
			this.#evaluating.delete(this.#record.key);
			this.#evaluated();
		}
	}
	/** Hands on what has been initialised since, and follows its changes; true when nothing is left to wait for. */
	update() {
		for (const [name, setter] of this.#pending) {
			const cell = resolveExport(this.#record, name);
			if (!Object.hasOwn(cell, "v") && cell.constructor === Cell) continue;
			this.#pending.delete(name);
			this.#program.follow(cell, setter);
		}
		return this.#pending.size === 0;
	}
};
// packages/loader/src/modules/lending.ts
/** No file stands there. */
const DIRECTORY = "/turntable/lent";
var Lending = class {
	#program;
	#across;
	/** By the names under which Node has them. */
	#lent = /* @__PURE__ */ new Map();
	#urls = /* @__PURE__ */ new Map();
	#outers = /* @__PURE__ */ new Map();
	constructor(program, across) {
		this.#program = program;
		this.#across = across;
	}
	/** In the place of a module's own, for a device. */
	urlFor(url, how) {
		const key = `${how} ${url}`;
		let own = this.#urls.get(key);
		if (own === void 0) {
			own = pathToFileURL(`${DIRECTORY}/${this.#urls.size}.${how === "import" ? "mjs" : "cjs"}`).href;
			this.#urls.set(key, own);
			this.#lent.set(own, {
				url,
				how
			});
		}
		return own;
	}
	/** For the load hook: what stands there. */
	textAt(own) {
		const lent = this.#lent.get(own);
		if (lent === void 0) return void 0;
		const { url, how } = lent;
		const outer = `globalThis[Symbol.for(${JSON.stringify(SHELLS.description)})].lend(${JSON.stringify(url)}, '${how}')`;
		if (how === "require") return `module.exports = ${outer};`;
		const names = exportsOf(this.#program.recordOf(url));
		const lines = names.map((name, i) => `const $${i} = $[${JSON.stringify(name)}];`);
		const all = names.map((name, i) => `$${i} as ${JSON.stringify(name)}`);
		return [
			`const $ = ${outer};`,
			...lines,
			`export { ${all.join(", ")} };`
		].join(" ");
	}
	/** Once for each: it is the same to every device. */
	lend(url, how) {
		const key = `${how} ${url}`;
		let outer = this.#outers.get(key);
		if (outer === void 0) this.#outers.set(key, outer = this.#across(url, how));
		return outer;
	}
};
/** Whether who imports it has to wait: such a module cannot be lent. */
function isAwaited(program, url) {
	const record = program.recordOf(url);
	loadRequested(record);
	return hasAsyncGraph(record);
}
/** The program's own side of it, which either run does: what the module exports. */
function exportsLent(program, url, how) {
	if (how === "require") return requireFile(program, fileURLToPath(url), void 0);
	const record = program.recordOf(url);
	loadRequested(record);
	link(record);
	if (record.status !== "evaluating") evaluateNow(record);
	return namespaceOf(record);
}
// packages/loader/src/modules/without-files.ts
/** Behind what `require` was given. */
const ENDINGS = [
	"",
	".js",
	".json",
	"/index.js"
];
function resolveImportOrRecorded(specifier, parentURL, recorded) {
	return orRecorded(() => resolveImport(specifier, parentURL), recorded).url;
}
/** What Node resolves, or what it would if the file were there. */
function orRecorded(resolve, recorded) {
	try {
		return resolve();
	} catch (error) {
		const { url } = error;
		if (url?.startsWith("file:") !== true || recorded?.has(fileURLToPath(url)) !== true) throw error;
		return {
			url,
			shortCircuit: true
		};
	}
}
function resolveRequireOrRecorded(id, from, recorded) {
	try {
		return resolveRequire(id, from);
	} catch (error) {
		const place = /^(?:\.\.?)?\//.test(id) ? resolve(from.path, id) : void 0;
		const found = place === void 0 ? void 0 : ENDINGS.find((ending) => recorded?.has(place + ending) === true);
		if (place === void 0 || found === void 0) throw error;
		return place + found;
	}
}
// packages/loader/src/modules/hooks.ts
/** Returns the function that takes the hooks out again. */
function installHooks({ program, shells, code, reach, lending }) {
	const hooks = registerHooks({
		resolve(specifier, context, next) {
			const answer = answerQuestion(specifier, next);
			if (answer !== void 0) return answer;
			if (isLoadingTools()) return next(specifier, context);
			const native = nativeTextUrl(specifier);
			if (native !== void 0) return {
				url: native,
				format: "module",
				shortCircuit: true
			};
			const resolved = orRecorded(() => next(specifier, context), code.recorded);
			if (context.parentURL === void 0 && program.mainUrl === void 0 && resolved.url.startsWith("file:")) {
				program.mainUrl = resolved.url;
				program.isAwaited = true;
				program.whenBegun();
			}
			const lent = lentUrl(resolved.url, context);
			if (lent !== void 0) return {
				url: lent,
				shortCircuit: true
			};
			const shellUrl = shells.urlFor(resolved.url);
			return shellUrl === resolved.url ? resolved : {
				...resolved,
				url: shellUrl
			};
		},
		load(shellUrl, context, next) {
			if (isLoadingTools()) return next(shellUrl, context);
			const url = Shells.keyOf(shellUrl);
			if (!url.startsWith("file:")) return next(url, context);
			const text = nativeText$1(url);
			if (text !== void 0) return {
				format: "module",
				source: text,
				shortCircuit: true
			};
			const lent = lending?.textAt(url);
			if (lent !== void 0) return {
				format: url.endsWith(".cjs") ? "commonjs" : "module",
				source: lent,
				shortCircuit: true
			};
			const filename = fileURLToPath(url);
			const format = formatOf(filename);
			if (format?.format === "json" || format?.format === "addon" || format?.format === "wasm" || format?.format === "other") return next(url, context);
			if (!belongs(url, filename)) {
				program.nativeFiles.add(filename);
				return next(url, context);
			}
			if ((format?.format ?? program.kindOf(filename)) === "commonjs") {
				if (context.conditions.includes("require") && program.isLoadedByTool(filename)) return next(url, context);
				const names = code.commonJsNames(filename, code.read(filename), isTypeScript(filename));
				return {
					format: "commonjs",
					source: shells.textOfCommonJs(names),
					shortCircuit: true
				};
			}
			const record = program.recordOf(url);
			loadRequested(record);
			return {
				format: "module",
				source: shells.textOfModule(record),
				shortCircuit: true
			};
		}
	});
	function belongs(url, filename) {
		return (program.graph.records.has(url) || url === program.mainUrl || installedPackage(filename) === void 0 || reach.has(filename)) && !program.isNative(filename);
	}
	/** Under which URL a device has a module of the program's, if it is one that asks for one. */
	function lentUrl(url, context) {
		const { parentURL } = context;
		if (lending === void 0 || !url.startsWith("file:") || parentURL?.startsWith("file:") !== true) return void 0;
		if (!program.isOfDevice(fileURLToPath(parentURL))) return void 0;
		const filename = fileURLToPath(url);
		const format = formatOf(filename)?.format;
		if (format !== void 0 && format !== "module" && format !== "commonjs") return void 0;
		if (!program.hasLoaded(filename) && !belongs(url, filename)) return void 0;
		const how = context.conditions.includes("require") ? "require" : "import";
		return how === "import" && isAwaited(program, url) ? void 0 : lending.urlFor(url, how);
	}
	return () => hooks.deregister();
}
// packages/loader/src/modules/loaded-before.ts
/** The file that Node was started with, if it was one. */
function entryFile() {
	if (process.mainModule !== void 0) return process.mainModule.filename;
	const named = process.argv[1];
	if (named === void 0) return void 0;
	try {
		return createRequire(import.meta.url).resolve(named);
	} catch {
		return;
	}
}
/** The file and all that its imports lead to; asked when the hooks are in place. */
function filesLoadedWith(entry) {
	const files = /* @__PURE__ */ new Set([entry]);
	for (const file of files) {
		if (formatOf(file)?.format === "commonjs") continue;
		for (const specifier of specifiersIn(file)) {
			const target = isBuiltin(specifier) ? void 0 : targetOf(specifier, file);
			if (target !== void 0) files.add(target);
		}
	}
	return files;
}
/** Of what is imported for more than its types. */
function specifiersIn(file) {
	const source = readSource(file);
	const { module } = parserTools().parseSync(file, source);
	const isWritten = ({ start }, entries) => entries.length === 0 || entries.some(({ isType }) => !isType) || !/^(?:import|export)\s+type\b/.test(source.slice(start));
	const imported = module.staticImports.filter((each) => isWritten(each, each.entries));
	const exported = module.staticExports.filter((each) => isWritten(each, each.entries));
	return [...imported.map(({ moduleRequest }) => moduleRequest.value), ...exported.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []))];
}
function targetOf(specifier, file) {
	try {
		const { url } = resolveImport(specifier, pathToFileURL(file).href);
		const target = url.startsWith("file:") ? fileURLToPath(url) : void 0;
		return target === void 0 || formatOf(target)?.format === "json" ? void 0 : target;
	} catch {
		return;
	}
}
// packages/loader/src/modules/module-builtin.ts
/** `module.require` of the program's files: some builtins are something else to them. */
function teachRequire(program) {
	const native = NodeModules.prototype.require;
	const { require } = { require(id) {
		return typeof id === "string" && standsOutside(id) && !isLoadingTools() && !program.isNative(this.filename) ? program.builtin(id) : Reflect.apply(native, this, [id]);
	} };
	standIn(NodeModules.prototype, "require", require);
	requireIs(NodeModules.prototype.require);
}
/** What Node compiles around `-e`, `-p` and standard input, whose text itself no hook sees. */
const COMMAND_LINE = /^\[(?:eval\d*|stdin)\]-wrapper$/;
function teachModule(program) {
	const builtin = Module;
	const { createRequire: nativeCreateRequire, syncBuiltinESMExports: nativeSync } = builtin;
	const prototype = NodeModules.prototype;
	const { _compile: nativeCompile } = prototype;
	Object.assign(builtin, {
		createRequire(filename) {
			const require = nativeCreateRequire(filename);
			if (isLoadingTools()) return require;
			const text = String(filename);
			const path = text.startsWith("file:") ? fileURLToPath(text) : text;
			const file = /[/\\]$/.test(path) ? join(path, "noop.js") : path;
			if (program.isNative(file)) return require;
			const module = new NodeModules(file);
			module.filename = file;
			module.paths = NodeModules._nodeModulePaths(module.path);
			return program.requireFunction(module);
		},
		syncBuiltinESMExports() {
			nativeSync();
			program.syncBuiltins();
		}
	});
	if (program.hasOutside) teachRequire(program);
	prototype._compile = function _compile(content, filename, format) {
		return (format === void 0 || format === "commonjs") && !isShell(content) && !isLoadingTools() && !COMMAND_LINE.test(filename) && !program.isNative(filename) ? program.compileInto(this, content, filename) : Reflect.apply(nativeCompile, this, [
			content,
			filename,
			format
		]);
	};
}
// packages/loader/src/realm/once-listeners.ts
function placeOnceListeners(realm) {
	const { onceListener } = realm.parts.closures;
	const prototype = events.prototype;
	const { once: nativeOnce, prependOnceListener: nativePrepend } = prototype;
	function wrap(target, type, listener) {
		const state = {
			target,
			type,
			listener,
			wrapper: void 0,
			fired: false
		};
		const wrapper = onceListener(state);
		state.wrapper = wrapper;
		wrapper.listener = listener;
		return wrapper;
	}
	const { once, prependOnceListener } = {
		once(type, listener) {
			if (typeof listener !== "function") return Reflect.apply(nativeOnce, this, [type, listener]);
			this.on(type, wrap(this, type, listener));
			return this;
		},
		prependOnceListener(type, listener) {
			if (typeof listener !== "function") return Reflect.apply(nativePrepend, this, [type, listener]);
			this.prependListener(type, wrap(this, type, listener));
			return this;
		}
	};
	standIn(prototype, "once", once);
	standIn(prototype, "prependOnceListener", prependOnceListener);
}
// packages/loader/src/state/devices.ts
const { apply: apply$1, getOwnPropertyDescriptor: getOwnPropertyDescriptor$1 } = Reflect;
const { isPromise } = types;
const NativePromise$2 = Promise;
const PREFIX = "declared device ";
var Devices = class {
	#realm;
	#beyond;
	#declared = [];
	#next = 1;
	#making = 0;
	/** `beyond`: of a thread that is recorded, or runs again. */
	constructor(realm, beyond) {
		this.#realm = realm;
		this.#beyond = beyond;
	}
	declare(make, name) {
		if (this.#making > 0) return make();
		const declaration = {
			id: this.#next++,
			make,
			name,
			handle: void 0,
			membrane: void 0,
			promise: void 0,
			isLost: false,
			listeners: /* @__PURE__ */ new Set()
		};
		const made = this.#make(make);
		if (!this.#isPromise(made)) {
			if (!isObject(made)) throw new LoaderError("TT_DEVICE", `device(…) was given a function that answered ${String(made)}; let it answer what it has made, or a promise of it`);
			this.#declared.push(declaration);
			settle(declaration, made);
			return made;
		}
		this.#declared.push(declaration);
		const { eventuals } = this.#realm.parts.promise;
		const promise = eventuals.create();
		const { home } = this.#realm.now.context;
		declaration.promise = promise;
		NativePromise$2.resolve(made).then((handle) => {
			if (isObject(handle)) settle(declaration, handle);
			this.#realm.jobs.entering(home);
			eventuals.resolve(promise, handle);
		}, (reason) => {
			declaration.isLost = true;
			this.#realm.jobs.entering(home);
			eventuals.reject(promise, reason);
		});
		return promise;
	}
	/** Devices as roots of a state, which calls them by names. */
	read(known) {
		const living = this.#declared.filter(({ isLost }) => !isLost);
		for (const { id, handle, membrane } of living) {
			if (handle !== void 0) known.add(`${PREFIX}${id}`, handle, "alone");
			if (membrane !== void 0) known.add(`${PREFIX}${id}`, membrane.object, "alone");
		}
		return {
			heads: living.map((each) => headOf(each, this.#placeOf(each.handle))),
			roots: living.map(({ make, promise, handle }) => ({
				make,
				promise: handle === void 0 ? promise : void 0
			}))
		};
	}
	#placeOf(handle) {
		const its = handle === void 0 ? void 0 : this.#beyond?.handleAt(handle);
		return its === void 0 || its.number < 0 ? void 0 : [
			its.number,
			its.kind,
			its.label
		];
	}
	/** Before a state is read that has these devices. */
	expect(known, heads) {
		this.#next = Math.max(0, ...heads.map(({ id }) => id)) + 1;
		this.#declared = heads.map(({ id, name, callable, beyond }) => {
			const revived = beyond === void 0 ? void 0 : this.#beyond?.revive?.(...beyond);
			const membrane = revived === void 0 ? new Membrane(name, callable) : void 0;
			const object = membrane?.object ?? revived;
			known.add(`${PREFIX}${id}`, object, "alone");
			known.answer(`${PREFIX}${id}`, object);
			const make = () => {
				throw new LoaderError("TT_STATE", `the state is damaged: it does not say how ${name} is made`);
			};
			return {
				id,
				make,
				name,
				handle: revived,
				membrane,
				promise: void 0,
				isLost: false,
				listeners: /* @__PURE__ */ new Set()
			};
		});
	}
	/** Makes all devices of a state that has been read. */
	async makeAgain(roots) {
		const expected = this.#declared;
		for (const [i, { make, promise }] of roots.entries()) {
			const declaration = expected[i];
			if (declaration === void 0 || typeof make !== "function") throw new LoaderError("TT_STATE", "the state is damaged: it does not say how its devices are made");
			const now = {
				...declaration,
				make,
				promise
			};
			expected[i] = now;
			if (now.handle !== void 0) continue;
			let made;
			try {
				made = this.#make(make);
				if (this.#isPromise(made)) made = await made;
			} catch (error) {
				throw new LoaderError("TT_DEVICE", `${now.name ?? "a device"} could not be made again: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
			}
			if (isObject(made)) settle(now, made);
			if (promise !== void 0) this.#realm.parts.promise.eventuals.resolve(promise, made);
		}
	}
	#make(make) {
		this.#making++;
		try {
			return make();
		} finally {
			this.#making--;
		}
	}
	#isPromise(value) {
		return isPromise(value) || internals.read(this.#realm, value)?.kind === "eventual";
	}
};
function settle(declaration, handle) {
	declaration.handle = handle;
	declaration.listeners = new Set(listenersOf(handle).map(([, listener]) => listener));
	declaration.membrane?.attach(handle);
}
function headOf({ id, name, handle, listeners, membrane }, beyond) {
	const added = listenersOf(handle).filter(([, listener]) => !listeners.has(listener) && isOfProgram(listener));
	return {
		id,
		name: name ?? `device ${id}`,
		callable: typeof (handle ?? membrane?.object) === "function",
		listeners: [...new Set(added.map(([event]) => event))],
		...beyond === void 0 ? {} : { beyond }
	};
}
/** Of an emitter; without asking it, for its methods may be the program's, or noted. */
function listenersOf(handle) {
	const events = handle === void 0 || types.isProxy(handle) ? void 0 : getOwnPropertyDescriptor$1(handle, "_events")?.value;
	if (!isObject(events) || types.isProxy(events)) return [];
	return Reflect.ownKeys(events).flatMap((event) => {
		const found = getOwnPropertyDescriptor$1(events, event)?.value;
		return (Array.isArray(found) ? found : [found]).map((each) => [String(event), originalOf(each)]);
	});
}
/** Behind the function that Node puts around a listener for one time. */
function originalOf(listener) {
	return isObject(listener) ? getOwnPropertyDescriptor$1(listener, "listener")?.value ?? listener : listener;
}
function isObject(value) {
	return typeof value === "object" && value !== null || typeof value === "function";
}
/**
* Stands for a device from before it is made. Methods run with the device itself as `this`, for those of the host look for what is
* hidden in it, and where they answer `this`, that is the membrane.
*/
var Membrane = class {
	object;
	#name;
	#device;
	#methods = /* @__PURE__ */ new WeakMap();
	constructor(name, callable) {
		this.#name = name;
		const stub = callable ? () => void 0 : {};
		for (const key of Reflect.ownKeys(stub)) Reflect.deleteProperty(stub, key);
		Object.defineProperty(stub, inspect.custom, {
			value: (_, options, show) => this.#device === void 0 ? `[${name}, not made yet]` : show(this.#device, options),
			configurable: true
		});
		this.object = new Proxy(stub, this.#traps());
	}
	attach(device) {
		this.#device = device;
	}
	#now() {
		if (this.#device !== void 0) return this.#device;
		throw new LoaderError("TT_DEVICE", `${this.#name} is used before it has been made again; declare devices in the order in which they need each other`);
	}
	#traps() {
		const own = (value) => value === this.object ? this.#now() : value;
		const shown = (value) => value === this.#device ? this.object : value;
		return {
			get: (_, key) => {
				const device = this.#now();
				const value = Reflect.get(device, key, device);
				return typeof value === "function" && key !== "constructor" ? this.#method(value, own, shown) : shown(value);
			},
			set: (_, key, value) => Reflect.set(this.#now(), key, value),
			has: (_, key) => Reflect.has(this.#now(), key),
			deleteProperty: (_, key) => Reflect.deleteProperty(this.#now(), key),
			ownKeys: () => Reflect.ownKeys(this.#now()),
			getOwnPropertyDescriptor: (_, key) => {
				const found = getOwnPropertyDescriptor$1(this.#now(), key);
				return found === void 0 ? void 0 : {
					...found,
					configurable: true
				};
			},
			defineProperty: (_, key, descriptor) => Reflect.defineProperty(this.#now(), key, descriptor),
			getPrototypeOf: () => Reflect.getPrototypeOf(this.#now()),
			setPrototypeOf: (_, prototype) => Reflect.setPrototypeOf(this.#now(), prototype),
			preventExtensions: () => false,
			apply: (_, self, args) => shown(apply$1(this.#now(), own(self), args))
		};
	}
	#method(method, own, shown) {
		let known = this.#methods.get(method);
		if (known === void 0) {
			known = new Proxy(method, { apply: (_, self, args) => shown(apply$1(method, own(self), args)) });
			this.#methods.set(method, known);
		}
		return known;
	}
};
// packages/loader/src/modules/exported-classes.ts
const { toString: toText } = Function.prototype;
var ExportedClasses = class {
	#realm;
	#program;
	/** Of classes that the module of their text does not export; how many modules were asked. */
	#elsewhere = /* @__PURE__ */ new WeakMap();
	constructor(realm, program) {
		this.#realm = realm;
		this.#program = program;
	}
	/** Equal for one class in all threads; nothing for one that is not the program's. */
	keyOf(type) {
		const identity = this.#realm.classOf(type);
		return identity === void 0 ? void 0 : `${identity.module.key}#${identity.ordinal}`;
	}
	addressOf(type) {
		const identity = this.#realm.classOf(type);
		const name = type.name === "" ? "a class without a name" : type.name;
		if (identity === void 0) throw unknown(this.#whyForeign(type, name));
		const record = identity.module;
		const url = this.#urlOf(record);
		if (this.#isEntry(record, url)) throw unknown(`${name} stands in ${this.#program.placeOf(record)}, the file that the program was started with, which no worker runs again; export it from a module of its own, or spawn it with { on: 'main' }`);
		const exported = this.#exportedAs(record, type);
		const address = exported === void 0 ? this.#exportedElsewhere(type) : `${url}#${exported}`;
		if (address !== void 0) return address;
		throw unknown(`${name} is not exported by ${this.#program.placeOf(record)}, so no worker can find it; export it, or spawn it with { on: 'main' }`);
	}
	/** What a decorator or a class factory of one module has made is exported by another one. */
	#exportedElsewhere(type) {
		const { records } = this.#program.graph;
		const known = this.#elsewhere.get(type);
		if (known !== void 0 && (known.address !== void 0 || known.among === records.size)) return known.address;
		let address;
		let among = records.size;
		for (const record of records.values()) {
			const { what } = record.origin;
			if (what !== "module" && what !== "commonjs") continue;
			if (!isReady$1(record)) among = 0;
			const url = this.#urlOf(record);
			const exported = this.#isEntry(record, url) ? void 0 : this.#exportedAs(record, type);
			if (exported === void 0) continue;
			address = `${url}#${exported}`;
			break;
		}
		this.#elsewhere.set(type, {
			address,
			among
		});
		return address;
	}
	#whyForeign(type, name) {
		if (this.#program.nativeEntry === void 0 || toText.call(type).endsWith("{ [native code] }")) return `${name} is none of the program's classes; extend it in a module of yours and export that`;
		return `${name} was loaded before start(), so no worker can find it; have it in a module that is imported after start(), with await import(…), or start the program with --import turntable/register`;
	}
	/** Now, if its module has been evaluated, otherwise once it is. */
	find(address) {
		const [url, name] = partsOf(address);
		const record = this.#program.recordOf(url);
		return isReady$1(record) ? this.#classIn(record, name) : this.#load(record, name);
	}
	/** Nothing is loaded for its sake. */
	findLoaded(address) {
		const [url, name] = partsOf(address);
		const record = this.#program.graph.records.get(url);
		return record !== void 0 && isReady$1(record) ? this.#classIn(record, name) : void 0;
	}
	async #load(record, name) {
		loadRequested(record);
		link(record);
		await evaluate(record);
		return this.#classIn(record, name);
	}
	#classIn(record, name) {
		const namespace = namespaceOf(record);
		const isCommonJs = record.origin?.what === "facade";
		const exports = isCommonJs ? namespace["default"] : namespace;
		const value = isCommonJs && name === "" ? exports : exports[name];
		if (typeof value !== "function") throw unknown(`${this.#program.placeOf(record)} exports no class ${name} on this thread; export it on all of them, or spawn it with { on: 'main' }`);
		return value;
	}
	#urlOf(record) {
		const origin = record.origin;
		return origin?.what === "commonjs" && origin.filename !== void 0 ? pathToFileURL(origin.filename).href : record.key;
	}
	#isEntry(record, url) {
		const { mainUrl } = this.#program;
		return record.key === mainUrl || url === mainUrl || process.mainModule?.filename === this.#program.placeOf(record);
	}
	#exportedAs(record, type) {
		const origin = record.origin;
		if (origin?.what === "commonjs") {
			const exports = origin.filename === void 0 ? void 0 : this.#program.cache[origin.filename]?.exports;
			if (exports === type) return "";
			return typeof exports === "object" && exports !== null ? Object.keys(exports).find((key) => exports[key] === type) : void 0;
		}
		for (const name of exportedNames(record)) {
			const cell = resolveExport(record, name);
			if (cell instanceof Cell && Object.hasOwn(cell, "v") && cell.v === type) return name;
		}
	}
};
function partsOf(address) {
	const hash = address.lastIndexOf("#");
	return [address.slice(0, hash), address.slice(hash + 1)];
}
function isReady$1(record) {
	return record.status === "evaluated" && record.failure === void 0;
}
function unknown(message) {
	return new LoaderError("TT_UNKNOWN_CLASS", message);
}
// packages/loader/src/outside.ts
/** Node's own: the program's is noted. */
const { createHook } = asyncHooks;
/** Globals that call back, by themselves or through what they make. */
const CALLING_BACK = /\b(?:WebSocket|EventSource|MessageChannel|MessagePort|BroadcastChannel|AbortSignal|PerformanceObserver|addEventListener)\b|\bprocess\s*\.\s*(?:on|once|addListener)\b/;
var Outside = class {
	#program;
	#contexts;
	#reached;
	#entries;
	constructor(program, realm, contexts, own) {
		this.#program = program;
		this.#contexts = contexts;
		const stop = () => {
			program.metOutside = void 0;
			contexts.whenUsed(void 0);
			watchTimers(void 0);
		};
		const reach = () => {
			stop();
			program.hasMetOutside = true;
			this.#reached?.();
		};
		program.metOutside = ({ builtin, device, source, earlier }) => {
			if (builtin !== void 0 && builtinEntry(builtin)?.class === "device") reach();
			if (device !== void 0 && !own.some((directory) => device.startsWith(directory))) reach();
			if (source !== void 0 && CALLING_BACK.test(source)) reach();
			if (earlier === true) reach();
		};
		contexts.whenUsed(reach);
		watchTimers(() => {
			if (realm.now.context.home !== ROOT_HOME) reach();
		});
	}
	get isReached() {
		return this.#program.hasMetOutside;
	}
	/** `reached`: it can, from now on. */
	whenReached(reached) {
		this.#reached = reached;
	}
	/** Runs what it is given as somebody's code. */
	contextOf(home) {
		return this.#contexts.contextOf(home);
	}
	/** Tells whose code native code is about to call, each time it calls any from its own loop. Costs each of these calls some 0.3 µs. */
	watchEntries(watcher) {
		this.#entries?.disable();
		this.#entries = void 0;
		if (watcher === void 0) return;
		const before = () => watcher(this.#contexts.home() ?? ROOT_HOME);
		this.#entries = createHook({
			before,
			trackPromises: false
		}).enable();
	}
	/** Until it is told otherwise Node calls nobody: who watches its turns need not look. */
	rest(isToRest) {
		restTurns(isToRest);
	}
	/** What runs now is somebody's code, to its end. */
	enter(home) {
		this.#contexts.enterHome(home);
	}
};
// packages/loader/src/modules/attributes.ts
const SUPPORTED_TYPES = /* @__PURE__ */ new Set(["json"]);
function validateAttributes(url, format, attributes) {
	for (const [key, value] of Object.entries(attributes)) if (key !== "type") throw unsupported(key, value, url);
	const expected = format === "json" ? "json" : void 0;
	const { type } = attributes;
	if (type === expected) return;
	if (type === void 0) throw codedError(TypeError, "ERR_IMPORT_ATTRIBUTE_MISSING", `Module "${url}" needs an import attribute of "type: ${expected}"`);
	if (!SUPPORTED_TYPES.has(type)) throw unsupported("type", type, url);
	throw codedError(TypeError, "ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE", `Module "${url}" is not of type "${type}"`);
}
function unsupported(key, value, url) {
	return codedError(TypeError, "ERR_IMPORT_ATTRIBUTE_UNSUPPORTED", `Import attribute "${key}" with value "${value}" is not supported in ${url}`);
}
// packages/loader/src/modules/commonjs-name-error.ts
const ADVICE = {
	require: "replace require() with import",
	module: "use export instead of module.exports/exports",
	exports: "use export instead of module.exports/exports",
	__filename: "use import.meta.filename instead",
	__dirname: "use import.meta.dirname instead"
};
function explainCommonJsName(reason, url, hasTopLevelAwait) {
	if (!(reason instanceof ReferenceError)) return;
	const name = Object.keys(ADVICE).find((known) => reason.message === `${known} is not defined`);
	if (name === void 0) return;
	if (hasTopLevelAwait) {
		reason.message = `Cannot determine intended module format because both '${name}' and top-level await are present. If the code is intended to be CommonJS, wrap await in an async function. If the code is intended to be an ES module, ${ADVICE[name]}.`;
		Object.assign(reason, { code: "ERR_AMBIGUOUS_MODULE_SYNTAX" });
		return;
	}
	reason.message += " in ES module scope";
	if (name === "require") reason.message += ", you can use import instead";
	if (!url.startsWith("file:") || !/\.js(?:\?[^#]*)?(?:#.*)?$/.test(url)) return;
	const scope = packageScope(fileURLToPath(url));
	if (scope?.type !== "module") return;
	reason.message += `\nThis file is being treated as an ES module because it has a '.js' file extension and '${scope.file}' contains "type": "module". To treat it as a CommonJS script, rename it to use the '.cjs' file extension.`;
}
// packages/loader/src/modules/cycle-warning.ts
function warn(property) {
	process.emitWarning(`Accessing non-existent property '${String(property)}' of module exports inside circular dependency`);
}
const WARNING_PROTOTYPE = new Proxy({}, {
	get(target, property) {
		if (property in target || property === "__esModule") return target[property];
		warn(property);
	},
	getOwnPropertyDescriptor(target, property) {
		if (Object.hasOwn(target, property) || property === "__esModule") return Reflect.getOwnPropertyDescriptor(target, property);
		warn(property);
	}
});
function plainExports(module) {
	const { exports } = module;
	if (exports === null || exports === void 0 || types.isProxy(exports)) return void 0;
	return typeof exports === "object" || typeof exports === "function" ? exports : void 0;
}
function exportsInCycle(module) {
	const exports = plainExports(module);
	if (exports !== void 0 && Object.getPrototypeOf(exports) === Object.prototype && !exports["__esModule"]) Object.setPrototypeOf(exports, WARNING_PROTOTYPE);
	return module.exports;
}
function leaveCycle(module) {
	const exports = plainExports(module);
	if (exports !== void 0 && Object.getPrototypeOf(exports) === WARNING_PROTOTYPE) Object.setPrototypeOf(exports, Object.prototype);
}
// packages/loader/src/modules/import-meta.ts
const RESOLVED_ANYWAY = /* @__PURE__ */ new Set(["ERR_UNSUPPORTED_DIR_IMPORT", "ERR_MODULE_NOT_FOUND"]);
function fillImportMeta(meta, url, main) {
	if (url.startsWith("file:")) {
		const filename = fileURLToPath(url);
		meta["dirname"] = dirname(filename);
		meta["filename"] = filename;
	}
	meta["main"] = main;
	meta["resolve"] = function resolve(specifier) {
		try {
			return resolveImport(`${specifier}`, url).url;
		} catch (error) {
			const { code, url: found } = error;
			if (found !== void 0 && RESOLVED_ANYWAY.has(code ?? "")) return found;
			throw error;
		}
	};
	meta["url"] = url;
}
// packages/loader/src/modules/load-errors.ts
/** If the engine agrees that there is an error. */
function syntaxError(filename, source, kind, found) {
	if (kind === "module") return nativeSyntaxError(source, pathToFileURL(filename).href) ?? found;
	try {
		compileFunction(source, [
			"exports",
			"require",
			"module",
			"__filename",
			"__dirname"
		], { filename });
	} catch (error) {
		if (error instanceof Error) error.stack = `${error.stack}`.replace(/\n {4}at compileFunction \(node:vm.*\)/, "");
		return error;
	}
	return found;
}
/** A CommonJS file is not to blame for what its text does not show. `line`: that of the import. */
function explainedMissingExport(error, name, specifier, line) {
	const pattern = line === void 0 ? void 0 : /{.*}/.exec(line)?.[0].replaceAll(/\s+as\s+/g, ": ");
	error.message = `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, which may not support all module.exports as named exports.
CommonJS modules can always be imported via the default export, for example using:\n\nimport pkg from '${specifier}';\n${pattern === void 0 ? "" : `const ${pattern} = pkg;\n`}`;
	return error;
}
function lineAt(text, offset) {
	const end = text.indexOf("\n", offset);
	return text.slice(text.lastIndexOf("\n", offset - 1) + 1, end === -1 ? text.length : end);
}
function parseJson(text, filename) {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof Error) error.message = `${filename}: ${error.message}`;
		throw error;
	}
}
// packages/loader/src/modules/namespaces.ts
/** Of a module whose bindings are all there. */
function createNamespace(record, bindings, program) {
	if (record.status !== "evaluated" || record.failure !== void 0) return void 0;
	const origin = record.origin;
	if (origin?.what === "builtin" || origin?.what === "device") {
		if (origin.what === "builtin") showStandIns();
		if (record.key === "node:module" || standsOutside(record.key)) return void 0;
		if (origin.what === "device" && program.isBeyond(origin.filename ?? "")) return void 0;
		const native = isShownOtherwise(record.key) ? void 0 : nativeNamespaceOf(record.key);
		if (native !== void 0 && shows(native, bindings)) return native;
		const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
		if (native === void 0) [...bindings.values()].forEach((cell, i) => setters[i]?.(cell.v));
		else followAll(bindings, setters, program);
		return namespace;
	}
	if (![...bindings.values()].every(isReady)) return void 0;
	const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
	record.namespace = namespace;
	followAll(bindings, setters, program);
	return namespace;
}
/** Of one that is being restored; what it answers gives the object its values once there are any. */
function restoreNamespace(record, kind, program) {
	const { what } = record.origin;
	if (what === "builtin" || what === "device" || kind === "imitated") {
		if (kind === "real") namespaceOf(record);
		else imitateNamespace(record);
		return () => void 0;
	}
	const bindings = bindingsOf(record);
	const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
	record.namespace = namespace;
	return () => followAll(bindings, setters, program);
}
function shows(namespace, bindings) {
	return [...bindings].every(([name, cell]) => cell instanceof LiveCell || Reflect.get(namespace, name) === cell.v);
}
function followAll(bindings, setters, program) {
	let i = 0;
	for (const cell of bindings.values()) program.follow(cell, setters[i++]);
}
/** Whether an export has its value. Namespaces are made when they are first asked for. */
function isReady(cell) {
	return Object.hasOwn(cell, "v") || cell instanceof NamespaceCell && cell.record.status === "evaluated";
}
// packages/loader/src/modules/typeless-package.ts
const warned = /* @__PURE__ */ new Set();
function warnOfTypelessPackage(url, filename) {
	const extension = extname(filename);
	if (extension !== ".js" && extension !== ".ts") return;
	const scope = packageScope(filename);
	if (scope === void 0 || warned.has(scope.file) || installedPackage(filename) !== void 0) return;
	warned.add(scope.file);
	const text = `Module type of ${url} is not specified and it doesn't parse as CommonJS.\nReparsing as ES module because module syntax was detected. This incurs a performance overhead.
To eliminate this warning, add "type": "module" to ${scope.file}.`;
	process.emitWarning(text, { code: "MODULE_TYPELESS_PACKAGE_JSON" });
}
// packages/loader/src/modules/follow.ts
/** `cell` is initialised. */
function follow(cell, setter) {
	let value = cell.v;
	setter(value);
	const before = Object.getOwnPropertyDescriptor(cell, "v");
	if (before === void 0) return;
	Object.defineProperty(cell, "v", {
		get: before.get ?? (() => value),
		set(assigned) {
			value = assigned;
			before.set?.(assigned);
			setter(assigned);
		},
		enumerable: true,
		configurable: true
	});
}
// packages/loader/src/modules/program.ts
/** Node puts other functions into the prototype of emitters when this is loaded. */
const CHANGES_EMITTERS = "node:domain";
const NATIVE_LOADERS = { ...NodeModules._extensions };
var Program = class {
	graph;
	cache = NodeModules._cache;
	mainUrl;
	/** Told when that is known, before anything of it is loaded. */
	whenBegun = () => {};
	/** It is known, and its evaluation has not begun. */
	isAwaited = false;
	/** Of a program that has put the hooks in place itself: it began natively. */
	nativeEntry;
	#mainTaken = false;
	/** What the modules in `inside` stand in for. */
	natives = {};
	#parts;
	#nativeLoader;
	#resolved = /* @__PURE__ */ new Map();
	/** CommonJS files whose code had to be looked at before they run. */
	#loadedAlready = /* @__PURE__ */ new Map();
	/** Cells that are assigned after they are initialised. */
	#mutable = /* @__PURE__ */ new WeakSet();
	/** Builtin modules that the program has asked for. */
	builtins = /* @__PURE__ */ new Set();
	/** Is told of each, before the program can change it. */
	metBuiltin;
	/** Is told of what the program comes by that may call it back from outside. */
	metOutside;
	/** Whether it has come by any such thing, in an earlier life of its or in this one. */
	hasMetOutside = false;
	/** Is told when imports of builtins have been shown what these export now. */
	showedBuiltins;
	/** Goes around native code that is loaded: what it changes of the host's objects is not the program's. */
	loadingNative = (load) => load();
	/** Files that Node has loaded natively: there is one instance of a file, so they stay native. */
	nativeFiles = /* @__PURE__ */ new Set();
	constructor(parts) {
		this.#parts = parts;
		this.#nativeLoader = parts.outside ?? NATIVE_LOADER;
		this.graph = new ModuleGraph(parts.realm, this);
	}
	/** Whether there is a membrane. */
	get hasOutside() {
		return this.#parts.outside !== void 0;
	}
	load(referrer, request) {
		const importer = referrer.origin?.filename;
		const { specifier } = request;
		const url = this.#found(`import ${specifier}`, () => resolveImportOrRecorded(specifier, referrer.key, this.#parts.code.recorded));
		return this.recordOf(url, request.attributes, importer);
	}
	#found(name, find) {
		const { found } = this.#parts;
		return found === void 0 ? find() : found(name, find);
	}
	fillMeta(record, meta) {
		fillImportMeta(meta, record.key, record.key === this.mainUrl);
	}
	/** The name a record's code runs under, see `CodeLoader`. */
	runName(record) {
		const origin = record.origin;
		return origin?.what === "commonjs" && origin.filename !== void 0 ? origin.filename : record.key;
	}
	placeOf(record) {
		return record.origin?.filename ?? record.key;
	}
	commonjsFileOf(record) {
		const origin = record.origin;
		return origin?.what === "facade" ? origin.filename : void 0;
	}
	createNamespace(record, bindings) {
		return createNamespace(record, bindings, this);
	}
	/**
	* The namespace object of a module that is being restored, and what gives it its values once there are any: whoever has the object
	* keeps it.
	*/
	restoreNamespace(record, kind) {
		return restoreNamespace(record, kind, this);
	}
	/** Hands the value of an initialised cell to native code, and what becomes of it. */
	follow(cell, setter) {
		if (this.#mutable.has(cell)) follow(cell, setter);
		else setter(cell.v);
	}
	explainMissingExport(record, request, name, error) {
		if (record.loaded[record.table.requests.indexOf(request)]?.cells.has("module.exports") !== true) return error;
		const { filename } = record.origin;
		const line = filename === void 0 ? void 0 : lineAt(this.#parts.code.read(filename), request.start);
		return explainedMissingExport(error, name, request.specifier, line);
	}
	/** As Node does for names that CommonJS code expects. */
	explainFailure(record, reason) {
		explainCommonJsName(reason, record.key, record.table.async);
	}
	/** The record of a resolved URL. */
	recordOf(url, attributes = NO_ATTRIBUTES, importer) {
		const key = attributes["type"] === void 0 ? url : `${url}\n${attributes["type"]}`;
		const known = this.graph.records.get(key);
		if (known !== void 0) {
			validateAttributes(url, formatName(known), attributes);
			return known;
		}
		const record = this.#createRecord(url, attributes, importer);
		this.graph.records.set(key, record);
		return record;
	}
	#createRecord(url, attributes, importer) {
		const scheme = url.slice(0, url.indexOf(":"));
		if (scheme === "node") {
			validateAttributes(url, "builtin", attributes);
			return this.withOrigin(builtinRecord(this.graph, url, this.builtin(url)), {
				filename: void 0,
				what: "builtin"
			});
		}
		if (scheme === "data") return this.#dataRecord(url, attributes);
		if (scheme !== "file") throw codedError(Error, "ERR_UNSUPPORTED_ESM_URL_SCHEME", `Only URLs with a scheme in: file and data are supported by the default ESM loader. Received protocol '${scheme}:'`);
		const filename = fileURLToPath(url);
		if (this.#comesNatively(filename, importer)) return this.#deviceRecord(url, filename, attributes);
		return this.#fileRecord(url, filename, attributes);
	}
	/** Whether a file is a device's, or has been loaded by one already. */
	isNative(filename, importer) {
		return this.nativeFiles.has(filename) || this.#parts.sides.of(filename, importer).side !== "program";
	}
	/** The program asks for it. */
	#comesNatively(filename, importer) {
		const { sides, staysNative } = this.#parts;
		if (staysNative === void 0) return this.isNative(filename, importer);
		if (sides.of(filename, importer).side !== "program") return true;
		if (!staysNative(filename, this.nativeFiles.has(filename))) return false;
		this.nativeFiles.add(filename);
		return true;
	}
	#fileRecord(url, filename, attributes) {
		const format = formatOf(filename);
		if (format !== void 0) validateAttributes(url, format.format, attributes);
		switch (format?.format) {
			case "json": return this.withOrigin(this.graph.json(url, this.#json(url, filename)), {
				filename,
				what: "json"
			});
			case "addon":
			case "wasm":
			case "other": throw codedError(TypeError, "ERR_UNKNOWN_FILE_EXTENSION", `Unknown file extension "${extname(filename)}" for ${filename}`);
			default: {
				const source = this.#parts.code.read(new URL(url));
				if (format?.format === "commonjs") return this.#facadeRecord(url, filename, source, format.typescript);
				const code = this.#code(url, filename, source, format);
				validateAttributes(url, code.kind, attributes);
				if (code.kind === "commonjs") {
					this.#loadedAlready.set(filename, code);
					return this.#facadeRecord(url, filename, source, isTypeScript(filename));
				}
				return this.moduleRecord(url, code, filename);
			}
		}
	}
	#code(url, filename, source, format) {
		this.metOutside?.({ source });
		const kind = format === void 0 ? void 0 : format.format;
		const typescript = format?.typescript ?? isTypeScript(filename);
		try {
			const code = this.#parts.code.load(filename, source, kind, typescript, (actual) => actual === "module" ? url : filename);
			if (format === void 0 && code.kind === "module") warnOfTypelessPackage(url, filename);
			return code;
		} catch (error) {
			const shown = shownError(error, (path) => path === filename && kind === "module" ? url : path);
			throw typescript || error.code !== "TT_SYNTAX" ? shown : syntaxError(filename, source, kind, shown);
		}
	}
	moduleRecord(key, code, filename, isKept = false) {
		const record = this.graph.module(key, code.table, code.factory);
		for (const name of code.mutable) if (code.table.cells.includes(name)) this.#mutable.add(record.cell(name));
		return this.withOrigin(record, {
			filename,
			what: "module",
			text: code.text,
			isKept
		});
	}
	commonJsRecord(key, code, filename, isKept = false) {
		return this.withOrigin(this.graph.commonjs(key, code.table), {
			filename,
			what: "commonjs",
			text: code.text,
			isKept
		});
	}
	withOrigin(record, origin) {
		record.origin = origin;
		return record;
	}
	/** A CommonJS file as `import` sees it. */
	#facadeRecord(url, filename, source, typescript) {
		const names = this.#parts.code.commonJsNames(filename, source, typescript);
		const record = this.graph.synthetic(url, [
			...names,
			"default",
			"module.exports"
		], (facade) => {
			exportCommonJs(facade, requireFile(this, filename, void 0));
		});
		return this.withOrigin(record, {
			filename,
			what: "facade"
		});
	}
	#deviceRecord(url, filename, attributes) {
		const format = formatOf(filename)?.format;
		if (format !== void 0) validateAttributes(url, format, attributes);
		if (format === "json") return this.withOrigin(this.graph.json(url, this.#json(url, filename)), {
			filename,
			what: "json"
		});
		this.metOutside?.({ device: filename });
		const loader = this.#isOurs(filename) ? NATIVE_LOADER : this.#nativeLoader;
		if (format === "addon" || format === "wasm" || format === "other") return this.withOrigin(addonRecord(this.graph, url, filename, loader), {
			filename,
			what: "device"
		});
		const source = readSource(new URL(url));
		const record = (format ?? this.#parts.code.kindOf(source)) === "commonjs" ? commonJsDeviceRecord(this.graph, url, filename, source, loader) : moduleDeviceRecord(this.graph, url, filename, nativeExportNames(filename, resolveFile), loader);
		const { produce } = record;
		if (produce !== void 0) record.produce = (made) => this.loadingNative(() => produce(made));
		return this.withOrigin(record, {
			filename,
			what: "device"
		});
	}
	#dataRecord(url, attributes) {
		const match = /^data:([^,;]*)((?:;[^,]*)?),([\s\S]*)$/.exec(url);
		const mime = match?.[1]?.trim().toLowerCase();
		const text = match?.[2]?.endsWith(";base64") === true ? Buffer.from(decodeURIComponent(match[3] ?? ""), "base64").toString() : decodeURIComponent(match?.[3] ?? "");
		if (mime === "application/json") {
			validateAttributes(url, "json", attributes);
			return this.withOrigin(this.graph.json(url, JSON.parse(text)), {
				filename: void 0,
				what: "json"
			});
		}
		validateAttributes(url, "module", attributes);
		if (mime !== "text/javascript" && mime !== "application/javascript") throw codedError(RangeError, "ERR_UNKNOWN_MODULE_FORMAT", `Unknown module format: ${mime} for URL ${url}`);
		const code = this.#code(url, url, text, {
			format: "module",
			typescript: false
		});
		return this.moduleRecord(url, code, void 0, true);
	}
	/** Shared with `require`, as in Node. */
	#json(url, filename) {
		const shared = !url.includes("?") && !url.includes("#");
		const cached = shared ? this.cache[filename] : void 0;
		if (cached?.loaded === true) return cached.exports;
		const exports = parseJson(this.#parts.code.read(filename), filename);
		if (shared) this.cache[filename] = {
			exports,
			loaded: true
		};
		return exports;
	}
	/** The module system of a file whose package does not say. */
	kindOf(filename) {
		const code = this.#code(pathToFileURL(filename).href, filename, this.#parts.code.read(filename), void 0);
		if (code.kind === "commonjs") this.#loadedAlready.set(filename, code);
		return code.kind;
	}
	/** `require(id)` in `from`. */
	require(id, from) {
		const where = `${from.path}\0${id}`;
		const before = this.#resolved.get(where);
		if (before !== void 0 && this.cache[before] !== void 0) return requireFile(this, before, from);
		if (isBuiltin(id)) return this.builtin(id);
		if (id.startsWith("node:")) return this.builtin(id);
		const filename = this.#found(`require ${id}`, () => resolveRequireOrRecorded(id, from, this.#parts.code.recorded));
		if (isBuiltin(filename)) return this.builtin(filename);
		const cached = this.cache[filename];
		const { outside } = this.#parts;
		if (outside !== void 0 && this.#comesNatively(filename, from.filename) && !this.#isOurs(filename)) {
			this.metOutside?.({ device: filename });
			return outside.load(filename);
		}
		if (cached === void 0 && this.#staysWithNode(filename, from)) {
			this.metOutside?.({ device: filename });
			return this.loadingNative(() => NodeModules._load(filename, from, false));
		}
		this.#resolved.set(where, filename);
		return requireFile(this, filename, from);
	}
	/** A device's, and behind a membrane. */
	isBeyond(filename) {
		return this.hasOutside && this.isNative(filename) && !this.#isOurs(filename);
	}
	/** Whether it was loaded for a device, or as one. */
	isOfDevice(filename) {
		return this.nativeFiles.has(filename) && !this.#isOurs(filename);
	}
	/** CommonJS of the program's that has begun to run. */
	hasLoaded(filename) {
		return this.cache[filename] !== void 0 && !this.nativeFiles.has(filename);
	}
	#isOurs(filename) {
		return this.#parts.sides.ours.some((directory) => filename.startsWith(directory));
	}
	#staysWithNode(filename, from) {
		return this.isLoadedByTool(filename) || this.isNative(filename, from.filename);
	}
	/** Whether somebody has installed a loader for this kind of file. */
	isLoadedByTool(filename) {
		const extension = extname(filename);
		const loader = NodeModules._extensions[extension] ?? NodeModules._extensions[".js"];
		return loader !== NATIVE_LOADERS[extension] && loader !== NATIVE_LOADERS[".js"];
	}
	/** Runs a CommonJS text that a tool has made of a file. */
	compileInto(module, source, filename) {
		const url = pathToFileURL(filename).href;
		const code = this.#code(url, filename, source, {
			format: "commonjs",
			typescript: false
		});
		const record = this.commonJsRecord(url, code, filename, true);
		const own = module;
		const require = this.requireFunction(module);
		fillFrom(this, own, {
			format: "commonjs",
			record,
			factory: code.factory,
			require
		}, void 0);
	}
	/** The program asks for it. */
	builtin(id) {
		const exports = this.meetBuiltin(id);
		this.metOutside?.({ builtin: id });
		return exports;
	}
	/** It may have it. */
	meetBuiltin(id) {
		const name = id.startsWith("node:") ? id : `node:${id}`;
		const isNew = !this.builtins.has(name);
		const load = () => builtinExports(id);
		const exports = isNew && name === CHANGES_EMITTERS ? this.loadingNative(load) : load();
		if (isNew) {
			this.builtins.add(name);
			this.metBuiltin?.(name, standsOutside(id) ? nativeExports(id) : exports);
		}
		return exports;
	}
	/** Without a membrane before it. */
	nativeBuiltin(id) {
		return standsOutside(id) ? nativeExports(id) : this.meetBuiltin(id);
	}
	createModule(filename, parent) {
		const module = new NodeModules(filename, parent);
		module.filename = filename;
		module.paths = NodeModules._nodeModulePaths(dirname(filename));
		return module;
	}
	loadSource(filename) {
		const url = pathToFileURL(filename).href;
		const format = formatOf(filename);
		if (format?.format === "json") return {
			format: "json",
			parse: () => parseJson(this.#parts.code.read(filename), filename)
		};
		if (format?.format === "module") return {
			format: "module",
			record: this.recordOf(url)
		};
		const known = format === void 0 || format.format === "other" ? void 0 : format;
		const before = this.#loadedAlready.get(filename);
		this.#loadedAlready.delete(filename);
		const code = before ?? this.#code(url, filename, this.#parts.code.read(filename), format?.format === "other" ? {
			format: "commonjs",
			typescript: false
		} : known);
		if (code.kind === "module") return {
			format: "module",
			record: this.recordOf(url)
		};
		const record = this.commonJsRecord(url, code, filename);
		const module = this.cache[filename];
		return {
			format: "commonjs",
			record,
			factory: code.factory,
			require: this.requireFunction(module)
		};
	}
	/** Whether `module` is the entry point about to run; gives it what Node gives a CommonJS entry point. */
	takeMain(module) {
		if (this.#mainTaken || this.mainUrl === void 0 || pathToFileURL(module.filename).href !== this.mainUrl) return false;
		this.#mainTaken = true;
		module.id = ".";
		module.parent = null;
		return true;
	}
	requireFunction(module) {
		return createRequireFunction(module, (id, from) => this.require(id, from));
	}
	directoryOf(filename) {
		return dirname(filename);
	}
	exportsInCycle(module) {
		return exportsInCycle(module);
	}
	leaveCycle(module) {
		leaveCycle(module);
	}
	requireStack(parent) {
		const stack = [];
		const seen = /* @__PURE__ */ new Set();
		for (let at = parent; at && !seen.has(at); at = at.parent) {
			seen.add(at);
			stack.push(at.filename ?? at.id);
		}
		return stack;
	}
	/** After `module.syncBuiltinESMExports`. */
	syncBuiltins() {
		for (const record of this.graph.records.values()) if (record.origin.what === "builtin") syncBuiltin(record);
		this.showedBuiltins?.();
	}
};
function formatName(record) {
	return record.origin.what === "json" ? "json" : "module";
}
function resolveFile(specifier, from) {
	try {
		const { url } = resolveImport(specifier, pathToFileURL(from).href);
		return url.startsWith("file:") ? fileURLToPath(url) : void 0;
	} catch {
		return;
	}
}
// packages/loader/src/stacks/function-places.ts
/** Answers `file:line`, counted from 1; nothing for a function that is not the program's. */
function functionPlaces(realm, code, runName) {
	const mapped = /* @__PURE__ */ new Map();
	function mappedOf(running) {
		let known = mapped.get(running);
		if (known === void 0) {
			const starts = lineStarts(running.entry.code);
			known = {
				map: new TraceMap(code.mapOf(running)),
				starts,
				places: /* @__PURE__ */ new Map()
			};
			mapped.set(running, known);
		}
		return known;
	}
	function placeIn(name, running, ordinal, { map, starts }) {
		const at = new RegExp(String.raw`/\*@[\w$]+:${ordinal}\b`).exec(running.entry.code)?.index;
		if (at === void 0) return void 0;
		const line = lineIn(starts, at);
		const found = originalPositionFor(map, {
			line: line + 1,
			column: at - starts[line]
		});
		return found.line === null ? void 0 : `${name}:${found.line}`;
	}
	return (fn) => {
		const identity = realm.identify(fn);
		if (identity === void 0 || typeof identity.module !== "object" || identity.module === null) return void 0;
		const name = runName(identity.module);
		const running = code.running.get(name);
		if (running === void 0) return void 0;
		const { ordinal } = identity;
		const known = mappedOf(running);
		if (!known.places.has(ordinal)) known.places.set(ordinal, placeIn(name, running, ordinal, known));
		return known.places.get(ordinal);
	};
}
// packages/loader/src/stacks/unsettled-await.ts
/** The first that keeps the entry point from its end. */
function unsettledIn({ mainUrl, graph }, code, mapping) {
	if (!isMainThread || mainUrl === void 0 || graph.records.get(mainUrl)?.status !== "evaluating-async") return void 0;
	for (const record of graph.records.values()) {
		const waits = awaitOf(record, code, mapping);
		if (waits !== void 0) return waits;
	}
}
/** Where a module waits itself, not for what it imports. Nothing for one that was restored: its frame is in what it waits for. */
function awaitOf(record, code, mapping) {
	if (record.status !== "evaluating-async" || !record.suspends || record.pendingAsyncDependencies > 0) return void 0;
	const frame = record.body;
	if (frame === void 0) return void 0;
	const place = mapping.awaiting({
		step: frame.step,
		pc: frame.pc,
		frame
	});
	const source = place === void 0 ? void 0 : code.running.get(place.file)?.source;
	if (place === void 0 || source === void 0) return void 0;
	return {
		name: place.file,
		source,
		line: place.line,
		column: place.column
	};
}
/** Node is about to say it of the entry point's shell. */
function placeUnsettledAwait({ mainUrl }, waits) {
	if (waits !== void 0 && mainUrl?.startsWith("file:") === true) showElsewhere(fileURLToPath(mainUrl), waits);
}
/** What it says, where it does not come to. */
function unsettledText(waits) {
	if (waits === void 0) return void 0;
	const { name, source, line, column } = waits;
	const written = source.split(/\r?\n/)[line - 1] ?? "";
	return `Warning: Detected unsettled top-level await at ${name}:${line}\n${written}\n${`${written.slice(0, column - 1).replaceAll(/[^\t]/g, " ")}^`}\n\n\n\n`;
}
// packages/loader/src/stacks/stack-mapping.ts
/** `own`: prefixes of the files whose frames a program is not to see. */
function createStackMapping(code, own, sourceText) {
	const mapped = /* @__PURE__ */ new Map();
	const places = /* @__PURE__ */ new WeakMap();
	function mappedCode(running) {
		let known = mapped.get(running);
		if (known === void 0) {
			const table = JSON.parse(running.entry.table);
			const described = running.entry.lowered === "" ? running.source : running.entry.lowered;
			known = {
				map: new TraceMap(code.mapOf(running)),
				lines: running.entry.code.split("\n"),
				starts: lineStarts(running.source),
				functions: table.functions,
				steps: new Map(table.functions.flatMap((fn) => fn.step === null ? [] : [[fn.step.name, stepOf(table, described, fn, fn.step)]]))
			};
			mapped.set(running, known);
		}
		return known;
	}
	function fileOf(step) {
		const known = places.get(step);
		if (known !== void 0) return known;
		const text = sourceText(step);
		for (const [file, running] of code.running) {
			if (!running.entry.code.includes(text)) continue;
			const found = {
				file,
				running
			};
			places.set(step, found);
			return found;
		}
	}
	return {
		place(file, line, column, functionName) {
			if (own.some((prefix) => file.startsWith(prefix))) return null;
			const running = code.running.get(file);
			if (running === void 0) return void 0;
			const { map, lines, starts, steps, functions } = mappedCode(running);
			if (/^\$+\w*(?:async|generator|asyncGenerator)\(/.test(lines[line - 1]?.slice(column - 1) ?? "")) return "wrapper";
			const found = originalPositionFor(map, {
				line,
				column: column - 1,
				bias: GREATEST_LOWER_BOUND
			});
			if (found.line === null) return null;
			const atName = (lines[line - 1] ?? "").slice(column - 2, column) === ")(" ? startOfCallee(running.source, (starts[found.line - 1] ?? 0) + found.column) : 0;
			const place = {
				file,
				line: found.line,
				column: found.column + 1 - atName
			};
			const position = (starts[found.line - 1] ?? 0) + found.column - atName;
			place.position = position;
			place.enclosing = () => enclosingFunction(running, functions, position) ?? place;
			if (functionName === null) return place;
			const step = steps.get(functionName);
			if (step !== void 0) {
				place.name = step.name;
				place.type = step.type;
				if (step.fn.generator) place.generator = step.fn.name || (step.fn.async ? "AsyncGenerator" : "Generator");
			} else if (functionName.startsWith("$") && !running.source.includes(functionName)) place.name = "";
			return place;
		},
		receiverType(frame, known) {
			const running = fileOf(frame.step)?.running;
			const step = running === void 0 ? void 0 : mappedCode(running).steps.get(frame.step.name);
			const slot = step === void 0 || step.fn.arrow ? -1 : step.table.slots.indexOf("this");
			if (slot === -1) return known;
			return typeName(slot < INLINE_SLOTS ? frame[`s${slot}`] : frame.more?.[slot - INLINE_SLOTS]);
		},
		awaiting({ step, pc, frame }) {
			const found = fileOf(step);
			if (found === void 0) return void 0;
			const { map, steps } = mappedCode(found.running);
			const entry = steps.get(step.name);
			const at = entry?.table.points[pc - 1]?.at;
			const { entry: kept, source } = found.running;
			if (at !== void 0 && kept.lowered === "") return {
				file: found.file,
				...lineAndColumn(source, at),
				position: at,
				enclosing: () => lineAndColumn(source, entry?.fn.start ?? at),
				name: entry?.name,
				type: this.receiverType(frame, entry?.type)
			};
			const suspends = new RegExp(`\\(\\$+F, ${pc}[,)]`).exec(sourceText(step));
			if (suspends === null) return void 0;
			const generated = lineAndColumn(kept.code, kept.code.indexOf(sourceText(step)) + suspends.index + suspends[0].length + 1);
			const original = originalPositionFor(map, {
				line: generated.line,
				column: generated.column - 1,
				bias: LEAST_UPPER_BOUND
			});
			if (original.line === null) return void 0;
			const before = (source.split("\n")[original.line - 1] ?? "").slice(0, original.column);
			const keyword = /\b(?:await|yield)[\s(]*$/.exec(before)?.[0].length ?? 0;
			return {
				file: found.file,
				line: original.line,
				column: original.column - keyword + 1,
				name: entry?.name ?? "",
				type: entry === void 0 ? void 0 : this.receiverType(frame, entry.type)
			};
		}
	};
}
/** Where the function around a position begins; the file's beginning if there is none. */
function enclosingFunction({ entry, source }, functions, position) {
	if (entry.lowered !== "") return void 0;
	let start = 0;
	for (const fn of functions) if (fn.start <= position && position < fn.end && fn.start > start) start = fn.start;
	return lineAndColumn(source, start);
}
/**
* How far before `position`, an opening parenthesis, the name begins that is called there. Of a call of an imported function V8 tells
* the parenthesis, since it is emitted as `(0, cell.v)(…)`; natively it tells the name.
*/
function startOfCallee(source, position) {
	const before = source.slice(Math.max(0, position - 80), position);
	return /[\p{ID_Continue}$]+(?:\?\.)?$/u.exec(before)?.[0].length ?? 0;
}
function stepOf(table, text, fn, step) {
	return {
		name: /^(?:static\s+)?(?:async\s*)?\*?\s*#/.test(text.slice(fn.start, fn.start + 40)) && !fn.name.startsWith("#") ? `#${fn.name}` : fn.name,
		type: staticType(table, text, fn),
		fn,
		table: step
	};
}
/** What a method is most likely called on: an instance of the class it stands in, or an object. */
function staticType({ functions, classes }, text, fn) {
	const inside = (outer) => outer.start < fn.start && fn.end < outer.end;
	const owner = classes.filter(inside).at(-1);
	if (owner !== void 0 && !functions.some((other) => inside(other) && other.start > owner.start)) return fn.name === "" ? void 0 : owner.name || "Object";
	const start = text.slice(fn.start, fn.start + 16);
	if (!fn.arrow && !/^(?:async\s+)?function\b/.test(start)) return "Object";
	const before = text.slice(Math.max(0, fn.start - fn.name.length - 16), fn.start);
	return fn.name !== "" && new RegExp(`(?:^|[{,\\s'"])${escaped(fn.name)}['"]?\\s*:\\s*$`).test(before) ? "Object" : void 0;
}
function escaped(name) {
	return name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
/** As `CallSite.getTypeName` of V8, without running code of the program. */
function typeName(receiver) {
	if (receiver === void 0 || receiver === null || receiver === globalThis) return void 0;
	if (types.isProxy(receiver)) return "Proxy";
	if (typeof receiver === "function") {
		const name = Object.getOwnPropertyDescriptor(receiver, "name")?.value;
		return typeof name === "string" && name !== "" ? name : "Function";
	}
	for (let at = Object(receiver); at !== null && !types.isProxy(at); at = Object.getPrototypeOf(at)) {
		const constructor = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
		if (typeof constructor !== "function" || types.isProxy(constructor)) continue;
		const name = Object.getOwnPropertyDescriptor(constructor, "name")?.value;
		if (typeof name === "string" && name !== "") return name;
	}
	return "Object";
}
const INLINE_SLOTS = 8;
function lineAndColumn(text, offset) {
	let line = 1;
	let start = 0;
	for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
		line++;
		start = at + 1;
	}
	return {
		line,
		column: offset - start + 1
	};
}
// packages/loader/src/stacks/prepare-stack-trace.ts
const ErrorObject = Error;
const { captureStackTrace } = Error;
function installStackTraces(realm, mapping) {
	const isTaped = realm.parts.host.tape !== void 0;
	const framesOf = (sites) => withoutModuleStart(isTaped ? withoutLoop(sites, mapping) : sites, mapping);
	function ErrorPrepareStackTrace(error, sites) {
		return withCode(error, realm.stackText(error, framesOf(sites), mapping, limit()));
	}
	/** What the program has put in the place of ours. */
	let own = ErrorPrepareStackTrace;
	let collecting = false;
	/** Node reads the property twice: to see whether it is a function, and to call it. */
	let known = false;
	const forOwn = (error, sites) => {
		known = false;
		const formatter = own;
		const mapped = realm.callSites(error, framesOf(sites), mapping, limit());
		return Reflect.apply(formatter, Error, [error, mapped]);
	};
	const forNode = (error, sites) => {
		known = false;
		return ErrorPrepareStackTrace(error, sites);
	};
	function read() {
		if (collecting) return collect;
		if (own === ErrorPrepareStackTrace) return own;
		if (!known && !isCalledByNode(read)) return own;
		known = true;
		return typeof own === "function" ? forOwn : forNode;
	}
	function write(value) {
		if (this !== Error) return void Object.defineProperty(this, "prepareStackTrace", {
			value,
			writable: true,
			enumerable: true,
			configurable: true
		});
		own = value;
		defineOwn();
	}
	function readInherited() {
		if (this !== Error) return void 0;
		if (collecting) return collect;
		return isCalledByNode(readInherited) ? ErrorPrepareStackTrace : void 0;
	}
	function isCalledByNode(reader) {
		const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
		collecting = true;
		try {
			ErrorObject.stackTraceLimit = 1;
			const holder = {};
			captureStackTrace(holder, reader);
			const [caller] = holder.stack;
			return caller?.getFileName() === "node:internal/errors";
		} catch {
			return true;
		} finally {
			collecting = false;
			if (before === void 0) Reflect.deleteProperty(Error, "stackTraceLimit");
			else Reflect.defineProperty(Error, "stackTraceLimit", before);
		}
	}
	function defineOwn() {
		Object.defineProperty(Error, "prepareStackTrace", {
			get: read,
			set: write,
			enumerable: false,
			configurable: true
		});
	}
	defineOwn();
	Object.defineProperty(Function.prototype, "prepareStackTrace", {
		get: readInherited,
		set: write,
		enumerable: false,
		configurable: true
	});
}
/** `util.getCallSites`, in terms of what was written. */
function mapPlainCallSites(realm, mapping) {
	const isTaped = realm.parts.host.tape !== void 0;
	const native = util.getCallSites;
	const most = 200;
	const taught = { getCallSites(...args) {
		const wanted = typeof args[0] === "number" ? native(...args).length : DEFAULT_CALL_SITES;
		if (typeof args[0] !== "number") native(...args);
		const sites = native(most);
		if (isTaped) while (isOfLoop(sites.at(-1), mapping)) sites.pop();
		return sites.flatMap((site) => {
			const { scriptName, lineNumber, columnNumber, functionName } = site;
			const place = mapping.place(scriptName, lineNumber, columnNumber, functionName);
			if (place === null || place === "wrapper") return [];
			if (place === void 0) return [site];
			const { line, column, name = functionName } = place;
			const mapped = {
				...site,
				functionName: name,
				lineNumber: line,
				columnNumber: column
			};
			if ("column" in site) mapped.column = column;
			return [mapped];
		}).slice(0, wanted);
	} };
	Object.defineProperty(taught.getCallSites, "length", {
		value: native.length,
		configurable: true
	});
	Object.assign(util, taught);
}
function isOfLoop(site, mapping) {
	if (site === void 0) return false;
	const { scriptName, lineNumber, columnNumber } = site;
	return LOOP.has(scriptName) || mapping.place(scriptName, lineNumber, columnNumber, null) === null;
}
const DEFAULT_CALL_SITES = 8;
function collect(_error, sites) {
	return sites;
}
function limit() {
	const { stackTraceLimit } = ErrorObject;
	return typeof stackTraceLimit === "number" ? stackTraceLimit : Infinity;
}
/** Node's own files through which its loop calls whatever it calls. */
const LOOP = /* @__PURE__ */ new Set([
	"node:internal/timers",
	"node:internal/process/task_queues",
	"node:internal/async_hooks",
	"node:async_hooks"
]);
/**
* Without what Node's loop came by to where the program began: that depends on what else waited, and on who watches. In a run again Node has
* no part in it.
*/
function withoutLoop(sites, mapping) {
	let end = sites.length;
	for (; end > 0; end--) {
		const site = sites[end - 1];
		const file = site.getFileName();
		if (typeof file !== "string") break;
		const place = () => mapping.place(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, null);
		if (!LOOP.has(file) && place() !== null) break;
	}
	return sites.slice(0, end);
}
/** Without `Generator.next` by which core evaluates a module: no frame of the program. */
function withoutModuleStart(sites, mapping) {
	return sites.filter((site, i) => {
		const caller = sites[i + 1];
		if (site.getFunctionName() !== "next" || site.getFileName() || caller === void 0) return true;
		const file = caller.getFileName();
		return typeof file !== "string" || mapping.place(file, 1, 1, null) !== null;
	});
}
/** Node's own errors show their code in the first line; whoever replaces the formatter has to see to it. */
function withCode(error, text) {
	if (NODE_ERROR === void 0 || typeof text !== "string" || !(NODE_ERROR in error)) return text;
	const { code, name, message } = error;
	const plain = Error.prototype.toString.call(error);
	return text.startsWith(plain) ? `${name} [${code}]: ${message}${text.slice(plain.length)}` : text;
}
/** The mark of Node's own errors, found on one of them. */
const NODE_ERROR = findNodeErrorMark();
function findNodeErrorMark() {
	let error;
	try {
		isAbsolute(void 0);
	} catch (thrown) {
		error = thrown;
	}
	for (let at = error; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at)) {
		const mark = Object.getOwnPropertySymbols(at).find((symbol) => symbol.description === "kIsNodeError");
		if (mark !== void 0) return mark;
	}
}
// packages/loader/src/timers/promises.ts
const FILE = "timers-promises";
const NAMES = [
	"setTimeout",
	"setImmediate",
	"setInterval"
];
/** Gives the modules of ours what they need of timers. */
function showTimersPromises(program, natives) {
	let shown;
	const view = () => shown ??= viewOf(program, natives);
	const { setTimeout, setInterval, setImmediate, clearImmediate } = ambientTimers;
	natives["timers"] = {
		setTimeout,
		setInterval,
		setImmediate,
		clearTimeout,
		clearImmediate
	};
	natives["refusalOf"] = refusalOf;
	showPromisesAs(view);
	showBuiltinAs("timers/promises", view);
}
/** What Node's function says against its arguments. Nothing waits for the promise, and nothing is to be done about it. */
function refusalOf(name, ...args) {
	const promise = Reflect.apply(timersModule.promises[name], void 0, args);
	promise.catch(() => {});
	return lookSafelyInto(promise, 1).values[0];
}
function viewOf(program, natives) {
	const native = timersModule.promises;
	const url = insideUrl(FILE);
	let record;
	const inside = {};
	function load() {
		for (const name of NAMES) inside[name] = insideFunction(program, natives, FILE, name);
		record = program.graph.records.get(url);
	}
	function call(name, args) {
		if (record === void 0 || program.graph.records.get(url) !== record) load();
		return Reflect.apply(inside[name], void 0, args);
	}
	function setTimeout(_after, _value) {
		return call("setTimeout", arguments);
	}
	function setImmediate(_value) {
		return call("setImmediate", arguments);
	}
	function setInterval(_after, _value) {
		return call("setInterval", arguments);
	}
	Object.setPrototypeOf(setInterval, Reflect.getPrototypeOf(native["setInterval"]));
	const functions = {
		setTimeout,
		setImmediate,
		setInterval
	};
	for (const name of NAMES) {
		standIn({ ...native }, name, functions[name]);
		exchange.put(native[name], functions[name]);
	}
	exchange.put(native["scheduler"], schedulerOf(native["scheduler"], setTimeout, setImmediate));
	const view = exchange.view(native);
	exchange.put(native, view);
	return view;
}
function schedulerOf(native, setTimeout, setImmediate) {
	const nativePrototype = Reflect.getPrototypeOf(native);
	const prototype = Object.create(Reflect.getPrototypeOf(nativePrototype), Object.getOwnPropertyDescriptors(nativePrototype));
	const methods = {
		wait(delay, options) {
			if (this !== scheduler) return Reflect.apply(nativePrototype.wait, this, [delay, options]);
			return Reflect.apply(setTimeout, void 0, [
				delay,
				void 0,
				options
			]);
		},
		yield() {
			if (this !== scheduler) return Reflect.apply(nativePrototype.yield, this, []);
			return Reflect.apply(setImmediate, void 0, []);
		}
	};
	standIn(prototype, "wait", methods.wait);
	standIn(prototype, "yield", methods.yield);
	const scheduler = Object.create(prototype, Object.getOwnPropertyDescriptors(native));
	return scheduler;
}
// packages/loader/src/install.ts
/** The same when the program runs already: what it has loaded is native, what it imports from now on is not. */
function installLate(transformer, realm, options) {
	const loader = install(transformer, realm, options);
	const entry = entryFile();
	if (entry === void 0) return loader;
	const { program } = loader;
	program.nativeEntry = pathToFileURL(entry).href;
	for (const file of filesLoadedWith(entry)) program.nativeFiles.add(file);
	return loader;
}
/** How long the end of a process is held up to keep V8's compiled code. */
const COMPILED_BUDGET_MS = 150;
function install(transformer, realm, options = loaderOptions()) {
	const directory = options.cache;
	const code = new CodeLoader(transformer, directory === false ? void 0 : new CodeCache(directory));
	forgetOwnTools();
	const sides = new Sides(options, ownDirectories(), {
		cache: code.cache,
		isRecorded: realm.inputs !== void 0
	});
	code.texts = realm.inputs?.texts;
	const program = new Program({
		realm: realm.modules,
		code,
		sides,
		outside: realm.inputs?.around.loader,
		found: realm.inputs?.found,
		staysNative: realm.inputs?.staysNative
	});
	const own = ownDirectories().flatMap((path) => [path, pathToFileURL(path).href]);
	const { natives, isOfProgram } = placeInsideFunctions({
		program,
		code,
		own
	});
	realm.inputs?.placeAround({
		isOfProgram,
		whoseFile: (file) => own.some((prefix) => file.startsWith(prefix)) ? "ours" : program.nativeFiles.has(file) ? "device" : void 0,
		exportsLent: (url, how) => exportsLent(program, url, how)
	});
	showTimersPromises(program, natives);
	program.natives = natives;
	placeOnceListeners(realm.realm);
	watchAbortListeners(AbortSignal.prototype);
	teachModule(program);
	realm.useGraph(program.graph);
	realm.showSources((record) => code.sourceOf(program.runName(record)));
	const mapping = followSourceMaps(createStackMapping(code, own, realm.nativeText), code);
	installStackTraces(realm.realm, mapping);
	mapPlainCallSites(realm.realm, mapping);
	const shells = new Shells(program, installFatalExceptions(code, mapping));
	if (realm.inputs !== void 0) realm.inputs.failures.isOfModule = (reason) => shells.begun === 0 || [...program.graph.records.values()].some(({ failure }) => failure?.reason === reason);
	const across = realm.inputs?.around.lend;
	const lending = across === void 0 ? void 0 : new Lending(program, across);
	if (lending !== void 0) shells.lend = (url, how) => lending.lend(url, how);
	const uninstall = installHooks({
		program,
		shells,
		code,
		lending,
		reach: new Reach(sides, () => program.mainUrl ?? program.nativeEntry)
	});
	process.once("exit", () => {
		if (options.explain) process.stderr.write(`${explanationText(explain(program, sides))}\n\n${countsText(code)}\n`);
		code.keepRest(COMPILED_BUDGET_MS);
	});
	lifetime.whenTold = () => placeUnsettledAwait(program, unsettledIn(program, code, mapping));
	lifetime.unsettled = () => unsettledText(unsettledIn(program, code, mapping));
	const devices = new Devices(realm.realm, realm.inputs?.around.membrane);
	let state;
	installed = {
		program,
		options,
		counts: code.counts,
		realm: realm.realm,
		classes: new ExportedClasses(realm.realm, program),
		devices,
		sources: realm.inputs?.around.membrane,
		outside: new Outside(program, realm.realm, realm.contexts, own),
		awaitedBy: (eventual) => realm.realm.awaitingSites(eventual, mapping).map(String),
		placeOf: functionPlaces(realm.realm, code, (record) => program.runName(record)),
		explain: () => explain(program, sides),
		packages: () => packagesIn(sides),
		useTexts: (texts) => void (code.recorded = recordedTexts(texts)),
		onText: (listener) => void (code.met = (filename, text) => listener(pathToFileURL(filename).href, text, code.settingsOf(filename))),
		onBegin: (listener) => void (program.whenBegun = listener),
		holdUpEnd: (isHeldUp) => void (lifetime.isHeldUp = isHeldUp),
		unreplayable: () => [
			...sides.isRecorded ? [] : devicesIn(explain(program, sides)),
			...realm.inputs?.unreplayable() ?? [],
			...shells.begun > 1 ? ["modules that Node loads beside the entry point (--import, --require)"] : []
		],
		state: () => state ??= loadState({
			realm: realm.realm,
			loaderRealm: realm,
			program,
			code,
			devices
		}),
		uninstall
	};
	return installed;
}
let installed;
function isInstalled() {
	return installed !== void 0;
}
/** The loader of this thread. */
function installedLoader() {
	if (installed === void 0) throw new LoaderError("TT_NOT_INSTALLED", "no loader is in place; start the program with --import turntable/register, or call start() before the first spawn()");
	return installed;
}
function packagesIn({ verdicts }) {
	const found = /* @__PURE__ */ new Map();
	for (const file of verdicts.keys()) {
		const directory = installedPackage(file)?.directory;
		if (directory === void 0 || found.has(directory)) continue;
		const version = packageScope(join(directory, "package.json"))?.version;
		if (version !== void 0) found.set(directory, version);
	}
	return found;
}
/** Builtins and packages of the program's that do I/O or load foreign code. */
function devicesIn({ builtins, packages }) {
	return [...builtins.flatMap((each) => each.class === "device" || each.class === "unknown" ? [`node:${each.name}`] : []), ...packages.flatMap((each) => each.side === "device" ? [each.name] : [])];
}
/** Nothing of it is needed by a program that is not captured. */
async function loadState(parts) {
	const { ProgramState } = await import("./program-state-CKcDTlm7.js");
	return new ProgramState(parts);
}
function countsText({ counts, lines }) {
	const { files, transformed, cached, prebuilt, milliseconds } = counts;
	return `turntable: ${files} files, ${lines} lines; ${transformed} transformed, ${cached} from the cache, ${prebuilt} prebuilt, in ${milliseconds.toFixed(1)} ms`;
}
/** What the loader itself has required is not the program's: it must not show in `require.cache`. */
function forgetOwnTools() {
	for (const filename of Object.keys(NodeModules._cache)) if (/^@?oxc-|^cjs-module-lexer$|^@jridgewell\//.test(installedPackage(filename)?.name ?? "")) Reflect.deleteProperty(NodeModules._cache, filename);
}
// packages/loader/src/state/prepare-states.ts
/**
* Finds what a program consists of that is to go on from states, one of each thread. Loads nothing of it; whatever is not as it was is told in one
* error.
*/
async function prepareStates(states, where) {
	const { findProgram } = await import("./whereabouts-BmgLIWT2.js");
	return findProgram(states, where);
}
// packages/loader/src/inputs/taped.ts
/** For `createLoaderRealm`. `goesOn`: a run again that begins with a snapshot; the tape has not how the program began. */
async function taped(tape, { goesOn = false, stateComes = false } = {}) {
	const { tapedBy } = await import("./inputs-B1eMg00P.js");
	return tapedBy(tape, goesOn, stateComes);
}
// packages/loader/src/realm/async-context.ts
const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
const prototype = AsyncLocalStorage.prototype;
const { getStore, run } = prototype;
const nameOf = getOwnPropertyDescriptor(prototype, "name")?.get;
const { runInAsyncScope } = AsyncResource.prototype;
/** As `AsyncLocalStorage.snapshot`, which is the program's. */
function snapshot(entering = () => {}) {
	const runner = (fn, target, kind, value) => apply(runInAsyncScope, resource, [
		fn,
		void 0,
		target,
		kind,
		value
	]);
	entering(runner);
	const resource = new AsyncResource("snapshot");
	return runner;
}
/** Which snapshot the context has that code runs in. */
const marker = new AsyncLocalStorage();
/** Whose code runs in the context. */
const homes = new AsyncLocalStorage();
const enterWith = prototype["enterWith"];
function currentHome() {
	return apply(getStore, homes, []);
}
function mark(runner) {
	apply(enterWith, marker, [runner]);
}
function marked() {
	return apply(getStore, marker, []);
}
/** Private fields on functions that Node made: no property shows, and no table holds them. */
const Stamp = function(object) {
	return object;
};
/** A snapshot, with the values it was taken with: whoever waits where they are the same shares it. */
var OwnContext = class extends Stamp {
	#storages;
	#values;
	#home;
	constructor(runner, storages, values) {
		super(runner);
		this.#storages = storages;
		this.#values = values;
		this.#home = currentHome();
	}
	static homeOf(runner) {
		return #home in runner ? runner.#home : void 0;
	}
	static is(value) {
		return #values in value;
	}
	/** Whether a snapshot taken now would be the same. */
	static isCurrent(runner, storages) {
		if (!(#values in runner)) return false;
		const values = runner.#values;
		if (runner.#storages !== storages || values.length !== storages.length) return false;
		if (runner.#home !== currentHome()) return false;
		for (let i = 0; i < values.length; i++) if (storeOf(storages[i]) !== values[i]) return false;
		return true;
	}
};
/** The engine's own: a program's references are watched. */
const { deref } = WeakRef.prototype;
function storeOf(ref) {
	const storage = apply(deref, ref, []);
	return storage === void 0 ? void 0 : apply(getStore, storage, []);
}
/** With more storages than this, comparing would cost more than a snapshot. */
const MOST_COMPARED = 16;
/** `instanceof`, which asks no proxy. */
function isBelow(value) {
	for (let at = value; at !== null && !types.isProxy(at); at = Reflect.getPrototypeOf(at)) if (at === prototype) return true;
	return false;
}
function createAsyncContexts() {
	let used;
	const known = /* @__PURE__ */ new WeakSet();
	let storages = [];
	let begin = () => {};
	/** The context before the program: nothing is stored in it. */
	const empty = snapshot();
	/** The context of the job that is running, or of the last wait. */
	let last = empty;
	function take() {
		const runner = marked();
		if (runner !== void 0) return last = runner;
		if (storages.length <= MOST_COMPARED && OwnContext.isCurrent(last, storages)) return last;
		return last = newContext();
	}
	/** Answers whether this is it already. */
	function goInto(context) {
		last = context;
		return marked() === context;
	}
	function newContext() {
		const runner = snapshot(mark);
		new OwnContext(runner, storages, storages.length <= MOST_COMPARED ? storages.map(storeOf) : []);
		return runner;
	}
	function remember(storage) {
		known.add(storage);
		if (storages.length >= 64 && (storages.length & storages.length - 1) === 0) storages = storages.filter((ref) => ref.deref() !== void 0);
		storages.push(new WeakRef(storage));
	}
	const storeIn = (context, storage) => {
		let store;
		context(() => store = apply(getStore, storage, []), void 0, 0, void 0);
		return store;
	};
	/** Of the main program's code, which is known to every capture as it was born. */
	let rootContext;
	/** A table of them, weakly held, would be what the collector is busy with where there are many actors. */
	function emptyOf(home) {
		if (home === ROOT_HOME) return rootContext ??= emptyContext(home);
		return home.ownContext ??= emptyContext(home);
	}
	function emptyContext(home) {
		let context;
		const enter = () => {
			apply(enterWith, homes, [home]);
			context = newContext();
		};
		empty(enter, void 0, 0, void 0);
		return context;
	}
	function follow(realm) {
		const descriptor = getOwnPropertyDescriptor(prototype, "enterWith");
		const enter = descriptor.value;
		const remembering = { enterWith(store) {
			const entered = apply(enter, this, [store]);
			if (marked() !== void 0) mark(void 0);
			if (!known.has(this)) remember(this);
			return entered;
		} }.enterWith;
		defineProperty(prototype, "enterWith", {
			...descriptor,
			value: remembering
		});
		const originals = /* @__PURE__ */ new Map();
		begin = () => {
			for (const [name, { descriptor, watched }] of originals) if (prototype[name] === watched) defineProperty(prototype, name, descriptor);
			originals.clear();
			realm.trackContexts(take, goInto, empty, (runner) => OwnContext.homeOf(runner), emptyOf);
		};
		for (const name of Object.getOwnPropertyNames(prototype)) {
			const descriptor = getOwnPropertyDescriptor(prototype, name);
			const original = descriptor.value;
			if (typeof original !== "function" || name === "constructor" || name === "getStore") continue;
			const watched = { [name](...args) {
				used?.();
				begin();
				return apply(original, this, args);
			} }[name];
			originals.set(name, {
				descriptor,
				watched
			});
			defineProperty(prototype, name, {
				...descriptor,
				value: watched
			});
		}
	}
	return {
		follow,
		whenUsed(callback) {
			used = callback;
		},
		contextOf(home) {
			begin();
			return emptyOf(home);
		},
		enterHome(home) {
			apply(enterWith, homes, [home]);
			mark(void 0);
		},
		homeOf: (context) => OwnContext.homeOf(context),
		home: currentHome,
		storagePrototype: prototype,
		isContext: (value) => OwnContext.is(value),
		isStorage(value) {
			if (!isBelow(value)) return false;
			try {
				apply(nameOf, value, []);
				return true;
			} catch {
				return false;
			}
		},
		readStorage: (storage) => ({
			name: apply(nameOf, storage, []),
			defaultValue: storeIn(empty, storage)
		}),
		makeStorage({ name, defaultValue }, below) {
			const newTarget = Object.assign(function() {}, { prototype: below ?? prototype });
			const options = {
				...name === "" ? {} : { name },
				...defaultValue === void 0 ? {} : { defaultValue }
			};
			return construct(AsyncLocalStorage, [options], newTarget);
		},
		readContext(context) {
			const entries = [];
			for (const ref of storages) {
				const storage = ref.deref();
				if (storage === void 0) continue;
				const store = storeIn(context, storage);
				if (!Object.is(store, storeIn(empty, storage))) entries.push([storage, store]);
			}
			return entries;
		},
		makeContext(entries) {
			begin();
			let made;
			const enterFrom = (at) => {
				const entry = entries[at];
				if (entry === void 0) made = newContext();
				else apply(run, entry[0], [entry[1], () => enterFrom(at + 1)]);
			};
			empty(() => enterFrom(0), void 0, 0, void 0);
			return made;
		}
	};
}
// packages/loader/src/realm/builtin-views.ts
/** Native code asks these too, and rightly gets the same answer. */
function extendTypePredicates(kinds) {
	const predicates = types;
	const extend = (name, also) => {
		const native = predicates[name];
		predicates[name] = { [name]: (value) => native(value) || also(value) }[name];
	};
	extend("isPromise", (value) => kinds.eventualState(value) !== void 0);
	extend("isAsyncFunction", kinds.isAsyncFunction);
	extend("isGeneratorFunction", kinds.isGeneratorFunction);
	extend("isGeneratorObject", kinds.isGeneratorObject);
}
const CUSTOM = Symbol.for("nodejs.util.inspect.custom");
/** `Promise { 42 }`, as for a native promise. */
function showEventuals(prototype, kinds) {
	Object.defineProperty(prototype, CUSTOM, {
		value(depth, options, inspect) {
			const found = kinds.eventualState(this);
			if (types.isProxy(this)) return "Promise {}";
			const name = this.constructor?.name ?? "Promise";
			const prefix = name === "Promise" ? "Promise" : `${name} [Promise]`;
			if (found === void 0) return `${prefix} {}`;
			if (depth < 0) return options.stylize(`[${prefix}]`, "special");
			if (found.state === "pending") return `${prefix} { ${options.stylize("<pending>", "special")} }`;
			const inner = inspect(found.value, {
				...options,
				depth: options.depth === null || options.depth === void 0 ? null : options.depth - 1
			});
			const mark = found.state === "rejected" ? `${options.stylize("<rejected>", "special")} ` : "";
			return inner.includes("\n") ? `${prefix} {\n  ${mark}${inner.replaceAll("\n", "\n  ")}\n}` : `${prefix} { ${mark}${inner} }`;
		},
		writable: true,
		enumerable: false,
		configurable: true
	});
}
/** What `inspect` writes of a function whose kind it does not see, perhaps in colour. */
const SHOWN_FUNCTION = /^((?:\u001b\[\d+m)?)\[Function(.*?)\] (?:Async|Generator|AsyncGenerator)+Function(?: \[\w+\])?/;
/** `[AsyncFunction: f]`: the engine sees an ordinary function where the program has an asynchronous one. */
function showFunctionsAs(kind, prototype) {
	Object.defineProperty(prototype, CUSTOM, {
		value(_depth, options, inspect) {
			if (typeof this !== "function") return this;
			return inspect(this, {
				...options,
				customInspect: false
			}).replace(SHOWN_FUNCTION, `$1[${kind}$2]`);
		},
		writable: true,
		enumerable: false,
		configurable: true
	});
}
const compiledText = Function.prototype.toString;
/** `DataCloneError: () => {} could not be cloned.`: the engine prints the text that it compiled. */
function showWrittenTextInCloneErrors() {
	const reword = (holder, name) => {
		const native = Reflect.get(holder, name);
		const wrapper = { [name](...args) {
			try {
				return Reflect.apply(native, this, args);
			} catch (error) {
				const refused = error instanceof DOMException ? /^([^]*\/\*@[^]*) could not be cloned\.$/.exec(error.message) : null;
				const found = refused === null ? void 0 : functionWithin(args[0], refused[1]);
				if (found === void 0) throw thrownAgain(error, "node-do-not-add-exception-line");
				const reworded = new DOMException(`${found.toString()} could not be cloned.`, "DataCloneError");
				throw thrownAgain(reworded, "node-do-not-add-exception-line");
			}
		} }[name];
		Object.defineProperty(wrapper, "length", {
			value: native.length,
			configurable: true
		});
		Object.defineProperty(holder, name, { value: wrapper });
	};
	reword(globalThis, "structuredClone");
	reword(MessagePort.prototype, "postMessage");
}
/** The function of that compiled text which `value` holds. */
function functionWithin(value, text) {
	const found = /* @__PURE__ */ new Set([value]);
	for (const each of found) {
		if (typeof each === "function" && Reflect.apply(compiledText, each, []) === text) return each;
		if (typeof each !== "object" || each === null || types.isProxy(each)) continue;
		for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(each))) found.add(inner);
		if (types.isMap(each)) for (const entry of each) found.add(entry[0]).add(entry[1]);
		if (types.isSet(each)) for (const entry of each) found.add(entry);
	}
}
// packages/loader/src/realm/function-text.ts
function showSourceTexts(realm, sourceOf) {
	const native = Function.prototype.toString;
	const builtins = builtinFunctions(realm);
	const { toString } = { toString() {
		const text = Reflect.apply(native, functionBehind(this) ?? this, []);
		if (builtins.has(this)) return nativeText(this);
		const isClass = text.startsWith("class");
		if (!isClass && !text.includes("/*@")) return text;
		const identity = isClass ? realm.classOf(this) : realm.identify(this);
		if (identity === void 0) return text;
		if (typeof identity.module !== "object") return nativeText(this);
		const found = sourceOf(identity.module);
		const span = found?.table[isClass ? "classes" : "functions"][identity.ordinal];
		return span === void 0 || found === void 0 ? text : found.source.slice(span.start, span.end);
	} };
	builtins.add(toString);
	realm.parts.brands.sourceText = (fn) => Reflect.apply(toString, fn, []);
	Object.defineProperty(Function.prototype, "toString", {
		value: toString,
		writable: true,
		enumerable: false,
		configurable: true
	});
}
function nativeText(fn) {
	const name = Object.getOwnPropertyDescriptor(fn, "name")?.value;
	return `function ${typeof name === "string" ? name : ""}() { [native code] }`;
}
/** What replaces builtins in the program, with all methods: they are native code to it. */
function builtinFunctions(realm) {
	const found = /* @__PURE__ */ new WeakSet();
	const visit = (value) => {
		if (typeof value !== "function" || found.has(value)) return;
		found.add(value);
		visitMembers(value);
		const { prototype } = value;
		if (typeof prototype === "object" && prototype !== null) visitMembers(prototype);
	};
	const visitMembers = (object) => {
		for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(object))) {
			visit(descriptor.value);
			visit(descriptor.get);
			visit(descriptor.set);
		}
	};
	const { kinds, ambient, Promise, generatorPrototype, asyncGeneratorPrototype } = realm;
	for (const value of [
		Promise,
		kinds.Function,
		kinds.AsyncFunction,
		kinds.GeneratorFunction,
		kinds.AsyncGeneratorFunction
	]) visit(value);
	for (const name of [
		"WeakRef",
		"FinalizationRegistry",
		"queueMicrotask",
		"eval"
	]) visit(ambient[name]);
	visit(Function.prototype.bind);
	visit(Proxy.revocable);
	for (const fn of realm.parts.iteratorFunctions) visit(fn);
	for (const fn of realm.parts.disposables.functions) visit(fn);
	visit(globalThis.process?.nextTick);
	for (const prototype of Object.values(realm.parts.keptPrototypes)) visitMembers(prototype);
	for (const prototype of [generatorPrototype(), asyncGeneratorPrototype()]) {
		const shared = Object.getPrototypeOf(prototype);
		if (shared !== null) visitMembers(shared);
	}
	return found;
}
// packages/loader/src/realm/global-view.ts
/** `isTaped`: some of Node's objects are behind a membrane. */
function createGlobalView(ambient, lazy, isTaped = false) {
	const target = globalThis;
	const replaced = (key) => typeof key === "string" && Object.hasOwn(ambient, key);
	/** The table leads to the thread's own global object, with something else in the place of Node's. */
	const isShared = (key) => Reflect.getOwnPropertyDescriptor(ambient, key)?.set !== void 0;
	/** Of names that are accessors natively. */
	const accessors = /* @__PURE__ */ new Map();
	const accessorOf = (key) => {
		const known = accessors.get(key);
		if (known !== void 0) return known;
		const { get, set } = {
			get: () => ambient[key],
			set: (value) => void (ambient[key] = value)
		};
		accessors.set(key, {
			get,
			set
		});
		return {
			get,
			set
		};
	};
	const view = new Proxy(target, {
		get(_, key) {
			if (replaced(key)) return ambient[key];
			const value = target[key];
			return value === target ? view : value;
		},
		set(_, key, value) {
			if (replaced(key)) return Reflect.set(ambient, key, value);
			lazy.noteWritten(key);
			return Reflect.set(target, key, value);
		},
		has(_, key) {
			return replaced(key) && !isWebName(key) || key in target && key !== SHELLS;
		},
		deleteProperty(_, key) {
			if (replaced(key)) Reflect.deleteProperty(ambient, key);
			return Reflect.deleteProperty(target, key);
		},
		defineProperty(_, key, descriptor) {
			if (!replaced(key)) {
				lazy.noteWritten(key);
				return Reflect.defineProperty(target, key, descriptor);
			}
			if (isWebName(key)) {
				lazy.noteWritten(key);
				if (!("value" in descriptor) || !isTaped) return Reflect.defineProperty(target, key, descriptor);
				return Reflect.set(ambient, key, descriptor.value) && describeAs(target, key, descriptor);
			}
			if (isShared(key)) {
				const shared = "value" in descriptor ? {
					...descriptor,
					value: exchange.toNative(descriptor.value)
				} : descriptor;
				return Reflect.defineProperty(target, key, shared);
			}
			return Reflect.defineProperty(ambient, key, {
				...descriptor,
				configurable: true
			});
		},
		getOwnPropertyDescriptor(_, key) {
			const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
			if (key === SHELLS) return void 0;
			if (descriptor === void 0 && isWebName(key)) return void 0;
			if (replaced(key)) {
				const own = Reflect.getOwnPropertyDescriptor(ambient, key);
				if (own === void 0) return descriptor;
				if (own.get !== void 0 && descriptor !== void 0) return "value" in descriptor ? {
					...descriptor,
					value: ambient[key]
				} : descriptor;
				return descriptor?.get !== void 0 && "value" in own ? {
					...descriptor,
					...accessorOf(key)
				} : {
					...own,
					enumerable: descriptor?.enumerable ?? true,
					configurable: true
				};
			}
			if (descriptor !== void 0 && descriptor.value === target) return {
				...descriptor,
				value: view
			};
			return descriptor;
		},
		ownKeys() {
			return Reflect.ownKeys(target).filter((key) => key !== SHELLS);
		}
	});
	return view;
}
/** What somebody has put there is there; how it is to be is said of it as well. */
function describeAs(target, key, { enumerable, configurable, writable }) {
	const isValue = Reflect.getOwnPropertyDescriptor(target, key)?.get === void 0;
	return Reflect.defineProperty(target, key, {
		...enumerable === void 0 ? {} : { enumerable },
		...configurable === void 0 ? {} : { configurable },
		...writable === void 0 || !isValue ? {} : { writable }
	});
}
// packages/loader/src/timers/order.ts
function firingOrder(lists, now) {
	const due = [];
	const later = [];
	const heap = [];
	for (const list of lists) if (list.timeouts.length > 0) push(heap, {
		list,
		expiry: list.expiry,
		id: list.id,
		next: 0
	});
	let renewed = Number.MAX_SAFE_INTEGER / 2;
	for (let place = heap[0]; place !== void 0; place = heap[0]) {
		const time = Math.max(now, place.expiry);
		const { timeouts, msecs } = place.list;
		for (; place.next < timeouts.length; place.next++) {
			const { timeout, start } = timeouts[place.next];
			if (time - start < msecs) {
				place.expiry = Math.max(start + msecs, time + 1);
				place.id = renewed++;
				break;
			}
			(time === now ? due : later).push(timeout);
		}
		if (place.next === timeouts.length) pop(heap);
		else sink(heap);
	}
	return {
		due,
		later
	};
}
function isBefore(a, b) {
	return a.expiry === b.expiry ? a.id < b.id : a.expiry < b.expiry;
}
function push(heap, place) {
	let at = heap.length;
	for (let parent = at - 1 >> 1; at > 0 && isBefore(place, heap[parent]); parent = at - 1 >> 1) {
		heap[at] = heap[parent];
		at = parent;
	}
	heap[at] = place;
}
function pop(heap) {
	const last = heap.pop();
	if (heap.length === 0) return;
	heap[0] = last;
	sink(heap);
}
/** Puts the first place, which comes later than it did, where it belongs. */
function sink(heap) {
	const place = heap[0];
	let at = 0;
	for (;;) {
		let child = 2 * at + 1;
		if (child >= heap.length) break;
		if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
		if (!isBefore(heap[child], place)) break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = place;
}
// packages/loader/src/timers/state.ts
/**
* Taken from `_idleStart` of a timeout that stands in another list than that of its duration: Node counts in whole milliseconds, and
* sets a whole number when the timeout is refreshed or repeats.
*/
const ELSEWHERE = .5;
var TimerStates = class {
	#realm;
	/** The durations of the lists in which timeouts stand elsewhere. */
	#elsewhere = /* @__PURE__ */ new WeakMap();
	/** Of timers that are filled and not armed yet. */
	#plans = /* @__PURE__ */ new WeakMap();
	/** In a run again: nothing is armed, and no time passes. */
	#parked;
	constructor(realm, parked) {
		this.#realm = realm;
		this.#parked = parked;
	}
	isTimer(value) {
		return isTimeout(value) || isImmediate(value);
	}
	read(timer, now = turnClock()) {
		const number = OwnTimeout.numberOf(timer) ?? OwnImmediate.numberOf(timer) ?? 0;
		const common = {
			refed: isRefed(timer),
			context: contextOf(timer, this.#realm),
			number
		};
		if (isImmediate(timer)) {
			const { _onImmediate: callback, _argv: args, _destroyed: destroyed } = timer;
			const remaining = destroyed ? void 0 : 0;
			return {
				kind: "immediate",
				delay: void 0,
				repeat: null,
				id: void 0,
				...common,
				callback,
				args,
				destroyed,
				pending: !destroyed,
				remaining
			};
		}
		if (!isTimeout(timer)) throw new LoaderError("TT_STATE", "Timers: read was given something that is no timer");
		const { _onTimeout: callback, _timerArgs: args, _idleTimeout: delay, _repeat: repeat, _destroyed: destroyed } = timer;
		const pending = !destroyed && waits(timer);
		const remaining = pending ? this.#remaining(timer, now) : void 0;
		return {
			kind: "timeout",
			...common,
			callback,
			args,
			delay,
			repeat,
			destroyed,
			pending,
			remaining,
			id: numberOf$1(timer)
		};
	}
	allocate(kind) {
		return kind === "timeout" ? blankTimeout() : blankImmediate();
	}
	/** Own properties that every timer of the kind has: Node's own, and not of the program. */
	ownKeys(kind) {
		return Reflect.ownKeys(this.allocate(kind));
	}
	fill(timer, state) {
		const { callback, refed, context, destroyed, pending, remaining, id } = state;
		const args = state.args === void 0 ? void 0 : [...state.args];
		if (isImmediate(timer)) {
			timer._onImmediate = callback;
			timer._argv = args;
		} else {
			const timeout = timer;
			timeout._idleTimeout = state.delay;
			timeout._repeat = state.repeat;
			timeout._onTimeout = callback;
			timeout._timerArgs = args;
			timeout._idlePrev = null;
			timeout._idleNext = null;
			timeout._destroyed = destroyed;
			if (id !== void 0) giveNumber(timeout, id);
		}
		giveContext(timer, context);
		if (isImmediate(timer)) new OwnImmediate(timer, state.number ?? 0);
		else OwnTimeout.number(timer, state.number ?? 0);
		if (pending) this.#plans.set(timer, {
			remaining,
			refed: refed === true
		});
		else markRefed(timer, refed);
	}
	/** Makes a filled timer wait. A timeout that is due waits since `dueSince`, if that is given. Answers the lists it will stand in. */
	arm(timer, dueSince) {
		const plan = this.#plans.get(timer);
		if (plan === void 0) throw new LoaderError("TT_STATE", "Timers: arm was given a timer that was not filled as one that waits");
		this.#plans.delete(timer);
		if (this.#parked !== void 0) {
			park(timer, plan.refed, this.#parked);
			return [];
		}
		if (isImmediate(timer)) {
			queueImmediate(timer);
			if (!plan.refed) timer.unref();
			return [];
		}
		const timeout = timer;
		const { _idleTimeout: delay } = timeout;
		const msecs = Math.max(1, plan.remaining);
		timeout._idleTimeout = msecs;
		timeout.refresh();
		timeout._idleTimeout = delay;
		if (plan.refed) timeout.ref();
		timeout._idleStart = (plan.remaining <= 0 && dueSince !== void 0 ? dueSince : timeout._idleStart) - ELSEWHERE;
		this.#elsewhere.set(timeout, msecs);
		return [msecs, Math.trunc(delay)];
	}
	#remaining(timeout, now) {
		const start = Math.ceil(timeout._idleStart);
		if (this.#parked !== void 0) return Math.trunc(timeout._idleTimeout);
		const msecs = start !== timeout._idleStart ? this.#elsewhere.get(timeout) ?? 0 : Math.trunc(timeout._idleTimeout);
		return Math.min(start + msecs - now, msecs);
	}
};
function park(timer, refed, parked) {
	if (isImmediate(timer)) return parked.armImmediate(timer, OwnImmediate.numberOf(timer) ?? 0, refed);
	parked.parkTimeout(timer, OwnTimeout.numberOf(timer) ?? 0);
	if (refed) timer.ref();
}
/** Whether it stands in a list; one that was only made leads to itself. */
function waits(timeout) {
	return timeout._idleNext !== null && timeout._idleNext !== timeout;
}
// packages/loader/src/timers/timers.ts
function firing(now) {
	const { due, later } = firingOrder(timeoutLists(), mayBeInRound() ? now : -Infinity);
	return [
		...due,
		...waitingImmediates(),
		...later
	];
}
function numberOf(timer) {
	return OwnTimeout.numberOf(timer) ?? OwnImmediate.numberOf(timer) ?? 0;
}
/** The realm's host has `ambientTimers`. `parked`: where the timers of a program wait that runs again. */
function createTimers(realm, parked) {
	const states = new TimerStates(realm, parked);
	/** When the round of timeouts began in which a state is resumed. */
	let resumedAt;
	placeTimers();
	return {
		get exports() {
			return timersView();
		},
		functions,
		clock: turnClock,
		followTurns,
		pending: (now = turnClock()) => parked?.pending() ?? firing(now),
		byNumber: (timers) => timers.toSorted((a, b) => numberOf(a) - numberOf(b)),
		get lastNumber() {
			return lastNumber();
		},
		set lastNumber(number) {
			countFrom(number);
		},
		isTimer: (value) => states.isTimer(value),
		read: (timer, now) => states.read(timer, now),
		ownKeys: (kind) => states.ownKeys(kind),
		allocate(kind) {
			const timer = states.allocate(kind);
			if (kind === "timeout") new OwnTimeout(timer, 0);
			return timer;
		},
		fill: (timer, state) => states.fill(timer, state),
		arm(timer) {
			timerWaits();
			for (const msecs of states.arm(timer, resumedAt)) note(msecs);
			if (isImmediate(timer) && parked === void 0) noteImmediate(timer);
		},
		resume(continuation) {
			const timeout = native.setTimeout(() => {
				resumedAt = timeout._idleStart;
				try {
					continuation();
				} finally {
					resumedAt = void 0;
				}
			}, 1);
		}
	};
}
// packages/loader/src/realm/tracing-channels.ts
const NativePromise$1 = Promise;
function traceEventuals(isEventual, toEventual) {
	const prototype = Object.getPrototypeOf(tracingChannel("turntable"));
	const native = prototype.tracePromise;
	const follow = (value) => isEventual(value) ? new NativePromise$1((resolve, reject) => value.then(resolve, reject)) : value;
	Object.defineProperty(prototype, "tracePromise", {
		value: { tracePromise(fn, context, thisArg, ...args) {
			if (!this.hasSubscribers) return Reflect.apply(native, this, [
				fn,
				context,
				thisArg,
				...args
			]);
			const followed = function(...given) {
				return follow(Reflect.apply(fn, this, given));
			};
			return toEventual(Reflect.apply(native, this, [
				followed,
				context,
				thisArg,
				...args
			]));
		} }.tracePromise,
		writable: true,
		enumerable: false,
		configurable: true
	});
}
// packages/loader/src/realm/loader-realm.ts
const FILE_NAMES = {
	function: "anonymous",
	script: "evalmachine.<anonymous>"
};
const SCRIPT = Symbol.for("turntable.script");
const FUNCTION_HEADS = {
	function: "function",
	async: "async function",
	generator: "function*",
	asyncGenerator: "async function*"
};
/** `taped`: the program is recorded, or runs again. */
function createLoaderRealm(transform, taped) {
	let graph;
	const madeHere = /* @__PURE__ */ new WeakMap();
	let texts = 0;
	const contexts = createAsyncContexts();
	const realm = createRealm({
		...createNodeHost(taped?.tape),
		compileFunction,
		contexts
	});
	const { ambient } = realm;
	function compileFunction(kind, parameters, body) {
		const source = `(${FUNCTION_HEADS[kind]} anonymous(${parameters.join(",")}\n) {\n${body}\n})`;
		NATIVE_CONSTRUCTORS[kind](...parameters, body);
		const { code, record } = runtimeCode({
			kind: "function",
			source,
			prefix: "$$",
			id: `f${texts++}`
		});
		return new Script(code, { filename: FILE_NAMES.function }).runInThisContext()(record, realm);
	}
	function runtimeCode(text, restore) {
		const { source, kind, prefix, id } = text;
		const options = {
			path: FILE_NAMES[kind],
			kind,
			prefix,
			id,
			lenient: true
		};
		const result = transform(source, restore === void 0 ? options : {
			...options,
			restore
		});
		return {
			code: result.code,
			record: recordFor({
				...text,
				table: result.table
			})
		};
	}
	function recordFor(result) {
		if (graph === void 0) throw new LoaderError("TT_NOT_INSTALLED", "Function(…) is called before the loader is in place; call install() first");
		const record = graph.script(`${pathToFileURL(process.cwd()).href}/`, result.table.module);
		madeHere.set(record, result);
		return record;
	}
	/** Indirect `eval`: a script of the global scope. */
	function evaluateScript(source) {
		if (typeof source !== "string") return source;
		const text = texts++;
		const { code, record } = runtimeCode({
			kind: "script",
			source,
			prefix: `$$${text}_`,
			id: `f${text}`
		});
		const holder = globalThis;
		const before = holder[SCRIPT];
		Object.defineProperty(holder, SCRIPT, {
			value: {
				M: record,
				R: realm
			},
			configurable: true,
			writable: true
		});
		try {
			return nativeEval(code);
		} finally {
			if (before === void 0) Reflect.deleteProperty(holder, SCRIPT);
			else holder[SCRIPT] = before;
		}
	}
	ambient["eval"] = { eval: evaluateScript }.eval;
	ambient["process"] = process;
	const lazyGlobals = new LazyGlobals();
	addWebGlobals(ambient, lazyGlobals);
	const view = createGlobalView(ambient, lazyGlobals, taped !== void 0);
	ambient["globalThis"] = view;
	ambient["global"] = view;
	const timers = createTimers(realm, taped?.followTimers());
	showBuiltinAs("timers", () => timers.exports);
	realm.install();
	installTicks(realm);
	contexts.follow(realm);
	introduceToNode(realm);
	return {
		inputs: taped?.place({
			realm,
			timers,
			contexts,
			lazyGlobals
		}),
		realm,
		timers,
		contexts,
		lazyGlobals,
		modules: moduleRealmOf(realm),
		useGraph(programGraph) {
			graph = programGraph;
		},
		runtimeCode: (record) => madeHere.get(record),
		restoreRuntime(text, selection) {
			texts = Math.max(texts, Number(text.id.slice(1)) + 1);
			const { code, record } = runtimeCode(text, selection);
			return {
				record,
				start: text.kind === "script" ? nativeEval(code) : new Script(code, { filename: FILE_NAMES[text.kind] }).runInThisContext()
			};
		},
		nativeText: (fn) => Reflect.apply(functionText, fn, []),
		showSources(of) {
			showSourceTexts(realm, (record) => madeHere.get(record) ?? of(record));
		}
	};
}
/** `util.inspect`, `util.types` and who asks them. */
function introduceToNode(realm) {
	const states = {
		[PENDING]: "pending",
		[FULFILLED]: "fulfilled",
		[REJECTED]: "rejected"
	};
	const { kinds: functions } = realm;
	const generatorPrototypes = [functions.GeneratorFunction.prototype, functions.AsyncGeneratorFunction.prototype];
	const kindOf = (value) => typeof value === "function" ? Object.getPrototypeOf(value) : void 0;
	const asynchronous = [functions.AsyncFunction.prototype, functions.AsyncGeneratorFunction.prototype];
	const kinds = {
		eventualState: (value) => Eventual.has(value) ? {
			state: states[Eventual.state(value)],
			value: Eventual.value(value)
		} : void 0,
		isAsyncFunction: (value) => asynchronous.includes(kindOf(value)),
		isGeneratorFunction: (value) => generatorPrototypes.includes(kindOf(value)),
		isGeneratorObject: (value) => GeneratorState.has(value)
	};
	extendTypePredicates(kinds);
	acceptEventuals();
	showWrittenTextInCloneErrors();
	traceEventuals((value) => Eventual.has(value), (value) => value instanceof NativePromise ? realm.Promise.resolve(value) : value);
	showEventuals(realm.Promise.prototype, kinds);
	showFunctionsAs("AsyncFunction", functions.AsyncFunction.prototype);
	showFunctionsAs("GeneratorFunction", functions.GeneratorFunction.prototype);
	showFunctionsAs("AsyncGeneratorFunction", functions.AsyncGeneratorFunction.prototype);
}
/** Devices ask `x instanceof Promise`, and mean the native one. The realm's own `Promise` accepts native promises in turn. */
function acceptEventuals() {
	const ordinary = Function.prototype[Symbol.hasInstance];
	Object.defineProperty(NativePromise, Symbol.hasInstance, {
		value(value) {
			return this === NativePromise && Eventual.has(value) || Reflect.apply(ordinary, this, [value]);
		},
		writable: true,
		enumerable: false,
		configurable: true
	});
}
const NativePromise = Promise;
const nativeEval = globalThis.eval;
const functionText = Function.prototype.toString;
/** Taken before core gives every function its own constructors. */
const NATIVE_CONSTRUCTORS = {
	function: Function,
	async: (async () => {}).constructor,
	generator: function* () {}.constructor,
	asyncGenerator: async function* () {}.constructor
};
export { DeadDeviceError, LoaderError, bytesOf, closestName, createLoaderRealm, detectFormat, examine, explanationText, formatOf, functionBehind, hostClock, install, installLate, installedLoader, installedPackage, isInstalled, loaderOptions, matches, millisecondsOf, originalPlace, ownVariables, prebuild, prebuiltFileOf, prepareStates, readSourceMap, recordedText, refusalIn, runtimeTransform, taped, tellUncaught, transformer };
