-- name: outbox_oldest
SELECT id, event, job, state FROM outbox ORDER BY id LIMIT @n;

-- name: outbox_ends
SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM outbox;

-- name: log_head
SELECT size, checkpoint FROM log_head;

-- name: log_lock
-- Sequencers take turns from here to the end of the transaction.
SELECT size FROM log_head FOR UPDATE;

-- name: log_advance
UPDATE log_head SET size = @size, checkpoint = @checkpoint;

-- name: entries_add
INSERT INTO entries (sequence, envelope)
SELECT @first::bigint + place - 1, envelope FROM unnest(@envelopes::bytea[]) WITH ORDINALITY AS new (envelope, place);

-- name: hashes_add
INSERT INTO hashes (position, hash)
SELECT @first::bigint + place - 1, hash FROM unnest(@hashes::bytea[]) WITH ORDINALITY AS new (hash, place);

-- name: seal
-- Takes the events of a batch from the outbox, notes of which jobs they speak, and moves
-- the jobs that wait for them on, locked in the order of their ids. Answers how many events
-- it took, how many of them have a job that waits, and which jobs moved.
WITH batch AS (
    SELECT * FROM unnest(@ids::bigint[], @sequences::bigint[]) AS batch (id, sequence)
), taken AS (
    DELETE FROM outbox USING batch WHERE outbox.id = batch.id
    RETURNING batch.sequence, outbox.job, outbox.state, coalesce(convert_from(outbox.event, 'UTF8')::json ->> 'job', '') AS about
), traced AS (
    INSERT INTO trail (job, sequence) SELECT about, sequence FROM taken WHERE about <> ''
), waiting AS (
    SELECT jobs.id, taken.sequence, taken.state FROM jobs JOIN taken ON taken.job = jobs.id
    WHERE taken.job <> '' ORDER BY jobs.id FOR UPDATE OF jobs
), moved AS (
    UPDATE jobs SET state = jobs.target, target = '', final_seq = waiting.sequence, seal_ms = greatest(0, @now - finished)
    FROM waiting WHERE jobs.id = waiting.id AND jobs.state = 'sealing' AND jobs.target = waiting.state
    RETURNING jobs.id
)
SELECT (SELECT count(*) FROM taken), (SELECT count(*) FROM taken WHERE job <> ''),
       (SELECT coalesce(array_agg(id), '{}') FROM moved);

-- name: entry
SELECT envelope FROM entries WHERE sequence = @sequence;

-- name: hashes
-- In the order of the question; one that is not there is left out.
SELECT hash FROM unnest(@positions::bigint[]) WITH ORDINALITY AS wanted (position, place)
JOIN hashes USING (position) ORDER BY place;

-- name: trail
SELECT sequence, envelope FROM trail JOIN entries USING (sequence)
WHERE job = @job AND sequence > @after ORDER BY sequence LIMIT @n;
