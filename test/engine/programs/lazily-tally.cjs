// A part of lazily.mjs.
exports.Tally = class Tally {
  #sum = 0;

  add(amount) {
    this.#sum += amount;
  }

  get sum() {
    return this.#sum;
  }
};
