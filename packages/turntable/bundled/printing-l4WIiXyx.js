// packages/turntable/src/printing.ts
/** Units that are worth a write of their own. */
const PIECE = 65536;
/** Answers whether somebody has read to the end: `head` does not. */
async function printTo(output, texts) {
	const ignore = () => {};
	output.on("error", ignore);
	try {
		let piece = "";
		for (const text of texts) {
			piece += text;
			if (piece.length < PIECE) continue;
			if (!await written(output, piece)) return false;
			piece = "";
		}
		return await written(output, piece);
	} finally {
		output.off("error", ignore);
	}
}
function written(output, text) {
	return new Promise((settle, reject) => {
		output.write(text, (error) => {
			if (error == null) settle(true);
			else if (error.code === "EPIPE") settle(false);
			else reject(error);
		});
	});
}
export { printTo as t };
