-- Views over the tables of an output, for DuckDB. Made by `scrubline inspect --sql`; run it again
-- where the output was moved. They read the files anew each time, so they show each publication.
CREATE SCHEMA IF NOT EXISTS scrubline;

-- A row a document; `detectors` as a list of names.
CREATE OR REPLACE VIEW scrubline.documents AS
SELECT * EXCLUDE (detectors),
    [split_part(looked, '@', 1) FOR looked IN string_split(detectors, ' ')] AS detectors
FROM {documents};

-- A row a span, with type and period of its note as far as the policy tells them; `entity` is false
-- for fragments, and for what was only told: counts leave it out.
CREATE OR REPLACE VIEW scrubline.audit AS
SELECT audit.*, note_type, period,
    NOT fragment AND (reason IS NULL OR reason = 'policy') AS entity
FROM {audit} AS audit
LEFT JOIN (
    SELECT doc_key, field, note_type, period FROM scrubline.documents WHERE status <> 'quarantined'
) USING (doc_key, field);

CREATE OR REPLACE VIEW scrubline.quarantine AS
SELECT * FROM {quarantine};

-- Name and hash of each detector that looked, once a run.
CREATE OR REPLACE VIEW scrubline.detectors AS
SELECT DISTINCT run, split_part(looked, '@', 1) AS detector, split_part(looked, '@', 2) AS hash
FROM (
    SELECT run, unnest(string_split(detectors, ' ')) AS looked
    FROM (SELECT DISTINCT run, detectors FROM {documents})
);

-- What became of each label.
CREATE OR REPLACE VIEW scrubline.labels AS
SELECT label, any_value(hipaa) AS hipaa, action, count(*) AS spans,
    count(DISTINCT (doc_key, field)) AS documents, count(DISTINCT patient_key) AS patients
FROM scrubline.audit
WHERE entity
GROUP BY label, action;

-- What was found by type and period of the notes; null where the policy tells neither.
CREATE OR REPLACE VIEW scrubline.by_note AS
SELECT note_type, period, label, action, count(*) AS spans,
    count(DISTINCT (doc_key, field)) AS documents
FROM scrubline.audit
WHERE entity
GROUP BY note_type, period, label, action;

-- Which detector gave the label, and how often no other one was there.
CREATE OR REPLACE VIEW scrubline.sources AS
SELECT source, label, count(*) AS spans,
    count(*) FILTER (WHERE len(detectors) = 1) AS alone,
    round(avg(score), 4) AS score
FROM scrubline.audit
WHERE entity
GROUP BY source, label;

-- Spans a document and by a thousand characters: what stands out is worth a look.
CREATE OR REPLACE VIEW scrubline.density AS
SELECT doc_key, field, characters, coalesce(list_sum(map_values(spans)), 0) AS spans,
    round(1000 * coalesce(list_sum(map_values(spans)), 0) / nullif(characters, 0), 2)
        AS per_thousand
FROM scrubline.documents
WHERE status = 'scrubbed';

-- What was held back, by step and class of error.
CREATE OR REPLACE VIEW scrubline.held_back AS
SELECT stage, error, count(*) AS row_count
FROM scrubline.quarantine
GROUP BY stage, error;

-- What each run published, by type of note and label: see the manual of tables.
CREATE OR REPLACE VIEW scrubline.history AS
SELECT * FROM {history};

-- A row a run, in the order of publication; the third of five quantiles is the median.
CREATE OR REPLACE VIEW scrubline.nights AS
SELECT run, published, documents, tokens, spans - kept AS removed,
    round(1000 * (spans - kept) / nullif(tokens, 0), 2) AS per_thousand_tokens,
    round(100 * coalesce(list_sum(map_values(quarantined)), 0) / nullif("rows", 0), 2)
        AS held_back_percent,
    token_quantiles[3] AS median_tokens, density_quantiles[3] AS median_density,
    risk_quantiles[3] AS median_risk, seconds, code_version, fingerprint
FROM scrubline.history
WHERE note_type IS NULL AND label IS NULL
ORDER BY published, run;
