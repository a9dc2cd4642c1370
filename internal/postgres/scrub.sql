-- name: scrub_due
-- Whether keys were destroyed that the table may still hold, and the last time is long
-- enough ago.
SELECT scrubs.at <= now_ms(@offset) - @pause
   AND EXISTS (SELECT 1 FROM destroyed_keys WHERE destroyed > scrubs.at - @again)
FROM scrubs;

-- name: scrub_patience
SELECT set_config('lock_timeout', @lock, false), set_config('statement_timeout', @statement, false);

-- name: scrub
VACUUM (FULL) keys;

-- name: scrub_done
UPDATE scrubs SET at = now_ms(@offset);
