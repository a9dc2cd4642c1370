-- name: share_look
-- Whose turn it is in a lane: the active tenants of least virtual time, and whether each has a
-- ready job. It reads the first in the order of places and sorts them; none of those that it
-- did not read has had less than the last place. The last columns: nobody unread goes before
-- this one; some are to wake first. Where nobody is active there is one row without a tenant.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
first AS MATERIALIZED (
    SELECT tenant, line, virtual, since, mean_ms, place FROM shares
    WHERE lane = @lane AND active AND tenant <> ALL (@passed::text[])
    ORDER BY place, since, tenant LIMIT @most
),
last AS MATERIALIZED (
    SELECT place, since, tenant FROM first ORDER BY place DESC, since DESC, tenant DESC LIMIT 1
)
SELECT coalesce(tenant, ''), coalesce(line, 0), coalesce(virtual, 0), coalesce(since, 0), coalesce(mean_ms, 0),
       EXISTS (SELECT 1 FROM waiting WHERE line = next.line AND not_before <= (SELECT now FROM clock)),
       (SELECT count(*) FROM first) < @most OR (virtual, since, tenant) <= (SELECT place, since, tenant FROM last),
       waking
FROM (SELECT EXISTS (SELECT 1 FROM shares WHERE lane = @lane AND wakes > 0 AND wakes <= (SELECT now FROM clock)) AS waking) AS all_of_them
     LEFT JOIN (SELECT * FROM first ORDER BY virtual, since, tenant LIMIT @n) AS next ON true;

-- name: share_place
-- Puts the shares that a look reads where their virtual time belongs. Charges do not, so that
-- they need not write the index.
WITH misplaced AS MATERIALIZED (
    SELECT tenant FROM (
        SELECT tenant, virtual, place FROM shares
        WHERE lane = @lane AND active AND tenant <> ALL (@passed::text[])
        ORDER BY place, since, tenant LIMIT @most
    ) AS first
    WHERE place < virtual
),
held AS MATERIALIZED (
    SELECT tenant FROM shares WHERE lane = @lane AND tenant IN (SELECT tenant FROM misplaced)
    ORDER BY tenant FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE shares SET place = virtual FROM held WHERE shares.lane = @lane AND shares.tenant = held.tenant;

-- name: share_wake
-- Activates those whose time has come. None of them lifts the level for another.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
due AS MATERIALIZED (
    SELECT lane, tenant FROM shares
    WHERE lane = @lane AND wakes > 0 AND wakes <= (SELECT now FROM clock)
    ORDER BY lane, tenant FOR NO KEY UPDATE SKIP LOCKED
),
level AS MATERIALIZED (SELECT share_level(@lane, now) AS at FROM clock)
UPDATE shares SET virtual = greatest(virtual, (SELECT at FROM level)), place = greatest(virtual, (SELECT at FROM level)),
                  active = true, since = wakes, wakes = 0
FROM due WHERE shares.lane = due.lane AND shares.tenant = due.tenant;

-- name: share_expect
-- Makes shares ready for jobs that enter the queue in this transaction, from an instant on:
-- one that is due is activated, where who is further on stays there; one for later is to
-- wake then, unless it does so earlier. Locks the rows, changed or not.
WITH given AS MATERIALIZED (
    SELECT lane, tenant, greatest(min(at), min(now)) AS at, min(now) AS now
    FROM unnest(@lanes::text[], @tenants::text[], @ats::bigint[]) AS g (lane, tenant, at),
         (SELECT now_ms(@offset) AS now OFFSET 0) AS clock
    GROUP BY lane, tenant
),
level AS MATERIALIZED (
    SELECT lane, share_level(lane, now) AS at FROM (SELECT lane, min(now) AS now FROM given WHERE at <= now GROUP BY lane) AS due
)
INSERT INTO shares (lane, tenant, virtual, place, mean_ms, active, since, wakes)
SELECT lane, tenant, CASE WHEN at <= now THEN level ELSE 0 END, CASE WHEN at <= now THEN level ELSE 0 END, @mean, at <= now,
       CASE WHEN at <= now THEN at ELSE 0 END, CASE WHEN at <= now THEN 0 ELSE at END
FROM (SELECT *, (SELECT level.at FROM level WHERE level.lane = given.lane) AS level FROM given) AS given
ORDER BY lane, tenant
ON CONFLICT (lane, tenant) DO UPDATE
SET virtual = CASE WHEN excluded.active THEN greatest(shares.virtual, excluded.virtual) ELSE shares.virtual END,
    place   = CASE WHEN excluded.active THEN greatest(shares.virtual, excluded.virtual) ELSE shares.virtual END,
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
    wakes = coalesce((SELECT not_before FROM waiting WHERE line = shares.line ORDER BY not_before LIMIT 1), 0)
WHERE lane = @lane AND tenant = ANY (@tenants::text[]) AND active
  AND NOT EXISTS (SELECT 1 FROM waiting WHERE line = shares.line AND not_before <= now_ms(@offset));

-- name: share_charge
-- Charges of one transaction, its last step. The shares come in the order in which their rows
-- are locked: each is found by the index, one after the other. used[first:last]: what jobs
-- took that ended.
UPDATE shares SET
    virtual = virtual + given.charge,
    place   = least(place, virtual + given.charge),
    mean_ms = CASE WHEN given.first > given.last THEN mean_ms ELSE next_mean(mean_ms, (@used::bigint[])[given.first:given.last]) END
FROM unnest(@lanes::text[], @tenants::text[], @charges::bigint[], @firsts::int[], @lasts::int[])
    AS given (lane, tenant, charge, first, last)
WHERE shares.lane = given.lane AND shares.tenant = given.tenant;

-- name: share_reach
-- How far a lane has come.
INSERT INTO levels (lane, stripe, reached) VALUES (@lane, @stripe, @reached)
ON CONFLICT (lane, stripe) DO UPDATE SET reached = excluded.reached WHERE levels.reached < excluded.reached;

-- name: share_waits
-- Whether a job of another tenant is ready that has had less. A tenant whose time has come
-- counts as if a claim had woken it already.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now),
own AS MATERIALIZED (SELECT virtual FROM shares WHERE lane = @lane AND tenant = @tenant)
SELECT EXISTS (SELECT 1 FROM shares, own
               WHERE lane = @lane AND active AND tenant <> @tenant AND place < own.virtual AND shares.virtual < own.virtual
                 AND EXISTS (SELECT 1 FROM waiting WHERE line = shares.line AND not_before <= (SELECT now FROM clock)))
    OR EXISTS (SELECT 1 FROM shares, own
               WHERE lane = @lane AND wakes > 0 AND wakes <= (SELECT now FROM clock) AND tenant <> @tenant
                 AND greatest(shares.virtual, share_level(@lane, (SELECT now FROM clock))) < own.virtual
                 AND EXISTS (SELECT 1 FROM waiting WHERE line = shares.line AND not_before <= (SELECT now FROM clock)));

-- name: share_ready
-- Whether any job of a lane is ready.
WITH clock AS MATERIALIZED (SELECT now_ms(@offset) AS now)
SELECT EXISTS (SELECT 1 FROM shares
               WHERE lane = @lane AND (active OR (wakes > 0 AND wakes <= (SELECT now FROM clock)))
                 AND EXISTS (SELECT 1 FROM waiting WHERE line = shares.line AND not_before <= (SELECT now FROM clock)));
