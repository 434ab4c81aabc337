export { t as partDigest } from "./part-digest-CPHWHNQx.js";
