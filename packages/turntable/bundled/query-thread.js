import "./rolldown-runtime-C7kxIl-Z.js";
import { n as failureOf, t as compileQuery } from "./compile-query-DW4Ml2MG.js";
import { r as viewSnapshot, t as textsOf } from "./view-recording-VNq933Dz.js";
import { RuntimeError } from "@turntable/runtime";
const { inspect } = process.getBuiltinModule("node:util");
const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
import { openRecording } from "@turntable/recording";
// packages/turntable/src/query-thread.ts
const { cache } = workerData;
/** What was found out of the texts of a recording's modules. More come while it is written. */
let known;
parentPort?.on("message", (question) => void answer(question));
async function answer(question) {
	try {
		say({
			is: "answer",
			value: await ask(question)
		});
	} catch (error) {
		const failure = failureOf(error);
		const { code } = failure ?? {};
		say({
			is: "failure",
			error: failure,
			code: typeof code === "string" ? code : void 0
		});
	}
}
async function ask({ recording: directory, phase, text, args }) {
	const query = compileQuery(text);
	const recording = openRecording(directory);
	if (known?.recording.directory === directory) known.recording = recording;
	else known = {
		recording,
		texts: textsOf(() => known?.recording ?? recording, cache)
	};
	using snapshot = recording.readSnapshot(phase);
	return await query(viewSnapshot(recording, snapshot, known.texts), ...args);
}
function say(answered) {
	try {
		parentPort?.postMessage(answered);
	} catch (cause) {
		const message = answered.is === "answer" ? `the answer of the query cannot be copied to the program: ${cause.message}; answer plain data` : `the query failed: ${inspect(answered.error)}`;
		const error = new RuntimeError("TT_QUERY", message);
		parentPort?.postMessage({
			is: "failure",
			error,
			code: error.code
		});
	}
}
export {};
