import "./rolldown-runtime-C7kxIl-Z.js";
import { renameSync, statSync, writeFileSync } from "node:fs";
// packages/turntable/src/capture-once.ts
async function captureOnce(loader, { file, after, handles }, resuming) {
	const state = await loader.state();
	let passed = 0;
	let isFirst = resuming;
	let refusal;
	process.once("exit", (code) => {
		if (code === 0) process.exitCode = 1;
		tell(refusal === void 0 ? `nothing was captured: the program ended after ${counted(passed)}` : `nothing was captured: ${refusal}`);
	});
	state.observe((boundary) => {
		if (isFirst && boundary === "entry") return void (isFirst = false);
		isFirst = false;
		if (passed++ < after) return;
		let bytes;
		try {
			bytes = state.capture(boundary === "tick", { handles });
		} catch (error) {
			refusal = error instanceof Error ? error.message : String(error);
			return;
		}
		end(file, bytes, passed - 1);
	});
}
/** At once: what the program would still do, it will do where it goes on. */
function end(file, bytes, passed) {
	const { reallyExit } = process;
	try {
		writeFileSync(`${file}.part`, bytes);
		renameSync(`${file}.part`, file);
	} catch (error) {
		tell(`the state cannot be written: ${error.message}`);
		reallyExit(1);
	}
	const size = Math.ceil(statSync(file).size / 1024);
	tell(`captured after ${counted(passed)}: ${size} KiB in ${file}; it goes on with: turntable restore ${file}`);
	return reallyExit(0);
}
function counted(boundaries) {
	return boundaries === 1 ? "1 job boundary" : `${boundaries} job boundaries`;
}
function tell(text) {
	process.stderr.write(`turntable: ${text}\n`);
}
export { captureOnce };
