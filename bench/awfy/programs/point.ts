// Points of the collision detector: immutable vectors in the plane (its voxels, ordered, so that they can be keys of a
// tree) and in space (its aircraft).

export interface Ordered<T> {
  compareTo(other: T): number;
}

export class Vector2D implements Ordered<Vector2D> {
  declare x: number;
  declare y: number;

  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }

  plus(other: Vector2D): Vector2D {
    return new Vector2D(this.x + other.x, this.y + other.y);
  }

  minus(other: Vector2D): Vector2D {
    return new Vector2D(this.x - other.x, this.y - other.y);
  }

  compareTo(other: Vector2D): number {
    const result = this.compareNumbers(this.x, other.x);
    if (result !== 0) return result;
    return this.compareNumbers(this.y, other.y);
  }

  compareNumbers(a: number, b: number): number {
    if (a === b) return 0;
    if (a < b) return -1;
    if (a > b) return 1;
    // NaN counts as smaller than every number.
    return Number.isNaN(a) ? -1 : 1;
  }
}

export class Vector3D {
  declare x: number;
  declare y: number;
  declare z: number;

  constructor(x: number, y: number, z: number) {
    this.x = x;
    this.y = y;
    this.z = z;
  }

  plus(other: Vector3D): Vector3D {
    return new Vector3D(this.x + other.x, this.y + other.y, this.z + other.z);
  }

  minus(other: Vector3D): Vector3D {
    return new Vector3D(this.x - other.x, this.y - other.y, this.z - other.z);
  }

  dot(other: Vector3D): number {
    return this.x * other.x + this.y * other.y + this.z * other.z;
  }

  squaredMagnitude(): number {
    return this.dot(this);
  }

  magnitude(): number {
    return Math.sqrt(this.squaredMagnitude());
  }

  times(factor: number): Vector3D {
    return new Vector3D(this.x * factor, this.y * factor, this.z * factor);
  }
}
