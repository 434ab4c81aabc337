// Ten times the first solution of the eight queens, by backtracking over rows and diagonals.

import { Benchmark } from './benchmark.ts';

class Queens extends Benchmark<boolean> {
  declare freeRows: boolean[] | null;
  declare freeMaxs: boolean[] | null;
  declare freeMins: boolean[] | null;
  declare queenRows: number[] | null;

  constructor() {
    super();
    this.freeRows = null;
    this.freeMaxs = null;
    this.freeMins = null;
    this.queenRows = null;
  }

  override benchmark(): boolean {
    let solved = true;
    for (let i = 0; i < 10; i += 1) {
      solved = solved && this.queens();
    }
    return solved;
  }

  queens(): boolean {
    this.freeRows = new Array<boolean>(8).fill(true);
    this.freeMaxs = new Array<boolean>(16).fill(true);
    this.freeMins = new Array<boolean>(16).fill(true);
    this.queenRows = new Array<number>(8).fill(-1);
    return this.placeQueen(0);
  }

  placeQueen(column: number): boolean {
    for (let row = 0; row < 8; row += 1) {
      if (this.isFree(row, column)) {
        this.queenRows![row] = column;
        this.setFree(row, column, false);
        if (column === 7) return true;
        if (this.placeQueen(column + 1)) return true;
        this.setFree(row, column, true);
      }
    }
    return false;
  }

  isFree(row: number, column: number): boolean {
    return this.freeRows![row]! && this.freeMaxs![column + row]! && this.freeMins![column - row + 7]!;
  }

  setFree(row: number, column: number, free: boolean): void {
    this.freeRows![row] = free;
    this.freeMaxs![column + row] = free;
    this.freeMins![column - row + 7] = free;
  }

  verifyResult(result: boolean): boolean {
    return result;
  }
}

export const newInstance = (): Benchmark<boolean> => new Queens();
