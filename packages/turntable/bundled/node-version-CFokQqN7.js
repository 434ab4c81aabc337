// packages/turntable/src/node-version.ts
/** Ends the process unless this Node has what the loader stands on. */
function requireNode(version = process.versions.node) {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	if (major >= 26 || major === 24 && minor >= 11) return;
	process.stderr.write(`turntable: Node.js 24.11 or a later 24, or 26 and later, is needed; this is ${version} (${process.execPath})\n`);
	process.exit(1);
}
export { requireNode as t };
