import { readFile } from 'node:fs/promises';
import { Actor } from 'turntable';

export class Reader extends Actor {
  lines = 0;

  async prepare(count) {
    const parts = [];
    for (let i = 0; i < count; i++) parts.push(this.part(i));
    process.nextTick(() => (this.prepared = count));
    this.lines = (await Promise.all(parts)).length;
    return this.lines;
  }

  async part(number) {
    await Promise.resolve();
    return number;
  }

  async read(path) {
    this.first = (await readFile(path, 'utf8')).split('\n')[0];
    return this.first;
  }
}
