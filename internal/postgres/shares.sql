-- name: share_look
-- Whose turn it is in a lane: the first active tenants in their order, and whether each has
-- a ready job. Reads a row of each index for each of them.
SELECT tenant, virtual, since, mean_ms,
       EXISTS (SELECT 1 FROM waiting
               WHERE lane = @lane AND tenant = shares.tenant AND not_before <= (SELECT now_ms(@offset)))
FROM shares
WHERE lane = @lane AND active AND tenant <> ALL (@passed::text[])
ORDER BY virtual, since, tenant LIMIT @n;

-- name: share_any_waking
SELECT EXISTS (SELECT 1 FROM shares WHERE lane = @lane AND wakes > 0 AND wakes <= (SELECT now_ms(@offset)));

-- name: share_wake
-- Activates those whose time has come. None of them lifts the level for another.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
due AS MATERIALIZED (
    SELECT lane, tenant FROM shares
    WHERE lane = @lane AND wakes > 0 AND wakes <= (SELECT now FROM clock)
    ORDER BY lane, tenant FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE shares SET virtual = greatest(virtual, share_level(@lane, (SELECT now FROM clock))), active = true, since = wakes, wakes = 0
FROM due WHERE shares.lane = due.lane AND shares.tenant = due.tenant;

-- name: share_expect
-- Makes shares ready for jobs that enter the queue in this transaction, from an instant on:
-- one that is due is activated, where who is further on stays there; one for later is to
-- wake then, unless it does so earlier. Locks the rows, changed or not.
INSERT INTO shares (lane, tenant, virtual, started, mean_ms, active, since, wakes)
SELECT lane, tenant, CASE WHEN at <= now THEN share_level(lane, now) ELSE 0 END, 0, @mean, at <= now,
       CASE WHEN at <= now THEN at ELSE 0 END, CASE WHEN at <= now THEN 0 ELSE at END
FROM (SELECT lane, tenant, greatest(min(at), min(now)) AS at, min(now) AS now
      FROM unnest(@lanes::text[], @tenants::text[], @ats::bigint[]) AS g (lane, tenant, at),
           (SELECT now_ms(@offset) AS now OFFSET 0) AS clock
      GROUP BY lane, tenant) AS given
ORDER BY lane, tenant
ON CONFLICT (lane, tenant) DO UPDATE
SET virtual = CASE WHEN excluded.active THEN greatest(shares.virtual, excluded.virtual) ELSE shares.virtual END,
    active  = excluded.active,
    since   = CASE WHEN excluded.active THEN excluded.since ELSE shares.since END,
    wakes   = CASE WHEN excluded.active THEN 0 WHEN shares.wakes = 0 THEN excluded.wakes ELSE least(shares.wakes, excluded.wakes) END
WHERE NOT shares.active;

-- name: share_rest_lock
-- Whoever is bringing a job at this moment keeps its share.
SELECT tenant FROM shares
WHERE lane = @lane AND tenant = ANY (@tenants::text[]) AND active
ORDER BY tenant FOR UPDATE SKIP LOCKED;

-- name: share_rest
-- A tenant without a ready job is active no longer. The rows are locked by then, so that
-- this statement sees every job that was added before.
UPDATE shares SET active = false,
    wakes = coalesce((SELECT not_before FROM waiting
                      WHERE lane = @lane AND tenant = shares.tenant ORDER BY not_before LIMIT 1), 0)
WHERE lane = @lane AND tenant = ANY (@tenants::text[]) AND active
  AND NOT EXISTS (SELECT 1 FROM waiting
                  WHERE lane = @lane AND tenant = shares.tenant AND not_before <= now_ms(@offset));

-- name: share_charge
-- Charges of one transaction, its last step. The shares come in the order in which their rows
-- are locked: each is found by the index, one after the other. turns: how many jobs were lent
-- in the tenant's turn, at so much each. used[first:last]: what jobs took that ended.
UPDATE shares SET
    started = CASE WHEN given.turns > 0 THEN virtual + given.each * (given.turns - 1) ELSE started END,
    virtual = virtual + given.charge,
    mean_ms = CASE WHEN given.first > given.last THEN mean_ms ELSE next_mean(mean_ms, (@used::bigint[])[given.first:given.last]) END
FROM unnest(@lanes::text[], @tenants::text[], @charges::bigint[], @turns::int[], @each::bigint[], @firsts::int[], @lasts::int[])
    AS given (lane, tenant, charge, turns, each, first, last)
WHERE shares.lane = given.lane AND shares.tenant = given.tenant;

-- name: share_waits
-- Whether a job of another tenant is ready that has had less. A tenant whose time has come
-- counts as if a claim had woken it already.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
own AS MATERIALIZED (SELECT virtual FROM shares WHERE lane = @lane AND tenant = @tenant)
SELECT EXISTS (SELECT 1 FROM shares, own
               WHERE lane = @lane AND active AND tenant <> @tenant AND shares.virtual < own.virtual
                 AND EXISTS (SELECT 1 FROM waiting WHERE lane = @lane AND tenant = shares.tenant
                                                  AND not_before <= (SELECT now FROM clock)))
    OR EXISTS (SELECT 1 FROM shares, own
               WHERE lane = @lane AND wakes > 0 AND wakes <= (SELECT now FROM clock) AND tenant <> @tenant
                 AND greatest(shares.virtual, share_level(@lane, (SELECT now FROM clock))) < own.virtual
                 AND EXISTS (SELECT 1 FROM waiting WHERE lane = @lane AND tenant = shares.tenant
                                                  AND not_before <= (SELECT now FROM clock)));

-- name: share_ready
-- Whether any job of a lane is ready.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now)
SELECT EXISTS (SELECT 1 FROM shares
               WHERE lane = @lane AND (active OR (wakes > 0 AND wakes <= (SELECT now FROM clock)))
                 AND EXISTS (SELECT 1 FROM waiting WHERE lane = @lane AND tenant = shares.tenant
                                                  AND not_before <= (SELECT now FROM clock)));
