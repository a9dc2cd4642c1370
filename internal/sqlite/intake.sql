-- name: reserve_look
-- Everything that decides over a reservation, in one snapshot: what the key was accepted
-- for, whether another holds it, and how much waits, each count no further than its bound.
-- Reservations that are in force are as few as the uploads under way.
SELECT coalesce((SELECT id FROM jobs
                 WHERE tenant = :tenant AND idempotency = :key AND idempotency <> '' AND fingerprint <> ''), ''),
       coalesce((SELECT fingerprint FROM jobs
                 WHERE tenant = :tenant AND idempotency = :key AND idempotency <> '' AND fingerprint <> ''), ''),
       EXISTS (SELECT 1 FROM reservations
               WHERE tenant = :tenant AND idempotency = :key AND idempotency <> '' AND until > :now),
       (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE tenant = :tenant AND state = 'queued' LIMIT :tenant_bound))
           + (SELECT count(*) FROM reservations WHERE until > :now AND tenant = :tenant) >= :tenant_bound
    OR (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'queued' LIMIT :total_bound))
           + (SELECT count(*) FROM reservations WHERE until > :now) >= :total_bound;

-- name: reserve_free
-- Frees the key of a reservation that ran out; the row stays for the retention.
UPDATE reservations SET idempotency = ''
WHERE tenant = :tenant AND idempotency = :key AND idempotency <> '' AND until <= :now;

-- name: reserve_add
INSERT INTO reservations (job, tenant, idempotency, token, until, staged) VALUES (:job, :tenant, :key, :token, :until, :staged);

-- name: reserve_renew
UPDATE reservations SET until = :until WHERE job = :job AND token = :token AND until > :now;

-- name: reserve_abandon
UPDATE reservations SET until = 0, idempotency = '' WHERE job = :job AND token = :token AND until > :now;

-- name: reserve_end
-- Ends a reservation whoever holds it; what was stored for it is about to be destroyed.
UPDATE reservations SET until = 0, idempotency = '' WHERE job = :job;

-- name: reserve_become
DELETE FROM reservations
WHERE job = :job AND token = :token AND until > :now AND tenant = :tenant AND idempotency = :key;

-- name: reserve_any_forgettable
SELECT 1 FROM reservations
WHERE until <= :now AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.job = reservations.job) LIMIT 1;

-- name: reserve_unwritten
-- Uploads that were announced and never begun: no key of theirs was made, so that none was
-- destroyed on record.
SELECT job FROM reservations
WHERE staged = 1 AND until <= :now AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.job = reservations.job)
  AND NOT EXISTS (SELECT 1 FROM destroyed_keys AS gone WHERE gone.job = reservations.job AND gone.class = 'upload');

-- name: reserve_forget
DELETE FROM reservations
WHERE until <= :now AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.job = reservations.job);
