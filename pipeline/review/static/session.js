/** Who is reading: the link's token, the session that it is exchanged for, and when it ends. */
import { Refusal } from "./api.js";

const KEPT = "scrubline-review-session";
const LOOK_MS = 1000;
const WARNED_SECONDS = 60;
const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "wheel", "touchmove"];

/**
 * What the server says of a session.
 * @typedef {object} Info
 * @property {string} session
 * @property {string} reviewer
 * @property {"reader"|"adjudicator"} role
 * @property {string} run
 * @property {"find"|"measure"} queue
 * @property {?{name: string, target: number, of: string, n: number}} campaign
 * @property {string[]} labels
 * @property {number} idle_seconds
 * @property {{original: boolean, train: boolean, rescrub: boolean}} can
 */

/** The token of a launch link, or of its last part. @param {string} link @returns {string} */
export function tokenOf(link) {
  const text = link.trim();
  return text.includes("#") ? text.slice(text.indexOf("#") + 1) : text;
}

/** Takes the token out of the address, so that no history and no eye keeps it. @returns {string} */
export function takeToken() {
  const token = tokenOf(location.hash);
  if (location.hash) history.replaceState(null, "", location.pathname);
  return token;
}

/**
 * The session of a token, or the one that this tab has already.
 * @param {import("./api.js").Api} api
 * @param {string} token
 * @returns {Promise<?Info>} null if there is none
 * @throws {Refusal} if the server refuses the token, or does not answer
 */
export async function enter(api, token) {
  const before = kept();
  if (token) {
    try {
      const info = await api.begin(token);
      api.session = info.session;
      sessionStorage.setItem(KEPT, JSON.stringify(info));
      return info;
    } catch (error) {
      // A link is good once: the tab that used it may go back to it.
      if (!(error instanceof Refusal) || !before) throw error;
    }
  }
  if (before) api.session = before.session;
  return before;
}

/** @returns {?Info} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  } catch {
    return null;
  }
}

/** The tab forgets its session. */
export function forget() {
  sessionStorage.removeItem(KEPT);
}

/** Calls when nobody moved anything for some time; the clock of the wall counts, asleep or not. */
export class Idle {
  #last = Date.now();
  #warned = false;
  #timer;

  /** @param {number} seconds @param {{warn: (seconds: number) => void, lock: () => void}} calls */
  constructor(seconds, { warn, lock }) {
    this.alive = () => {
      this.#last = Date.now();
      this.#warned = false;
    };
    for (const sign of SIGNS_OF_LIFE) {
      document.addEventListener(sign, this.alive, { passive: true, capture: true });
    }
    this.#timer = setInterval(() => {
      const left = seconds - (Date.now() - this.#last) / 1000;
      if (left <= 0) {
        this.stop();
        lock();
      } else if (left <= WARNED_SECONDS && !this.#warned) {
        this.#warned = true;
        warn(Math.round(left));
      }
    }, LOOK_MS);
  }

  stop() {
    clearInterval(this.#timer);
    for (const sign of SIGNS_OF_LIFE)
      document.removeEventListener(sign, this.alive, { capture: true });
  }
}
