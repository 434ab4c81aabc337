// A hundred balls bounce fifty steps in a box.

import { Benchmark } from './benchmark.ts';
import { Random } from './random.ts';

const BALLS = 100;
const STEPS = 50;

class Ball {
  declare x: number;
  declare y: number;
  declare xVelocity: number;
  declare yVelocity: number;

  constructor(random: Random) {
    this.x = random.next() % 500;
    this.y = random.next() % 500;
    this.xVelocity = (random.next() % 300) - 150;
    this.yVelocity = (random.next() % 300) - 150;
  }

  bounce(): boolean {
    const xLimit = 500;
    const yLimit = 500;
    let bounced = false;

    this.x += this.xVelocity;
    this.y += this.yVelocity;

    if (this.x > xLimit) {
      this.x = xLimit;
      this.xVelocity = 0 - Math.abs(this.xVelocity);
      bounced = true;
    }
    if (this.x < 0) {
      this.x = 0;
      this.xVelocity = Math.abs(this.xVelocity);
      bounced = true;
    }
    if (this.y > yLimit) {
      this.y = yLimit;
      this.yVelocity = 0 - Math.abs(this.yVelocity);
      bounced = true;
    }
    if (this.y < 0) {
      this.y = 0;
      this.yVelocity = Math.abs(this.yVelocity);
      bounced = true;
    }
    return bounced;
  }
}

class Bounce extends Benchmark<number> {
  override benchmark(): number {
    const random = new Random();
    const balls = new Array<Ball>(BALLS);
    let bounces = 0;

    for (let i = 0; i < BALLS; i += 1) {
      balls[i] = new Ball(random);
    }
    for (let i = 0; i < STEPS; i += 1) {
      for (const ball of balls) {
        if (ball.bounce()) bounces += 1;
      }
    }
    return bounces;
  }

  verifyResult(result: number): boolean {
    return result === 1331;
  }
}

export const newInstance = (): Benchmark<number> => new Bounce();
