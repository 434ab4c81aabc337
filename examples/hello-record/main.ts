// A draw: the winner depends on a file and on chance, the line that is printed on the clock.
import { readFile } from 'node:fs/promises';

async function draw(file: URL): Promise<string> {
  const names = (await readFile(file, 'utf8')).trim().split('\n');
  const index = Math.floor(Math.random() * names.length);
  return names[index]!;
}

const winner = await draw(new URL('names.txt', import.meta.url));
console.log(`${new Date().toISOString()}  ${winner} wins`);
