-- name: jobs_all
SELECT * FROM listed_jobs
WHERE seq < @before AND (@lane = '' OR lane = @lane) AND (@reason = '' OR reason = @reason)
ORDER BY seq DESC LIMIT @n;

-- name: jobs_of_tenant
SELECT * FROM listed_jobs
WHERE tenant = @tenant AND seq < @before AND (@lane = '' OR lane = @lane) AND (@reason = '' OR reason = @reason)
ORDER BY seq DESC LIMIT @n;

-- name: jobs_in_state
-- STATE stands for the condition that finds the jobs of a state without reading others'
-- (operate.go).
SELECT * FROM listed_jobs
WHERE seq IN (SELECT seq FROM jobs
              WHERE STATE AND seq < @before AND (@lane = '' OR lane = @lane) AND (@reason = '' OR reason = @reason)
              ORDER BY seq DESC LIMIT @n)
ORDER BY seq DESC;

-- name: jobs_of_tenant_in_state
SELECT * FROM listed_jobs
WHERE seq IN (SELECT seq FROM jobs
              WHERE tenant = @tenant AND STATE AND seq < @before AND (@lane = '' OR lane = @lane) AND (@reason = '' OR reason = @reason)
              ORDER BY seq DESC LIMIT @n)
ORDER BY seq DESC;

-- name: job_line
-- A claim takes a job's place in the line before the job; so does whoever takes it out.
SELECT 1 FROM waiting
WHERE (line, not_before, seq) = (SELECT line, not_before, seq FROM jobs JOIN shares USING (lane, tenant) WHERE id = @id AND state = 'queued')
FOR UPDATE;

-- name: job_hold
-- The rows that an act on a job reads and changes stay as they are until the commit.
SELECT state, lane, tenant, charged_ms, used_ms(@now, lease_until, claimed, parked_since, parked_ms) FROM jobs WHERE id = @id FOR UPDATE;

-- name: job_cancel
-- A leased job's fence falls with its state: no step of its holder finds it any more.
WITH was AS MATERIALIZED (SELECT seq, line, not_before FROM jobs JOIN shares USING (lane, tenant) WHERE id = @id),
unqueued AS (
    DELETE FROM waiting USING was
    WHERE waiting.line = was.line AND waiting.not_before = was.not_before AND waiting.seq = was.seq
),
returned AS (DELETE FROM lent USING was WHERE lent.seq = was.seq)
UPDATE jobs SET state = 'sealing', target = 'cancelled', reason = @reason, finished = @now, sealed = NULL,
                lease_until = 0, claimed = 0, parked_since = 0, parked_ms = 0, charged_ms = 0
WHERE id = @id AND state IN ('queued', 'leased');

-- name: job_discard
-- What the failed attempts left of a result goes: the event of this end has none.
UPDATE jobs SET state = 'sealing', target = 'cancelled', reason = @reason, finished = @now, sealed = NULL, result = NULL, final_seq = -1
WHERE id = @id AND state = 'dead';

-- name: job_replayable
-- A job whose order is gone would only fail again.
SELECT sealed IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM destroyed_keys AS gone WHERE gone.job = jobs.id AND gone.class IN ('task', 'upload'))
FROM jobs WHERE id = @id;

-- name: job_replay
-- The job begins anew, so what it brings is not delivered yet. A key that its delivery had
-- set free may belong to another job by now and is given up.
WITH replayed AS (
    UPDATE jobs SET state = 'queued', reason = '', attempt = 0, result = NULL, final_seq = -1, not_before = @now,
                    idempotency = CASE WHEN delivered AND fingerprint = '' THEN '' ELSE idempotency END, delivered = false
    WHERE id = @id AND state = 'dead'
    RETURNING lane, tenant, not_before, seq
)
INSERT INTO waiting (line, not_before, seq) SELECT line, not_before, seq FROM replayed JOIN shares USING (lane, tenant);

-- name: depths
SELECT tenant, lane, sum(ready)::int, sum(later)::int, sum(leased)::int, sum(parked)::int, coalesce(min(since), 0)
FROM (SELECT tenant, lane, (not_before <= @now)::int AS ready, (not_before > @now)::int AS later, 0 AS leased, 0 AS parked,
             CASE WHEN not_before <= @now THEN not_before END AS since
      FROM waiting JOIN shares USING (line)
      UNION ALL
      SELECT tenant, lane, 0, 0, 1, (parked_since > 0)::int, NULL FROM lent JOIN jobs USING (seq)) AS counted
GROUP BY tenant, lane ORDER BY tenant, lane;

-- name: pressure
SELECT (SELECT count(*) FROM jobs WHERE final = 'dead'),
       (SELECT count(*) FROM working_copies), (SELECT coalesce(min(created), 0) FROM working_copies),
       (SELECT count(*) FROM outbox), coalesce((SELECT created FROM outbox ORDER BY id LIMIT 1), 0), now_ms(@offset);
