// packages/turntable/src/wording.ts
/** Of what begins with a noun: `class of actors`. */
function plural(what) {
	return what.replace(/^\w+/, (noun) => /[sx]$/.test(noun) ? `${noun}es` : `${noun}s`);
}
function counted(count, what) {
	return `${count} ${count === 1 ? what : plural(what)}`;
}
function sizeText(bytes) {
	const units = [
		"B",
		"KB",
		"MB",
		"GB"
	];
	let unit = 0;
	let size = bytes;
	for (; size >= 1e3 && unit < units.length - 1; unit++) size /= 1e3;
	return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
export { plural as n, sizeText as r, counted as t };
