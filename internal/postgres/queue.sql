-- name: enqueue_known
-- What keys stand for that came without a reservation, as many as were asked for.
SELECT wanted.ord - 1, job_rows.*
FROM unnest(@tenants::text[], @keys::text[]) WITH ORDINALITY AS wanted (tenant, key, ord)
JOIN jobs ON jobs.tenant = wanted.tenant AND jobs.idempotency = wanted.key
         AND jobs.idempotency <> '' AND NOT jobs.delivered AND jobs.fingerprint = ''
JOIN job_rows ON job_rows.seq = jobs.seq;

-- name: enqueue_policy
INSERT INTO policies (digest, body)
SELECT DISTINCT ON (digest) digest, body FROM unnest(@digests::bytea[], @bodies::bytea[]) AS given (digest, body)
ORDER BY digest
ON CONFLICT (digest) DO NOTHING;

-- name: enqueue_job
-- Adds those jobs whose share already expects them: it is active, or wakes no later than
-- the job. The others, and those whose key is known, are left out. Holding the share
-- keeps it as it is until the commit, but keeps nobody from charging it.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
given AS MATERIALIZED (
    SELECT g.*, greatest(clock.now, g.wanted) AS not_before, clock.now
    FROM clock, unnest(@ids::text[], @tenants::text[], @lanes::text[], @keys::text[], @fingerprints::text[], @not_before::bigint[],
                       @inputs::bytea[], @bytes::bigint[], @policy_names::text[], @policy_versions::text[],
                       @policy_digests::bytea[], @sealed::bytea[], @traces::text[])
         WITH ORDINALITY AS g (id, tenant, lane, key, fingerprint, wanted, input, bytes, policy_name, policy_version,
                               policy_digest, sealed, trace, ord)
),
held AS MATERIALIZED (
    SELECT lane, tenant, line, active, wakes FROM shares
    WHERE (lane, tenant) IN (SELECT lane, tenant FROM given)
    ORDER BY lane, tenant FOR KEY SHARE
),
added AS (
    INSERT INTO jobs (id, tenant, lane, state, idempotency, fingerprint, created, not_before, input, bytes,
                      policy_name, policy_version, policy_digest, sealed, trace)
    SELECT id, tenant, lane, 'queued', key, fingerprint, now, not_before, input, bytes,
           policy_name, policy_version, policy_digest, sealed, trace
    FROM given JOIN held USING (lane, tenant)
    WHERE held.active OR (held.wakes > 0 AND held.wakes <= given.not_before AND given.not_before > given.now)
    ORDER BY given.ord
    ON CONFLICT DO NOTHING
    RETURNING seq, lane, tenant, id, created, not_before
),
queued AS (INSERT INTO waiting (line, not_before, seq) SELECT line, not_before, seq FROM added JOIN held USING (lane, tenant))
SELECT given.ord - 1, added.created, added.not_before FROM added JOIN given USING (id);

-- name: job_by_id
SELECT * FROM job_rows WHERE id = @id;

-- name: claim_take
-- Lends of each tenant as many jobs as it was given turns, those that have been ready the
-- longest. What others are lending at this moment is passed over. Who asks knows the policies'
-- bodies already, or asks for them once (policy_bodies).
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
picked AS MATERIALIZED (
    SELECT ready.place, ready.seq, turn.mean
    FROM unnest(@lines::bigint[], @turns::int[], @means::bigint[]) AS turn (line, turns, mean)
    CROSS JOIN LATERAL (
        SELECT ctid AS place, seq FROM waiting
        WHERE line = turn.line AND not_before <= (SELECT now FROM clock)
        ORDER BY not_before, seq LIMIT turn.turns
        FOR UPDATE SKIP LOCKED
    ) AS ready
),
taken AS (DELETE FROM waiting USING picked WHERE waiting.ctid = picked.place),
given AS (INSERT INTO lent (seq) SELECT seq FROM picked)
UPDATE jobs SET state = 'leased', attempt = attempt + 1, token = nextval('fence'), lease_until = clock.now + @lease::bigint,
                claimed = clock.now, charged_ms = picked.mean, parked_since = 0, parked_ms = 0
FROM clock, picked
WHERE jobs.seq = picked.seq AND state = 'queued'
RETURNING jobs.seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       claimed, false, input, bytes, policy_name, policy_version, policy_digest, NULL::bytea, sealed, result, final_seq, trace, seal_ms, delivered;

-- name: policy_bodies
SELECT digest, body FROM policies WHERE digest = ANY (@digests::bytea[]);

-- name: claim_take_only
-- Lends the one of the named jobs that has been ready the longest; it need not be its
-- tenant's turn.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
picked AS MATERIALIZED (
    SELECT waiting.ctid AS place, waiting.seq, mean_ms AS mean
    FROM jobs JOIN shares USING (lane, tenant) JOIN waiting USING (line, not_before, seq)
    WHERE id = ANY (@only::text[]) AND state = 'queued' AND lane = @lane AND waiting.not_before <= (SELECT now FROM clock)
    ORDER BY waiting.not_before, waiting.seq LIMIT 1
    FOR UPDATE OF waiting SKIP LOCKED
),
taken AS (DELETE FROM waiting USING picked WHERE waiting.ctid = picked.place),
given AS (INSERT INTO lent (seq) SELECT seq FROM picked)
UPDATE jobs SET state = 'leased', attempt = attempt + 1, token = nextval('fence'), lease_until = clock.now + @lease::bigint,
                claimed = clock.now, charged_ms = picked.mean, parked_since = 0, parked_ms = 0
FROM clock, picked, policies
WHERE jobs.seq = picked.seq AND state = 'queued' AND policies.digest = jobs.policy_digest
RETURNING picked.mean, jobs.seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       claimed, false, input, bytes, policy_name, policy_version, policy_digest, body,
       sealed, result, final_seq, trace, seal_ms, delivered;

-- name: claim_any_only
-- Whether one of the named jobs can be lent.
SELECT EXISTS (SELECT 1 FROM jobs WHERE id = ANY (@only::text[]) AND state = 'queued' AND lane = ANY (@lanes::text[])
                                    AND not_before <= now_ms(@offset));

-- name: lease_check
-- A job has a deadline only while it is leased (a CHECK of the table), so that no fence need
-- name the state.
-- Holds the row of a job whose lease is in force, so that it stays so until the commit.
SELECT true FROM jobs
WHERE id = @id AND token = @token AND lease_until > @now
FOR UPDATE;

-- name: lease_extend
-- The leases come in the order of their jobs, in which the rows are locked.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
held AS MATERIALIZED (
    SELECT job.*, given.ord, clock.now + given.ms AS until
    FROM clock, unnest(@ids::text[], @tokens::bigint[], @ms::bigint[]) WITH ORDINALITY AS given (id, token, ms, ord)
    CROSS JOIN LATERAL (
        SELECT seq, charged_ms AS was,
               greatest(charged_ms, used_ms(clock.now, lease_until, claimed, parked_since, parked_ms)) AS used
        FROM jobs WHERE id = given.id AND token = given.token AND lease_until > clock.now
        FOR UPDATE
    ) AS job
)
UPDATE jobs SET lease_until = held.until, charged_ms = held.used
FROM held WHERE jobs.seq = held.seq
RETURNING held.ord - 1, lane, tenant, held.was, held.used, jobs.lease_until;

-- name: lease_park
UPDATE jobs SET parked_since = CASE WHEN parked_since > 0 THEN parked_since ELSE @now END
WHERE id = @id AND token = @token AND lease_until > @now;

-- name: lease_unpark
UPDATE jobs SET parked_ms = parked_ms + CASE WHEN parked_since > 0 THEN greatest(0, @now - parked_since) ELSE 0 END, parked_since = 0
WHERE id = @id AND token = @token AND lease_until > @now;

-- name: lease_finish
-- The leases come in the order of their jobs, in which the rows are locked. The task is
-- destroyed with the end of the job; a dead job may be replayed and keeps it. What the lease
-- cost stays in the row, so that it can be told from there.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
ended AS (
    UPDATE jobs SET state = 'sealing', target = given.target, reason = given.reason, bytes = given.bytes, result = given.result,
                    sealed = CASE WHEN given.target = 'dead' THEN sealed END, finished = clock.now, lease_until = 0
    FROM clock, unnest(@ids::text[], @tokens::bigint[], @targets::text[], @reasons::text[], @bytes::bigint[], @results::bytea[])
                WITH ORDINALITY AS given (id, token, target, reason, bytes, result, ord)
    WHERE jobs.id = given.id AND jobs.token = given.token AND lease_until > clock.now
    RETURNING seq, given.ord, lane, tenant, charged_ms, used_ms(finished, finished, claimed, parked_since, parked_ms) AS used
),
returned AS (DELETE FROM lent USING ended WHERE lent.seq = ended.seq)
SELECT ord - 1, lane, tenant, charged_ms, used, 0 FROM ended;

-- name: lease_release
WITH held AS MATERIALIZED (
    SELECT seq, lane, tenant, charged_ms AS was, used_ms(@now, lease_until, claimed, parked_since, parked_ms) AS used
    FROM jobs WHERE id = @id AND token = @token AND lease_until > @now
    FOR UPDATE
),
returned AS (DELETE FROM lent USING held WHERE lent.seq = held.seq),
queued AS (
    INSERT INTO waiting (line, not_before, seq) SELECT line, @not_before, seq FROM held JOIN shares USING (lane, tenant)
)
UPDATE jobs SET state = 'queued', reason = @reason, not_before = @not_before, attempt = attempt - @given_back::int,
                lease_until = 0, claimed = 0, parked_since = 0, parked_ms = 0, charged_ms = 0
FROM held WHERE jobs.seq = held.seq
RETURNING 0, jobs.lane, jobs.tenant, held.was, held.used, 0;

-- name: expired
-- What is lent is as few as workers, so that its deadlines need no index. A job that
-- somebody is writing at this moment is left for the next time.
WITH due AS MATERIALIZED (
    SELECT seq, lease_until, used_ms(@now, lease_until, claimed, parked_since, parked_ms) AS used, charged_ms AS was
    FROM lent JOIN jobs USING (seq) WHERE state = 'leased' AND lease_until <= @now
    FOR UPDATE OF jobs SKIP LOCKED
)
SELECT due.was, due.used, job_rows.* FROM due JOIN job_rows USING (seq) ORDER BY due.lease_until, seq;

-- name: expired_any
SELECT EXISTS (SELECT 1 FROM lent JOIN jobs USING (seq) WHERE state = 'leased' AND lease_until <= (SELECT now_ms(@offset)));

-- name: expire
WITH returned AS (DELETE FROM lent WHERE seq = ANY (@seqs::bigint[])),
queued AS (
    INSERT INTO waiting (line, not_before, seq)
    SELECT line, @now, seq FROM jobs JOIN shares USING (lane, tenant) WHERE seq = ANY (@seqs::bigint[])
)
UPDATE jobs SET state = 'queued', reason = @reason, not_before = @now,
                lease_until = 0, claimed = 0, parked_since = 0, parked_ms = 0, charged_ms = 0
WHERE seq = ANY (@seqs::bigint[]);

-- name: deliver_keep
-- What the job's end dated is dated anew, once; a task's key is never dated by an end.
UPDATE keys SET expires = @now + keep
WHERE job = (SELECT id FROM jobs WHERE id = @id AND NOT delivered FOR UPDATE) AND keep IS NOT NULL;

-- name: deliver
UPDATE jobs SET delivered = true WHERE id = @id;

-- name: key_keep
-- Dates the keys of jobs that end. A class without a key has no row.
UPDATE keys SET keep = given.keep, expires = now_ms(@offset) + given.keep
FROM (SELECT * FROM unnest(@jobs::text[], @classes::text[], @keeps::bigint[]) AS g (job, class, keep)) AS given
WHERE keys.job = given.job AND keys.class = given.class;
