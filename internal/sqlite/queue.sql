-- name: enqueue_known
SELECT * FROM job_rows
WHERE id = (SELECT id FROM jobs WHERE tenant = :tenant AND idempotency = :key
                                  AND idempotency <> '' AND delivered = 0 AND fingerprint = '');

-- name: enqueue_policy
INSERT INTO policies (digest, body) VALUES (:digest, :body) ON CONFLICT (digest) DO NOTHING;

-- name: enqueue_job
INSERT INTO jobs (id, tenant, lane, state, idempotency, created, not_before, input, bytes,
                  policy_name, policy_version, policy_digest, sealed, trace, fingerprint)
VALUES (:id, :tenant, :lane, 'queued', :key, :now, :not_before, :input, :bytes,
        :policy_name, :policy_version, :policy_digest, :sealed, :trace, :fingerprint);

-- name: job_by_id
SELECT * FROM job_rows WHERE id = :id;

-- name: claim_pick_only
SELECT tenant, id FROM jobs
WHERE id IN (SELECT value FROM json_each(:only)) AND state = 'queued' AND lane = :lane AND not_before <= :now
ORDER BY not_before, seq LIMIT 1;

-- name: claim_token
UPDATE fence SET token = token + 1 RETURNING token;

-- name: claim_take
UPDATE jobs SET state = 'leased', attempt = attempt + 1, token = :token, lease_until = :until, claimed = :now, charged_ms = :charged
WHERE id = :id AND state = 'queued';

-- name: lease_check
SELECT 1 FROM jobs WHERE id = :id AND token = :token AND state = 'leased' AND lease_until > :now;

-- name: lease_extend
UPDATE jobs SET lease_until = :until, charged_ms = :charged
WHERE id = :id AND token = :token AND state = 'leased' AND lease_until > :now;

-- name: lease_park
UPDATE jobs SET parked_since = CASE WHEN parked_since > 0 THEN parked_since ELSE :now END
WHERE id = :id AND token = :token AND state = 'leased' AND lease_until > :now;

-- name: lease_unpark
UPDATE jobs SET parked_ms = parked_ms + CASE WHEN parked_since > 0 THEN max(0, :now - parked_since) ELSE 0 END, parked_since = 0
WHERE id = :id AND token = :token AND state = 'leased' AND lease_until > :now;

-- name: lease_finish
-- The task is destroyed with the end of the job; a dead job may be replayed and keeps it.
UPDATE jobs SET state = 'sealing', target = :target, reason = :reason, bytes = :bytes, result = :result,
                sealed = CASE WHEN :target = 'dead' THEN sealed END, finished = :now,
                lease_until = 0, claimed = 0, parked_since = 0, parked_ms = 0, charged_ms = 0
WHERE id = :id AND token = :token AND state = 'leased' AND lease_until > :now;

-- name: lease_release
UPDATE jobs SET state = 'queued', reason = :reason, not_before = :not_before, attempt = attempt - :given_back,
                lease_until = 0, claimed = 0, parked_since = 0, parked_ms = 0, charged_ms = 0
WHERE id = :id AND token = :token AND state = 'leased' AND lease_until > :now;

-- name: expired_any
SELECT 1 FROM jobs INDEXED BY jobs_leased WHERE state = 'leased' AND lease_until <= :now LIMIT 1;

-- name: expired
SELECT * FROM job_rows
WHERE id IN (SELECT id FROM jobs INDEXED BY jobs_leased WHERE state = 'leased' AND lease_until <= :now)
ORDER BY lease_until, seq;

-- name: expire
UPDATE jobs SET state = 'queued', reason = :reason, not_before = :now,
                lease_until = 0, claimed = 0, parked_since = 0, parked_ms = 0, charged_ms = 0
WHERE id = :id AND state = 'leased';

-- name: deliver_keep
-- What the job's end dated is dated anew, once; a task's key is never dated by an end.
UPDATE keys SET expires = :now + keep
WHERE job = (SELECT id FROM jobs WHERE id = :id AND delivered = 0) AND keep IS NOT NULL;

-- name: deliver
UPDATE jobs SET delivered = 1 WHERE id = :id;
