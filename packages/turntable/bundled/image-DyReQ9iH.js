const { flushCompileCache } = process.getBuiltinModule("node:module");
const { isMainThread } = process.getBuiltinModule("node:worker_threads");
const { accessSync, constants } = process.getBuiltinModule("node:fs");
const { isatty } = process.getBuiltinModule("node:tty");
const { fileURLToPath } = process.getBuiltinModule("node:url");
// packages/turntable/src/image.ts
/** Milliseconds that threads have to stop, the disk to take what is on its way to it, readers to read what was written. */
const PATIENCE = 2e3;
const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;
/** Why this process cannot become another image, and what to do. */
function whyNoImage() {
	const { permission } = process;
	if (!isMainThread) return "a worker cannot do that for its process";
	if (process.execve === void 0 || process.platform === "win32") return `${process.platform} cannot put another program in the place of a process; end it and start turntable restore`;
	if (permission !== void 0 && !permission.has("child")) return "the permission model forbids it; allow it with --allow-child-process";
}
/** Fails, where otherwise the process would be ended, if there is no such program or directory any more. */
function checkImage({ execPath, cwd }) {
	accessSync(execPath, constants.X_OK);
	accessSync(cwd, constants.X_OK);
}
/** What was written to standard output and error is out, or so many milliseconds have passed: who reads them may have stopped to. */
async function flushed(deadline) {
	const streams = [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.writable ? stream.write("", resolve) : resolve(void 0)));
	await within(deadline, Promise.all(streams));
}
/** It has been waited for, or so many milliseconds have passed. */
async function within(deadline, what) {
	let timer;
	const late = new Promise((resolve) => timer = nativeSetTimeout(resolve, deadline));
	await Promise.race([what, late]);
	nativeClearTimeout(timer);
}
/** At once: no listener of `exit` is called. */
function becomeImage({ execPath, argv0, args, env, cwd }) {
	if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
	process.chdir(cwd);
	flushCompileCache();
	process.execve?.(execPath, [argv0, ...args], env);
	throw new Error("process.execve is gone");
}
/** What an image runs that goes on from a snapshot. */
function resumeEntry() {
	return fileURLToPath(import.meta.resolve("turntable/resume"));
}
/** Of flags of Node's, those that do not say what to run. */
function withoutEval(flags) {
	return flags.filter((flag, i) => !EVAL.test(flag) && !/^(-e|--eval|-p|-pe|--print)$/.test(flags[i - 1] ?? ""));
}
const EVAL = /^(-e|--eval|-p|-pe|--print|-i|--interactive|--eval=.*|--print=.*)$/s;
export { resumeEntry as a, withoutEval as c, flushed as i, becomeImage as n, whyNoImage as o, checkImage as r, within as s, PATIENCE as t };
