-- name: reserve_look
-- Everything that decides over a reservation, in one snapshot: what the key was accepted
-- for, whether another holds it, and how much waits, each count no further than its bound.
-- Reservations that are in force are as few as the uploads under way.
SELECT coalesce((SELECT id FROM jobs
                 WHERE tenant = @tenant AND idempotency = @key AND idempotency <> '' AND fingerprint <> ''), ''),
       coalesce((SELECT fingerprint FROM jobs
                 WHERE tenant = @tenant AND idempotency = @key AND idempotency <> '' AND fingerprint <> ''), ''),
       EXISTS (SELECT 1 FROM reservations
               WHERE tenant = @tenant AND idempotency = @key AND idempotency <> '' AND until > @now),
       (SELECT count(*) FROM (SELECT 1 FROM shares JOIN waiting USING (line)
                              WHERE lane IN ('interactive', 'bulk') AND tenant = @tenant LIMIT @tenant_bound) AS counted)
           + (SELECT count(*) FROM reservations WHERE until > @now AND tenant = @tenant) >= @tenant_bound
    OR (SELECT count(*) FROM (SELECT 1 FROM waiting LIMIT @total_bound) AS counted)
           + (SELECT count(*) FROM reservations WHERE until > @now) >= @total_bound;

-- name: reserve_accepted
-- Looks again once the key is held: whoever held it before may have become a job since.
SELECT id, fingerprint FROM jobs WHERE tenant = @tenant AND idempotency = @key AND idempotency <> '' AND fingerprint <> '';

-- name: reserve_free
-- Frees the key of a reservation that ran out; the row stays for the retention.
UPDATE reservations SET idempotency = ''
WHERE tenant = @tenant AND idempotency = @key AND idempotency <> '' AND until <= @now;

-- name: reserve_add
INSERT INTO reservations (job, tenant, idempotency, token, until, staged)
VALUES (@job, @tenant, @key, nextval('fence'), @until, @staged)
ON CONFLICT (tenant, idempotency) WHERE idempotency <> '' DO NOTHING
RETURNING token;

-- name: reserve_renew
UPDATE reservations SET until = @until WHERE job = @job AND token = @token AND until > @now;

-- name: reserve_abandon
UPDATE reservations SET until = 0, idempotency = '' WHERE job = @job AND token = @token AND until > @now;

-- name: reserve_become
DELETE FROM reservations
WHERE job = @job AND token = @token AND until > @now AND tenant = @tenant AND idempotency = @key;
