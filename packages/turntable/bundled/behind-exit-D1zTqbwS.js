// packages/turntable/src/behind-exit.ts
/**
* Calls back when all listeners of `exit` have been called, or one of them has thrown; says whether the process ends well, and of what it ends, if that is a
* handler of exceptions.
*/
function behindExit(callback) {
	const process = globalThis.process;
	const { emit, _fatalException: native } = process;
	Object.defineProperty(process, "emit", {
		value: { emit(...args) {
			let hasThrown = true;
			try {
				const isHeard = Reflect.apply(emit, this, args);
				hasThrown = false;
				return isHeard;
			} finally {
				if (args[0] === "exit" && this === process) callback(!hasThrown && Number(process.exitCode ?? 0) === 0);
			}
		} }.emit,
		writable: true,
		configurable: true,
		enumerable: false
	});
	process._fatalException = function(error, fromPromise) {
		try {
			return Reflect.apply(native, this, [error, fromPromise]);
		} catch (thrown) {
			callback(false, { error: thrown });
			throw thrown;
		}
	};
}
export { behindExit as t };
