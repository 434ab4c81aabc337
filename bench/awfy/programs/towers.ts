// The towers of Hanoi with thirteen moving disks, as linked piles.

import { Benchmark } from './benchmark.ts';

class Disk {
  declare size: number;
  declare next: Disk | null | undefined;

  constructor(size: number) {
    this.size = size;
    this.next = null;
  }
}

class Towers extends Benchmark<number> {
  declare piles: (Disk | null | undefined)[] | null;
  declare moves: number;

  constructor() {
    super();
    this.piles = null;
    this.moves = 0;
  }

  override benchmark(): number {
    this.piles = new Array<Disk | null | undefined>(3);
    this.buildTowerAt(0, 13);
    this.moves = 0;
    this.moveDisks(13, 0, 1);
    return this.moves;
  }

  pushDisk(disk: Disk, pile: number): void {
    const top = this.piles![pile];
    if (top && disk.size >= top.size) throw new Error('cannot put a big disk on a smaller one');
    disk.next = top;
    this.piles![pile] = disk;
  }

  popDiskFrom(pile: number): Disk {
    const top = this.piles![pile];
    if (!top) throw new Error('cannot take a disk from an empty pile');
    this.piles![pile] = top.next;
    top.next = null;
    return top;
  }

  moveTopDisk(from: number, to: number): void {
    this.pushDisk(this.popDiskFrom(from), to);
    this.moves += 1;
  }

  buildTowerAt(pile: number, disks: number): void {
    for (let size = disks; size >= 0; size -= 1) {
      this.pushDisk(new Disk(size), pile);
    }
  }

  moveDisks(disks: number, from: number, to: number): void {
    if (disks === 1) {
      this.moveTopDisk(from, to);
      return;
    }
    const other = 3 - from - to;
    this.moveDisks(disks - 1, from, other);
    this.moveTopDisk(from, to);
    this.moveDisks(disks - 1, other, to);
  }

  verifyResult(result: number): boolean {
    return result === 8191;
  }
}

export const newInstance = (): Benchmark<number> => new Towers();
