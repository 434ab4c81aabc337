import { Actor } from 'turntable';

export class Waiter extends Actor {
  rested = 0;

  async prepare(count) {
    const parts = [];
    for (let i = 0; i < count; i++) parts.push(this.part(i));
    process.nextTick(() => (this.prepared = count));
    this.parts = (await Promise.all(parts)).length;
    return this.parts;
  }

  async part(number) {
    await Promise.resolve();
    return number;
  }

  async rest(milliseconds) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return ++this.rested;
  }
}
