-- A share's place in the order of its lane, at or before its virtual time. It is what the
-- index holds, so that charges are HOT updates; claims put right what they find misplaced.
ALTER TABLE shares ADD COLUMN place bigint NOT NULL DEFAULT 0;
UPDATE shares SET place = virtual;
ALTER TABLE shares ADD CHECK (place <= virtual);
ALTER TABLE shares ALTER COLUMN place DROP DEFAULT;
DROP INDEX shares_order;
CREATE INDEX shares_order ON shares (lane, place, since, tenant) WHERE active;
ALTER TABLE shares SET (fillfactor = 30);

-- A tenant's line of a lane, by a number: who waits is found without comparing names.
ALTER TABLE shares ADD COLUMN line bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
ALTER TABLE waiting RENAME TO waited;
ALTER INDEX waiting_pkey RENAME TO waited_pkey;
CREATE TABLE waiting (
    line       bigint NOT NULL,
    not_before bigint NOT NULL,
    seq        bigint NOT NULL,
    PRIMARY KEY (line, not_before, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
INSERT INTO waiting (line, not_before, seq) SELECT line, not_before, seq FROM waited JOIN shares USING (lane, tenant);
DROP TABLE waited;

-- How far each lane has come: the greatest virtual time at which a job of it was lent in its
-- turn. Processes write different rows, so that they seldom wait for each other; the greatest
-- counts.
CREATE TABLE levels (
    lane    text COLLATE "C" NOT NULL CHECK (lane IN ('interactive', 'bulk')),
    stripe  int    NOT NULL,
    reached bigint NOT NULL,
    PRIMARY KEY (lane, stripe)
) WITH (fillfactor = 30);
INSERT INTO levels (lane, stripe, reached) SELECT lane, 0, max(started) FROM shares GROUP BY lane;
DROP INDEX shares_started;
ALTER TABLE shares DROP COLUMN started;

-- Rows of jobs grow when they end, by their result.
ALTER TABLE jobs SET (fillfactor = 35);

-- Where a tenant of a lane starts that had nothing ready: at the greatest virtual time at
-- which a job of the lane was lent in its turn, but behind nobody who waits. Of more than a
-- look's worth of active tenants (share_look) it sees the first; none of the others has had
-- less than the last place among these.
CREATE OR REPLACE FUNCTION share_level(of text, at bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
WITH first AS MATERIALIZED (
    SELECT line, virtual, place FROM shares WHERE lane = of AND active ORDER BY place, since, tenant LIMIT 128
)
SELECT least(coalesce((SELECT max(reached) FROM levels WHERE lane = of), 0),
             (SELECT virtual FROM (SELECT line, virtual FROM first ORDER BY virtual OFFSET 0) AS ordered
              WHERE EXISTS (SELECT 1 FROM waiting WHERE line = ordered.line AND not_before <= at)
              LIMIT 1),
             (SELECT max(place) FROM first HAVING count(*) = 128))
$$;

-- What a lease cost stays in the row when the job ends, which tells it to who ends it; it
-- means nothing then.
CREATE OR REPLACE VIEW job_rows AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       CASE WHEN state = 'leased' THEN claimed ELSE 0 END AS claimed, state = 'leased' AND parked_since > 0 AS parked,
       input, bytes, policy_name, policy_version, policy_digest, body AS policy_body,
       sealed, result, final_seq, trace, seal_ms, delivered
FROM jobs JOIN policies ON policies.digest = jobs.policy_digest;

CREATE OR REPLACE VIEW listed_jobs AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       CASE WHEN state = 'leased' THEN claimed ELSE 0 END AS claimed, state = 'leased' AND parked_since > 0 AS parked,
       input, bytes, policy_name, policy_version, policy_digest, NULL::bytea AS policy_body,
       NULL::bytea AS sealed, without_assets(result) AS result, final_seq, trace, seal_ms, delivered
FROM jobs;
