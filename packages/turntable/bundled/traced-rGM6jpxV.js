import "./rolldown-runtime-C7kxIl-Z.js";
import { t as behindExit } from "./behind-exit-D1zTqbwS.js";
import { t as retentionOf } from "./retention-kq-ONsjI.js";
import { i as tracesHere } from "./threads-tape-BdtHJ3MD.js";
import { n as version } from "./version-D3CCfiRX.js";
import { RecordingTape } from "@turntable/runtime";
import { constants } from "node:os";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { describeProcess, removeRecording, startWriter, traceSink } from "@turntable/recording";
// packages/turntable/src/own-death.ts
/** Signals that end a process that does not listen, and that processes send themselves. */
const DEADLY = [
	"SIGTERM",
	"SIGINT",
	"SIGHUP",
	"SIGQUIT",
	"SIGABRT",
	"SIGKILL",
	"SIGUSR2"
];
/** Calls back with the name of the signal. */
function beforeOwnDeath(callback) {
	const asked = Object.getOwnPropertyDescriptor(process, "kill");
	const value = new Proxy(process.kill, { apply(kill, self, args) {
		const [pid, signal = "SIGTERM"] = args;
		const deadly = pid === process.pid ? DEADLY.find((name) => isThat(signal, name)) : void 0;
		if (deadly !== void 0 && process.listenerCount(deadly) === 0) callback(deadly);
		return Reflect.apply(kill, self, args);
	} });
	Object.defineProperty(process, "kill", {
		...asked,
		value
	});
}
function isThat(signal, name) {
	return signal === name || signal === constants.signals[name];
}
// packages/turntable/src/traced.ts
const { setTimeout: nativeSetTimeout } = globalThis;
/** Processes that this one starts are recorded as well, each by itself, and say whose they are. */
const PARENT = "TURNTABLE_PARENT";
/** Milliseconds after a text was read until it is seen what has been reached. */
const QUIET_MS = 100;
function beginTraced({ recordings, keep, include, exclude, later }) {
	const writer = startWriter({
		recordings,
		retention: retentionOf(keep)
	});
	const notes = { settings: {
		include: [...include],
		exclude: [...exclude]
	} };
	const parent = process.env[PARENT];
	const recording = writer.create(describeProcess({
		turntable: version,
		workers: 0,
		notes,
		parent
	}), { isLater: later !== void 0 });
	process.env[PARENT] = basename(recording.directory);
	const sink = traceSink(recording.trace(0, 0));
	let loader;
	let entry;
	let reached = 0;
	let known = 0;
	let looking;
	let isOver = false;
	const look = () => {
		looking = void 0;
		const packages = [...loader?.packages() ?? []];
		if (packages.length !== known) {
			known = packages.length;
			const entries = packages.map(([directory, version]) => `${pathToFileURL(directory).href} ${version}`);
			recording.update({ packages: entries });
		}
		const devices = loader?.unreplayable() ?? [];
		if (devices.length === reached) return;
		reached = devices.length;
		recording.update({ devices });
	};
	const end = (why) => {
		if (isOver) return;
		isOver = true;
		look();
		sink.end();
		recording.end(why);
	};
	const here = {
		writer,
		recording,
		tape: new RecordingTape(sink),
		look,
		end,
		begins(its) {
			loader = its;
			its.onText((url, text, settings) => {
				if (entry === void 0 && its.program.mainUrl !== void 0) recording.update({ entry: entry = its.program.mainUrl });
				recording.addModule(url, text, settings);
				looking ??= nativeSetTimeout(look, QUIET_MS).unref();
			});
			behindExit((isWell) => {
				end();
				writer.closeSync();
				if (isWell && keep.failed === true) removeRecording(recording.directory);
			});
		}
	};
	beforeOwnDeath((signal) => {
		look();
		recording.end(signal);
		writer.closeSync();
	});
	tracesHere(here);
	return here;
}
export { beginTraced };
