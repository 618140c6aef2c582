/** What is asked of the server. Nothing else in the page speaks to anybody. */

const PATIENCE_MS = 30_000;

/** The server said no, or said nothing: then the status is 0. */
export class Refusal extends Error {
  /** @param {number} status @param {object} answer */
  constructor(status, answer) {
    super(
      answer.message ?? (status ? `the server answered ${status}` : "the server does not answer"),
    );
    this.status = status;
    this.answer = answer;
  }
}

/** One session with the server. */
export class Api {
  /** @param {?string} session */
  constructor(session = null) {
    this.session = session;
  }

  /**
   * @param {string} method
   * @param {string} path below `/api/`
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<any>}
   */
  async ask(method, path, body, headers = {}) {
    let answer;
    try {
      answer = await fetch(`/api/${path}`, {
        method,
        body: body === undefined ? undefined : JSON.stringify(body),
        headers: {
          ...(this.session ? { Authorization: `Bearer ${this.session}` } : {}),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch {
      throw new Refusal(0, {});
    }
    const said = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refusal(answer.status, said ?? {});
    return said;
  }

  /** @param {string} token */
  begin(token) {
    return this.ask("POST", "session", { token });
  }

  queue(of, after, limit) {
    return this.ask("GET", `queue?of=${encodeURIComponent(of)}&after=${after}&limit=${limit}`);
  }

  claim(item) {
    return this.ask("POST", place("claim", item), {});
  }

  document(item, side) {
    return this.ask("GET", place("document", item, { side }));
  }

  saveMarks(item, revision, body) {
    return this.ask("PUT", place("marks", item), body, { "If-Match": String(revision) });
  }

  done(item) {
    return this.ask("POST", place("done", item), {});
  }

  same(item, stretch) {
    return this.ask("POST", place("same", item), stretch);
  }

  differences(item) {
    return this.ask("GET", place("differences", item));
  }

  saveDecisions(item, body) {
    return this.ask("PUT", place("adjudicated", item), body);
  }

  /** @param {"agreement"|"curve"|"train"|"rescrub"|"measure"} what */
  look(what) {
    return this.ask("GET", what);
  }

  /** @param {"train"|"rescrub"} what */
  start(what) {
    return this.ask("POST", what, {});
  }

  lock() {
    return this.ask("POST", "lock", {});
  }
}

/**
 * @param {string} what
 * @param {{doc: string, field?: ?string}} item
 * @param {Record<string, string>} more
 */
function place(what, { doc, field }, more = {}) {
  const query = new URLSearchParams(field ? { field, ...more } : more).toString();
  return `${what}/${encodeURIComponent(doc)}${query ? `?${query}` : ""}`;
}
