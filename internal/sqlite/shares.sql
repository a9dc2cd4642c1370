-- name: share_next
-- The tenant whose turn it is, and its job that has been ready the longest: null where it
-- has none, which share_rest has to note. Reads one row of each index.
SELECT tenant, (SELECT id FROM jobs INDEXED BY jobs_ready
                WHERE state = 'queued' AND lane = :lane AND tenant = shares.tenant AND not_before <= :now
                ORDER BY not_before, seq LIMIT 1)
FROM shares INDEXED BY shares_order
WHERE lane = :lane AND active = 1
ORDER BY virtual, since, tenant LIMIT 1;

-- name: share_any
-- Whether a claim has anything to do in a lane.
SELECT EXISTS (SELECT 1 FROM shares INDEXED BY shares_order WHERE lane = :lane AND active = 1)
    OR EXISTS (SELECT 1 FROM shares INDEXED BY shares_waking WHERE lane = :lane AND wakes > 0 AND wakes <= :now);

-- name: share_waking
SELECT tenant, wakes FROM shares INDEXED BY shares_waking
WHERE lane = :lane AND wakes > 0 AND wakes <= :now ORDER BY wakes, tenant;

-- name: share_level
-- Where a tenant starts that had nothing ready: at the greatest virtual time at which a job
-- of the lane was lent in its turn, but behind nobody who waits. Null in a new lane.
SELECT min(coalesce((SELECT started FROM shares INDEXED BY shares_started WHERE lane = :lane ORDER BY started DESC LIMIT 1), 0),
           coalesce((SELECT virtual FROM shares INDEXED BY shares_order
                     WHERE lane = :lane AND active = 1 ORDER BY virtual LIMIT 1), 9223372036854775807));

-- name: share_activate
-- Who is further on stays there.
INSERT INTO shares (lane, tenant, virtual, started, mean_ms, active, since, wakes)
VALUES (:lane, :tenant, :level, 0, :mean, 1, :since, 0)
ON CONFLICT (lane, tenant) DO UPDATE
SET virtual = max(virtual, excluded.virtual), active = 1, since = excluded.since, wakes = 0 WHERE active = 0;

-- name: share_wake_at
-- A job that will be ready later wakes its tenant then, unless another does so earlier.
INSERT INTO shares (lane, tenant, virtual, started, mean_ms, active, since, wakes) VALUES (:lane, :tenant, 0, 0, :mean, 0, 0, :at)
ON CONFLICT (lane, tenant) DO UPDATE SET wakes = CASE WHEN wakes = 0 THEN :at ELSE min(wakes, :at) END WHERE active = 0;

-- name: share_rest
-- A tenant without a ready job is active no longer.
UPDATE shares SET active = 0,
    wakes = coalesce((SELECT not_before FROM jobs INDEXED BY jobs_ready
                      WHERE state = 'queued' AND lane = :lane AND tenant = :tenant ORDER BY not_before LIMIT 1), 0)
WHERE lane = :lane AND tenant = :tenant AND active = 1
  AND NOT EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_ready
                  WHERE state = 'queued' AND lane = :lane AND tenant = :tenant AND not_before <= :now);

-- name: share_mean
SELECT mean_ms FROM shares WHERE lane = :lane AND tenant = :tenant;

-- name: share_charge
UPDATE shares SET virtual = virtual + :charge WHERE lane = :lane AND tenant = :tenant;

-- name: share_start
-- Charges for a job that was lent in its tenant's turn.
UPDATE shares SET started = max(started, virtual), virtual = virtual + :charge WHERE lane = :lane AND tenant = :tenant;

-- name: share_learn
UPDATE shares SET mean_ms = :mean WHERE lane = :lane AND tenant = :tenant;

-- name: share_account
-- What a leased job has taken, to the end of its lease at most, and what was charged for it.
SELECT tenant, lane, charged_ms,
       max(0, min(:now, lease_until) - claimed - parked_ms
              - CASE WHEN parked_since > 0 THEN max(0, min(:now, lease_until) - parked_since) ELSE 0 END)
FROM jobs WHERE id = :id AND state = 'leased';

-- name: share_waits
-- Whether a job of another tenant is ready that has had less. A tenant whose time has come
-- counts as if a claim had woken it already.
SELECT EXISTS (SELECT 1 FROM shares INDEXED BY shares_order
               WHERE lane = :lane AND active = 1 AND tenant <> :tenant
                 AND virtual < (SELECT virtual FROM shares AS own WHERE own.lane = :lane AND own.tenant = :tenant)
                 AND EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_ready
                             WHERE state = 'queued' AND lane = :lane AND tenant = shares.tenant AND not_before <= :now))
    OR EXISTS (SELECT 1 FROM shares INDEXED BY shares_waking
               WHERE lane = :lane AND wakes > 0 AND wakes <= :now AND tenant <> :tenant
                 AND max(virtual, :level) < (SELECT virtual FROM shares AS own WHERE own.lane = :lane AND own.tenant = :tenant)
                 AND EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_ready
                             WHERE state = 'queued' AND lane = :lane AND tenant = shares.tenant AND not_before <= :now));

-- name: share_ready
-- Whether any job of a lane is ready.
SELECT EXISTS (SELECT 1 FROM shares
               WHERE lane = :lane AND (active = 1 OR (wakes > 0 AND wakes <= :now))
                 AND EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_ready
                             WHERE state = 'queued' AND lane = :lane AND tenant = shares.tenant AND not_before <= :now));
