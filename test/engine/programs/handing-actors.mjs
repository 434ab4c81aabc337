import { Actor, send, spawn } from 'turntable';

export class Taker extends Actor {
  async take(halves, more) {
    return (await halves[0]) + (await more.get('half')) + (await more.get('other'));
  }
}

export class Giver extends Actor {
  taken = 0;
  constructor(name) {
    super();
    this.name = name;
    this.takers = [spawn(Taker), spawn(Taker), spawn(Taker)];
    this.count = this.takers.length;
  }

  async half(number) {
    await Promise.resolve();
    this.last = number;
    return number / 2;
  }

  async find(place) {
    await Promise.resolve();
    return this.takers[place];
  }

  async give(number) {
    const sent = send(this.find(1)).take([this.half(8)], new Map(Object.entries({ half: 1, other: this.half(1) })));
    const half = this.half(number);
    const other = this.half(number + 1);
    const taken = this.takers.map((taker) =>
      taker.take(
        [half, { half }],
        new Map([
          ['half', half],
          ['other', other],
        ]),
      ),
    );
    const last = half.then(() =>
      this.takers[0].take(
        [this.half(6)],
        new Map([
          ['half', other],
          ['other', 1],
        ]),
      ),
    );
    await other;
    this.count += taken.length;
    return (await Promise.all([...taken, last, sent])).join();
  }
}
