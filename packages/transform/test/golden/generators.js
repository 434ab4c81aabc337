function* walk(tree) {
  if (tree === null) return 0;
  const left = yield* walk(tree.left);
  const reply = yield tree.value;
  if (reply === 'stop') return left;
  return left + 1 + (yield* walk(tree.right));
}

async function* lines(stream) {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
  if (rest !== '') yield rest;
}
