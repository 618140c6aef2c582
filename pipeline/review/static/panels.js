/** The loop around the notes: curve, agreement, training, scrubbing again, a campaign so far. */
import { Refusal } from "./api.js";
import { open } from "./dialogs.js";
import { figure, make, scrolled, table } from "./dom.js";
import { bars, lines } from "./plots.js";
import { counted } from "./telling.js";

const POLL_MS = 1500;
const SCORED_ON = { measure: "the marks of the measure queue", "held back": "notes held back" };

/**
 * Opens a panel that asks the server first.
 * @param {string} title
 * @param {import("./api.js").Api} api
 * @param {"agreement"|"curve"|"measure"} what
 * @param {(answer: any) => (Node|string)[]} fill
 */
function looking(title, api, what, fill) {
  const body = make("div", { class: "panel", "aria-busy": "true" }, make("p", {}, "Asking …"));
  api
    .look(what)
    .then(
      (answer) => body.replaceChildren(...fill(answer)),
      (error) => body.replaceChildren(make("p", { role: "alert" }, saidBy(error))),
    )
    .finally(() => body.removeAttribute("aria-busy"));
  return open(title, () => [body], { wide: true });
}

function saidBy(error) {
  if (error instanceof Refusal) return error.message;
  throw error;
}

/** @param {import("./api.js").Api} api */
export function curve(api) {
  return looking(
    "Learning curve",
    api,
    "curve",
    ({ points, scored_on: scoredOn, seconds_a_note: pace }) => {
      if (points.length === 0) return [make("p", {}, "No model was trained on these notes yet.")];
      // Of few patients nothing is held back: such a model has no score, and no place in the plot.
      const scored = points.filter(({ f1 }) => typeof f1 === "number");
      return [
        ...(scored.length > 0 ? [scrolled("Learning curve", plotOf(scored))] : []),
        make(
          "p",
          {},
          `Scored on ${SCORED_ON[scoredOn] ?? "nothing yet"}. ` +
            `A note takes ${figure(pace, 0)} ${figure(pace, 0) === "1" ? "second" : "seconds"}.`,
        ),
        table(
          "Figures of the curve",
          ["Model", "Notes", "Minutes", "F1", "95 %", "Recall", "At"],
          points.map((p) => [
            p.model,
            p.notes,
            figure(p.minutes, p.minutes < 10 ? 1 : 0),
            figure(p.f1),
            typeof p.low === "number" ? `${figure(p.low)} to ${figure(p.high)}` : "–",
            figure(p.recall),
            p.at.slice(0, 16).replace("T", " "),
          ]),
        ),
      ];
    },
  );
}

/** @param {{minutes: number, f1: number, recall: number, low: ?number, high: ?number}[]} points */
function plotOf(points) {
  const last = points.at(-1);
  return lines({
    title: "F1 and recall by minutes of reading",
    says: `At last F1 is ${figure(last.f1)}, recall ${figure(last.recall)}.`,
    across: "minutes of reading",
    lines: [
      { name: "F1", points: points.map((point) => [point.minutes, point.f1]) },
      { name: "recall", points: points.map((point) => [point.minutes, point.recall]) },
    ],
    band: points
      .filter(({ low }) => typeof low === "number")
      .map(({ minutes, low, high }) => [minutes, low, high]),
  });
}

/** @param {import("./api.js").Api} api */
export function agreement(api) {
  return looking("Agreement of readers", api, "agreement", (answer) => {
    if (!answer.read_twice) return [make("p", {}, "No note was read twice yet.")];
    const interval = ({ f1, low, high }) => [figure(f1), `${figure(low)} to ${figure(high)}`];
    return [
      make("p", {}, `Read twice: ${counted(answer.read_twice, "note")}.`),
      table(
        "Over all labels",
        ["Measure", "Value", "95 %"],
        [
          ["F1, same place and label", ...interval(answer.strict)],
          ["F1, same place", ...interval(answer.blind)],
          ["kappa of tokens", figure(answer.kappa), ""],
          ...(answer.alpha === null ? [] : [["Krippendorff's alpha", figure(answer.alpha), ""]]),
        ],
      ),
      scrolled(
        "F1 by label",
        bars(
          "F1 by label",
          answer.by_label.map(({ label, f1 }) => ({
            name: label,
            value: f1 ?? 0,
            says: figure(f1),
          })),
        ),
      ),
      table(
        "By label",
        ["Label", "F1", "Spans"],
        answer.by_label.map(({ label, f1, spans }) => [label, figure(f1), spans]),
      ),
      table(
        "By pair of readers",
        ["Readers", "Documents", "F1"],
        answer.pairs.map(({ readers, documents, f1 }) => [
          readers.join(" and "),
          documents,
          figure(f1),
        ]),
      ),
    ];
  });
}

/** @param {import("./api.js").Api} api */
export function measure(api) {
  return looking("This campaign", api, "measure", (answer) => [
    table(
      "So far",
      ["", "Notes"],
      [
        ["read", `${answer.read} of ${answer.n}`],
        ["skipped, each counts as a leak", answer.skipped],
        ["planted stretches", answer.planted],
        ["of these, found", answer.found],
        ...(answer.so_far
          ? [["notes with a leak", `${answer.so_far.k} of ${answer.so_far.n}`]]
          : []),
      ],
    ),
    make(
      "p",
      {},
      answer.enough ? "Enough was read: the certificate can be made." : "Go on reading.",
    ),
  ]);
}

/**
 * A job that the server runs: started here, looked at while it runs.
 * @param {object} job
 * @param {string} job.title
 * @param {string} job.about
 * @param {import("./api.js").Api} job.api
 * @param {"train"|"rescrub"} job.what
 * @param {(answer: any) => (Node|string)[]} job.result
 * @param {(answer: any) => string} [job.cost] what it takes, said before it is started
 */
function running({ title, about, api, what, result, cost = () => "" }) {
  const state = make("p", { role: "status" });
  const log = make("pre", {
    class: "log",
    tabindex: 0,
    role: "log",
    "aria-label": "Log of counts",
  });
  const outcome = make("div");
  const takes = make("p", { class: "takes" });
  const start = /** @type {HTMLButtonElement} */ (
    make("button", { type: "button", class: "main" }, "Start")
  );
  let timer = 0;
  const poll = async () => {
    clearTimeout(timer);
    try {
      const answer = await api.look(what);
      takes.textContent = cost(answer);
      takes.hidden = !takes.textContent;
      state.textContent = answer.error
        ? `failed: ${answer.error}`
        : answer.state === "none"
          ? "not started"
          : answer.state;
      log.textContent = (answer.lines ?? []).join("\n");
      log.hidden = !answer.lines?.length;
      start.disabled = answer.state === "running";
      outcome.replaceChildren(...(answer.state === "done" ? result(answer) : []));
      if (answer.state !== "running") return;
    } catch (error) {
      state.textContent = saidBy(error);
      if (error.status === 401) return;
    }
    timer = setTimeout(poll, POLL_MS);
  };
  start.addEventListener("click", async () => {
    start.disabled = true;
    try {
      await api.start(what);
    } catch (error) {
      start.disabled = false;
      state.textContent = saidBy(error);
      if (error.status !== 409) return;
    }
    await poll();
  });
  poll();
  return open(title, () => [make("p", {}, about), takes, start, state, log, outcome], {
    wide: true,
  }).finally(() => clearTimeout(timer));
}

/** @param {import("./api.js").Api} api */
export function train(api) {
  return running({
    title: "Train on what was corrected",
    about:
      "A new model learns from the notes that are done. Notes of a campaign are never among them.",
    api,
    what: "train",
    cost: ({ cost }) => (cost ? costSaid(cost) : ""),
    result: ({ bundle }) => [make("p", {}, `New bundle: ${bundle ?? "–"}`)],
  });
}

/** @param {{generated: number, minutes: number, gigabytes: number}} cost */
function costSaid({ generated, minutes, gigabytes }) {
  if (!generated) return "It learns from these notes alone: some minutes.";
  return (
    `Beside them it learns from ${generated.toLocaleString("en")} generated notes, as the model ` +
    `did that it starts from: about ${minutes} minutes of one core, and ${gigabytes} GB of memory.`
  );
}

/** @param {import("./api.js").Api} api */
export function rescrub(api) {
  return running({
    title: "Scrub again with the new model",
    about:
      "The run is done anew and held back: nothing is published. What changes is counted here.",
    api,
    what: "rescrub",
    result: ({ output, changed }) => [
      make("p", {}, `Held at ${output}`),
      ...(changed
        ? [
            make(
              "p",
              {},
              `${counted(changed.documents, "document")} compared: ` +
                `${counted(changed.spans_more, "span")} more, ${changed.spans_less} less.`,
            ),
            table(
              "By label",
              ["Label", "More", "Less"],
              (changed.by_label ?? []).map((row) => [
                row.label,
                row.more ?? row.spans_more ?? 0,
                row.less ?? row.spans_less ?? 0,
              ]),
            ),
          ]
        : []),
    ],
  });
}
