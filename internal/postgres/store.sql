-- name: session
-- What our promises need of a session. set_config instead of start-up parameters, which
-- poolers refuse. A server that waits for its standbys to apply promises more than "on".
SELECT current_setting('server_version_num')::int,
       current_setting('transaction_read_only')::bool
FROM (SELECT set_config('synchronous_commit',
                        CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
             set_config('default_transaction_isolation', 'read committed', false),
             set_config('lock_timeout', @lock, false),
             set_config('statement_timeout', @statement, false),
             set_config('idle_in_transaction_session_timeout', @stalled, false)
      OFFSET 0) AS settings;

-- name: server
-- What runs the database, for a person.
SELECT 'PostgreSQL ' || current_setting('server_version');

-- name: clock
-- The one clock of the store, in milliseconds.
SELECT now_ms(@offset);

-- name: begun
-- The instant of a transaction. Its statements are the same all day and find each row by an
-- index, few at a time. So they are planned once, and in no other way, whatever the server
-- thinks of tables that were empty when it looked.
SELECT now_ms(@offset)
FROM (SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
             set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true) OFFSET 0) AS settings;

-- name: begin
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: migration_patience
-- A migration may take as long as it takes, and so may the wait for another node's.
SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true);

-- name: migration_lock
-- Nodes that start at once take turns. The number is "blotter" in ASCII.
SELECT pg_advisory_xact_lock(27703773668599154);

-- name: schema_table
CREATE TABLE IF NOT EXISTS schema_version (
    one     int PRIMARY KEY CHECK (one = 1),
    version int NOT NULL
);

-- name: schema_read
SELECT coalesce(max(version), 0) FROM schema_version;

-- name: schema_write
INSERT INTO schema_version (one, version) VALUES (1, @version)
ON CONFLICT (one) DO UPDATE SET version = excluded.version;

-- name: outbox_add
INSERT INTO outbox (event, job, state, created) VALUES (@event, @job, @state, @now);

-- name: outbox_add_all
-- The events of one transaction, in their order.
INSERT INTO outbox (event, job, state, created)
SELECT event, job, state, clock.now
FROM unnest(@events::bytea[], @jobs::text[], @states::text[]) WITH ORDINALITY AS g (event, job, state, ord),
     (SELECT now_ms(@offset) AS now OFFSET 0) AS clock
ORDER BY ord;

-- name: hint
-- One for work that may be ready, one for each job that moved. Nobody waits until a hint is
-- on the disk.
SELECT set_config('synchronous_commit', 'off', true)
UNION ALL SELECT pg_notify('blotter_work', '')::text WHERE @work
UNION ALL SELECT pg_notify('blotter_job', moved)::text FROM unnest(@jobs::text[]) AS moved;
