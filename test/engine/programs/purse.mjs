// The same as purse.cjs, of a module.
export let total = 1;
const purse = new (class Purse {
  #coins = 0;
  static #most = 9;
  put(coins) {
    this.#coins = coins;
    total += coins;
  }
  #doubled() {
    return this.#coins * 2;
  }
  double() {
    return this.#doubled();
  }
  static most() {
    return this.#most;
  }
})();
let last;

function fill(coins) {
  purse.put(coins);
  last = coins;
}

setTimeout(() => {
  fill(3);
  setTimeout(() => {
    console.log(total, last, purse.constructor.most());
  }, 1);
}, 1);
