// Child process: prints the bytes of the heap that each of many suspended functions takes.

const count = Number(process.argv[2]);
const { promise: never } = Promise.withResolvers<number>();

async function wait(id: number): Promise<number> {
  const label = id % 2;
  const doubled = id * 2;
  const text = label === 0 ? 'even' : 'odd';
  const size = text.length + doubled;
  return (await never) + (size === -1 ? 1 : 0);
}

const collect = globalThis.gc as () => void;
const waiting: Promise<number>[] = [];
for (let i = 0; i < 1000; i++) waiting.push(wait(i));
collect();
const before = process.memoryUsage().heapUsed;
for (let i = 0; i < count; i++) waiting.push(wait(i));
collect();
console.log((process.memoryUsage().heapUsed - before) / count);
process.exit(waiting.length === 0 ? 1 : 0);
